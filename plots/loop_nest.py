#!/usr/bin/env python3
"""Chapter 01's two mappings: which outputs a warp owns, and what one step of its loop reads.

usage: loop_nest.py [-o FILE]
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import cli

cli.need_matplotlib()

from matplotlib.patches import Rectangle  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

LANES = 32
EDGE = 32  # outputs of C, and steps along K, that are drawn each way

_TOP_IN, _C_IN, _K_IN, _GAP_IN = 1.98, 1.72, 0.66, 0.07
_PANEL_IN = 2.9
_BLOCK, _WARP = style.tint(style.CEILING_COLORS["ffma"], 0.3), style.CEILING_COLORS["ffma"]
_A, _B = style.CEILING_COLORS["wgmma"], style.CEILING_COLORS["mma_sync"]


class Mapping(NamedTuple):
    """A variant of the chapter: its outputs of C lie along a row, first a warp's, then a block's."""

    name: str
    lanes_per_output: int
    block_rows: int
    block_cols: int

    @property
    def lines(self) -> tuple[int, int]:
        """Rows of A and of B that a warp touches in a step: a cache line of each."""
        return 1, LANES // self.lanes_per_output


def mappings() -> list[Mapping]:
    """As in the chapter's kernel.cuh."""
    return [Mapping("strided", 1, 8, 32), Mapping("coalesced", 32, 2, 4)]


def _grid(fig, left: float, top: float, width: float, height: float, cols: int, rows: int):
    axes = style.add_axes(fig, left, top, width, height)
    axes.set_xlim(0, cols)
    axes.set_ylim(rows, 0)
    axes.set_xticks(range(0, cols + 1, 8), [])
    axes.set_yticks(range(0, rows + 1, 8), [])
    axes.tick_params(length=0)
    axes.grid(True, color="white", linewidth=0.8)
    axes.set_facecolor("#eceef1")
    return axes


def _fill(axes, col, row, width, height, color, **kwargs) -> None:
    kwargs.setdefault("edgecolor", "none")
    axes.add_patch(Rectangle((col, row), width, height, facecolor=color, zorder=3, **kwargs))


def _draw_mapping(fig, mapping: Mapping, left: float) -> None:
    start = left + _K_IN + _GAP_IN
    c = _grid(fig, start, _TOP_IN, _C_IN, _C_IN, EDGE, EDGE)
    a = _grid(fig, left, _TOP_IN, _K_IN, _C_IN, EDGE, EDGE)
    b = _grid(fig, start, _TOP_IN - _GAP_IN - _K_IN, _C_IN, _K_IN, EDGE, EDGE)
    rows, cols = mapping.lines
    _fill(c, 0, 0, mapping.block_cols, mapping.block_rows, _BLOCK)
    _fill(c, 0, 0, cols, rows, _WARP)
    step = mapping.lanes_per_output
    _fill(a, 0, 0, step, rows, _A)
    _fill(b, 0, 0, cols, step, _B)
    small = dict(size=style.SMALL_PT, color=style.MUTED)
    style.add_text(fig, left, _TOP_IN + _C_IN + 0.04, "A: rows m, along k", **small)
    style.add_text(
        fig, start + _C_IN, _TOP_IN + _C_IN + 0.04, "C: m down, n across", ha="right", **small
    )
    style.add_text(fig, left, _TOP_IN - _GAP_IN - _K_IN, "B: rows n,\nk down", **small)
    head = _TOP_IN - _GAP_IN - _K_IN - 0.24
    style.add_text(fig, left, head, mapping.name, size=style.TEXT_PT, weight="bold")
    words = (
        f"a warp owns {rows} × {cols} output{'s' * (rows * cols > 1)}",
        f"a step touches {rows} + {cols} = {rows + cols} rows,",
        f"a cache line of each, for {LANES} products",
    )
    for line, text in enumerate(words):
        top = _TOP_IN + _C_IN + 0.28 + line * style.LINE_IN
        style.add_text(fig, left, top, text, size=style.SMALL_PT)


def draw(found: list[Mapping]):
    fig = style.figure(_TOP_IN + _C_IN + 0.94)
    title = "Who computes what: a block, its warps, and one step along k"
    style.add_text(fig, style.MARGIN_IN, 0.12, title, size=style.TITLE_PT, weight="bold")
    left = style.MARGIN_IN
    keys = (
        (_BLOCK, "outputs of the first block"),
        (_WARP, "of its first warp"),
        (_A, "what that warp reads of A in its first step"),
        (_B, "and of B"),
    )
    for color, word in keys:
        style.add_text(fig, left, 0.46, "■", size=style.TEXT_PT, color=color)
        style.add_text(fig, left + 0.16, 0.47, word, size=style.SMALL_PT)
        left += 0.38 + style.text_width(word, style.SMALL_PT)
    for number, mapping in enumerate(found):
        _draw_mapping(fig, mapping, style.MARGIN_IN + number * _PANEL_IN)
    return fig, describe(found)


def describe(found: list[Mapping]) -> str:
    """What the figure says, for those who cannot see it."""
    return " ".join(
        f"{m.name}: a block owns {m.block_rows} x {m.block_cols} outputs, a warp {m.lines[0]} x "
        f"{m.lines[1]}; a step of its loop touches {m.lines[0]} rows of A and {m.lines[1]} of B, "
        f"{m.lanes_per_output} elements of each, for {LANES} products."
        for m in found
    )


def write(path: Path) -> None:
    fig, description = draw(mappings())
    style.save(fig, path, "Two ways to deal C out to warps", description)


def main() -> int:
    return cli.draw_from_sources("Draws chapter 01's mappings of C to blocks, warps and lanes.", write, "loop_nest.svg")


if __name__ == "__main__":
    cli.run(main)
