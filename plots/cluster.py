#!/usr/bin/env python3
"""Chapter 08's cluster of 2x2 blocks: who brings which share of a stage to whom, who arrives where.

Shares, masks and partners are computed here by the rules that cluster.cuh states.

usage: cluster.py [-o FILE]
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import cli

cli.need_matplotlib()

from matplotlib.patches import Rectangle  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

CM, CN = 2, 2  # blocks along M and along N
BM, BN, BK = 128, 256, 64  # a block's tile of C, and the columns of a stage
CONSUMERS = 2

_COLORS = ("#f7d08a", "#a9d8de", "#b9bde6", "#f0b8ae")  # by rank
_BLOCK_IN, _BLOCK_HEIGHT_IN, _GAP_IN = 2.36, 1.5, 0.14
_LEFT_IN, _TOP_IN = 1.12, 1.32  # of the blocks
_CELL_IN = 0.38  # of the table of arrivals


class Share(NamedTuple):
    """A part of an operand's tile, brought by one block to all in `mask`."""

    operand: str
    number: int
    first_row: int  # of the operand's tile
    rows: int
    source: int
    mask: int

    @property
    def targets(self) -> list[int]:
        return [rank for rank in range(CM * CN) if self.mask >> rank & 1]

    @property
    def kib(self) -> int:
        return self.rows * BK * 2 // 1024


def row(rank: int) -> int:
    return rank // CN


def col(rank: int) -> int:
    return rank % CN


def shares_of(rank: int) -> tuple[Share, Share]:
    """What a block brings for a stage: of A to its row, of B to its column."""
    to_row = sum(1 << other for other in range(CM * CN) if row(other) == row(rank))
    to_col = sum(1 << other for other in range(CM * CN) if col(other) == col(rank))
    a_rows, b_rows = BM // CN, BN // CM
    return (
        Share("A", col(rank), col(rank) * a_rows, a_rows, rank, to_row),
        Share("B", row(rank), row(rank) * b_rows, b_rows, rank, to_col),
    )


def received(rank: int, operand: str) -> list[Share]:
    """The shares that make up a block's tile, first rows first."""
    everything = [share for source in range(CM * CN) for share in shares_of(source)]
    mine = [s for s in everything if s.operand == operand and rank in s.targets]
    return sorted(mine, key=lambda share: share.first_row)


def arrivals(consumer: int, producer: int) -> int:
    """How often the consumers of one block arrive at `empty` of another, per turn of a stage."""
    partners = row(consumer) == row(producer) or col(consumer) == col(producer)
    return CONSUMERS if partners else 0


def _box(axes, left, top, width, height, color, **kwargs) -> None:
    kwargs.setdefault("edgecolor", "white")
    kwargs.setdefault("linewidth", 1.0)
    axes.add_patch(Rectangle((left, top), width, height, facecolor=color, **kwargs))


def _word(axes, left, top, text, size=style.SMALL_PT, **kwargs) -> None:
    kwargs.setdefault("ha", "center")
    axes.text(left, top, text, size=size, va="center_baseline", **kwargs)


def _place(rank: int) -> tuple[float, float]:
    return (
        _LEFT_IN + col(rank) * (_BLOCK_IN + _GAP_IN),
        _TOP_IN + row(rank) * (_BLOCK_HEIGHT_IN + _GAP_IN),
    )


def _rows(share: Share) -> str:
    return f"{share.first_row}-{share.first_row + share.rows - 1}"


def _operands(axes) -> None:
    """The tiles in global memory along the edges: of A left of each row, of B above each column."""
    for r in range(CM):
        left, top = 0.2, _place(r * CN)[1]
        for share in received(r * CN, "A"):
            height = _BLOCK_HEIGHT_IN / CN
            at = top + share.number * height
            _box(axes, left, at, 0.76, height, _COLORS[share.source])
            _word(axes, left + 0.38, at + height / 2 - 0.08, f"rows {_rows(share)}", 7)
            _word(axes, left + 0.38, at + height / 2 + 0.1, f"by {share.source}", weight="bold")
    for c in range(CN):
        left, top = _place(c)[0], _TOP_IN - 0.52
        for share in received(c, "B"):
            width = _BLOCK_IN / CM
            at = left + share.number * width
            _box(axes, at, top, width, 0.4, _COLORS[share.source])
            _word(axes, at + width / 2, top + 0.13, f"rows {_rows(share)}", 7)
            _word(axes, at + width / 2, top + 0.3, f"by {share.source}", weight="bold")
    _word(axes, 0.2, _TOP_IN - 0.13, "tiles of A", ha="left", color=style.MUTED)
    _word(axes, _LEFT_IN - 0.1, _TOP_IN - 0.32, "tiles of B", ha="right", color=style.MUTED)


def _block(axes, rank: int) -> None:
    """One block: what lies in its stage, and what it brings."""
    left, top = _place(rank)
    frame = dict(edgecolor=style.MUTED, linewidth=0.8)
    _box(axes, left, top, _BLOCK_IN, _BLOCK_HEIGHT_IN, style.tint(_COLORS[rank], 0.22), **frame)
    _word(axes, left + 0.1, top + 0.17, f"rank {rank}", style.TEXT_PT, ha="left", weight="bold")
    place = f"row {row(rank)}, column {col(rank)}"
    _word(axes, left + 0.68, top + 0.17, place, 7, ha="left", color=style.MUTED)

    x, width = left + 0.1, 0.58
    for operand, full in (("A", 0.36), ("B", 0.72)):
        # The stage: tiles as high as they have rows.
        for share in received(rank, operand):
            height = full / (CN if operand == "A" else CM)
            at = top + 0.38 + share.number * height
            _box(axes, x, at, width, height, _COLORS[share.source], linewidth=0.8)
            _word(axes, x + width / 2, at + height / 2, f"{operand}{share.number}", 7)
        x += width + 0.05
    stage = sum(share.kib for operand in "AB" for share in received(rank, operand))
    small = dict(size=7, ha="left", color=style.MUTED)
    _word(axes, left + 0.1, top + 1.26, f"its stage: {stage} KB", **small)

    x = left + 0.1 + 2 * (width + 0.05) + 0.04
    for line, share in enumerate(shares_of(rank)):
        at = top + 0.45 + 0.42 * line
        _word(axes, x, at, f"brings {share.operand}{share.number}, {share.kib} KB", 7.5, ha="left")
        mask = f"{share.mask:0{CM * CN}b}"
        _word(axes, x, at + 0.16, f"to {mask}", 7.5, ha="left", weight="bold")
    together = sum(share.kib for share in shares_of(rank))
    _word(axes, x, top + 1.26, f"together {together} KB", **small)


def _arrivals(axes) -> None:
    """A row for each block's consumers, a column for each block's barrier."""
    ranks = range(CM * CN)
    left, top = style.WIDTH_IN - style.MARGIN_IN - len(ranks) * _CELL_IN - 0.06, 1.6
    label = left - 0.85
    _word(axes, label, 0.9, "Arrivals at empty", style.TEXT_PT, ha="left", weight="bold")
    _word(axes, label, 1.08, "for each turn of a stage", ha="left", color=style.MUTED)
    _word(axes, left + 2 * _CELL_IN, top - 0.27, "empty of rank", 7, color=style.MUTED)
    for producer in ranks:
        x = left + (producer + 0.5) * _CELL_IN
        _word(axes, x, top - 0.1, str(producer), weight="bold")
    for consumer in ranks:
        y = top + (consumer + 0.5) * _CELL_IN
        words = f"consumers of {consumer}"
        _word(axes, left - 0.06, y, words, 7, ha="right", color=style.INK)
        for producer in ranks:
            count = arrivals(consumer, producer)
            color = style.tint(_COLORS[producer], 0.75) if count else "#f1f2f4"
            at = (left + producer * _CELL_IN, top + consumer * _CELL_IN)
            _box(axes, *at, _CELL_IN, _CELL_IN, color)
            if count:
                _word(axes, at[0] + _CELL_IN / 2, y, str(count))
    y = top + (len(ranks) + 0.4) * _CELL_IN
    _word(axes, left - 0.06, y, "together", 7, ha="right", weight="bold")
    for producer in ranks:
        total = sum(arrivals(consumer, producer) for consumer in ranks)
        _word(axes, left + (producer + 0.5) * _CELL_IN, y, str(total), weight="bold")
    for i, line in enumerate(
        (
            f"{CONSUMERS} consumers × {CM + CN - 1} partners,",
            "itself among them. Nobody",
            "arrives across the corner:",
            "there is nothing to share.",
        )
    ):
        _word(axes, label, y + 0.3 + 0.17 * i, line, 7.5, ha="left", color=style.MUTED)


def draw():
    height = _TOP_IN + CM * (_BLOCK_HEIGHT_IN + _GAP_IN) + 0.58
    fig = style.figure(height)
    title = "A cluster of 2 x 2: who brings what, and who says that it has been read"
    style.add_text(fig, style.MARGIN_IN, 0.12, title, size=style.TITLE_PT, weight="bold")
    words = f"One stage of tiles of {BM} x {BN}. A colour is the block that brings the share."
    style.add_text(fig, style.MARGIN_IN, 0.42, words, size=style.TEXT_PT, color=style.MUTED)
    axes = style.add_axes(fig, 0, 0, style.WIDTH_IN, height)
    axes.set_xlim(0, style.WIDTH_IN)
    axes.set_ylim(height, 0)
    axes.set_axis_off()
    _operands(axes)
    for rank in range(CM * CN):
        _block(axes, rank)
    _arrivals(axes)
    style.add_small_print(
        fig,
        [
            (
                "Masks: bit r, from the right, for rank r. A share lands at the same offset of "
                "each receiver's stage, and its bytes count",
                False,
            ),
            ("at each receiver's own full barrier, which expects all 48 KB.", False),
        ],
    )
    return fig, describe()


def describe() -> str:
    """What the figure says, for those who cannot see it."""
    parts = []
    for rank in range(CM * CN):
        for share in shares_of(rank):
            to = " and ".join(str(target) for target in share.targets)
            parts.append(
                f"rank {rank} brings rows {_rows(share)} of its tile of {share.operand} to ranks "
                f"{to}"
            )
    return (
        "Four blocks in two rows and two columns: "
        + "; ".join(parts)
        + ". The consumers of a block arrive at the empty barriers of its row and of its column, "
        f"so each barrier counts {CONSUMERS} x {CM + CN - 1} arrivals."
    )


def write(path: Path) -> None:
    fig, description = draw()
    style.save(fig, path, "A cluster of 2 x 2 blocks", description)


def main() -> int:
    description = "Draws chapter 08's cluster of four blocks."
    return cli.draw_from_sources(description, write, "cluster.svg")


if __name__ == "__main__":
    cli.run(main)
