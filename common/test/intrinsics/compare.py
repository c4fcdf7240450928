#!/usr/bin/env python3
"""Holds the device intrinsics of the CPU backend against those of the CUDA backend.

usage: compare.py                           the functions that the headers of both define
       compare.py CPU_RECORD CUDA_RECORD    what the tests of intrinsics of both wrote under INTRINSICS_RECORD=FILE
                  [README [--write]]        and the README's table, which --write brings up to date

Each record has a line per case: name, number of words, their CRC-32, ok or WRONG. A line for each recorded
case of CUDA that the CPU backend answers otherwise, or not at all; exit status 1 if there is one, 2 for a
file that cannot be read. A warning says how many forms it lacks cases of.
"""

import re
import sys
from pathlib import Path

COMMON = Path(__file__).resolve().parents[2]
LINE = re.compile(r"([^/\s]+)/([^/\s]+)/(\S+) (\d+) ([0-9a-f]{8}) (ok|WRONG)")


def read_record(path: str) -> dict[str, re.Match]:
    cases: dict[str, re.Match] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        case = LINE.fullmatch(line)
        if not case or line.split()[0] in cases:
            raise ValueError(f"{path}:{number}: not another 'family/form/case count crc32 ok|WRONG'")
        cases[line.split()[0]] = case
    return cases


def compare_records(cpu: dict[str, re.Match], cuda: dict[str, re.Match]) -> tuple[str, list[str]]:
    """A Markdown table by family of instructions, and every recorded case that does not agree."""
    faults = []
    families: dict[str, list] = {}  # forms, cases, words, faults
    for name in cuda:
        family, form, _ = name.split("/")
        said = [side[name].group(4, 5, 6) if name in side else "nothing" for side in (cpu, cuda)]
        right = said[0] == said[1] and said[0][2] == "ok"
        if not right:
            faults.append(f"{name}: {said[0]} on the CPU, {said[1]} on CUDA")
        for key in (family, "all"):
            counts = families.setdefault(key, [set(), 0, 0, 0])
            counts[0].add((family, form))
            counts[1] += 1
            counts[2] += int(said[0][0]) if right else 0
            counts[3] += not right
    table = ["| instructions | forms | cases | words compared | result |"]
    table += ["| --- | --: | --: | --: | --- |"]
    families["all"] = families.pop("all", [set(), 0, 0, 0])  # last
    for name, (forms, cases, words, wrong) in families.items():
        result = f"**{wrong} of {cases:,} differ**" if wrong else "agree"
        table.append(f"| {name} | {len(forms)} | {cases:,} | {words:,} | {result} |")
    return "\n".join(table), faults


def compare_page(path: str, table: str, write: bool) -> list[str]:
    text = Path(path).read_text(encoding="utf-8")
    wanted = re.sub(
        r"(<!-- intrinsics -->).*(<!-- /intrinsics -->)", rf"\1\n\n{table}\n\n\2", text, flags=re.DOTALL
    )
    if write:
        Path(path).write_text(wanted, encoding="utf-8")
    elif text != wanted or table not in text:
        return [f"{path}: its table is not what the records give; run with --write"]
    return []


# A function that a header defines in namespace gpu, or in a struct there.
FUNCTION = re.compile(r"^ {0,2}(?!return|throw|else)[\w:][\w:<>&*, ]* [*&]?(?!check|launch|volatile|_)(\w+)\(", re.M)
DETAIL = re.compile(r"namespace \S*detail \{.*?// namespace \S*detail$", re.S | re.M)


def compare_headers() -> list[str]:
    cuda, cpu = (
        {
            f"{path.name}: {function}"
            for path in (COMMON / side / "gpu").glob("*.hpp")
            for function in FUNCTION.findall(DETAIL.sub("", path.read_text(encoding="utf-8")))
        }
        for side in ("cuda", "cpu")
    )
    return [f"only in {'cuda' if name in cuda else 'cpu'}: {name}" for name in sorted(cuda ^ cpu)]


def main(arguments: list[str]) -> int:
    if not arguments:
        faults = compare_headers()
    else:
        try:
            cpu, cuda = map(read_record, arguments[:2])
            table, faults = compare_records(cpu, cuda)
            lacking = {cpu[name].group(1, 2) for name in cpu.keys() - cuda.keys()}
            if lacking:
                print(f"warning: {arguments[1]} lacks cases of {len(lacking)} forms")
            if arguments[2:]:
                faults += compare_page(arguments[2], table, "--write" in arguments)
        except (OSError, TypeError, ValueError) as error:
            print(f"compare: {error}", file=sys.stderr)
            return 2
        print(table)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
