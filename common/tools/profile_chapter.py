#!/usr/bin/env python3
"""What `make profile` does: the counters that the pages talk about, in their words.

usage: profile_chapter.py BUILD_DIR CHAPTER [--variant NAME] [--shape MxNxK] [--dtype bf16|fp16]

With a GPU and ncu the kernel runs once under ncu, and what the CPU backend counts at 256 stands beside
it; without either the CPU backend's counters stand alone. Exit status 2: bad usage, or neither can be
had; 3: ncu failed.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable, NamedTuple, NoReturn, Optional

import ncu_counters  # makes plots/ known
import cli
import counters

CPU_SHAPE = "256x256x256"
GPU_SHAPE = "4096x4096x4096"
TENSOR_PER_CYCLE = 4096  # operations of an SM's tensor cores, compute capability 9.0

# Beside what ncu_counters.py reads.
MORE_METRICS = {
    "time_ns": "gpu__time_duration.sum",
    "cycles": "sm__cycles_elapsed.max",
}

Counters = dict[str, float]


class Problem(NamedTuple):
    m: int
    n: int
    k: int

    @property
    def operations(self) -> int:
        return 2 * self.m * self.n * self.k

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


def _per(counter: str, unit: str) -> Callable[[Counters, Problem], Optional[str]]:
    """A ratio of two counters; None where nothing of the kind happened."""

    def text(counted: Counters, _: Problem) -> str | None:
        return f"{counted[counter] / counted[unit]:.2f}" if counted.get(unit) else None

    return text


def _bytes(counter: str, unit: int = 1) -> Callable[[Counters, Problem], Optional[str]]:
    def text(counted: Counters, _: Problem) -> str | None:
        value = counted.get(counter, 0) * unit
        return f"{value / 2**20:,.1f} MB" if value else None

    return text


def _l2_bytes(counted: Counters) -> float:
    """What was read from the L2: as ncu says, or as the CPU backend's counters add up."""
    if "l2_read_sectors" in counted:
        return 32 * counted["l2_read_sectors"]
    sectors = counted.get("global_load_sectors", 0) + counted.get("cp_async_global_sectors", 0)
    return 32 * sectors + counted.get("tma_load_bytes", 0)


def _intensity(counted: Counters, problem: Problem) -> str | None:
    read = _l2_bytes(counted)
    return f"{problem.operations / read:.3g}" if read else None


def _useful(counted: Counters, problem: Problem) -> str | None:
    done = counted.get("tensor_flops")
    return f"{100 * problem.operations / done:.0f}%" if done else None


def _busy(counted: Counters, _: Problem) -> str | None:
    if not (counted.get("tensor_flops") and counted.get("sm_cycles")):
        return None
    return f"{100 * counted['tensor_flops'] / TENSOR_PER_CYCLE / counted['sm_cycles']:.1f}%"


def _smem(counted: Counters, _: Problem) -> str | None:
    cycles, banks = counted.get("sm_cycles"), ("smem_bank_reads", "smem_bank_writes")
    if not cycles or not all(bank in counted for bank in banks):
        return None
    read, written = (4 * counted[bank] / cycles for bank in banks)
    return f"{read:.0f} + {written:.0f}"


def _rate(counted: Counters, problem: Problem) -> str | None:
    time = counted.get("time_ns")
    return f"{problem.operations / time / 1000:.3g} TFLOPS" if time else None


def _clock(counted: Counters, _: Problem) -> str | None:
    known = counted.get("time_ns") and counted.get("cycles")
    return f"{1000 * counted['cycles'] / counted['time_ns']:.0f} MHz" if known else None


class Fact(NamedTuple):
    words: str
    hint: str  # how to read the number
    text: Callable[[Counters, Problem], Optional[str]]


FACTS = {
    "loads": Fact(
        "sectors per global load",
        "of 32 bytes; neighbouring lanes: 2 at 16 bits, 16 at 128",
        _per("global_load_sectors", "global_load_requests"),
    ),
    "stores": Fact(
        "sectors per global store",
        "as for loads; a sector half written counts in full",
        _per("global_store_sectors", "global_store_requests"),
    ),
    "shared_loads": Fact(
        "wavefronts per shared load",
        "1 at 32 bits, 4 at 128, 2 where lanes share; more: conflicts",
        _per("shared_load_wavefronts", "shared_load_requests"),
    ),
    "shared_stores": Fact(
        "wavefronts per shared store",
        "1 at 32 bits, 2 at 64, 4 at 128; more: conflicts",
        _per("shared_store_wavefronts", "shared_store_requests"),
    ),
    "ldmatrix": Fact(
        "wavefronts per ldmatrix",
        "4 for .x4; more: conflicts",
        _per("ldmatrix_wavefronts", "ldmatrix_requests"),
    ),
    "stmatrix": Fact(
        "wavefronts per stmatrix",
        "4 for .x4; more: conflicts, or several warpgroups at once",
        _per("stmatrix_wavefronts", "stmatrix_requests"),
    ),
    "tma": Fact("arrives by TMA", "in shared memory, all blocks", _bytes("tma_shared_bytes")),
    "multicast": Fact(
        "of it by multicast", "sent once, received by several", _bytes("tma_multicast_bytes")
    ),
    "tma_stores": Fact("leaves by TMA", "results", _bytes("tma_store_bytes")),
    "intensity": Fact(
        "operations per byte from the L2",
        "BM * BN / (BM + BN), more where requests are merged",
        _intensity,
    ),
    "dram": Fact(
        "from DRAM",
        "A and B once at the least; up to the order of tiles",
        _bytes("dram_read_bytes"),
    ),
    "smem": Fact(
        "bytes per cycle, shared memory",
        "of an SM, read + written; wgmma reads, TMA writes",
        _smem,
    ),
    "useful": Fact("of the tensor cores' work is needed", "the rest lies outside of C", _useful),
    "busy": Fact(
        "of their cycles the tensor cores work", "at 4096 operations per SM and cycle", _busy
    ),
    "clock": Fact("SM clock", "one launch does not heat the board", _clock),
    "rate": Fact("under ncu", "caches are emptied first; `make run` measures", _rate),
}


def fail(message: str, status: int = 2) -> NoReturn:
    print(f"profile: {message}", file=sys.stderr)
    raise SystemExit(status)


def problem(text: str) -> Problem:
    extents = re.fullmatch(r"([1-9]\d{0,6})x([1-9]\d{0,6})x([1-9]\d{0,6})", text, re.ASCII)
    if not extents:
        raise argparse.ArgumentTypeError(f"expected MxNxK, found '{text}'")
    return Problem(*(int(extent) for extent in extents.groups()))


def last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"


def by_cpu_backend(build: Path, args: argparse.Namespace, at: Problem) -> tuple[str, Counters]:
    """The variant's name, and what the CPU backend counts for it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counters.json"
        command = [str(build / "bin" / f"{args.chapter}_cpu"), "--counters", "--json", str(file)]
        command += ["--shape", str(at), "--dtype", args.dtype]
        command += ["--variant", args.variant] if args.variant else []
        try:
            run = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            fail(f"{command[0]}: {error.strerror}: is it built?")
        if run.returncode:
            fail(last_line(run.stderr or run.stdout), run.returncode)
        data = json.loads(file.read_text(encoding="utf-8"))
    row = data["rows"][0]
    if "skipped" in row:
        fail(f"{args.chapter}: {row['skipped']}")
    variants = data["chapters"][0]["variants"]
    default = next(variant["name"] for variant in variants if variant["default"])
    return (default if row["variant"] == "default" else row["variant"]), row["counters"]


def kept_apart(counted: Counters) -> Counters:
    """ncu's counters as the CPU backend keeps them: shared loads and stores without ldmatrix and
    stmatrix."""
    out = dict(counted)
    for counter, other in counters.INCLUDED.items():
        if counter.startswith("shared_") and counter in out:
            out[counter] -= out.get(other, 0)
    return out


def by_ncu(build: Path, args: argparse.Namespace, at: Problem) -> Counters:
    command = [str(build / "bin" / args.chapter), "--check", "--shape", str(at)]
    command += ["--dtype", args.dtype, *(["--variant", args.variant] if args.variant else [])]
    # Without ncu first: what the chapter refuses it says in one line, which ncu would bury.
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        fail(last_line(run.stderr or run.stdout), run.returncode)
    wanted = {**ncu_counters.metrics(args.dtype), **MORE_METRICS}
    try:
        return kept_apart(ncu_counters.read(args.chapter, "gemm_kernel", command, wanted))
    except ncu_counters.NcuError as refused:
        reason = str(refused)
        if "ERR_NVGPUCTRPERM" in reason:
            reason = (
                "this user may not read the GPU's counters: run it as root, or load the driver with "
                "NVreg_RestrictProfilingToAdminUsers=0"
            )
        fail(reason, 3)


def lines(columns: list[tuple[str, Counters, Problem]]) -> list[str]:
    """The table: a line for each fact that some column knows, and how to read it."""
    rows = [["", *(head for head, _, _ in columns), ""]]
    for fact in FACTS.values():
        cells = [fact.text(counted, at) for _, counted, at in columns]
        if any(cells):
            rows.append([fact.words, *(cell or "-" for cell in cells), fact.hint])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    out = []
    for words, *cells, hint in rows:
        numbers = [cell.rjust(width) for cell, width in zip(cells, widths[1:])]
        out.append("  ".join([words.ljust(widths[0]), *numbers, hint]).rstrip())
    return out


def main() -> int:
    parser = cli.Parser(prog="profile", description="A chapter's counters, in its page's words.")
    parser.add_argument("build", type=Path)
    parser.add_argument("chapter")
    parser.add_argument("--variant")
    parser.add_argument("--shape", type=problem, metavar="MxNxK")
    parser.add_argument("--dtype", choices=("bf16", "fp16"), default="bf16")
    args = parser.parse_args()

    missing = next((tool for tool in ("nvidia-smi", "ncu") if not shutil.which(tool)), None)
    if not missing and not (args.build / "bin" / args.chapter).exists():
        missing = f"{args.chapter} for the GPU"
    if missing:
        print(f"profile: no {missing} here, so these are the CPU backend's counters, without times")
    small = (args.shape if missing else None) or problem(CPU_SHAPE)
    variant, counted = by_cpu_backend(args.build, args, small)
    columns = [(f"CPU backend, {small}", counted, small)]
    if not missing:
        at = args.shape or problem(GPU_SHAPE)
        columns.insert(0, (f"ncu, {at}", by_ncu(args.build, args, at), at))
    print(f"{args.chapter}, {variant}, {args.dtype}, one launch")
    print("\n".join(lines(columns)))
    print("How to read this: PROFILING.md")
    return 0


if __name__ == "__main__":
    cli.run(main)
