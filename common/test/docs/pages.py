#!/usr/bin/env python3
"""The pages of the repository: their links, anchors and commands.

usage: pages.py --navigation      writes the lines that lead from each chapter to its neighbours
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

ROOT = Path(__file__).resolve().parents[3]

_FENCE = re.compile(r"\s*(```+|~~~+)\s*(\w*)")
_LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]+)\)")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_TABLE = re.compile(r"<!--\s*(/?)table")
# How a command begins. Code that begins like this and is none cannot be written in a page.
_COMMAND = re.compile(
    r"(?:[A-Z][A-Z0-9_]*=\S+ )*"
    r"(?:make [a-z]|build/(?:bin|tests)/|bin/|ctest |cmake -|plots/\w+\.py |python3 |layout [-'\w]|git |"
    r"common/\S+\.(?:sh|py)\b|\d\d_\w+_(?:cpu|traced) |\d\d_\w+ --)"
)
SHELL_FENCES = ("", "console", "sh")


class Block(NamedTuple):
    """Lines of code in a fence, or one span of code in running text."""

    line: int
    text: str
    fence: str | None  # the fence's language; None: a span
    behind: str  # of a span: what comes next


class Command(NamedTuple):
    page: str
    line: int
    text: str
    needs_gpu: bool
    printed: list[str] | None  # in a console block: what the page says it prints

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


class Page:
    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self.blocks: list[Block] = []
        self.prose: list[tuple[int, str]] = []  # lines outside of fences
        self._read()

    def _read(self) -> None:
        fence = language = ""
        start, held = 0, []
        paragraph: list[tuple[int, str]] = []
        generated = False  # tables are made of results, not of commands

        def end_paragraph() -> None:
            self._spans(paragraph)
            paragraph.clear()

        for number, line in enumerate(self.text.split("\n"), start=1):
            match = _FENCE.match(line)
            if fence:
                if match and match.group(1).startswith(fence) and not match.group(2):
                    self.blocks.append(Block(start, "\n".join(held), language, ""))
                    fence = ""
                else:
                    held.append(line)
                continue
            if match:
                end_paragraph()
                fence, language, start, held = match.group(1), match.group(2), number + 1, []
                continue
            table = _TABLE.match(line)
            if table:
                generated = not table.group(1)
            self.prose.append((number, line))
            if not line.strip() or re.match(r"\s*(?:[-*]|\d+\.)\s|\||#", line) or generated:
                end_paragraph()
            if not generated:
                paragraph.append((number, line))
        end_paragraph()

    def _spans(self, paragraph: list[tuple[int, str]]) -> None:
        text = "\n".join(line for _, line in paragraph)
        for match in _SPAN.finditer(text):
            line = paragraph[0][0] + text[: match.start()].count("\n")
            words = re.sub(r"\s+", " ", match.group(2)).strip()
            behind = re.sub(r"\s+", " ", text[match.end() : match.end() + 8])
            self.blocks.append(Block(line, words, None, behind))

    def links(self) -> Iterator[tuple[int, str]]:
        for number, line in self.prose:
            for match in _LINK.finditer(re.sub(r"`[^`]*`", lambda m: "x" * len(m.group()), line)):
                yield number, match.group(1)

    def headings(self) -> list[tuple[int, str]]:
        """Levels and texts."""
        found = (re.fullmatch(r"(#+)\s+(.*?)\s*", line) for _, line in self.prose)
        return [(len(match.group(1)), match.group(2)) for match in found if match]

    def anchors(self) -> set[str]:
        """The fragments that lead to headings, as GitHub makes them, and to marked places."""
        seen: dict[str, int] = {}
        found = set()
        for _, text in self.headings():
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            count = seen.get(slug, 0)
            seen[slug] = count + 1
            found.add(f"{slug}-{count}" if count else slug)
        prose = "\n".join(line for _, line in self.prose)
        return found | set(re.findall(r'<a id="([\w-]+)"></a>', prose))

    def commands(self) -> Iterator[Command]:
        for block in self.blocks:
            if block.fence is None:
                if _COMMAND.match(block.text):
                    gpu = block.behind.startswith(" (GPU")
                    yield Command(self.name, block.line, block.text, gpu, None)
            elif block.fence == "console":
                yield from self._console(block)
            elif block.fence in SHELL_FENCES:
                for i, line in enumerate(block.text.split("\n")):
                    if _COMMAND.match(line):
                        text, _, comment = line.partition(" #")
                        gpu = "(GPU)" in comment
                        yield Command(self.name, block.line + i, text.strip(), gpu, None)

    def _console(self, block: Block) -> Iterator[Command]:
        lines = block.text.split("\n")
        starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(lines)]):
            printed = lines[start + 1 : end]
            yield Command(self.name, block.line + start, lines[start][2:], False, printed)


def pages(root: Path = ROOT) -> list[Page]:
    """Every page that the repository keeps."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "*.md"],
        capture_output=True,
        text=True,
    )
    names = listed.stdout.split()
    if listed.returncode or not names:  # a copy without its history
        names = [
            path.relative_to(root).as_posix()
            for path in sorted(root.rglob("*.md"))
            if not re.match(r"build|\.", path.relative_to(root).as_posix())
        ]
    return [Page(name, (root / name).read_text(encoding="utf-8")) for name in names]


def lessons(all_pages: list[Page]) -> list[Page]:
    """The chapters' own pages in their order; pages of asides lie deeper."""
    return sorted(
        (page for page in all_pages if re.fullmatch(r"\d\d_\w+/README\.md", page.name)),
        key=lambda page: page.name,
    )


def navigation(chapters: list[Page]) -> list[str]:
    """For each lesson the line below its title, which is its last one, too."""
    names = []
    for page in chapters:
        title = next((text for level, text in page.headings() if level == 1), page.name)
        names.append(re.sub(r"^(\d\d) · ([^:]*).*", r"\1 · \2", title))
    lines = []
    for i in range(len(chapters)):
        parts = ["[The ladder](../README.md#the-ladder)"]
        if i > 0:
            parts.insert(0, f"[← {names[i - 1]}](../{chapters[i - 1].name})")
        if i + 1 < len(chapters):
            parts.append(f"[{names[i + 1]} →](../{chapters[i + 1].name})")
        lines.append(" | ".join(parts))
    return lines


def write_navigation(root: Path = ROOT) -> None:
    chapters = lessons(pages(root))
    for page, line in zip(chapters, navigation(chapters)):
        lines = page.text.rstrip("\n").split("\n")
        lines[2] = lines[-1] = line
        (root / page.name).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--navigation"]:
        sys.exit("usage: pages.py --navigation")
    write_navigation()
