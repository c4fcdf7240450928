#!/usr/bin/env python3
"""Adds the rows of further result files to a first one, where all were measured alike.

usage: merge_results.py FIRST.json MORE.json...

FIRST.json is replaced. Files of another device, commit, software or method are refused; rows that are
there already stay as they are.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ALIKE = ("schema", "commit", "device", "software", "method")


def key(row: dict) -> tuple:
    return tuple(row[name] for name in ("chapter", "variant", "m", "n", "k", "dtype", "mode"))


def merge(first: dict, more: dict, name: str) -> None:
    for field in ALIKE:
        if first[field] != more[field]:
            raise ValueError(f"{name}: another {field}")
    there = {key(row) for row in first["rows"]}
    first["rows"] += [row for row in more["rows"] if key(row) not in there]


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    target = Path(sys.argv[1])
    try:
        first = json.loads(target.read_text())
        for name in sys.argv[2:]:
            merge(first, json.loads(Path(name).read_text()), name)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"merge_results: {error}", file=sys.stderr)
        return 2
    partial = target.with_suffix(".partial")
    partial.write_text(json.dumps(first, indent=1) + "\n")
    os.replace(partial, target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
