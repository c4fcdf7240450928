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
from cli import ResultError  # noqa: E402

GALLERY = "gallery"  # the "chapter" of bin/gallery_cuda's kernels

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
    "ldmatrix_wavefronts": "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum",
    "stmatrix_requests": "smsp__inst_executed_op_shared_stsm.sum",
    "stmatrix_wavefronts": "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum",
    "cp_async_global_requests": "sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum",
    "cp_async_global_sectors": "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum",
    "cp_async_shared_wavefronts": (
        "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"
    ),
    "tma_shared_bytes": "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum",
    "tma_multicast_bytes": (
        "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld_dest_multicast.sum"
    ),
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
    "ldmatrix_bank_conflicts": (
        "sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum"
    ),
}


class NcuError(Exception):
    """ncu, or the device, cannot do it; the message is one line."""


def fail(message: str) -> NoReturn:
    raise NcuError(" ".join(message.split()))


def metrics(dtype: str) -> dict[str, str]:
    return {name: metric.format(dtype=dtype) for name, metric in METRICS.items()}


def program(build: Path, variant: str, row: dict) -> tuple[str, list[str]]:
    """The kernel's name, and the command that launches it."""
    if row["chapter"] == GALLERY:
        return "regex:_kernel", [str(build / "bin" / "gallery_cuda"), variant]
    command = [str(build / "bin" / "bench"), "--chapter", row["chapter"], "--check"]
    command += ["--variant", variant]
    shape = f"{row['m']}x{row['n']}x{row['k']}"
    return "gemm_kernel", [*command, "--shape", shape, "--dtype", row["dtype"]]


def read(what: str, kernel: str, command: list[str], wanted: dict[str, str]) -> dict[str, int]:
    """Counters of the command's first launch of the kernel; those that ncu does not know are left out."""
    ncu = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base"]
    ncu += ["-k", kernel, "-c", "1", "--metrics", ",".join(wanted.values())]
    try:
        run = subprocess.run([*ncu, *command], capture_output=True, text=True)
    except OSError as error:
        fail(f"ncu: {error.strerror}")
    table = list(csv.reader(line for line in run.stdout.splitlines() if line.startswith('"')))
    if run.returncode or len(table) < 3:
        fail(f"{what}: ncu reported nothing: {(run.stderr or run.stdout)[-200:]}")
    values = dict(zip(table[0], table[2]))  # the second line holds the units
    out = {}
    for name, metric in wanted.items():
        text = values.get(metric, "").replace(",", "")
        if re.fullmatch(r"\d+(\.\d+)?", text):
            out[name] = round(float(text))
    if not out:
        fail(f"{what}: ncu knows none of the metrics")
    return out


def profile(build: Path, variant: str, row: dict) -> dict[str, int]:
    """The counters of the kernel's first launch."""
    kernel, command = program(build, variant, row)
    return read(f"{row['chapter']} {variant}", kernel, command, metrics(row["dtype"]))


def at_shapes(rows: list[dict], shapes: list[str]) -> list[dict]:
    """Each kernel of the rows at each of the shapes."""
    form = re.compile(r"([1-9]\d{0,8})x([1-9]\d{0,8})x([1-9]\d{0,8})", re.ASCII)
    extents = [form.fullmatch(shape) for shape in shapes]
    if None in extents:
        raise ResultError(f"expected MxNxK, found '{shapes[extents.index(None)]}'")
    sizes = [dict(zip("mnk", map(int, match.groups()))) for match in extents]
    kernels = {
        (row["chapter"], row["variant"], row["dtype"]): row for row in rows if "skipped" not in row
    }
    for row in kernels.values():
        row.pop("rel_err", None)  # of the shape that was counted
    return [{**row, **size} for size in sizes for row in kernels.values()]


def device_facts() -> list[str]:
    """The GPU's name and the driver's version."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        return subprocess.check_output(query, text=True).splitlines()[0].split(", ")
    except (OSError, subprocess.CalledProcessError, IndexError) as error:
        fail(f"nvidia-smi: {error}")


def count() -> int:
    if len(sys.argv) < 4:
        raise ResultError("usage: ncu_counters.py BUILD_DIR CPU_COUNTERS.json OUT.json [MxNxK...]")
    build, source, target = (Path(argument) for argument in sys.argv[1:4])
    file = cli.read_json(source)
    with cli.reading(source):
        if file["method"]["mode"] != "counters":
            raise ValueError(f"mode {file['method']['mode']}, not counters")
        variants = [(c["name"], v) for c in file["chapters"] for v in c["variants"]]
        defaults = {chapter: v["name"] for chapter, v in variants if v.get("default")}
        if sys.argv[4:]:
            file["rows"] = at_shapes(file["rows"], sys.argv[4:])
        for row in file["rows"]:
            if "skipped" not in row:
                variant = row["variant"]
                variant = defaults[row["chapter"]] if variant == "default" else variant
                row["counters"] = profile(build, variant, row)
    name, driver = device_facts()
    file["device"] = {"name": name}
    file["software"] = {"driver": driver}
    file["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    cli.write_atomically(target, (json.dumps(file, indent=1) + "\n").encode("utf-8"))
    return 0


def main() -> int:
    """Ends with the status of a device that cannot do it where ncu is the reason."""
    try:
        return count()
    except NcuError as error:
        print(f"ncu_counters: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    cli.run(main)
