#!/usr/bin/env python3
"""Throws damaged files and command lines at the scripts that read result files.

usage: fuzz_scripts.py [COUNT [SEED]]      inputs in all (500), and what makes them (1)

Inputs are the recorded files with values replaced, removed, doubled, or with bytes changed, tables'
markers with other words, and command lines. Whatever a script is given, it either serves it or ends
with one line and status 2 (ResultError, for what is called as a function): no traceback, no other
status, and no file half written or left behind. The first input that breaks this ends the run with
status 1 and is shown.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[3]
RESULTS = ROOT / "plots" / "results"
for folder in ("plots", "common/tools", "common/test/words"):
    sys.path.insert(0, str(ROOT / folder))

import charts  # noqa: E402
import cli  # noqa: E402
import compare_records  # noqa: E402
import merge_results  # noqa: E402
import ncu_counters  # noqa: E402
import recorded_words  # noqa: E402
import results  # noqa: E402
import tables  # noqa: E402
import tile_orders  # noqa: E402
import timeline  # noqa: E402
from cli import ResultError  # noqa: E402

ODD: list[Any] = [
    None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, 5e-324, 2**31, 2**63, 10**400, "", " ", "x", "\n",
    "\ud800", "\x1b[2J", "ä" * 300, "burst", "sustained", "counters", "default", "cublas", [], {},
    [[]], [None], {"": {}}, [1, 2, 3], "2026-01-31T12:00:00Z", "9999-99-99T99:99:99Z",
]  # fmt: skip
MARKERS = [
    "ladder", "ladder size=4096", "chapter 09_hilbert_schedule", "chapter 01_naive sizes=1024",
    "counters 02_smem_tiling", "counters 04_mma_ldmatrix columns=tensor_flops", "ceilings",
    "hardware_counters of=accesses", "hardware_counters of=l2 chapter=09_hilbert_schedule",
    "l2 09_hilbert_schedule scale=16", "cpu_speed", "pytorch", "pytorch mode=sustained kind=plain",
]  # fmt: skip


def recorded(name: str, rows: int = 12) -> dict:
    """A recorded file with few rows, so that thousands of it are quickly read."""
    data = json.loads((RESULTS / name).read_text(encoding="utf-8"))
    if "rows" in data:
        data["rows"] = data["rows"][:rows]
    return data


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) inside a value."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    found = [(value, key) for key in keys]
    for key in list(keys):
        if isinstance(value[key], (dict, list)):
            found += places(value[key])
    return found


def damaged(data: dict, dice: random.Random) -> bytes:
    """A file's bytes: the data with a few things wrong, or wrong as a text."""
    data = copy.deepcopy(data)
    for _ in range(dice.choice((0, 1, 1, 1, 2, 4))):
        found = places(data)
        if not found:
            break
        container, key = dice.choice(found)
        action = dice.randrange(4)
        if action == 0:
            del container[key]
        elif action == 1 and isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        elif action == 1:
            container[dice.choice(list(container))] = copy.deepcopy(container[key])
        else:
            container[key] = copy.deepcopy(dice.choice(ODD))
    text = bytearray(json.dumps(data).encode())
    if dice.randrange(4) == 0:
        for _ in range(dice.randrange(1, 4)):
            at = dice.randrange(len(text) + 1)
            if dice.randrange(8) == 0:
                del text[at:]
            elif dice.randrange(3):
                text[at : at + 1] = bytes([dice.randrange(256)])
            else:
                text[at:at] = dice.choice((b"NaN", b"[" * 2000, b"9" * 5000, b"\\u0000", b"{", b","))
    return bytes(text)


def damaged_text(text: str, dice: random.Random) -> str:
    for _ in range(dice.randrange(4)):
        at = dice.randrange(len(text) + 1)
        piece = dice.choice((" ", "=", ",", "0", "-1", "x", "|", "9" * 30, "ä", "\t", "\\", "*"))
        text = text[:at] + piece + text[at + dice.randrange(3) :]
    return text


class Broken(Exception):
    """A rule was broken."""


def served(call: Callable[[], Any]) -> bool:
    """Whether a call was served; True or False, anything else is a fault."""
    try:
        call()
    except ResultError as error:
        if "\n" in str(error):
            raise Broken(f"more than one line: {error}") from error
        return False
    return True


def ended(main: Callable[[], int], name: str, arguments: list[str], statuses=(0, 2)) -> bool:
    """The same for a script, by its status and what it prints."""
    out, err = io.StringIO(), io.StringIO()
    kept = sys.argv
    sys.argv = [name, *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main()
    except SystemExit as end:
        status = end.code
    finally:
        sys.argv = kept
    status = status or 0
    if status not in statuses:
        raise Broken(f"status {status}: {err.getvalue()}")
    if status == 2 and err.getvalue().count("\n") != 1:
        raise Broken(f"refused, but not in one line: {err.getvalue()!r}")
    return status == 0


class Fuzz:
    """The targets, each a method that draws an input and tries it; returns whether it was served."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.input: Any = None
        names = [
            "h200_burst.json", "h200_sustained.json", "h200_cold.json", "cpu_counters.json",
            "h200_counters.json", "gallery_cpu_counters.json", "gallery_h200_counters.json",
            "l2_cpu_counters.json", "l2_h200_counters.json", "cpu_speed.json",
        ]  # fmt: skip
        self.files = {name: recorded(name) for name in names if (RESULTS / name).exists()}
        (folder / "plots" / "results").mkdir(parents=True)
        for name, data in self.files.items():
            (folder / "plots" / "results" / name).write_text(json.dumps(data))
        self.records = (RESULTS / "h200_words.txt").read_text("utf-8").splitlines()[:40]

    def file(self, data: dict, dice: random.Random, name: str = "input.json") -> Path:
        path = self.folder / name
        self.input = damaged(data, dice)
        path.write_bytes(self.input)
        return path

    def result_file(self, dice: random.Random) -> bool:
        path = self.file(self.files[dice.choice(list(self.files))], dice)
        return served(lambda: results.load(path))

    def table(self, dice: random.Random) -> bool:
        """A page's table by a damaged marker."""
        self.input = damaged_text(dice.choice(MARKERS), dice)
        page = f"# Page\n\n<!-- table:{self.input} -->\n\n<!-- /table -->\n"
        (self.folder / "README.md").write_text(page, encoding="utf-8")
        return served(lambda: tables.update(self.folder))

    def drawn(self, dice: random.Random) -> bool:
        """What the figures of demonstrations are made of."""
        name = dice.choice(("timeline_07_cpu.json", "timeline_07_h200.json", "tile_orders.json"))
        module = tile_orders if name.startswith("tile") else timeline
        data = json.loads((RESULTS / name).read_text(encoding="utf-8"))
        path = self.file(data, dice)
        return served(lambda: module.load(path))

    def command_line(self, dice: random.Random) -> bool:
        modules = {"tables": tables, "charts": charts}
        name = dice.choice(list(modules))
        words = ["--check", "--root", "/no/such/folder", "-o", "x.svg", "x.pdf", "--dtype", "bf16",
                 "fp64", "--gallery", "/dev/null", "--recorded", "--size", "-1", "", "\udcff", "ä"]  # fmt: skip
        arguments = ["--check", *(dice.choice(words) for _ in range(dice.randrange(1, 4)))]
        if name != "tables":
            arguments = ["speedup", "/no/such/file.json", *arguments[1:]]
        else:
            arguments = ["--root", str(self.folder), *arguments]
        self.input = [name, *arguments]
        return ended(lambda: script(modules[name]), name, arguments, (0, 1, 2))

    def merged(self, dice: random.Random) -> bool:
        first = self.file(self.files["h200_burst.json"], dice, "first.json")
        before, one = first.read_bytes(), self.input
        second = self.file(self.files["h200_burst.json"], dice, "second.json")
        self.input = [one, self.input]
        arguments = [str(first), str(second)][: dice.choice((0, 1, 2, 2, 2, 2))]
        merged = ended(lambda: script(merge_results), "merge_results", arguments)
        if not merged and first.read_bytes() != before:
            raise Broken("refused, and yet the first file has changed")
        return merged

    def counted(self, dice: random.Random) -> bool:
        """By a ncu that is not there, so a good file ends with status 3."""
        path = self.file(self.files["cpu_counters.json"], dice)
        arguments = [str(self.folder), str(path), str(self.folder / "counted.json")]
        arguments += damaged_text("64x64x64 8x8x8", dice).split(" ") if dice.randrange(2) else []
        arguments = arguments[: dice.choice((1, 2, 9, 9, 9))]
        path_before = os.environ["PATH"]
        os.environ["PATH"] = ""
        try:
            return ended(lambda: script(ncu_counters), "ncu_counters", arguments, (2, 3))
        finally:
            os.environ["PATH"] = path_before

    def words(self, dice: random.Random) -> bool:
        """The CPU's record beside the GPU's; a difference is status 1."""
        paths = [self.folder / "cpu.txt", self.folder / "gpu.txt", self.folder / "words.md"]
        self.input = []
        for path in paths[:2]:
            lines = list(self.records)
            if dice.randrange(2):
                at = dice.randrange(len(lines))
                lines[at] = damaged_text(lines[at], dice)
            self.input.append("\n".join(lines))
            path.write_text(self.input[-1], encoding="utf-8")
        paths[2].write_text(dice.choice(("", "<!-- words -->", "<!-- words -->\n<!-- /words -->")))
        names = [str(path) for path in paths]
        if dice.randrange(50) == 0:  # which starts a process
            given = dice.choice(([], names[:1], names, ["--write", *names]))
            main: Callable[[], int] = lambda: recorded_words.main(given)
        else:
            given = names[: dice.choice((0, 1, 2, 2, 2, 2))]
            main = lambda: compare_records.main(given)
        return ended(main, "words", given, (0, 1, 2))


def script(module: Any) -> int:
    """A script's main as its last lines run it."""
    cli.run(module.main)


def main() -> int:
    if not all(word.isdigit() for word in sys.argv[1:]) or len(sys.argv) > 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    count, seed = [*map(int, sys.argv[1:]), *(500, 1)[len(sys.argv) - 1 :]]
    tried: Counter = Counter()
    with tempfile.TemporaryDirectory() as folder:
        fuzz = Fuzz(Path(folder))
        targets = [
            fuzz.result_file, fuzz.table, fuzz.drawn, fuzz.command_line, fuzz.merged, fuzz.counted,
            fuzz.words,
        ]  # fmt: skip
        for number in range(count):
            target = targets[number % len(targets)]
            dice = random.Random(f"{seed}/{number}")
            before = set(os.listdir(folder))
            try:
                tried[target(dice)] += 1
            except Exception as error:
                import traceback

                traceback.print_exc()
                print(f"fuzz_scripts: input {number} of seed {seed}, {target.__name__}: {error!r}")
                print(repr(fuzz.input)[:4000])
                return 1
            left = {name for name in set(os.listdir(folder)) - before if "." != name[0]}
            hidden = [name for name in os.listdir(folder) if name[0] == "." or "partial" in name]
            if hidden:
                print(f"fuzz_scripts: input {number}, {target.__name__}: left behind: {hidden} {left}")
                return 1
    print(f"scripts: {count} inputs of seed {seed}: {tried[True]} served, {tried[False]} refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
