#!/usr/bin/env python3
"""Writes what the pages show of recorded results and of sources, so that nothing is typed twice.

Tables and blocks of code stand between markers (README.md). What a table's marker may say is what the
function of its name (here, in speed_tables.py or in counter_tables.py) takes: words by position, options by
name; what has spaces stands in quotes.
"""

import argparse
import inspect
import re
import shlex
import sys
from pathlib import Path

import cli
import counter_tables
import results
import speed_tables
from cli import ResultError
from table_page import Page, choice


def gallery(page: Page) -> list[str] | None:
    """What the gallery's program printed; None keeps what stands there."""
    return page.gallery


def code(page: Page, file: str, *, first: str, lines: str) -> list[str]:
    """Lines of a source file, without the indentation that they share."""
    path = page.folder / file
    if not path.is_file():
        raise ResultError("no such file")
    text, count = path.read_text(encoding="utf-8").splitlines(), cli.size(lines)
    found = [i for i, line in enumerate(text) if first in line]
    if len(found) != 1:
        places = ", ".join(str(i + 1) for i in found)
        raise ResultError(f"first=\"{first}\" stands in {f'lines {places}' if found else 'no line'}")
    if found[0] + count > len(text):
        raise ResultError(f"lines={lines}: the file ends {len(text) - found[0]} lines from there")
    quoted = "\n".join(text[found[0] : found[0] + count]).rstrip().split("\n")
    ours = [line for line in quoted if line and not line.startswith("#")]  # pragmas begin at 0
    margin = min((len(line) - len(line.lstrip()) for line in ours), default=0)
    quoted = [line if line.startswith("#") else line[margin:] for line in quoted]
    kind = "cpp" if path.suffix in (".cuh", ".cu", ".cpp", ".hpp") else "text"
    return [f"```{kind}", *quoted, "```"]


_ALL = [speed_tables.ladder, speed_tables.headline, speed_tables.gain, speed_tables.sweeps]
_ALL += [speed_tables.aligned, speed_tables.worst, speed_tables.chapter, speed_tables.verdicts]
_ALL += [speed_tables.ceilings, counter_tables.counters, counter_tables.hardware_counters]
_ALL += [speed_tables.cpu_speed, counter_tables.l2, counter_tables.ncu, speed_tables.beside_torch]
_ALL += [gallery]
TABLES = {table.__name__: table for table in _ALL}

# A block of code, in which markers are only shown; a table, or code; a marker without its other half.
MARKERS = re.compile(
    r"""^\ {0,3}(?P<fence>```+|~~~+).*?(?:\n\s*(?P=fence)|\Z)
    |^(?P<open><!--\s*(?P<kind>table|code):(?P<asked>[^\n]*?)-->)[^\S\n]*\n
     (?P<body>(?:(?!<!--\s*/?(?:table|code)\b)[^\n]*\n)*?)
     (?P<close><!--\s*/(?P=kind)\s*-->)[^\S\n]*$
    |^(?P<stray><!--\s*(?:table:|/table\b|code:|/code\b)[^\n]*)$""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)


def rewrite(text: str, file: str, page: Page) -> str:
    """A page with all its tables and quotations made anew."""

    def made(match: re.Match) -> str:
        place = f"{file}:{text.count(chr(10), 0, match.start()) + 1}"
        if match["stray"]:
            raise ResultError(f"{place}: a marker without its other half")
        if not match["open"]:
            return match[0]
        kind, page.body = match["kind"], match["body"]
        try:
            words = shlex.split(match["asked"])
            name = words[0] if words else ""
            if kind == "table" and name not in TABLES:
                raise ResultError(f"unknown table (there are: {', '.join(TABLES)})")
            make = code if kind == "code" else TABLES[words.pop(0)]
            plain = [word for word in words if "=" not in word]
            options = dict(word.split("=", 1) for word in words if "=" in word)
            choice("dtype", options.get("dtype", "bf16"), results.DTYPES)
            asked = inspect.signature(make).bind(page, *plain, **options)
            table = make(*asked.args, **asked.kwargs)
        except (ResultError, TypeError, ValueError, argparse.ArgumentTypeError) as error:
            asked = match["asked"].split()
            raise ResultError(f"{place}: {kind} '{asked[0] if asked else ''}': {error}") from None
        if table is None:  # it stays as it is
            return match[0]
        return "\n".join([match["open"], "", *table, "", match["close"]])  # renderers want these

    return MARKERS.sub(made, text)


def pages(root: Path) -> list[Path]:
    """Every page of the repository but those of builds and hidden folders."""
    tops = [path for path in root.iterdir() if not path.name.startswith(("build", "."))]
    return sorted(p for top in tops for p in [top, *top.rglob("*")] if p.suffix == ".md")


def update(root: Path, check: bool = False, gallery: list[str] | None = None) -> list[str]:
    """Brings all pages up to date, or with `check` only looks; returns the pages that differ. Nothing
    is written before every page has been read without a complaint."""
    made_of = Page(root, gallery=gallery)
    changed: dict[str, str] = {}
    for path in pages(root):
        text = path.read_bytes().decode("utf-8")
        name = path.relative_to(root).as_posix()
        made_of.to_root, made_of.folder = "../" * name.count("/"), path.parent
        new = rewrite(text, name, made_of)
        if new != text:
            changed[name] = new
    for name, new in changed.items() if not check else ():
        cli.write_atomically(root / name, new.encode("utf-8"))
    return list(changed)


def main() -> int:
    parser = cli.Parser(description="Writes the tables and quotations of the pages.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if out of date")
    parser.add_argument("--root", type=Path, default=cli.ROOT, help="the repository")
    parser.add_argument("--gallery", metavar="FILE", help="what bin/gallery --markdown printed")
    args = parser.parse_args()
    gallery = None
    if args.gallery:
        gallery = Path(args.gallery).read_text("utf-8").splitlines()
        if not gallery or not all(line.startswith("|") for line in gallery):
            raise ResultError(f"--gallery {args.gallery}: not a table")
    changed = update(args.root, args.check, gallery)
    old = "a table or a quotation is not what its source gives: run plots/tables.py"
    for page in changed:
        print(f"{page}: {old if args.check else 'updated'}", file=sys.stderr if args.check else None)
    return 1 if args.check and changed else 0


if __name__ == "__main__":
    cli.run(main)
