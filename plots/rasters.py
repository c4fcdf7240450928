#!/usr/bin/env python3
"""Chapters 05 and 07: two orders of tiles each, and what the blocks of a wave read.

usage: rasters.py CHAPTER [-o FILE]      CHAPTER: 05 or 07
"""

from __future__ import annotations

from pathlib import Path

import cli

cli.need_matplotlib()

from matplotlib.figure import Figure  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)
import tile_orders  # noqa: E402

SIZE, TILE = 8192, (128, 256)
SMS, GROUP_ROWS = 132, 8  # of an H200; of both kernels
# For each chapter its title and its orders, in words.
FIGURES = {
    "05": (
        "Two orders of blocks, and what a wave of them reads",
        {"row_major": "row by row", "groups": "groups of {} rows of tiles"},
    ),
    "07": (
        "Blocks that stay: two ways to deal out tiles",
        {"ranges": "to each block a range of tiles", "groups": "groups of {} rows, one by one"},
    ),
}
_C_IN, _LEFT_IN, _PANEL_IN = 2.5, 0.36, 4.2


def tiles_of() -> tile_orders.Orders:
    """The tiles of C in the order in which blocks take them; of ranges wave by wave."""
    rows, cols = SIZE // TILE[0], SIZE // TILE[1]
    row_major = [(row, col) for row in range(rows) for col in range(cols)]
    groups = [
        (first + row, col)
        for first in range(0, rows, GROUP_ROWS)
        for col in range(cols)
        for row in range(min(GROUP_ROWS, rows - first))
    ]
    # The first blocks get one tile more than the others.
    least, more = divmod(rows * cols, SMS)
    begins = [block * least + min(block, more) for block in range(SMS + 1)]
    ranges = [
        row_major[begin + turn]
        for turn in range(least + 1)
        for begin, end in zip(begins, begins[1:])
        if begin + turn < end
    ]
    orders = {"row_major": row_major, "groups": groups, "ranges": ranges}
    return tile_orders.Orders(TILE, [tile_orders.Grid(rows, cols, GROUP_ROWS, SMS, orders)])


def draw(chapter: str) -> Figure:
    orders = tiles_of()
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
        style.add_text(fig, left, below, "a wave reads", color=style.MUTED, **small)
        said = tile_orders.wave_words(orders, SIZE, name)
        style.add_text(fig, left, below + 0.16, said, **small)
    lines = (
        f"MB: of A + of B, with M = N = K = {SIZE}, on the average of all waves. New: not read by the",
        "wave before. What is not new is found in the L2 only if it is there still; an H200's has 60 MB.",
    )
    style.add_small_print(fig, [(line, False) for line in lines])
    return fig


def describe(chapter: str) -> str:
    """What the figure says, for those who cannot see it."""
    orders = tiles_of()
    parts = []
    for name, word in FIGURES[chapter][1].items():
        grid = orders.square(SIZE)
        reads = grid.reads(name)[0]
        parts.append(
            f"{word.format(grid.group_rows)}: the first wave lies in {len(reads.rows)} rows and "
            f"{len(reads.cols)} columns of tiles; a wave reads {tile_orders.wave_words(orders, SIZE, name)}"
        )
    return f"M = N = K = {SIZE}. {'; '.join(parts)}."


def write(chapter: str, output: Path) -> None:
    style.save(draw(chapter), output, FIGURES[chapter][0], describe(chapter))


def main() -> int:
    parser = cli.figure_parser("Draws two orders of tiles of a chapter.", "rasters.svg")
    parser.add_argument("chapter", choices=FIGURES)
    args = parser.parse_args()
    write(args.chapter, args.output)
    print(args.output)
    return 0


if __name__ == "__main__":
    cli.run(main)
