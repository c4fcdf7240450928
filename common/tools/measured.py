#!/usr/bin/env python3
"""Counters of the GPU beside those of the CPU backend, and rows for result files.

usage: measured.py profile BUILD_DIR CHAPTER [--variant NAME] [--shape MxNxK] [--dtype bf16|fp16]
       measured.py record BUILD_DIR CPU_COUNTERS.json OUT.json [MxNxK...]
       measured.py merge FIRST.json MORE.json

profile (`make profile`): the counters that the pages talk about, in their words, by ncu where there is a GPU
and by the CPU backend at 256. record: runs the kernels of a counter file under ncu, at its shapes or others,
and writes a file of the same form. merge: adds rows of a further result file that was measured alike, and
their chapters, to a first one. Exit status 2: bad usage, or neither can be had; 3: ncu failed.
"""

import argparse
import csv
import datetime
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Iterator, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plots"))

import cli  # noqa: E402

WAVEFRONTS = "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
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
}


def facts(counted: dict) -> dict[str, str]:
    """What was counted, by words for it; "-" where nothing was. `operations`: the problem's, 2 M N K."""
    c = Counter(counted)
    sectors = c["global_load_sectors"] + c["cp_async_global_sectors"]
    # As ncu says, or as the CPU backend's counters add up.
    from_l2 = 32 * (c["l2_read_sectors"] or sectors) + c["tma_load_bytes"]
    reads, writes = (4 * c[f"smem_bank_{way}"] for way in ("reads", "writes"))
    read = f"{reads / (c['sm_cycles'] or 1):.0f}"
    found = []
    for op in ("global_load", "global_store", "shared_load", "shared_store", "ldmatrix", "stmatrix"):
        what = "sectors" if op.startswith("global") else "wavefronts"
        words = f"{what} per {op.replace('_', ' ')}"
        found.append((words, "{:.2f}", c[f"{op}_{what}"], c[f"{op}_requests"]))
    found += [
        ("arrives by TMA", "{:,.1f} MB", c["tma_shared_bytes"], 2**20),
        ("of it by multicast", "{:,.1f} MB", c["tma_multicast_bytes"], 2**20),
        ("leaves by TMA", "{:,.1f} MB", c["tma_store_bytes"], 2**20),
        ("from DRAM", "{:,.1f} MB", c["dram_read_bytes"], 2**20),
        ("operations per byte from the L2", "{:.3g}", c["operations"], from_l2),
        ("bytes per cycle, shared memory", read + " + {:.0f}", writes, c["sm_cycles"]),
        ("of the tensor cores' work is needed", "{:.0%}", c["operations"], c["tensor_flops"]),
        ("of their cycles the tensor cores work", "{:.1%}", c["tensor_flops"] / 4096, c["sm_cycles"]),
        ("SM clock", "{:.0f} MHz", 1000 * c["cycles"], c["time_ns"]),
        ("under ncu", "{:.3g} TFLOPS", c["operations"] / 1000, c["time_ns"]),
    ]
    return {words: form.format(n / of) if n and of else "-" for words, form, n, of in found}


def shape(text: str) -> dict[str, int]:
    return dict(zip("mnk", map(cli.size, text.split("x")), strict=True))


def extents(problem: dict) -> str:
    return "{m}x{n}x{k}".format(**problem)


def fail(message: str, status: int = 3) -> NoReturn:
    """Ends the script in one line: the device, or ncu, cannot do it."""
    print(f"{sys.argv[1]}: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(status)


def run(command: list) -> None:
    """Runs a chapter's program, which says in one line what it refuses."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        fail((done.stderr + done.stdout).strip().splitlines()[-1], done.returncode)


def count(build: Path, row: dict, variant: str, **more: str) -> dict[str, int]:
    """Counters of a row's kernel, and more by name and metric; those that ncu does not know are left out."""
    kernel, program = "gemm_kernel", [build / "bin" / row["chapter"], "--check"]
    program += ["--variant", variant, "--shape", extents(row), "--dtype", row["dtype"]]
    if row["chapter"] == "gallery":
        kernel, program = "regex:_kernel", [build / "bin" / "gallery_cuda", variant]
    wanted = {name: metric.format(**row) for name, metric in METRICS.items()} | more
    ncu = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base"]
    ncu += ["-k", kernel, "-c", "1", "--metrics", ",".join(wanted.values())]
    done = subprocess.run([*ncu, *program], capture_output=True, text=True)
    table = list(csv.DictReader(line for line in done.stdout.splitlines() if line.startswith('"')))
    if done.returncode or len(table) < 2:  # a line of units, and one for the launch
        said = done.stdout + done.stderr
        if "ERR_NVGPUCTRPERM" in said:
            fail("this user may not read the GPU's counters: run it as root, or load the driver "
                 "with NVreg_RestrictProfilingToAdminUsers=0")
        run(program)  # says by itself what it refuses
        fail(f"{row['chapter']} {variant}: ncu reported nothing: {said[-200:]}")
    values = {name: table[1].get(metric, "").replace(",", "") for name, metric in wanted.items()}
    known = {name: text for name, text in values.items() if re.fullmatch(r"\d+(\.\d+)?", text)}
    if not known:
        fail(f"{row['chapter']} {variant}: ncu knows none of the metrics")
    return {name: round(float(text)) for name, text in known.items()}


def variants(file: dict) -> Iterator[tuple[dict, str]]:
    """The rows of a result file, and the names of their variants: what `default` stands for."""
    all_variants = [(c["name"], v) for c in file["chapters"] for v in c["variants"]]
    defaults = {chapter: v["name"] for chapter, v in all_variants if v.get("default")}
    for row in file["rows"]:
        yield row, defaults[row["chapter"]] if row["variant"] == "default" else row["variant"]


def profile(args: argparse.Namespace) -> None:
    missing = next((tool for tool in ("nvidia-smi", "ncu") if not shutil.which(tool)), None)
    if not missing and not (args.build / "bin" / args.chapter).exists():
        missing = f"{args.chapter} for the GPU"
    if missing:
        print(f"profile: no {missing} here, so these are the CPU backend's counters, without times")
    small = args.shape if missing and args.shape else shape("256x256x256")
    with tempfile.NamedTemporaryFile() as file:
        command = [args.build / "bin" / f"{args.chapter}_cpu", "--counters", "--json", file.name]
        command += ["--shape", extents(small), "--dtype", args.dtype]
        run(command + (["--variant", args.variant] if args.variant else []))
        row, variant = next(variants(cli.read_json(Path(file.name))))
    if "skipped" in row:
        fail(f"{args.chapter}: {row['skipped']}", 2)
    counted = row["counters"] | {"operations": 2 * math.prod(small.values())}
    columns = {f"CPU backend, {extents(small)}": counted}
    if not missing:
        at = args.shape or shape("4096x4096x4096")
        times = {"time_ns": "gpu__time_duration.sum", "cycles": "sm__cycles_elapsed.max"}
        counted = count(args.build, row | at, variant, **times)
        counted["operations"] = 2 * math.prod(at.values())
        for kind, matrix in (("shared_load", "ldmatrix"), ("shared_store", "stmatrix")):
            if f"{kind}_wavefronts" in counted:  # which the CPU backend keeps apart
                counted[f"{kind}_wavefronts"] -= counted.get(f"{matrix}_wavefronts", 0)
        columns = {f"ncu, {extents(at)}": counted} | columns
    print(f"{args.chapter}, {variant}, {args.dtype}, one launch")
    print(" " * 37, *columns, sep="  ")
    found = {name: facts(counted) for name, counted in columns.items()}
    for words in facts({}):
        cells = [texts[words].rjust(len(name)) for name, texts in found.items()]
        if any(cell.strip() != "-" for cell in cells):
            print(words.ljust(37), *cells, sep="  ")
    print("How to read this: PROFILING.md")


def record(args: argparse.Namespace) -> dict:
    file = cli.read_json(args.counters)
    if args.shapes:  # each kernel of the rows at each of them, without the error at its own shape
        measured = [row for row in file["rows"] if "skipped" not in row]
        kernels = {(row["chapter"], row["variant"], row["dtype"]): row for row in measured}
        file["rows"] = [row | at for at in args.shapes for row in kernels.values()]
    for row, variant in variants(file):
        if "skipped" not in row:
            row["counters"] = count(args.build, row, variant)
        if args.shapes:
            row.pop("rel_err", None)
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    name, driver = subprocess.check_output(query, text=True).splitlines()[0].split(", ")
    file |= {"device": {"name": name}, "software": {"driver": driver}}
    file["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return file


def merge(args: argparse.Namespace) -> dict:
    first, more = cli.read_json(args.out), cli.read_json(args.more)
    for field in ("schema", "commit", "device", "software", "method"):
        if first[field] != more[field]:
            raise cli.ResultError(f"{args.more}: another {field}")
    row = ("chapter", "variant", "m", "n", "k", "dtype", "mode")
    for entries, names in (("chapters", ("name",)), ("rows", row)):
        known = [[entry[name] for name in names] for entry in first[entries]]
        first[entries] += [e for e in more[entries] if [e[name] for name in names] not in known]
    return first


def main() -> int:
    parser = cli.Parser(prog="measured.py", description=__doc__.splitlines()[0])
    tools = parser.add_subparsers(required=True, metavar="profile|record|merge")
    path, at = {"type": Path}, {"type": shape, "metavar": "MxNxK"}
    dtype = {"choices": ("bf16", "fp16"), "default": "bf16"}
    arguments = {
        profile: {"build": path, "chapter": {}, "--variant": {}, "--shape": at, "--dtype": dtype},
        record: {"build": path, "counters": path, "out": path, "shapes": at | {"nargs": "*"}},
        merge: {"out": path, "more": path},
    }
    for work, wanted in arguments.items():
        tool = tools.add_parser(work.__name__, prog=work.__name__)
        tool.set_defaults(work=work)
        for name, how in wanted.items():
            tool.add_argument(name, **how)
    args = parser.parse_args()
    if file := args.work(args):
        cli.write_atomically(args.out, (json.dumps(file, indent=1) + "\n").encode())
    return 0


if __name__ == "__main__":
    cli.run(main)
