#!/usr/bin/env python3
"""What overlaps in chapters 06, 07 and 09: loads, products and stores of three tiles of C.

A model, not a measurement: the rules are those of the kernels (which stage may be filled, what has to
be waited for), the times are round numbers. `timeline.py` draws what a kernel noted.

usage: overlap.py [-o FILE]
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import cli

cli.need_matplotlib()

from matplotlib.patches import Rectangle  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

STAGES, TILES, STEPS = 4, 3, 6  # STEPS: along K, for each tile of C
# Times; the unit is the multiplication of one step.
ISSUE, LOAD, LAUNCH, STORE, HOLD = 0.08, 2.0, 0.8, 3.0, 0.45
PARTS = 4  # in which a tile leaves when its stores are deferred

_TINTS = (
    style.CEILING_COLORS["wgmma"],
    style.CEILING_COLORS["mma_sync"],
    style.CEILING_COLORS["ffma"],
)
_LEFT_IN, _TOP_IN, _ROW_IN, _CHAPTER_IN = 1.16, 1.24, 0.26, 1.22


class Bar(NamedTuple):
    row: str  # "loads", "products" or "stores"
    tile: int
    begin: float
    end: float


class Way(NamedTuple):
    chapter: str
    words: str
    stays: bool  # one block for all tiles, with a producer that runs ahead
    defers: bool  # stores wait for the next tile's products


WAYS = (
    Way("06", "a block for each tile", stays=False, defers=False),
    Way("07", "a block that stays, and a producer", stays=True, defers=False),
    Way("09", "stores beside the next tile's products", stays=True, defers=True),
)


def bars(way: Way) -> list[Bar]:
    """Every load, product and store of a block's three tiles, or of three blocks on one SM."""
    found: list[Bar] = []
    multiplied: list[float] = []  # when each step was, over all tiles
    producer = ready = 0.0  # when the next load can be issued, and the next product begin
    waiting = None  # the tile whose parts still have to leave
    for tile in range(TILES):
        if not way.stays:  # nothing is in shared memory when a block begins
            producer = ready = (ready + LAUNCH) if tile else LAUNCH
        for step in range(STEPS):
            number = tile * STEPS + step
            behind = number - STAGES
            same_ring = behind >= (0 if way.stays else tile * STEPS)
            issue = max(producer, multiplied[behind] if same_ring else 0.0)
            if not way.stays and step == STAGES - 1:  # who multiplies loads, one stage less ahead
                issue = max(issue, multiplied[number - step] - 1.0)
            producer = issue + ISSUE
            found.append(Bar("loads", tile, issue, issue + LOAD))
            begin = max(ready, issue + LOAD)
            ready = begin + 1.0
            multiplied.append(ready)
            found.append(Bar("products", tile, begin, ready))
            if waiting is not None and step < PARTS:
                found.append(Bar("stores", waiting, begin, begin + STORE / PARTS))
        waiting = None
        if way.defers:
            found.append(Bar("stores", tile, ready, ready + HOLD))
            ready += HOLD
            waiting = tile
        else:
            found.append(Bar("stores", tile, ready, ready + STORE))
            ready += STORE
    if waiting is not None:  # behind the last tile nothing is multiplied
        found.append(Bar("stores", waiting, ready, ready + STORE))
    return found


def length(way: Way) -> float:
    return max(bar.end for bar in bars(way))


def busy(way: Way) -> float:
    """Of the time until the last store, how much the tensor cores multiply."""
    return TILES * STEPS / length(way)


def draw():
    fig = style.figure(_TOP_IN + len(WAYS) * _CHAPTER_IN + 0.28)
    title = "What overlaps: three tiles of C, one after the other"
    style.add_text(fig, style.MARGIN_IN, 0.12, title, size=style.TITLE_PT, weight="bold")
    words = (
        f"A model of one SM: {STEPS} steps along K, {STAGES} stages; a load takes {LOAD:g} times as long as "
        f"the products of a step, storing a tile {STORE:g} times"
    )
    style.add_text(fig, style.MARGIN_IN, 0.42, words, size=style.SMALL_PT, color=style.MUTED)
    left = style.MARGIN_IN
    for tile, color in enumerate(_TINTS):
        style.add_text(fig, left, 0.66, "■", size=style.TEXT_PT, color=color)
        word = f"tile {tile}"
        style.add_text(fig, left + 0.16, 0.67, word, size=style.SMALL_PT)
        left += 0.4 + style.text_width(word, style.SMALL_PT)
    reach = max(length(way) for way in WAYS)
    width = style.WIDTH_IN - _LEFT_IN - style.MARGIN_IN
    rows = ("loads", "products", "stores")
    for number, way in enumerate(WAYS):
        top = _TOP_IN + number * _CHAPTER_IN
        words = f"{way.chapter}: {way.words}"
        style.add_text(fig, style.MARGIN_IN, top - 0.24, words, size=style.TEXT_PT, weight="bold")
        axes = style.add_axes(fig, _LEFT_IN, top, width, len(rows) * _ROW_IN)
        axes.set_xlim(0, reach)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xticks([])
        axes.set_yticks(range(len(rows)), rows)
        axes.tick_params(axis="y", length=0, labelsize=style.SMALL_PT)
        for row in range(len(rows)):
            axes.axhline(row, color=style.FAINT, linewidth=0.7, zorder=1)
        for bar in bars(way):
            row = rows.index(bar.row)
            high = 0.3 if bar.row == "loads" else 0.72
            axes.add_patch(
                Rectangle((bar.begin, row - high / 2), bar.end - bar.begin, high,
                          facecolor=_TINTS[bar.tile], edgecolor="white", linewidth=0.6, zorder=3)
            )  # fmt: skip
        end = length(way)
        axes.axvline(end, color=style.INK, linewidth=1.1)
        words = f"done after {end:.0f}, multiplying {100 * busy(way):.0f}% of the time"
        right = style.WIDTH_IN - style.MARGIN_IN
        small = dict(size=style.SMALL_PT, color=style.MUTED, ha="right")
        style.add_text(fig, right, top - 0.22, words, **small)
    words = "Real tiles have more steps, so that what does not overlap counts for less than here."
    style.add_small_print(fig, [(words, False)])
    return fig, describe()


def describe() -> str:
    """What the figure says, for those who cannot see it."""
    parts = [
        f"{way.chapter}, {way.words}: {TILES} tiles in {length(way):.1f} times the products of a step, "
        f"multiplying {100 * busy(way):.0f}% of the time"
        for way in WAYS
    ]
    return f"A model. {'; '.join(parts)}."


def write(path: Path) -> None:
    fig, description = draw()
    style.save(fig, path, "What overlaps in chapters 06, 07 and 09", description)


def main() -> int:
    return cli.draw_from_sources("Draws a model of what overlaps in chapters 06, 07 and 09.", write, "overlap.svg")


if __name__ == "__main__":
    cli.run(main)
