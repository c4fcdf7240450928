#!/usr/bin/env python3
"""Orders of tiles: the path of each through C, and what its waves read of A and B. Of chapter 09 as
`--variant tile_orders` printed them; those of chapters 05 and 07 are computed here."""

from collections import OrderedDict
from itertools import product
from pathlib import Path
from typing import NamedTuple

import cli
import style
from style import SMALL_PT, TEXT_PT, add_note, add_text

ELEMENT = 2  # bytes
L2_BYTES = 60 * 2**20  # of an H200
WAVE_COLORS = {"first wave": style.AMBER, "second wave": style.TEAL}
_TOP_IN, _STRIP_IN = 1.42, 0.055  # of C, and what is read of A and B beside it


class Grid(NamedTuple):
    """The tiles of C by (row, column), in the orders in which blocks take them."""

    tile: tuple[int, int]
    tiles_m: int
    tiles_n: int
    blocks: int
    sms: int
    orders: dict[str, list[tuple[int, int]]]

    def about(self, size: int) -> str:
        tiles = f"{self.tiles_m} x {self.tiles_n} tiles of {self.tile[0]} x {self.tile[1]}"
        return f"C of {size} x {size}, {tiles}, {self.blocks} of them at a time"

    def waves(self, order: str) -> list[list[tuple[int, int]]]:
        """What all blocks compute at one time, one after the other."""
        tiles, blocks = self.orders[order], self.sms if order == "hilbert_assigned" else self.blocks
        return [tiles[i : i + blocks] for i in range(0, len(tiles), blocks)]

    def reads(self, order: str) -> list[tuple[set[int], set[int]]]:
        """What each wave needs, in rows of tiles of A and in columns of tiles of B."""
        return [tuple(map(set, zip(*tiles))) for tiles in self.waves(order)]

    def mib(self, reads: list[tuple[set[int], set[int]]], k: int) -> list[float]:
        """Of A and of B, on the average of the waves."""
        counts = [sum(map(len, operand)) / len(reads) for operand in zip(*reads)]
        return [n * edge * k * ELEMENT / 2**20 for n, edge in zip(counts, self.tile)]

    def words(self, order: str, k: int) -> str:
        """What a wave reads, and what of it the one before has not read."""
        reads = self.reads(order)
        before = [(set(), set()), *reads]
        new = [(rows - old[0], cols - old[1]) for old, (rows, cols) in zip(before, reads)]
        a, b = self.mib(reads, k)
        counts = (f"{x:.1f}".removesuffix(".0") for x in (a, b, a + b, sum(self.mib(new, k))))
        return "{} + {} = {} MB, {} new".format(*counts)

    def fetched(self, order: str, k: int, scale: int = 16) -> list[tuple[float, float]]:
        """For each wave the MB that it reads, and those that an H200's L2 fetches for it, if blocks
        read k-tiles of 64 in step and every second tile backwards: least recently used, with
        `scale` times less K and cache, times `scale`."""
        held: OrderedDict[tuple, int] = OrderedDict()
        room, found, k_tiles = L2_BYTES // scale, [], k // scale // 64
        for turn, tiles in enumerate(self.waves(order)):
            missed, read = 0, set()
            for step in range(k_tiles)[:: -1 if turn % 2 else 1]:
                for operand, at in product((0, 1), tiles):
                    line = (operand, at[operand], step)
                    read.add(line)
                    held[line] = held.pop(line, 0)
                    if not held[line]:
                        held[line] = self.tile[operand] * 64 * ELEMENT
                        missed, room = missed + held[line], room - held[line]
                    while room < 0:
                        room += held.popitem(last=False)[1]
            total = sum(self.tile[operand] * 64 * ELEMENT for operand, *_ in read)
            found.append((total * scale / 2**20, missed * scale / 2**20))
        return found

    def missed(self, order: str, k: int) -> float:
        """MB that the L2 fetches for all waves."""
        return sum(missed for _, missed in self.fetched(order, k))


def load(path: Path) -> list[Grid]:
    """Reads one file; refuses in one line what does not hold every tile once."""
    file = cli.read_json(path)
    with cli.reading(path):
        grids = []
        for entry in file["grids"]:
            sizes = [int(entry[key]) for key in ("tiles_m", "tiles_n", "blocks", "sms")]
            every = list(product(range(sizes[0]), range(sizes[1])))
            orders = {name: [(r, c) for r, c in tiles] for name, tiles in entry["orders"].items()}
            if any(sorted(tiles) != every for tiles in orders.values()):
                raise ValueError("an order without every tile once")
            grids.append(Grid(tuple(map(int, file["tile"])), *sizes, orders))
    return grids


def _figure(height: float, title: str, words: str, size: str = ""):
    fig = style.figure(height, title, words, SMALL_PT)
    left = style.add_key(fig, 0.64, WAVE_COLORS)
    add_note(fig, left, 0.65, "strips: the rows of A and columns of B that it reads")
    style.add_small_print(
        fig,
        f"MB: of A + of B, with M = N = K{size}, on the average of all waves. New: not read by the",
        "wave before. What is not new is found in the L2 only if it is there still; an H200's has "
        "60 MB.",
    )
    return fig


def _draw(fig, words, grid: Grid, name: str, left, scale: float, path=True, top=_TOP_IN) -> None:
    """C with the path and the first waves, A's rows to its left and B's columns above it."""
    add_text(fig, left, top - 0.4, words, size=TEXT_PT, weight="bold")
    high, wide = (edge * scale for edge in grid.tile)
    width, height = grid.tiles_n * wide, grid.tiles_m * high
    margin, thick = 2 * _STRIP_IN + 0.04, _STRIP_IN - 0.012
    sheet = style.add_sheet(fig, left - margin, top - margin, width + margin, height + margin)
    sheet.set(xlim=(-margin, width), ylim=(height, -margin))
    style.box(sheet, 0, 0, width, height, "#f1f2f4", line=0)
    waves = zip(WAVE_COLORS.values(), grid.waves(name), grid.reads(name))
    for number, (color, tiles, (rows, cols)) in enumerate(waves):
        for row, col in tiles:
            style.box(sheet, col * wide, row * high, wide, high, style.tint(color, 0.55), line=0)
        at = number * _STRIP_IN - margin
        for row in rows:
            style.box(sheet, at, row * high, thick, high, color, line=0)
        for col in cols:
            style.box(sheet, col * wide, at, wide, thick, color, line=0)
    if path:
        walk = [((col + 0.5) * wide, (row + 0.5) * high) for row, col in grid.orders[name]]
        sheet.plot(*zip(*walk), color=style.INK, linewidth=0.55, solid_joinstyle="round")
        sheet.plot(*walk[0], marker="o", markersize=3, color=style.INK)


def draw(path: Path, size: int = 8192):
    """Draws the orders that --variant tile_orders printed, and what the L2 fetches by wave."""
    names = {"row_major": "Row by row", "snake": "Snake", "hilbert": "Hilbert curve"}
    with cli.reading(path):
        grid = {grid.tiles_m * grid.tile[0]: grid for grid in load(path)}[size]
        found = {name: grid.fetched(name, size) for name in names}
    tiles = f"tiles of {grid.tile[0]} x {grid.tile[1]}, {grid.blocks} in a wave"
    fig, _ = style.phone_figure(
        9.25, "Three orders of tiles, and the L2",
        f"C of {size} x {size}, K = {size}: {tiles}; 60 MB of L2.",
        "Strips: the rows of A and the columns of B that a wave reads.",
    )  # fmt: skip
    style.add_key(fig, 0.79, WAVE_COLORS)
    edge, left = 1.9, 0.4
    highest = max(read for waves in found.values() for read, _ in waves)
    for number, (name, words) in enumerate(names.items()):
        top, waves = 1.62 + 2.46 * number, found[name]
        _draw(fig, words, grid, name, left, edge / size, top=top)
        total, missed = map(sum, zip(*waves))
        said = f"{missed:,.0f} of {total:,.0f} MB fetched from HBM"
        add_note(fig, style.PHONE_IN - style.MARGIN_IN, top - 0.4, said, ha="right")
        axes = style.add_axes(fig, left + edge + 0.5, top + 0.1, 1.8, edge - 0.3)
        axes.set(xlim=(-0.5, len(waves) - 0.5), ylim=(0, highest))
        axes.tick_params(length=0)
        axes.set_xticks([0, len(waves) - 1], ["wave 0", f"{len(waves) - 1}"])
        axes.set_ylabel("MB", size=SMALL_PT)
        for wave, (read, new) in enumerate(waves):
            style.box(axes, wave - 0.4, 0, 0.8, read, style.FAINT, line=0)
            style.box(axes, wave - 0.4, 0, 0.8, new, style.HIGHLIGHT, line=0)
    style.add_small_print(fig, "Bars: what each wave reads. Red: the L2 fetches it from HBM.",
                          "Grey: found in the L2. A model of A and B; every second tile reads K",
                          "backwards, as chapter 09 does.")  # fmt: skip
    return fig


def draw_others(path: Path):
    """The orders of 09/orders, beside the kernel's curve."""
    names = {"hilbert": "the kernel's curve", "super_tiles": "super-tiles of 16 x 8"}
    names["hilbert_assigned"] = "Hilbert, assigned to 132 SMs"
    with cli.reading(path):
        grids = {grid.tiles_m * grid.tile[0]: grid for grid in load(path)[:2]}
        grid = grids[8192]
    edge, gap = 2.3, 0.46
    about = f"{grid.about(8192)}; assigned: {grid.sms} at a time"
    fig = _figure(_TOP_IN + edge + 1.36, "Two more orders of tiles, and what a wave reads", about)
    for number, (name, words) in enumerate(names.items()):
        left = 0.36 + number * (edge + gap)
        _draw(fig, words, grid, name, left, edge / 8192, path=name != "hilbert_assigned")
        for line, (size, each) in enumerate(grids.items()):
            top = _TOP_IN + edge + 0.1 + line * 0.34
            said, missed = each.words(name, size), f"{each.missed(name, size):,.0f} MB missed"
            add_note(fig, left, top, f"a wave at {size} (all: {missed}):")
            add_text(fig, left, top + 0.155, said, size=SMALL_PT)
    return fig


SIZE, TILE, SMS, GROUP_ROWS = 8192, (128, 256), 132, 8  # of an H200; of both kernels
# For each chapter its title and its orders, in words.
CHAPTERS = {
    "05": ("Two orders of blocks, and what a wave of them reads",
           {"row_major": "row by row", "groups": "groups of 8 rows of tiles"}),
    "07": ("Persistent blocks: two tile schedules",
           {"ranges": "a range of tiles for each block", "groups": "groups of 8 rows, tile by tile"}),
}  # fmt: skip


def computed() -> Grid:
    """The tiles of C in the order in which blocks take them; of ranges wave by wave."""
    rows, cols = SIZE // TILE[0], SIZE // TILE[1]
    row_major = list(product(range(rows), range(cols)))
    groups = sorted(row_major, key=lambda tile: (tile[0] // GROUP_ROWS, tile[1], tile[0]))
    # The first blocks get one tile more than the others.
    least, more = divmod(rows * cols, SMS)
    parts = [row_major[b * least + min(b, more) :][: least + (b < more)] for b in range(SMS)]
    ranges = [part[turn] for turn in range(least + 1) for part in parts if turn < len(part)]
    orders = {"row_major": row_major, "groups": groups, "ranges": ranges}
    return Grid(TILE, rows, cols, SMS, SMS, orders)


def draw_computed(chapter: str):
    """Two orders of tiles of a chapter, and what the blocks of a wave read."""
    grid, edge = computed(), 2.5
    title, names = CHAPTERS[chapter]
    fig = _figure(_TOP_IN + edge + 1.05, title, grid.about(SIZE), f" = {SIZE}")
    for number, (name, words) in enumerate(names.items()):
        left, below = 0.36 + number * 4.2, _TOP_IN + edge + 0.08
        in_turn = name != "ranges"  # a path through what many blocks do at once says nothing
        _draw(fig, words, grid, name, left, edge / SIZE, path=in_turn)
        add_note(fig, left, below, "a wave reads")
        said = grid.words(name, SIZE)
        add_text(fig, left, below + 0.16, said, size=SMALL_PT)
    return fig


if __name__ == "__main__":
    cli.run(lambda: style.main(draw, "tile_orders.svg", "TILE_ORDERS.json"))
