#!/usr/bin/env python3
"""Chapter 09's orders of tiles: the path of each through C, and what its waves read of A and B.

Draws what the chapter's `--variant tile_orders` printed, which asks the kernel's own schedule.

usage: tile_orders.py TILE_ORDERS.json [-o FILE]
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import checks
import cli
import results
from checks import ResultError

cli.need_matplotlib()

from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

NAMES = {
    "row_major": "row by row",
    "snake": "snake",
    "hilbert": "Hilbert curve",
}
ELEMENT = 2  # bytes
SHOWN = 2  # waves that are coloured

WAVE_COLORS = (style.CEILING_COLORS["ffma"], style.CEILING_COLORS["mma_sync"])
_C_IN, _GAP_IN = 1.76, 0.36  # the edge of a square C, and what is between two
_LEFT_IN, TOP_IN = 0.34, 1.42  # of the first C
_STRIP_IN = 0.055  # what is read of A and B, beside C

Tile = tuple[int, int]


class Reads(NamedTuple):
    """What the tiles of a wave need, in rows of tiles of A and in columns of tiles of B."""

    rows: frozenset[int]
    cols: frozenset[int]


class Grid(NamedTuple):
    tiles_m: int
    tiles_n: int
    group_rows: int
    workers: int
    orders: dict[str, list[Tile]]

    def waves(self, order: str) -> list[list[Tile]]:
        """What all blocks compute at one time, one after the other."""
        tiles = self.orders[order]
        return [tiles[i : i + self.workers] for i in range(0, len(tiles), self.workers)]

    def reads(self, order: str) -> list[Reads]:
        return [
            Reads(frozenset(row for row, _ in tiles), frozenset(col for _, col in tiles))
            for tiles in self.waves(order)
        ]

    def new(self, order: str) -> list[Reads]:
        """Of what a wave reads, what the one before it has not read: in the first all."""
        reads = self.reads(order)
        nothing = Reads(frozenset(), frozenset())
        return [
            Reads(now.rows - before.rows, now.cols - before.cols)
            for before, now in zip([nothing, *reads], reads)
        ]


class Orders(NamedTuple):
    tile: tuple[int, int]
    grids: list[Grid]

    def square(self, size: int) -> Grid:
        """The grid of a square C."""
        wanted = (size // self.tile[0], size // self.tile[1])
        found = [grid for grid in self.grids if (grid.tiles_m, grid.tiles_n) == wanted]
        if not found:
            raise ResultError(f"tile orders: no grid of {size} x {size}")
        return found[0]

    def ragged(self) -> Grid:
        return min(self.grids, key=lambda grid: grid.tiles_m * grid.tiles_n)

    def mib(self, reads: list[Reads], k: int) -> tuple[float, float]:
        """Of A and of B, on the average of the waves."""
        rows = sum(len(one.rows) for one in reads) / len(reads)
        cols = sum(len(one.cols) for one in reads) / len(reads)
        a, b = (count * edge * k * ELEMENT for count, edge in zip((rows, cols), self.tile))
        return a / 2**20, b / 2**20


def _pair(value: Any) -> str | None:
    whole = isinstance(value, list) and len(value) == 2 and all(type(v) is int for v in value)
    return None if whole else "two whole numbers"


def load(path: Path, names: Iterable[str] = NAMES) -> Orders:
    """Reads one file with these orders; refuses in one line what does not deal out every tile once."""
    file = checks.read_object(path)
    tile = file.get("tile", _pair)
    if not all(0 < edge <= 4096 for edge in tile):
        file.fail("tile", "expected edges of up to 4096")
    grids = []
    for entry in file.children("grids"):
        keys = ("tiles_m", "tiles_n", "group_rows", "workers")
        grid = Grid(*(entry.get(key, checks.extent) for key in keys), {})
        for name in names:
            tiles = entry.child("orders").get(name, checks.a_list)
            if len(tiles) != grid.tiles_m * grid.tiles_n or any(map(_pair, tiles)):
                entry.fail(f"orders.{name}", "expected the row and the column of every tile")
            everything = ((row, col) for row in range(grid.tiles_m) for col in range(grid.tiles_n))
            grid.orders[name] = [(row, col) for row, col in tiles]
            if sorted(grid.orders[name]) != list(everything):
                entry.fail(f"orders.{name}", "not every tile once")
        grids.append(grid)
    if not grids:
        file.fail("grids", "there is none")
    return Orders(tuple(tile), grids)


def draw_order(
    fig: Figure, orders: Orders, grid: Grid, name: str, left: float, scale: float, path: bool = True
) -> None:
    """C with the path and the first waves, A's rows to its left and B's columns above it."""
    height, width = grid.tiles_m * orders.tile[0] * scale, grid.tiles_n * orders.tile[1] * scale
    margin = SHOWN * _STRIP_IN + 0.04
    axes = style.add_axes(fig, left - margin, TOP_IN - margin, width + margin, height + margin)
    axes.set_xlim(-margin, width)
    axes.set_ylim(height, -margin)
    axes.set_axis_off()
    cell_height, cell_width = orders.tile[0] * scale, orders.tile[1] * scale
    axes.add_patch(Rectangle((0, 0), width, height, facecolor="#f1f2f4", edgecolor="none"))
    for number, tiles in enumerate(grid.waves(name)[:SHOWN]):
        color, reads = WAVE_COLORS[number], grid.reads(name)[number]
        for row, col in tiles:
            place = (col * cell_width, row * cell_height)
            tinted = style.tint(color, 0.55)
            axes.add_patch(
                Rectangle(place, cell_width, cell_height, facecolor=tinted, edgecolor="none")
            )
        at = -margin + number * _STRIP_IN
        thick = _STRIP_IN - 0.012
        for row in reads.rows:
            place = (at, row * cell_height)
            axes.add_patch(Rectangle(place, thick, cell_height, facecolor=color, edgecolor="none"))
        for col in reads.cols:
            place = (col * cell_width, at)
            axes.add_patch(Rectangle(place, cell_width, thick, facecolor=color, edgecolor="none"))
    if not path:
        return
    walk = [((col + 0.5) * cell_width, (row + 0.5) * cell_height) for row, col in grid.orders[name]]
    axes.plot(*zip(*walk), color=style.INK, linewidth=0.55, solid_joinstyle="round")
    axes.plot(*walk[0], marker="o", markersize=3, color=style.INK)


def draw_key(fig: Figure) -> None:
    left = style.MARGIN_IN
    words = ("first wave", "second wave")
    for color, word in zip(WAVE_COLORS, words):
        style.add_text(fig, left, 0.64, "■", size=style.TEXT_PT, color=color)
        style.add_text(fig, left + 0.16, 0.65, word, size=style.SMALL_PT)
        left += 0.34 + style.text_width(word, style.SMALL_PT)
    strips = "strips: the rows of A and columns of B that it reads"
    style.add_text(fig, left, 0.65, strips, size=style.SMALL_PT, color=style.MUTED)


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


def wave_words(orders: Orders, size: int, name: str) -> str:
    grid = orders.square(size)
    a, b = orders.mib(grid.reads(name), size)
    new = sum(orders.mib(grid.new(name), size))
    return f"{_number(a)} + {_number(b)} = {_number(a + b)} MB, {_number(new)} new"


def draw(orders: Orders) -> tuple[Figure, str]:
    fig = style.figure(TOP_IN + _C_IN + 1.36)
    title = "Three orders of tiles, and what the tiles of a wave read"
    style.add_text(fig, style.MARGIN_IN, 0.12, title, size=style.TITLE_PT, weight="bold")
    grid, tile = orders.square(4096), orders.tile
    style.add_text(
        fig,
        style.MARGIN_IN,
        0.4,
        f"C of 4096 x 4096, {grid.tiles_m} x {grid.tiles_n} tiles of {tile[0]} x {tile[1]}, "
        f"{grid.workers} of them at a time; the snake in groups of {grid.group_rows} rows of tiles",
        size=style.SMALL_PT,
        color=style.MUTED,
    )
    draw_key(fig)

    scale = _C_IN / 4096
    below = TOP_IN + _C_IN + 0.1
    for number, (name, word) in enumerate(NAMES.items()):
        left = _LEFT_IN + number * (_C_IN + _GAP_IN)
        style.add_text(fig, left, TOP_IN - 0.4, word, size=style.TEXT_PT, weight="bold")
        draw_order(fig, orders, grid, name, left, scale)
        for line, size in enumerate((4096, 8192)):
            top = below + line * 0.34
            small = dict(size=style.SMALL_PT, color=style.MUTED)
            style.add_text(fig, left, top, f"a wave at {size}:", **small)
            style.add_text(
                fig, left, top + 0.155, wave_words(orders, size, name), size=style.SMALL_PT
            )
    ragged = orders.ragged()
    left = _LEFT_IN + len(NAMES) * (_C_IN + _GAP_IN)
    words = f"Hilbert, {ragged.tiles_m} x {ragged.tiles_n}"
    style.add_text(fig, left, TOP_IN - 0.4, words, size=style.TEXT_PT, weight="bold")
    draw_order(fig, orders, ragged, "hilbert", left, scale)
    style.add_small_print(
        fig,
        [
            (
                "MB: of A + of B, with M = N = K, on the average of all waves. New: not read by the "
                "wave before. What is not new",
                False,
            ),
            ("is found in the L2 only if it is there still; an H200's has 60 MB.", False),
        ],
    )
    return fig, describe(orders)


def describe(orders: Orders) -> str:
    """What the figure says, for those who cannot see it."""
    parts = []
    for name, word in NAMES.items():
        reads = orders.square(4096).reads(name)[0]
        parts.append(
            f"{word}: the first wave lies in {len(reads.rows)} rows and {len(reads.cols)} columns "
            f"of tiles; a wave reads {wave_words(orders, 4096, name)} at 4096 and "
            f"{wave_words(orders, 8192, name)} at 8192"
        )
    return "; ".join(parts) + "."


def write(path: Path, output: Path) -> None:
    fig, description = draw(load(path))
    style.save(fig, output, "Orders of tiles", description)


def recorded(root: Path = results.ROOT) -> list[tuple[Path, str]]:
    """The committed orders, and the name of their figure."""
    path = root / "plots" / "results" / "tile_orders.json"
    return [(path, path.stem + ".svg")] if path.exists() else []


def main() -> int:
    description = "Draws the orders that --variant tile_orders printed."
    return cli.draw_from_file(description, write, "TILE_ORDERS.json", "tile_orders.svg")


if __name__ == "__main__":
    cli.run(main)
