#!/usr/bin/env python3
"""Writes the tables of the pages from the recorded results, so that no number is typed.

A table stands between two markers, each alone on its line:

    <!-- table:ladder size=4096 dtype=bf16 -->
    ...
    <!-- /table -->

Tables: `ladder`, `headline NAME`, `chapter NAME`, `counters NAME`, `ceilings`,
`hardware_counters`, `l2 NAME`, `cpu_speed`, `pytorch`, `gallery`. `size=N` (ladder), `sizes=N,N`,
`shapes=MxNxK,...` and `variants=NAME,NAME` (chapter), `dtype=bf16|fp16`, `columns=NAME,NAME`
(counters), `of=accesses|asynchronous|l2|chapters` and `chapter=NAME` (hardware_counters),
`scale=N` (l2), `mode=burst|sustained` and `kind=fused|plain` (pytorch) say what to show. `gallery`
is what `bin/gallery --markdown` prints, given by --gallery; without that it stays as it is.

usage: tables.py [--check] [--root DIR] [--gallery FILE]
--check writes nothing and exits 1 when a table is out of date
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import cli
import results
from results import ResultError
from table_contents import TABLES, Request, Runs

OPEN = re.compile(r"<!--\s*table:(.*?)-->\s*")
CLOSE = re.compile(r"<!--\s*/table\s*-->\s*")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")


def _request(place: str, text: str, to_root: str) -> tuple[str, Request]:
    words = text.split()
    if not words:
        raise ResultError(f"{place}: the marker names no table")
    options = dict(word.split("=", 1) for word in words[1:] if "=" in word)
    plain = [word for word in words[1:] if "=" not in word]
    return words[0], Request(place, plain, options, to_root)


def make_table(place: str, text: str, to_root: str, runs: Runs) -> list[str] | None:
    """The lines of the table that a marker asks for; None when it stays as it is."""
    name, request = _request(place, text, to_root)
    if name not in TABLES:
        request.fail(f"unknown table '{name}' (there are: {', '.join(TABLES)})")
    lines = TABLES[name](request, runs)
    unused = [*request.words, *(set(request.options) - request.used)]
    if unused:
        request.fail(f"table '{name}' does not know '{sorted(unused)[0]}'")
    return lines


def rewrite(text: str, file: str, to_root: str, runs: Runs) -> str:
    """A page with all its tables made anew; markers inside code blocks are only shown, not used."""
    out: list[str] = []
    fence = opened = ""
    kept = False
    for number, line in enumerate(text.split("\n"), start=1):
        place = f"{file}:{number}"
        if opened:
            if OPEN.fullmatch(line):
                raise ResultError(f"{opened}: this table has no <!-- /table --> before the next")
            if not CLOSE.fullmatch(line):
                if kept:
                    out.append(line)
                continue
            opened = ""
        elif fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif _FENCE.match(line):
            fence = _FENCE.match(line).group(1)
        elif CLOSE.fullmatch(line):
            raise ResultError(f"{place}: <!-- /table --> without a table before it")
        elif OPEN.fullmatch(line):
            table = make_table(place, OPEN.fullmatch(line).group(1), to_root, runs)
            kept = table is None
            out += [line] if kept else [line, "", *table, ""]  # renderers want the blank lines
            opened = place
            continue
        out.append(line)
    if opened:
        raise ResultError(f"{opened}: this table has no <!-- /table -->")
    return "\n".join(out)


def pages(root: Path) -> Iterator[Path]:
    """Every page of the repository, whatever the folders of builds may hold left aside."""
    foreign = {"CMakeCache.txt", "pyvenv.cfg"}
    for folder, folders, files in os.walk(root):
        if foreign & set(files):
            folders[:] = []
            continue
        folders[:] = sorted(f for f in folders if not f.startswith((".", "build")))
        yield from (Path(folder) / name for name in sorted(files) if name.endswith(".md"))


def update(root: Path, check: bool = False, gallery: list[str] | None = None) -> list[str]:
    """Brings all tables up to date, or with `check` only looks; returns the pages that differ.

    Nothing is written before every page has been read without a complaint.
    """
    runs = Runs.recorded(root)
    runs.gallery = gallery
    changed: list[tuple[Path, str]] = []
    for page in pages(root):
        with open(page, encoding="utf-8", newline="") as file:
            text = file.read()
        name = page.relative_to(root).as_posix()
        new = rewrite(text, name, "../" * (len(page.relative_to(root).parts) - 1), runs)
        if new != text:
            changed.append((page, new))
    if not check:
        for page, new in changed:
            cli.write_atomically(page, new.encode("utf-8"))
    return [page.relative_to(root).as_posix() for page, _ in changed]


def main() -> int:
    parser = cli.Parser(description="Writes the tables of the README files from plots/results.")
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit 1 when a committed table is out of date",
    )
    parser.add_argument("--root", type=Path, default=results.ROOT, help="the repository")
    parser.add_argument(
        "--gallery", metavar="FILE", help="what bin/gallery --markdown printed; -: stdin"
    )
    args = parser.parse_args()
    gallery = None
    if args.gallery:
        text = sys.stdin.read() if args.gallery == "-" else Path(args.gallery).read_text("utf-8")
        gallery = text.splitlines()
        if not gallery or not all(line.startswith("|") for line in gallery):
            raise ResultError(f"--gallery {args.gallery}: not a table")
    changed = update(args.root, args.check, gallery)
    for page in changed:
        if args.check:
            print(
                f"{page}: a table differs from plots/results: run plots/tables.py", file=sys.stderr
            )
        else:
            print(f"{page}: tables updated")
    return 1 if args.check and changed else 0


if __name__ == "__main__":
    cli.run(main)
