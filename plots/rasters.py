#!/usr/bin/env python3
"""Chapters 05 and 07: two orders of tiles each, and what the blocks of a round read.

Draws what `schedules CHAPTER` printed, which asks the functions that the kernels call.

usage: rasters.py TILE_ORDERS_NN.json [-o FILE]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import checks
import cli
import results

cli.need_matplotlib()

from matplotlib.figure import Figure  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)
import tile_orders  # noqa: E402

SIZE = 8192
# For each chapter its title and its orders, in words.
FIGURES = {
    "05_swizzle_pipeline": (
        "Two orders of blocks, and what a round of them reads",
        {"row_major": "row by row", "groups": "groups of {} rows of tiles"},
    ),
    "07_warp_specialized": (
        "Blocks that stay: two ways to deal out tiles",
        {"ranges": "to each block a range of tiles", "groups": "groups of {} rows, one by one"},
    ),
}
_C_IN, _LEFT_IN, _PANEL_IN = 2.5, 0.36, 4.2


def _known(value: Any) -> str | None:
    return None if isinstance(value, str) and value in FIGURES else " or ".join(FIGURES)


def load(path: Path) -> tuple[str, tile_orders.Orders]:
    """The chapter and its orders; refuses other files in one line."""
    chapter = checks.read_object(path).get("chapter", _known)
    return chapter, tile_orders.load(path, FIGURES[chapter][1])


def draw(chapter: str, orders: tile_orders.Orders) -> Figure:
    title, names = FIGURES[chapter]
    grid, tile = orders.square(SIZE), orders.tile
    top = tile_orders.TOP_IN
    fig = style.figure(top + _C_IN + 1.05)
    style.add_text(fig, style.MARGIN_IN, 0.12, title, size=style.TITLE_PT, weight="bold")
    words = (
        f"C of {SIZE} x {SIZE}, {grid.tiles_m} x {grid.tiles_n} tiles of {tile[0]} x {tile[1]}, "
        f"{grid.workers} of them at a time"
    )
    style.add_text(fig, style.MARGIN_IN, 0.4, words, size=style.SMALL_PT, color=style.MUTED)
    tile_orders.draw_key(fig)
    small = dict(size=style.SMALL_PT)
    for number, (name, word) in enumerate(names.items()):
        left = _LEFT_IN + number * _PANEL_IN
        word = word.format(grid.group_rows)
        style.add_text(fig, left, top - 0.4, word, size=style.TEXT_PT, weight="bold")
        in_turn = name != "ranges"  # a path through what many blocks do at once says nothing
        tile_orders.draw_order(fig, orders, grid, name, left, _C_IN / SIZE, path=in_turn)
        below = top + _C_IN + 0.08
        style.add_text(fig, left, below, "a round reads", color=style.MUTED, **small)
        said = tile_orders.round_words(orders, SIZE, name)
        style.add_text(fig, left, below + 0.16, said, **small)
    lines = (
        f"MB: of A + of B, with M = N = K = {SIZE}, on the average of all rounds. New: not read by the",
        "round before. What is not new is found in the L2 only if it is there still; an H200's has 60 MB.",
    )
    style.add_small_print(fig, [(line, False) for line in lines])
    return fig


def describe(chapter: str, orders: tile_orders.Orders) -> str:
    """What the figure says, for those who cannot see it."""
    parts = []
    for name, word in FIGURES[chapter][1].items():
        grid = orders.square(SIZE)
        reads = grid.reads(name)[0]
        parts.append(
            f"{word.format(grid.group_rows)}: the first round lies in {len(reads.rows)} rows and "
            f"{len(reads.cols)} columns of tiles; a round reads {tile_orders.round_words(orders, SIZE, name)}"
        )
    return f"M = N = K = {SIZE}. {'; '.join(parts)}."


def write(path: Path, output: Path) -> Figure:
    chapter, orders = load(path)
    fig = draw(chapter, orders)
    style.save(fig, output, FIGURES[chapter][0], describe(chapter, orders))
    return fig


def recorded(root: Path = results.ROOT) -> list[tuple[Path, str]]:
    """The committed orders and the names of their figures."""
    files = sorted((root / "plots" / "results").glob("tile_orders_*.json"))
    return [(path, path.stem + ".svg") for path in files]


def main() -> int:
    description = "Draws the orders that `schedules CHAPTER` printed."
    return cli.draw_from_file(description, write, "TILE_ORDERS_NN.json", "rasters.svg")


if __name__ == "__main__":
    cli.run(main)
