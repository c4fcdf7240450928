#!/usr/bin/env python3
"""Has Nsight Compute count on the GPU what the CPU backend counted, for the same kernels.

usage: ncu_counters.py BUILD_DIR CPU_COUNTERS.json OUT.json [MxNxK...]

Reads which kernels and shapes the CPU backend's counter file holds, chapters' or the gallery's, runs
each once under ncu, and writes a result file of the same form with the counters' values from the
hardware. Shapes, where given, take the place of the file's: the hardware's cache cannot be made
smaller with the problem. A metric that this GPU does not have is left out.
"""

from __future__ import annotations

import csv
import datetime
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plots"))

import cli  # noqa: E402

WAVEFRONTS = "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
SASS_CONFLICTS = "sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum"
TMA_LOADS = "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld"
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
    "ldmatrix_requests": "smsp__inst_executed_op_ldsm.sum",
    "ldmatrix_wavefronts": WAVEFRONTS + "ldsm.sum",
    "stmatrix_requests": "smsp__inst_executed_op_shared_stsm.sum",
    "stmatrix_wavefronts": WAVEFRONTS + "stsm.sum",
    "cp_async_global_requests": "sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum",
    "cp_async_global_sectors": "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum",
    "cp_async_shared_wavefronts": WAVEFRONTS + "ldgsts.sum",
    "tma_shared_bytes": TMA_LOADS + ".sum",
    "tma_multicast_bytes": TMA_LOADS + "_dest_multicast.sum",
    "tma_store_bytes": "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum",
    "tensor_flops": "sm__ops_path_tensor_src_{dtype}_dst_fp32.sum",
    # Of the hardware alone.
    "l2_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "sm_cycles": "sm__cycles_active.sum",  # over all SMs
    "smem_bank_reads": "l1tex__data_bank_reads.sum",  # 4 bytes of shared memory or the L1
    "smem_bank_writes": "l1tex__data_bank_writes.sum",
    "shared_load_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "ldmatrix_bank_conflicts": SASS_CONFLICTS,
}
NOT_ALLOWED = (
    "this user may not read the GPU's counters: run it as root, or load the driver with "
    "NVreg_RestrictProfilingToAdminUsers=0"
)


def fail(message: str, status: int = 3) -> NoReturn:
    """Ends the script in one line: the device, or ncu, cannot do it."""
    name = Path(sys.argv[0]).stem.removesuffix("_chapter")
    print(f"{name}: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(status)


def metrics(dtype: str) -> dict[str, str]:
    return {name: metric.format(dtype=dtype) for name, metric in METRICS.items()}


def read(what: str, kernel: str, command: list, wanted: dict[str, str]) -> dict[str, int]:
    """Counters of the command's first launch of the kernel; those that ncu does not know are left out."""
    ncu = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base"]
    ncu += ["-k", kernel, "-c", "1", "--metrics", ",".join(wanted.values())]
    run = subprocess.run([*ncu, *command], capture_output=True, text=True)
    table = list(csv.DictReader(line for line in run.stdout.splitlines() if line.startswith('"')))
    said = run.stdout + run.stderr
    if run.returncode or len(table) < 2:  # a line of units, and one for the launch
        reason = f"{what}: ncu reported nothing: {said[-200:]}"
        fail(NOT_ALLOWED if "ERR_NVGPUCTRPERM" in said else reason)
    values = {name: table[1].get(metric, "").replace(",", "") for name, metric in wanted.items()}
    known = {name: text for name, text in values.items() if re.fullmatch(r"\d+(\.\d+)?", text)}
    if not known:
        fail(f"{what}: ncu knows none of the metrics")
    return {name: round(float(text)) for name, text in known.items()}


def count(build: Path, row: dict, variant: str) -> dict[str, int]:
    """What one row's kernel counts."""
    kernel, program = "gemm_kernel", [build / "bin" / "bench", "--chapter", row["chapter"]]
    program += ["--check", "--variant", variant, "--shape", "x".join(str(row[s]) for s in "mnk")]
    program += ["--dtype", row["dtype"]]
    if row["chapter"] == "gallery":
        kernel, program = "regex:_kernel", [build / "bin" / "gallery_cuda", variant]
    return read(f"{row['chapter']} {variant}", kernel, program, metrics(row["dtype"]))


def at_shapes(rows: list[dict], shapes: list[str]) -> list[dict]:
    """Each kernel of the rows at each of the shapes."""
    odd = [shape for shape in shapes if not re.fullmatch(r"([1-9]\d*x){2}[1-9]\d*", shape)]
    if odd:
        raise cli.ResultError(f"expected MxNxK, found '{odd[0]}'")
    sizes = [dict(zip("mnk", map(int, shape.split("x")))) for shape in shapes]
    measured = [row for row in rows if "skipped" not in row]
    kernels = {(row["chapter"], row["variant"], row["dtype"]): row for row in measured}
    for row in kernels.values():
        row.pop("rel_err", None)  # of the shape that was counted
    return [{**row, **size} for size in sizes for row in kernels.values()]


def main() -> int:
    if len(sys.argv) < 4:
        raise cli.ResultError(__doc__.splitlines()[2])
    build, source, target = map(Path, sys.argv[1:4])
    file = json.loads(source.read_text())
    variants = [(c["name"], v) for c in file["chapters"] for v in c["variants"]]
    defaults = {chapter: v["name"] for chapter, v in variants if v.get("default")}
    if sys.argv[4:]:
        file["rows"] = at_shapes(file["rows"], sys.argv[4:])
    for row in file["rows"]:
        if "skipped" not in row:
            by_default = row["variant"] == "default"
            variant = defaults[row["chapter"]] if by_default else row["variant"]
            row["counters"] = count(build, row, variant)
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    name, driver = subprocess.check_output(query, text=True).splitlines()[0].split(", ")
    file |= {"device": {"name": name}, "software": {"driver": driver}}
    file["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    cli.write_atomically(target, (json.dumps(file, indent=1) + "\n").encode())
    return 0


if __name__ == "__main__":
    cli.run(main)
