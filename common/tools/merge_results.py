#!/usr/bin/env python3
"""Adds the rows of a further result file, and their chapters, to a first one, where both were measured
alike. Rows that are there already stay as they are.

usage: merge_results.py FIRST.json MORE.json
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plots"))

import cli  # noqa: E402


def main() -> int:
    first, more = map(cli.read_json, sys.argv[1:])
    for field in ("schema", "commit", "device", "software", "method"):
        if first[field] != more[field]:
            raise cli.ResultError(f"{sys.argv[2]}: another {field}")
    row = ("chapter", "variant", "m", "n", "k", "dtype", "mode")
    for entries, names in (("chapters", ("name",)), ("rows", row)):
        known = [[entry[name] for name in names] for entry in first[entries]]
        first[entries] += [e for e in more[entries] if [e[name] for name in names] not in known]
    cli.write_atomically(Path(sys.argv[1]), (json.dumps(first, indent=1) + "\n").encode())
    return 0


cli.run(main)
