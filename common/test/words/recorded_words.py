#!/usr/bin/env python3
"""Holds the words of the CPU backend against what the same tests recorded on a GPU.

usage: recorded_words.py [--write] CPU_RECORD GPU_RECORD README

Compares every case that words_cpu_test has recorded with the GPU's (compare_records.py), and the
resulting table with the one between `<!-- words -->` and `<!-- /words -->` in the README. Exit
status 0 if all agree, 1 if not, 2 for bad usage. With --write the README's table is rewritten first.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BEGIN, END = "<!-- words -->", "<!-- /words -->"


def main(arguments: list[str]) -> int:
    write = "--write" in arguments
    paths = [a for a in arguments if a != "--write"]
    if len(paths) != 3:
        print("usage: recorded_words.py [--write] CPU_RECORD GPU_RECORD README", file=sys.stderr)
        return 2
    cpu_record, gpu_record, readme = paths
    compare = Path(__file__).with_name("compare_records.py")
    result = subprocess.run(
        [sys.executable, str(compare), cpu_record, gpu_record], capture_output=True, text=True
    )
    sys.stderr.write(result.stderr)
    if result.returncode != 0:
        return result.returncode
    try:
        text = Path(readme).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        print(f"{readme}: {error}", file=sys.stderr)
        return 2
    begin = text.find(BEGIN)
    end = text.find(END, begin)
    if begin < 0 or end < 0:
        sys.stderr.write(f"{readme}: no {BEGIN}\n")
        return 1
    wanted = f"{text[: begin + len(BEGIN)]}\n\n{result.stdout.strip()}\n\n{text[end:]}"
    if text == wanted:
        return 0
    if write:
        Path(readme).write_text(wanted, encoding="utf-8")
        return 0
    sys.stderr.write(f"{readme}: the table of words is not what the records give; run with --write\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
