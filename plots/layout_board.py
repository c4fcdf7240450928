"""What the layout figures are drawn with: the layout tool's answers and boards of cells."""

from __future__ import annotations

import json
import math
import re
import subprocess
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Callable

import cli
import style
from cli import ResultError
from style import MUTED, SMALL_PT, add_note, add_text

from matplotlib.patches import FancyArrowPatch

# Eight fills for the eight groups of four banks, and for whatever else comes in eights: light and
# dark take turns, so that neighbours stay apart in print; cells also carry their number.
EIGHT = ["#f5c26b", "#c25b4e", "#f4e3a1", "#4f9d69", "#b8dfe6", "#3f6fb0", "#d9c2e9", "#6b4f9a"]
MONO = "DejaVu Sans Mono"
LEFT = style.MARGIN_IN


class Tool:
    """The layout program; each expression is asked for once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cache
    def __call__(self, *expression: str) -> SimpleNamespace:
        """What the program says: `layout`, its `values`, and more by the kind of layout."""
        command = [str(self.path), *expression, "--json"]
        with cli.reading(self.path):
            run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            raise ResultError(f"{self.path}: {run.stderr.strip()}")
        return SimpleNamespace(**json.loads(run.stdout))

    def owners(self, expression: str) -> list[tuple[int, int]]:
        """For every position of a tile, the first (thread, value) of a thread-value layout."""
        image = self(expression)
        # The first mode of the shape is that of threads: 128 of ((4,32),8):((256,1),32).
        mode = re.match(r"\((\d+|\([^()]*\))", image.layout).group(1)
        threads = math.prod(map(int, re.findall(r"\d+", mode)))
        found: dict[int, tuple[int, int]] = {}
        for i, position in enumerate(image.values):
            found.setdefault(position, (i % threads, i // threads))
        return [found[position] for position in range(math.prod(image.tile))]


class Board:
    """A grid of cells, drawn in inches from the figure's top left corner."""

    def __init__(self, fig, left: float, top: float, cell: float, rows: int, cols: int, aspect=1.0):
        self.fig, self.rows, self.cols = fig, rows, cols
        self.cell_in, self.height_in = cell, cell * aspect
        self.left, self.top = left, top
        self.right, self.bottom = left + cell * cols, top + self.height_in * rows
        self.axes = style.add_axes(fig, left, top, cell * cols, self.height_in * rows)
        self.axes.set(xlim=(0, cols), ylim=(rows, 0), xticks=[], yticks=[])

    def fill(self, row, col, color, text="", size=6.0, width=1, line=0.4) -> None:
        style.box(self.axes, col, row, width, 1, color, "white", line)
        look = dict(color=style.text_on(color) if isinstance(color, str) else style.INK)
        if text:
            style.word(self.axes, col + width / 2, row + 0.5, text, size, linespacing=1.0, **look)

    def fill_all(self, cell: Callable[[int, int], tuple], size=6.0, line=0.4) -> None:
        """Every cell by its row and column: a colour and a text."""
        for row in range(self.rows):
            for col in range(self.cols):
                self.fill(row, col, *cell(row, col), size, line=line)

    def outline(self, row, col, height=1.0, width=1.0, color=style.INK, line=1.2) -> None:
        style.box(self.axes, col, row, width, height, "none", color, line, joinstyle="miter",
                  clip_on=False, zorder=5)  # fmt: skip

    def arrow(self, start, end, color: str, bend: float) -> None:
        """From the middle of a cell (row, col) to that of another."""
        (from_row, from_col), (to_row, to_col) = start, end
        arrow = FancyArrowPatch(
            (from_col + 0.5, from_row + 0.5), (to_col + 0.5, to_row + 0.5), arrowstyle="-|>",
            mutation_scale=9, linewidth=1.6, color=color, connectionstyle=f"arc3,rad={bend}",
            shrinkA=1, shrinkB=1, clip_on=False, zorder=6,
        )  # fmt: skip
        self.axes.add_patch(arrow)

    def title(self, text: str, note: str = "", mono: bool = False) -> None:
        add_text(self.fig, self.left, self.top - 0.5, text, size=style.TEXT_PT, weight="bold")
        look = dict(size=SMALL_PT - 1, family=MONO) if mono else {}
        add_note(self.fig, self.left, self.top - 0.32, note, **look)

    def below(self, text: str, line: int = 0, **kwargs) -> None:
        add_note(self.fig, self.left, self.bottom + 0.05 + line * style.LINE_IN, text, **kwargs)

    def ticks(self, rows: dict | None = None, cols: dict | None = None) -> None:
        """Words beside rows and above columns; without any their numbers."""
        rows = {i: i for i in range(self.rows)} if rows is None else rows
        cols = {i: i for i in range(self.cols)} if cols is None else cols
        left, above = -0.045 / self.cell_in, -0.035 / self.height_in
        for row, text in rows.items():
            style.word(self.axes, left, row + 0.5, str(text), 6.0, color=MUTED, ha="right")
        for col, text in cols.items():
            style.word(self.axes, col + 0.5, above, str(text), 6.0, color=MUTED, va="bottom")

    def edge_ticks(self, rows, cols) -> None:
        """Where each row and column of cells begins."""
        self.ticks(*({i - 0.5: start for i, start in enumerate(starts)} for starts in (rows, cols)))
