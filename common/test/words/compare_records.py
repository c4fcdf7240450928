#!/usr/bin/env python3
"""Holds what the words did on the CPU backend against what they did on a GPU.

usage: compare_records.py CPU_RECORD CUDA_RECORD

Each file is written by a words test under WORDS_RECORD=FILE, one line per case: name, number of
words, their CRC-32, ok or WRONG. Prints a Markdown table by family of instructions; a family's
result is "agree" when every case of it is in both files, right, and the same bit for bit. Every
case that is not goes to stderr. Exit status 0 if all agree, 1 if any does not, 2 if a file cannot be
read.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass


class Unreadable(Exception):
    """A record that is none."""


@dataclass(frozen=True)
class Case:
    count: int
    crc: str
    right: bool


def read_record(path: str) -> dict[str, Case]:
    cases: dict[str, Case] = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path}: {error}") from error
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if (
            len(parts) != 4
            or parts[0].count("/") != 2
            or not parts[1].isdigit()
            or len(parts[2]) != 8
            or parts[3] not in ("ok", "WRONG")
        ):
            raise Unreadable(f"{path}:{number}: not 'family/form/case count crc32 ok|WRONG'")
        if parts[0] in cases:
            raise Unreadable(f"{path}:{number}: {parts[0]} a second time")
        cases[parts[0]] = Case(int(parts[1]), parts[2], parts[3] == "ok")
    if not cases:
        raise Unreadable(f"{path}: no cases")
    return cases


def disagreement(cpu: Case | None, cuda: Case | None) -> str:
    """Why the two do not agree; empty when they do."""
    if cpu is None or cuda is None:
        return f"only in the record of {'CUDA' if cpu is None else 'the CPU'}"
    wrong = [side for side, case in (("the CPU", cpu), ("CUDA", cuda)) if not case.right]
    if wrong:
        return f"wrong on {' and on '.join(wrong)}"
    if (cpu.count, cpu.crc) != (cuda.count, cuda.crc):
        return f"{cpu.count} words {cpu.crc} on the CPU, {cuda.count} words {cuda.crc} on CUDA"
    return ""


@dataclass
class Family:
    forms: set[str]
    cases: int = 0
    words: int = 0
    faults: int = 0


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("usage: compare_records.py CPU_RECORD CUDA_RECORD", file=sys.stderr)
        return 2
    try:
        cpu, cuda = (read_record(path) for path in arguments)
    except Unreadable as error:
        print(error, file=sys.stderr)
        return 2

    families: dict[str, Family] = {}
    for name in list(cpu) + [name for name in cuda if name not in cpu]:
        family_name, form, _ = name.split("/")
        family = families.setdefault(family_name, Family(set()))
        family.forms.add(form)
        family.cases += 1
        fault = disagreement(cpu.get(name), cuda.get(name))
        if fault:
            family.faults += 1
            print(f"{name}: {fault}", file=sys.stderr)
        else:
            family.words += cpu[name].count

    print("| instructions | forms | cases | words compared | result |")
    print("| --- | --: | --: | --: | --- |")
    for name, family in families.items():
        result = f"**{family.faults} of {family.cases} differ**" if family.faults else "agree"
        print(
            f"| {name} | {len(family.forms)} | {family.cases:,} | {family.words:,} | {result} |"
        )
    faults = sum(family.faults for family in families.values())
    forms = sum(len(family.forms) for family in families.values())
    cases = sum(family.cases for family in families.values())
    words = sum(family.words for family in families.values())
    result = f"**{faults} of {cases:,} differ**" if faults else "agree"
    print(f"| all | {forms} | {cases:,} | {words:,} | {result} |")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
