#!/usr/bin/env python3
"""Holds the device intrinsics of the CPU backend against those of the CUDA backend.

usage: compare.py                           what the headers of both declare
       compare.py CPU_RECORD CUDA_RECORD    what the words tests of both wrote under WORDS_RECORD=FILE
                  [README [--write]]        and the README's table, which --write brings up to date

Each record has a line per case: name, number of words, their CRC-32, ok or WRONG. Of the headers, the
names, template parameters, types of parameters and values of namespace gpu are compared, not what a
struct of each backend's own holds. A line for each difference; exit status 1 if there is one, 2 for a
file that cannot be read.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

COMMON = Path(__file__).resolve().parents[2]
# Each backend's own; and what the CPU backend has no use for.
OWN = re.compile(r"using Stream\b|(?:using|struct) TensorMap\b|void check\(|static_assert")
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
    """A Markdown table by family of instructions, and every case that does not agree."""
    faults = []
    families: dict[str, list] = {}  # forms, cases, words, faults
    for name in [*cuda, *(name for name in cpu if name not in cuda)]:
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
        r"(<!-- words -->).*(<!-- /words -->)", rf"\1\n\n{table}\n\n\2", text, flags=re.DOTALL
    )
    if write:
        Path(path).write_text(wanted, encoding="utf-8")
    elif text != wanted or table not in text:
        return [f"{path}: its table is not what the records give; run with --write"]
    return []


SCOPE = re.compile(r"(?:template <[^{]*> )?(?:namespace|struct|class|enum|union)\b")


def is_function(text: str) -> bool:
    return not text or "(" in re.sub(r"alignas\([^)]*\)|=.*", "", text)


def hidden(scopes: list[str]) -> bool:
    return any("detail" in scope for scope in scopes)


def normalised(text: str) -> str:
    """Without names of a function's parameters and the CPU's last one, `Site where`."""
    text = re.sub(r",? ?(?:runtime::)?Site(?: where)? ?= ?[\w:]+\(\)", "", text)
    text = re.sub(r"\) ?(const)? ?:[^:].*", r") \1", text)  # a constructor's initialisers
    text = re.sub(r"(?<=[*&])\s*\w+(?=\))", "", text)  # (*kernel), (&d)
    if is_function(text):
        text = re.sub(r"([\w>&*.\]]) \w+(?= ?(?:=[^,()]*)?[,)])", r"\1", text)
    text = re.sub(r"\s*\W\s*", lambda match: match.group().strip() or " ", text)
    return text.replace("typename", "class").strip()


def declarations(source: str) -> list[str]:
    """What a header declares in namespace gpu and its structs, normalised."""
    source = re.sub(r"//.*|^ *#.*(?:\\\n.*)*|\[\[\w+\]\]", "", source, flags=re.MULTILINE)
    source = re.sub(r"\b(__device__|__host__|__forceinline__|inline|friend)\b", "", source)
    found, scopes, text, inside = [], [], "", 0  # inside: braces of a body or an initialiser
    for token in re.findall(r"[{};]|[^{};]+", re.sub(r"\s+", " ", source)):
        text = text.lstrip()
        if token == "{" and not inside and SCOPE.match(text):
            scopes.append(text.strip())
            text = ""
        elif token == "}" and not inside:
            if scopes and scopes[-1].startswith("enum") and not hidden(scopes):
                found.append(scopes[-1] + text)
            scopes, text = scopes[:-1], ""
        elif token == ";" and not inside or token == "}" and inside == 1 and is_function(text):
            if text and scopes and not hidden(scopes):
                found.append(" ".join([*scopes[1:], normalised(text)]))
            text, inside = "", 0
        else:
            inside += (token == "{") - (token == "}")
            if not is_function(text) or not inside:
                text += token
    return found


def compare_headers() -> list[str]:
    cuda, cpu = (
        {
            f"{path.name}: {line}"
            for path in (COMMON / side / "gpu").glob("*.hpp")
            for line in declarations(path.read_text(encoding="utf-8"))
            if not OWN.search(line)
        }
        for side in ("cuda", "cpu")
    )
    return [f"only in {'cuda' if line in cuda else 'cpu'}: {line}" for line in sorted(cuda ^ cpu)]


def main(arguments: list[str]) -> int:
    if not arguments:
        faults = compare_headers()
    else:
        try:
            table, faults = compare_records(*map(read_record, arguments[:2]))
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
