#!/usr/bin/env python3
"""That compare_records.py notices what it is there to notice. Exit status 1 if it does not."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from pathlib import Path

import compare_records

RECORD = """\
mma/m16n8k16.bf16/one 256 0123abcd ok
mma/m16n8k16.fp16/one 1256 00000001 ok
wgmma/m64n8k16/none.none 512 89abcdef ok
"""
TABLE = """\
| instructions | forms | cases | words compared | result |
| --- | --: | --: | --: | --- |
| mma | 2 | 2 | 1,512 | agree |
| wgmma | 1 | 1 | 512 | agree |
| all | 3 | 3 | 2,024 | agree |
"""


def compare(cpu: str, cuda: str) -> tuple[int, str, str]:
    out, errors = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("cpu", "cuda")]
        for path, text in zip(paths, (cpu, cuda)):
            Path(path).write_text(text)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = compare_records.main(paths)
    return status, out.getvalue(), errors.getvalue()


def faults() -> list[str]:
    found = []
    if compare(RECORD, RECORD) != (0, TABLE, ""):
        found.append(f"equal records: {compare(RECORD, RECORD)}")
    reordered = "\n".join(reversed(RECORD.splitlines())) + "\n"
    if compare(RECORD, reordered) != (0, TABLE, ""):
        found.append(f"reordered record: {compare(RECORD, reordered)}")
    lines = RECORD.splitlines(keepends=True)
    for altered, status, word in [
        (RECORD.replace("89abcdef", "89abcdee"), 1, "89abcdee on CUDA"),
        (RECORD.replace("512", "511"), 1, "511 words"),
        (RECORD.replace("cdef ok", "cdef WRONG"), 1, "wrong on CUDA"),
        ("".join(lines[1:]), 1, "only in the record of the CPU"),
        (RECORD + "mma/m16n8k16.bf16/two 1 00000000 ok\n", 1, "only in the record of CUDA"),
        (RECORD + lines[0], 2, "a second time"),
        (RECORD.replace(" ok", ""), 2, "count crc32 ok|WRONG"),
        ("", 2, "no cases"),
    ]:
        got, table, errors = compare(RECORD, altered)
        if got != status or word not in errors or (status == 1) != ("1 of" in table):
            found.append(f"expected {status} and '{word}', got {got}: {errors}{table}")
    both_wrong = RECORD.replace("cdef ok", "cdef WRONG")
    if "wrong on the CPU and on CUDA" not in compare(both_wrong, both_wrong)[2]:
        found.append("wrong on both sides went unnoticed")
    with contextlib.redirect_stderr(io.StringIO()):
        if compare_records.main(["/nonexistent", "/nonexistent"]) != 2:
            found.append("a missing file went unnoticed")
    return found


if __name__ == "__main__":
    found = faults()
    for fault in found:
        print(fault, file=sys.stderr)
    sys.exit(1 if found else 0)
