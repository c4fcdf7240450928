"""What the layout figures are drawn with: the layout tool's answers and boards of cells."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import NamedTuple

from matplotlib.patches import FancyArrowPatch, Rectangle

import style
from checks import ResultError

# Eight fills for the eight groups of four banks, and for whatever else comes in eights: light and
# dark take turns, so that neighbours stay apart in print; cells also carry their number.
EIGHT = ["#f5c26b", "#c25b4e", "#f4e3a1", "#4f9d69", "#b8dfe6", "#3f6fb0", "#d9c2e9", "#6b4f9a"]
FOUR = ["#f7d08a", "#a9d8de", "#b9bde6", "#f0b8ae"]
HIGHLIGHT = "#c2272d"
MONO = "DejaVu Sans Mono"
LEFT = style.MARGIN_IN


class Image(NamedTuple):
    """A layout as the tool lists it."""

    layout: str
    values: list[int]
    data: dict


class Tool:
    """The layout program; each expression is asked for once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[tuple[str, ...], Image] = {}

    def __call__(self, expression: str, *options: str) -> Image:
        key = (expression, *options)
        if key not in self.known:
            command = [str(self.path), expression, "--json", *options]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                raise ResultError(f"{self.path}: {run.stderr.strip()}")
            data = json.loads(run.stdout)
            self.known[key] = Image(data["layout"], data["values"], data)
        return self.known[key]

    def owners(self, expression: str) -> list[list[tuple[int, int]]]:
        """For every position of a tile, the (thread, value) pairs of a thread-value layout."""
        image = self(expression)
        rows, cols = image.data["tile"]
        threads = size(modes(image.layout)[0])
        found: list[list[tuple[int, int]]] = [[] for _ in range(rows * cols)]
        for i, position in enumerate(image.values):
            found[position].append((i % threads, i // threads))
        return found


def modes(layout: str) -> list[str]:
    """The top-level entries of the shape of a printed layout."""
    shape = layout.split(":")[0].strip()
    entries, depth, start = [], 0, 1
    for i, c in enumerate(shape):
        depth += (c == "(") - (c == ")")
        if (c == "," and depth == 1) or (c == ")" and depth == 0):
            entries.append(shape[start:i])
            start = i + 1
    return entries


def size(shape: str) -> int:
    product = 1
    for number in shape.replace("(", " ").replace(")", " ").replace(",", " ").split():
        product *= int(number)
    return product


class Board:
    """A grid of cells, drawn in inches from the figure's top left corner."""

    def __init__(self, fig, left: float, top: float, cell: float, rows: int, cols: int, aspect=1.0):
        self.fig, self.rows, self.cols = fig, rows, cols
        self.cell_in, self.height_in = cell, cell * aspect
        self.left, self.top = left, top
        self.axes = style.add_axes(fig, left, top, cell * cols, cell * aspect * rows)
        self.axes.set_xlim(0, cols)
        self.axes.set_ylim(rows, 0)
        self.axes.set_xticks([])
        self.axes.set_yticks([])

    @property
    def right(self) -> float:
        return self.left + self.cell_in * self.cols

    @property
    def bottom(self) -> float:
        return self.top + self.height_in * self.rows

    def fill(self, row, col, color, text="", size=6.0, width=1, line=0.4) -> None:
        # As an artist: add_patch would look for new limits of the axes, and there are many cells.
        self.axes.add_artist(
            Rectangle((col, row), width, 1, facecolor=color, edgecolor="white", linewidth=line)
        )
        if text:
            self.axes.text(
                col + width / 2,
                row + 0.5,
                text,
                ha="center",
                va="center_baseline",
                size=size,
                color=style.text_on(color) if isinstance(color, str) else style.INK,
                linespacing=1.0,
            )

    def outline(self, row, col, height=1.0, width=1.0, color=style.INK, line=1.2) -> None:
        self.axes.add_patch(
            Rectangle(
                (col, row),
                width,
                height,
                fill=False,
                edgecolor=color,
                linewidth=line,
                joinstyle="miter",
                clip_on=False,
                zorder=5,
            )
        )

    def arrow(self, start, end, color=HIGHLIGHT, bend=0.0) -> None:
        """From the middle of a cell (row, col) to that of another."""
        self.axes.add_patch(
            FancyArrowPatch(
                (start[1] + 0.5, start[0] + 0.5),
                (end[1] + 0.5, end[0] + 0.5),
                arrowstyle="-|>",
                mutation_scale=9,
                linewidth=1.6,
                color=color,
                connectionstyle=f"arc3,rad={bend}",
                shrinkA=1,
                shrinkB=1,
                clip_on=False,
                zorder=6,
            )
        )

    def title(self, text: str, note: str = "", mono: bool = False) -> None:
        style.add_text(self.fig, self.left, self.top - 0.5, text, size=style.TEXT_PT, weight="bold")
        if note:
            style.add_text(
                self.fig,
                self.left,
                self.top - 0.32,
                note,
                size=style.SMALL_PT - (1 if mono else 0),
                color=style.MUTED,
                family=MONO if mono else None,
            )

    def below(self, text: str, line: int = 0, color=style.MUTED, weight="normal") -> None:
        style.add_text(
            self.fig,
            self.left,
            self.bottom + 0.05 + line * style.LINE_IN,
            text,
            size=style.SMALL_PT,
            color=color,
            weight=weight,
        )

    def ticks(self, rows=(), cols=(), size=6.0) -> None:
        for row, text in rows:
            left = -0.045 / self.cell_in
            at = dict(ha="right", va="center_baseline")
            self.axes.text(left, row + 0.5, text, size=size, color=style.MUTED, **at)
        for col, text in cols:
            above = -0.035 / self.height_in
            at = dict(ha="center", va="bottom")
            self.axes.text(col + 0.5, above, text, size=size, color=style.MUTED, **at)

    def edge_ticks(self, rows, cols, size=6.0) -> None:
        """Where each row and column of cells begins."""
        self.ticks(
            [(i - 0.5, str(start)) for i, start in enumerate(rows)],
            [(i - 0.5, str(start)) for i, start in enumerate(cols)],
            size,
        )


def place(position: int, rows: int) -> tuple[int, int]:
    """Row and column of a position, which counts down the columns."""
    return position % rows, position // rows


def heading(fig, text: str) -> None:
    style.add_text(fig, style.MARGIN_IN, 0.12, text, size=style.TITLE_PT, weight="bold")
