#!/usr/bin/env python3
"""every_shape against cuBLAS over many shapes: layers of language models, and others.

A row for each layer (N×K), a column for each number of tokens (M), in every cell its
speed as a share of cuBLAS; behind the table the shapes that belong to no layer.

usage: sweep.py [SWEEP.json] [-o FILE] [--chapter every_shape]
"""

from __future__ import annotations

from pathlib import Path

import cli
import results
from results import Results, Row, Shape

cli.need_matplotlib()

from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

CHAPTER, DTYPE = results.EVERY_SHAPE, "bf16"
LEAST_COLUMNS = 4  # numbers of tokens that make a row of the table

_HEAD_IN, _CELL_IN, _NAMES_IN, _GAP_IN = 1.25, 0.3, 1.35, 0.55
_PER_LINE = 5  # shapes beside the table, in a line
AHEAD, BEHIND = "#2c3580", "#e9a83a"
_FULL = 0.25  # this far from 1 the colour is at its strongest


def chart_title(run: Results) -> str:
    return f"Share of cuBLAS over many shapes: {run.device_name}"


def measured(run: Results, chapter: str = CHAPTER) -> dict[Shape, Row]:
    rows = {
        row.shape: row
        for row in (run.of_chapter(chapter, DTYPE) if run.chapter(chapter) else [])
        if row.variant == results.DEFAULT_VARIANT and row.of_cublas is not None
    }
    if not rows:
        raise results.ResultError(f"{run.path}: holds no {chapter} beside cuBLAS in {DTYPE}")
    return rows


def layers(shapes) -> list[tuple[int, int]]:
    """(N, K) that come with several M, the smallest operand first."""
    tokens: dict[tuple[int, int], set[int]] = {}
    for shape in shapes:
        tokens.setdefault((shape.n, shape.k), set()).add(shape.m)
    found = [layer for layer, of in tokens.items() if len(of) >= LEAST_COLUMNS]
    return sorted(found, key=lambda layer: (layer[0] * layer[1], layer))


def color(share: float) -> tuple:
    strength = min(1.0, abs(share - 1) / _FULL)
    return style.tint(AHEAD if share >= 1 else BEHIND, 0.12 + 0.88 * strength)


def draw(run: Results, chapter: str = CHAPTER) -> Figure:
    rows = measured(run, chapter)
    table = layers(rows)
    tokens = sorted({shape.m for shape in rows if (shape.n, shape.k) in table})
    others = sorted(
        (shape for shape in rows if (shape.n, shape.k) not in table),
        key=lambda shape: (not shape.is_square, shape.m * shape.n * shape.k, shape),
    )
    lines = -(-len(others) // _PER_LINE)
    height = _HEAD_IN + len(table) * _CELL_IN + (_GAP_IN + lines * _CELL_IN if others else 0) + 0.75
    fig = style.figure(height)
    style.add_text(fig, style.MARGIN_IN, 0.14, chart_title(run), size=style.TITLE_PT, weight="bold")
    words = f"{run.chapter(chapter).label}, its own choice of tiles · {DTYPE} · {run.mode_words()}"
    style.add_text(fig, style.MARGIN_IN, 0.42, words, color=style.MUTED)
    style.add_text(
        fig, style.MARGIN_IN, _HEAD_IN - 0.09, "N×K", va="bottom", size=style.SMALL_PT, color=style.MUTED
    )
    style.add_text(
        fig, _NAMES_IN, _HEAD_IN - 0.31, "tokens (M)", va="bottom", size=style.SMALL_PT, color=style.MUTED
    )
    width = (style.WIDTH_IN - _NAMES_IN - style.MARGIN_IN) / max(1, len(tokens))
    for column, m in enumerate(tokens):
        style.add_text(fig, _NAMES_IN + (column + 0.5) * width, _HEAD_IN - 0.09, f"{m}", va="bottom",
                       ha="center", size=style.SMALL_PT, color=style.MUTED)  # fmt: skip
    for i, (n, k) in enumerate(table):
        top = _HEAD_IN + i * _CELL_IN
        style.add_text(fig, style.MARGIN_IN, top + _CELL_IN / 2, f"{n}×{k}", va="center_baseline",
                       size=style.SMALL_PT)  # fmt: skip
        for column, m in enumerate(tokens):
            row = rows.get(Shape(m, n, k))
            if row:
                _cell(fig, _NAMES_IN + column * width, top, width, row.of_cublas)
    if others:
        top = _HEAD_IN + len(table) * _CELL_IN + _GAP_IN
        style.add_text(fig, style.MARGIN_IN, top - 0.09, "other shapes, M×N×K", va="bottom",
                       size=style.SMALL_PT, color=style.MUTED)  # fmt: skip
        place = (style.WIDTH_IN - 2 * style.MARGIN_IN) / _PER_LINE
        for i, shape in enumerate(others):
            left = style.MARGIN_IN + i % _PER_LINE * place
            at = top + i // _PER_LINE * _CELL_IN
            name = style.fit(str(shape), style.SMALL_PT, place - 0.6)
            style.add_text(fig, left, at + _CELL_IN / 2, name, va="center_baseline", size=style.SMALL_PT)
            _cell(fig, left + place - 0.62, at, 0.54, rows[shape].of_cublas)
    style.add_small_print(fig, _foot(run, rows))
    return fig


def _cell(fig: Figure, left: float, top: float, width: float, share: float) -> None:
    fig_width, fig_height = fig.get_size_inches()
    fill = color(share)
    fig.add_artist(
        Rectangle(
            ((left + 0.02) / fig_width, (fig_height - top - _CELL_IN + 0.02) / fig_height),
            (width - 0.04) / fig_width,
            (_CELL_IN - 0.04) / fig_height,
            facecolor=fill,
            edgecolor="none",
        )
    )
    style.add_text(fig, left + width / 2, top + _CELL_IN / 2, f"{share:.2f}", va="center_baseline",
                   ha="center", size=style.SMALL_PT, color=style.text_on(fill))  # fmt: skip


def _foot(run: Results, rows: dict[Shape, Row]) -> list[tuple[str, bool]]:
    shares = sorted(row.of_cublas for row in rows.values())
    ahead = sum(share >= 1 for share in shares)
    words = (
        f"{len(shares)} shapes: at least as fast as cuBLAS at {ahead}, "
        f"at least 0.95 of it at {sum(share >= 0.95 for share in shares)}; "
        f"median {shares[len(shares) // 2]:.2f}, lowest {shares[0]:.2f}, highest {shares[-1]:.2f}"
    )
    software = run.software_words()
    return [
        (words, False),
        (f"{software + ' · ' if software else ''}commit {run.commit} · {run.day}", False),
    ]


def describe(run: Results, chapter: str = CHAPTER) -> str:
    """The chart in words, for <desc>."""
    rows = measured(run, chapter)
    parts = [f"{shape} {row.of_cublas:.2f}" for shape, row in sorted(rows.items())]
    return f"Share of cuBLAS by shape: {', '.join(parts)}."


def write(run: Results, path: Path, chapter: str = CHAPTER) -> None:
    style.save(draw(run, chapter), path, chart_title(run), describe(run, chapter))


def main() -> int:
    parser = cli.figure_parser("Draws a chapter's share of cuBLAS over many shapes.", "sweep.svg")
    parser.add_argument("result", nargs="?", metavar="SWEEP.json")
    parser.add_argument("--chapter", default=CHAPTER, metavar="NAME")
    args = parser.parse_args()
    run = results.load(args.result) if args.result else results.named(results.HEADLINE_DEVICE, "sweep")
    if run is None:
        raise results.ResultError("plots/results: no recorded sweep, name a file")
    write(run, args.output, args.chapter)
    print(args.output)
    return 0


if __name__ == "__main__":
    cli.run(main)
