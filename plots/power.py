#!/usr/bin/env python3
"""What each chapter does to the board: speed, SM clock and power under sustained load.

Four panels of bars, a row for each chapter: TFLOPS, the clock that was left, the power drawn, and the
energy of an operation, which is the power by the speed.

usage: power.py [SUSTAINED.json] [-o FILE] [--size 4096]
"""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Optional

import cli
import results
from results import Chapter, Results, Row

cli.need_matplotlib()

from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import MaxNLocator, NullLocator  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

SIZE, DTYPE = 4096, "bf16"

_HEAD_IN, _ROW_IN, _NAMES_IN = 1.2, 0.31, 2.22
_PANEL_IN, _GAP_IN = 1.42, 0.24
_BAR = 0.62

Ladder = list[tuple[Chapter, Optional[Row]]]


def _energy(row: Row) -> float | None:
    """Picojoules for one multiplication or addition."""
    return row.power_w / row.gflops * 1000 if row.power_w is not None else None


def _tflops(row: Row) -> float:
    return row.gflops / 1000


def _digits(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


PANELS: tuple[tuple[str, Callable[[Row], Optional[float]], Callable[[float], str]], ...] = (
    ("TFLOPS", _tflops, lambda value: results.tflops(value * 1000)),
    ("SM clock, MHz", lambda row: row.sm_mhz, lambda value: f"{value:.0f}"),
    ("power, W", lambda row: row.power_w, lambda value: f"{value:.0f}"),
    ("pJ per operation", _energy, _digits),
)


def chart_title(run: Results) -> str:
    return f"Under sustained load: {run.device_name}"


def draw(run: Results, size: int = SIZE) -> Figure:
    """The chart; raises ResultError when the run has nothing to show at this size."""
    ladder = run.ladder(results.square(size), DTYPE)
    cublas = run.cublas_row(results.square(size), DTYPE)
    rows = [(chapter.label, chapter, row) for chapter, row in ladder]
    if cublas:
        rows.append(("cuBLAS", None, cublas))
    if run.mode != "sustained" or not any(row and row.measured for _, _, row in rows):
        raise results.ResultError(f"{run.path}: no sustained run of M = N = K = {size} in {DTYPE}")
    fig = style.figure(_HEAD_IN + len(rows) * _ROW_IN + 0.92)
    style.add_text(fig, style.MARGIN_IN, 0.14, chart_title(run), size=style.TITLE_PT, weight="bold")
    words = f"M = N = K = {size} · {DTYPE} in and out, fp32 accumulation · {run.mode_words()}"
    style.add_text(fig, style.MARGIN_IN, 0.42, words, color=style.MUTED)
    for i, (label, _, _) in enumerate(rows):
        label = style.fit(label, style.TEXT_PT, _NAMES_IN - 0.2)
        top = _HEAD_IN + (i + 0.5) * _ROW_IN
        style.add_text(fig, style.MARGIN_IN, top, label, va="center_baseline")
    for number, panel in enumerate(PANELS):
        left = _NAMES_IN + number * (_PANEL_IN + _GAP_IN)
        _draw_panel(fig, left, panel, rows, _limit(run, number))
    style.add_small_print(fig, _foot(run, rows))
    return fig


def _limit(run: Results, number: int) -> float | None:
    """The board's limit of power, a line in its panel."""
    return run.device.get("power_cap_w") if PANELS[number][0].startswith("power") else None


def _draw_panel(fig: Figure, left: float, panel, rows, limit: float | None) -> None:
    head, value_of, words = panel
    axes = style.add_axes(fig, left, _HEAD_IN, _PANEL_IN, len(rows) * _ROW_IN)
    values = [value_of(row) if row and row.measured else None for _, _, row in rows]
    known = sorted(value for value in values if value is not None)
    # One value far above all others would leave nothing of these: its bar is cut, and says so.
    cut = len(known) > 2 and known[-1] > 4 * known[-2]
    reach = known[-2] * 1.3 if cut else max([*known, limit or 0]) if known else 1.0
    axes.set_xlim(0, reach * 1.03)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.yaxis.set_major_locator(NullLocator())
    axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    axes.tick_params(axis="x", length=0, pad=5)
    axes.grid(axis="x")
    style.add_text(
        fig, left, _HEAD_IN - 0.09, head, va="bottom", size=style.SMALL_PT, color=style.MUTED
    )
    for i, ((_, chapter, _), value) in enumerate(zip(rows, values)):
        if value is None:
            axes.text(0, i, "not measured", va="center_baseline", size=style.SMALL_PT, style="italic",
                      color=style.MUTED)  # fmt: skip
            continue
        color = style.CEILING_COLORS[chapter.ceiling] if chapter else style.CUBLAS_COLOR
        axes.barh(i, min(value, reach * 1.03), height=_BAR, color=color)
        said = words(value) + (" →" if value > reach * 1.03 else "")
        style.bar_label(axes, min(value, reach), i, said, color, inside=value > 0.45 * reach)
    if limit:
        axes.axvline(limit, color=style.CUBLAS_COLOR, linewidth=1.3, dashes=(4, 2))


def _foot(run: Results, rows) -> list[tuple[str, bool]]:
    lines = []
    limit = run.device.get("power_cap_w")
    if limit:
        lines.append(
            (
                f"Dashed: the board's limit, {limit:.0f} W. Where it is reached, the clock gives way.",
                False,
            )
        )
    beyond = [label for label, _, row in rows if row and not row.measured]
    if beyond:
        lines.append((f"Left out: {', '.join(beyond)}.", False))
    software = run.software_words()
    lines.append((f"{software + ' · ' if software else ''}commit {run.commit} · {run.day}", False))
    return lines


def describe(run: Results, size: int = SIZE) -> str:
    """The chart in words, for <desc>."""
    parts = []
    for chapter, row in run.ladder(results.square(size), DTYPE):
        if row and row.measured:
            words = [
                f"{head} {text(value_of(row))}"
                for head, value_of, text in PANELS
                if value_of(row) is not None
            ]
            parts.append(f"{chapter.label}: {', '.join(words)}")
    return f"M = N = K = {size}, {run.mode_words()}. {'. '.join(parts)}."


def write(run: Results, path: Path, size: int = SIZE) -> None:
    style.save(draw(run, size), path, chart_title(run), describe(run, size))


def main() -> int:
    parser = cli.figure_parser("Draws speed, clock and power of a sustained run.", "power.svg")
    parser.add_argument("result", nargs="?", metavar="SUSTAINED.json")
    parser.add_argument("--size", type=cli.size, default=SIZE, metavar="N")
    args = parser.parse_args()
    run = results.given_or_recorded(args.result, "sustained")
    write(run, args.output, args.size)
    print(args.output)
    return 0


if __name__ == "__main__":
    cli.run(main)
