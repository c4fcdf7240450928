#!/usr/bin/env python3
"""The pages of the repository: their links, anchors and commands.

usage: pages.py --navigation      writes the lines that lead from each chapter to its neighbours
"""

import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

ROOT = Path(__file__).resolve().parents[3]

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[ \t]*(\w*).*\n((?:.*\n)*?)[ \t]*\1[ \t]*$", re.MULTILINE)
_TABLE = re.compile(r"<!--\s*table.*?<!--\s*/table", re.DOTALL)  # made of results, not of commands
_LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]+)\)")
# A span of code goes no further than its paragraph or point.
_SPAN = re.compile(
    r"(?<!`)(`+)(?!`)((?:(?!\n\s*(?:\n|[-*] |[|#]|\d+\. )).)+?)(?<!`)\1(?!`)", re.DOTALL
)
# How a command begins. Code that begins like this and is none cannot be written in a page.
_COMMAND = re.compile(
    r"(?:[A-Z][A-Z0-9_]*=\S+ )*"
    r"(?:make [a-z]|build/(?:bin|tests)/|bin/|ctest |cmake -|plots/\w+\.py |python3 |git |"
    r"layout [-'\w]|"
    r"common/\S+\.(?:sh|py)\b|\d\d_\w+_(?:cpu|traced) |\d\d_\w+ --)"
)


class Command(NamedTuple):
    page: str
    line: int
    text: str
    needs_gpu: bool
    printed: list[str] | None  # in a console block: what the page says it prints

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def _blank(match: re.Match) -> str:
    return re.sub(r"[^\n]", " ", match.group())


class Page:
    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self.prose = _FENCE.sub(_blank, text)  # without fenced code, at the same places

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1

    def links(self) -> Iterator[tuple[int, str]]:
        for match in _LINK.finditer(_SPAN.sub(lambda span: "x" * len(span.group()), self.prose)):
            yield self.line(match.start()), match.group(1)

    def headings(self) -> list[tuple[int, str]]:
        """Levels and texts."""
        found = re.findall(r"^(#+)\s+(.*?)\s*$", self.prose, re.MULTILINE)
        return [(len(level), text) for level, text in found]

    def anchors(self) -> set[str]:
        """The fragments that lead to headings, as GitHub makes them, and to marked places."""
        seen: dict[str, int] = {}
        found = set(re.findall(r'<a id="([\w-]+)"></a>', self.prose))
        for _, text in self.headings():
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            seen[slug] = seen.get(slug, -1) + 1
            found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        return found

    def commands(self) -> Iterator[Command]:
        prose = _TABLE.sub(_blank, self.prose)
        for match in _SPAN.finditer(prose):
            text = re.sub(r"\s+", " ", match.group(2)).strip()
            if _COMMAND.match(text):
                gpu = re.match(r"\s+\(GPU", prose[match.end() :]) is not None
                yield Command(self.name, self.line(match.start()), text, gpu, None)
        for match in _FENCE.finditer(self.text):
            first, lines = self.line(match.start(3)), match.group(3).splitlines()
            if match.group(2) == "console":
                starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
                for start, end in zip(starts, [*starts[1:], len(lines)]):
                    text, printed = lines[start][2:], lines[start + 1 : end]
                    yield Command(self.name, first + start, text, False, printed)
            elif match.group(2) in ("", "sh"):
                for i, line in enumerate(lines):
                    text, _, comment = line.partition(" #")
                    if _COMMAND.match(line):
                        yield Command(self.name, first + i, text.strip(), "(GPU)" in comment, None)


def pages(root: Path = ROOT) -> list[Page]:
    """Every page but those of builds and hidden folders."""
    tops = [path for path in root.iterdir() if not path.name.startswith(("build", "."))]
    found = [path for top in tops for path in ([top] if top.suffix == ".md" else top.rglob("*.md"))]
    return [Page(path.relative_to(root).as_posix(), path.read_text("utf-8")) for path in found]


def lessons(all_pages: list[Page]) -> list[Page]:
    """The chapters' own pages in their order; pages of asides lie deeper."""
    found = [page for page in all_pages if re.fullmatch(r"\d\d_\w+/README\.md", page.name)]
    return sorted(found, key=lambda page: page.name)


def navigation(chapters: list[Page]) -> list[str]:
    """For each lesson the line below its title, which is its last one, too."""
    titles = [next(text for level, text in page.headings() if level == 1) for page in chapters]
    names = [re.sub(r"^(\d\d) · ([^:]*).*", r"\1 · \2", title) for title in titles]
    lines = ["[The ladder](../README.md#the-ladder)"] * len(chapters)
    for i in range(1, len(chapters)):
        lines[i - 1] += f" | [{names[i]} →](../{chapters[i].name})"
        lines[i] = f"[← {names[i - 1]}](../{chapters[i - 1].name}) | {lines[i]}"
    return lines


if __name__ == "__main__":
    if sys.argv[1:] != ["--navigation"]:
        sys.exit("usage: pages.py --navigation")
    chapters = lessons(pages())
    for page, line in zip(chapters, navigation(chapters)):
        lines = page.text.rstrip("\n").split("\n")
        lines[2] = lines[-1] = line
        (ROOT / page.name).write_text("\n".join(lines) + "\n", encoding="utf-8")
