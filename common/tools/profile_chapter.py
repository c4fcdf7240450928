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
import math
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable, NamedTuple

import ncu_counters  # makes plots/ known
import cli

TENSOR_PER_CYCLE = 4096  # operations of an SM's tensor cores, compute capability 9.0
# Beside what ncu_counters.py reads.
MORE_METRICS = {"time_ns": "gpu__time_duration.sum", "cycles": "sm__cycles_elapsed.max"}

Counters = dict[str, float]


def problem(text: str) -> str:
    if not re.fullmatch(r"([1-9]\d{0,6}x){2}[1-9]\d{0,6}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"expected MxNxK, found '{text}'")
    return text


def operations(problem: str) -> int:
    return 2 * math.prod(map(int, problem.split("x")))


def l2_bytes(c: Counters) -> float:
    """What was read from the L2: as ncu says, or as the CPU backend's counters add up."""
    sectors = c.get("global_load_sectors", 0) + c.get("cp_async_global_sectors", 0)
    return 32 * c.get("l2_read_sectors", sectors) + c.get("tma_load_bytes", 0)


class Fact(NamedTuple):
    words: str
    hint: str  # how to read the number
    form: str
    value: Callable[[Counters, str], Any]  # a number or two

    def text(self, counted: Counters, at: str) -> str | None:
        """None where nothing of the kind was counted."""
        try:
            value = self.value(counted, at)
        except (LookupError, ZeroDivisionError):
            return None
        numbers = value if isinstance(value, tuple) else (value,)
        return self.form.format(*numbers) if all(numbers) else None


PER_REQUEST = [  # whose, what, how to read it
    ("global_load", "sectors", "of 32 bytes; neighbouring lanes: 2 at 16 bits, 16 at 128"),
    ("global_store", "sectors", "as for loads; a sector half written counts in full"),
    ("shared_load", "wavefronts", "1 at 32 bits, 4 at 128, 2 where lanes share; more: conflicts"),
    ("shared_store", "wavefronts", "1 at 32 bits, 2 at 64, 4 at 128; more: conflicts"),
    ("ldmatrix", "wavefronts", "4 for .x4; more: conflicts"),
    ("stmatrix", "wavefronts", "4 for .x4; more: conflicts, or several warpgroups at once"),
]
AMOUNTS = [
    ("tma_shared_bytes", "arrives by TMA", "in shared memory, all blocks"),
    ("tma_multicast_bytes", "of it by multicast", "sent once, received by several"),
    ("tma_store_bytes", "leaves by TMA", "results"),
    ("dram_read_bytes", "from DRAM", "A and B once at the least; up to the order of tiles"),
]
FACTS = {
    f"{op}s": Fact(f"{what} per {op.replace('_', ' ')}", hint, "{:.2f}",
        lambda c, _, op=op, what=what: c[f"{op}_{what}"] / c[f"{op}_requests"])
    for op, what, hint in PER_REQUEST
} | {
    counter: Fact(words, hint, "{:,.1f} MB", lambda c, _, counter=counter: c[counter] / 2**20)
    for counter, words, hint in AMOUNTS
} | {
    "intensity": Fact("operations per byte from the L2",
        "BM * BN / (BM + BN), more where requests are merged",
        "{:.3g}", lambda c, at: operations(at) / l2_bytes(c)),
    "smem": Fact("bytes per cycle, shared memory",
        "of an SM, read + written; wgmma reads, TMA writes", "{:.0f} + {:.0f}",
        lambda c, _: tuple(4 * c[f"smem_bank_{way}s"] / c["sm_cycles"] for way in ("read", "write"))),
    "useful": Fact("of the tensor cores' work is needed", "the rest lies outside of C",
        "{:.0%}", lambda c, at: operations(at) / c["tensor_flops"]),
    "busy": Fact("of their cycles the tensor cores work", "at 4096 operations per SM and cycle",
        "{:.1%}", lambda c, _: c["tensor_flops"] / TENSOR_PER_CYCLE / c["sm_cycles"]),
    "clock": Fact("SM clock", "one launch does not heat the board",
        "{:.0f} MHz", lambda c, _: 1000 * c["cycles"] / c["time_ns"]),
    "rate": Fact("under ncu", "caches are emptied first; `make run` measures",
        "{:.3g} TFLOPS", lambda c, at: operations(at) / c["time_ns"] / 1000),
}  # fmt: skip


def run(program: Path, args: argparse.Namespace, at: str, *more: str) -> list:
    """Runs the chapter's program, and returns the command. What it refuses it says in one line."""
    command = [program, *more, "--shape", at, "--dtype", args.dtype]
    command += ["--variant", args.variant] if args.variant else []
    if not program.exists():
        ncu_counters.fail(f"{program}: no such program: is it built?", 2)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        ncu_counters.fail((done.stderr + done.stdout).strip().splitlines()[-1], done.returncode)
    return command


def by_cpu_backend(args: argparse.Namespace, at: str) -> tuple[str, Counters]:
    """The variant's name, and what the CPU backend counts for it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counters.json"
        run(args.build / "bin" / f"{args.chapter}_cpu", args, at, "--counters", "--json", str(file))
        data = json.loads(file.read_text())
    row = data["rows"][0]
    if "skipped" in row:
        ncu_counters.fail(f"{args.chapter}: {row['skipped']}", 2)
    default = next(v["name"] for v in data["chapters"][0]["variants"] if v["default"])
    return (default if row["variant"] == "default" else row["variant"]), row["counters"]


def kept_apart(counted: Counters) -> Counters:
    """ncu's counters as the CPU backend keeps them: wavefronts of shared loads and stores without
    those of ldmatrix and stmatrix."""
    out = dict(counted)
    for ordinary, matrix in (("shared_load", "ldmatrix"), ("shared_store", "stmatrix")):
        if f"{ordinary}_wavefronts" in out:
            out[f"{ordinary}_wavefronts"] -= out.get(f"{matrix}_wavefronts", 0)
    return out


def by_ncu(args: argparse.Namespace, at: str) -> Counters:
    # Without ncu first, which would bury what the chapter refuses.
    command = run(args.build / "bin" / args.chapter, args, at, "--check")
    wanted = {**ncu_counters.metrics(args.dtype), **MORE_METRICS}
    return kept_apart(ncu_counters.read(args.chapter, "gemm_kernel", command, wanted))


def lines(columns: list[tuple[str, Counters, str]]) -> list[str]:
    """The table: a line for each fact that some column knows, and how to read it."""
    rows = [["", *(head for head, _, _ in columns), ""]]
    for fact in FACTS.values():
        cells = [fact.text(counted, at) for _, counted, at in columns]
        if any(cells):
            rows.append([fact.words, *(cell or "-" for cell in cells), fact.hint])
    first, *widths = (max(map(len, column)) for column in zip(*rows))
    out = []
    for words, *cells, hint in rows:
        numbers = [cell.rjust(width) for cell, width in zip(cells, widths)]
        out.append("  ".join([words.ljust(first), *numbers, hint]).rstrip())
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
    small = (args.shape if missing else None) or "256x256x256"
    variant, counted = by_cpu_backend(args, small)
    columns = [(f"CPU backend, {small}", counted, small)]
    if not missing:
        at = args.shape or "4096x4096x4096"
        columns.insert(0, (f"ncu, {at}", by_ncu(args, at), at))
    print(f"{args.chapter}, {variant}, {args.dtype}, one launch")
    print(*lines(columns), "How to read this: PROFILING.md", sep="\n")
    return 0


if __name__ == "__main__":
    cli.run(main)
