#!/usr/bin/env python3
"""Has Nsight Compute count on the GPU what the CPU backend counted, for the same kernels.

usage: ncu_counters.py BUILD_DIR CPU_COUNTERS.json OUT.json

Reads which kernels and shapes the CPU backend's counter file holds, runs each once under ncu, and
writes a result file of the same form with the counters' values from the hardware.
"""

from __future__ import annotations

import csv
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

# The CPU backend's name of a counter, and ncu's.
METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_requests": "smsp__inst_executed_op_shared_st.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}


def fail(message: str) -> None:
    sys.exit(f"ncu_counters: {message}")


def profile(program: Path, variant: str, row: dict) -> dict[str, int]:
    """The counters of the kernel's first launch."""
    shape = f"{row['m']}x{row['n']}x{row['k']}"
    command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "-k", "gemm_kernel"]
    command += ["-c", "1", "--metrics", ",".join(METRICS.values()), str(program), "--check"]
    command += ["--variant", variant, "--shape", shape, "--dtype", row["dtype"]]
    try:
        run = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        fail(f"ncu: {error.strerror}")
    table = list(csv.reader(line for line in run.stdout.splitlines() if line.startswith('"')))
    if run.returncode or len(table) < 3:
        fail(f"{program.name} {variant}: ncu reported nothing: {(run.stderr or run.stdout)[-200:]}")
    values = dict(zip(table[0], table[2]))  # the second line holds the units
    return {name: int(values[metric].replace(",", "")) for name, metric in METRICS.items()}


def main() -> int:
    if len(sys.argv) != 4:
        fail("usage: ncu_counters.py BUILD_DIR CPU_COUNTERS.json OUT.json")
    build, source, target = (Path(argument) for argument in sys.argv[1:])
    file = json.loads(source.read_text())
    defaults = {
        chapter["name"]: next(v["name"] for v in chapter["variants"] if v["default"])
        for chapter in file["chapters"]
    }
    for row in file["rows"]:
        variant = row["variant"]
        if variant == "default":
            variant = defaults[row["chapter"]]
        row["counters"] = profile(build / "bin" / row["chapter"], variant, row)
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    name, driver = subprocess.check_output(query, text=True).splitlines()[0].split(", ")
    file["device"] = {"name": name}
    file["software"] = {"driver": driver}
    file["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    partial = target.with_suffix(".partial")
    partial.write_text(json.dumps(file, indent=1) + "\n")
    os.replace(partial, target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
