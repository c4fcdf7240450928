#!/usr/bin/env python3
"""Adds the rows of further result files, and their chapters, to a first one, where all were measured
alike. Rows that are there already stay as they are.

usage: merge_results.py FIRST.json MORE.json...
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plots"))

import cli  # noqa: E402


def add_unknown(to: list, more: list, *names: str) -> None:
    """Appends what differs in one of the names from all that is there."""
    known = {tuple(entry[name] for name in names) for entry in to}
    to += [entry for entry in more if tuple(entry[name] for name in names) not in known]


def main() -> int:
    first, *others = (json.loads(Path(name).read_text()) for name in sys.argv[1:])
    for more, name in zip(others, sys.argv[2:]):
        for field in ("schema", "commit", "device", "software", "method"):
            if first[field] != more[field]:
                raise cli.ResultError(f"{name}: another {field}")
        add_unknown(first["chapters"], more["chapters"], "name")
        add_unknown(first["rows"], more["rows"], "chapter", "variant", *"mnk", "dtype", "mode")
    cli.write_atomically(Path(sys.argv[1]), (json.dumps(first, indent=1) + "\n").encode())
    return 0


cli.run(main)
