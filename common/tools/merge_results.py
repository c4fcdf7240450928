#!/usr/bin/env python3
"""Adds the rows of further result files, and their chapters, to a first one, where all were measured
alike.

usage: merge_results.py FIRST.json MORE.json...

FIRST.json is replaced. Files of another device, commit, software or method are refused; rows that are
there already stay as they are.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plots"))

import cli  # noqa: E402
from cli import ResultError  # noqa: E402

ALIKE = ("schema", "commit", "device", "software", "method")


def key(row: dict) -> tuple:
    return tuple(row[name] for name in ("chapter", "variant", "m", "n", "k", "dtype", "mode"))


def merge(first: dict, name: str) -> None:
    more = cli.read_json(Path(name))
    for field in ALIKE:
        if first.get(field) != more.get(field):
            raise ResultError(f"{name}: another {field}")
    with cli.reading(Path(name)):
        known = {chapter["name"] for chapter in first["chapters"]}
        first["chapters"] += [c for c in more["chapters"] if c["name"] not in known]
        there = {key(row) for row in first["rows"]}
        first["rows"] += [row for row in more["rows"] if key(row) not in there]


def main() -> int:
    if len(sys.argv) < 2:
        raise ResultError("usage: merge_results.py FIRST.json MORE.json...")
    target = Path(sys.argv[1])
    first = cli.read_json(target)
    for name in sys.argv[2:]:
        merge(first, name)
    cli.write_atomically(target, (json.dumps(first, indent=1) + "\n").encode("utf-8"))
    return 0


if __name__ == "__main__":
    cli.run(main)
