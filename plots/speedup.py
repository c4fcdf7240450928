#!/usr/bin/env python3
"""The speedup chart: a bar per chapter against cuBLAS and against what its instruction can do.

The ladder spans three orders of magnitude, so the TFLOPS axis is logarithmic; that flattens the
last steps, so a second panel shows the share of cuBLAS on a linear axis.

usage: speedup.py [RESULT.json] [-o FILE] [--size 4096] [--dtype bf16] [--recorded]
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Optional

import cli
import results
from results import CEILING_NAMES, Chapter, Results, Row

cli.need_matplotlib()

from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

SIZE = 4096
DTYPE = "bf16"

# Everything below is in inches from the top left corner of the figure.
_HEAD_IN = 1.04
_ROW_IN = 0.345
_BAR = 0.62  # of a row
_NAMES_MIN_IN = 1.1
_NAMES_IN = 2.5  # at most
_BARS_END_IN = 5.62
_MISSING_IN = 5.2  # room for the reason why a chapter has no bar
_TFLOPS_IN = 6.3  # right edges of the two columns of numbers
_TIMES_IN = 7.06
_SHARE_IN = 7.28
_SHARE_WIDTH_IN = 1.38
_AXIS_IN = 0.34  # below the rows: the ticks

Ladder = list[tuple[Chapter, Optional[Row]]]


def recorded_words(run: Results) -> str:
    """What a chart must say that was drawn where nothing could be measured."""
    return (
        f"No GPU on this machine: the chart shows the run recorded on {run.day} "
        f"({run.device_name})."
    )


def chart_title(run: Results) -> str:
    return f"Matrix multiplication, chapter by chapter: {run.device_name}"


def setting_words(run: Results, size: int, dtype: str) -> str:
    return f"M = N = K = {size} · {dtype} in and out, fp32 accumulation · {run.mode_words()}"


def missing_words(row: Row | None) -> str:
    """Why a chapter has no bar."""
    return f"left out: {row.why_left_out}" if row and row.skipped else "not measured at this size"


def describe(run: Results, ladder: Ladder, size: int, dtype: str, recorded: bool) -> str:
    """The chart in words, for <desc>."""
    lines = []
    for i, (chapter, row) in enumerate(ladder):
        if not (row and row.measured):
            lines.append(f"{chapter.label}: {missing_words(row)}")
            continue
        words = [f"{chapter.label}: {results.tflops(row.gflops)} TFLOPS"]
        ratio = results.previous_ratio(ladder, i)
        if ratio is not None:
            words.append(f"{results.times(ratio)} the chapter before")
        if row.of_cublas is not None:
            words.append(f"{results.percent(row.of_cublas)} of cuBLAS")
        lines.append(", ".join(words))
    cublas = run.cublas(results.square(size), dtype)
    if cublas:
        lines.append(f"cuBLAS: {results.tflops(cublas)} TFLOPS")
    text = f"{setting_words(run, size, dtype)}. {'. '.join(lines)}."
    return f"{recorded_words(run)} {text}" if recorded else text


def draw(run: Results, size: int = SIZE, dtype: str = DTYPE, recorded: bool = False) -> Figure:
    """The chart; raises ResultError when the run has nothing to show at this size."""
    shape = results.square(size)
    ladder = run.ladder(shape, dtype)
    measured = [row for _, row in ladder if row and row.measured]
    if run.mode not in results.GPU_MODES or not measured:
        have = ", ".join(str(n) for n in run.square_sizes(dtype)) or "none"
        raise results.ResultError(
            f"{run.path}: rows: nothing measured at M = N = K = {size} in {dtype} (sizes: {have})"
        )
    cublas = run.cublas(shape, dtype)

    foot = _foot_lines(run, ladder, recorded)
    rows_in = len(ladder) * _ROW_IN
    height = _HEAD_IN + rows_in + _AXIS_IN + 0.4 + len(foot) * style.LINE_IN + 0.1
    fig = style.figure(height)
    left = _draw_names(fig, ladder)
    _draw_head(fig, run, size, dtype, left)
    bars = style.add_axes(fig, left, _HEAD_IN, _BARS_END_IN - left, rows_in)
    share = style.add_axes(fig, _SHARE_IN, _HEAD_IN, _SHARE_WIDTH_IN, rows_in)
    _draw_bars(bars, run, ladder, measured, cublas)
    _draw_share(share, ladder, measured)
    _draw_columns(fig, ladder)
    _draw_legend(fig, run, ladder, left, _HEAD_IN + rows_in + _AXIS_IN + 0.08)
    style.add_small_print(fig, foot)
    return fig


def _draw_names(fig: Figure, ladder: Ladder) -> float:
    """Chapter names along the left edge; returns where the bars can begin."""
    names = [style.fit(chapter.label, style.TEXT_PT, _NAMES_IN) for chapter, _ in ladder]
    for i, name in enumerate(names):
        style.add_text(fig, style.MARGIN_IN, _row_middle(i), name, va="center_baseline")
    width = max(style.text_width(name, style.TEXT_PT) for name in names)
    return style.MARGIN_IN + max(width, _NAMES_MIN_IN) + 0.16


def _row_middle(index: int) -> float:
    return _HEAD_IN + (index + 0.5) * _ROW_IN


def _draw_head(fig: Figure, run: Results, size: int, dtype: str, left: float) -> None:
    style.add_text(fig, style.MARGIN_IN, 0.14, chart_title(run), size=style.TITLE_PT, weight="bold")
    style.add_text(fig, style.MARGIN_IN, 0.42, setting_words(run, size, dtype), color=style.MUTED)
    head = dict(size=style.SMALL_PT, color=style.MUTED, va="bottom")
    top = _HEAD_IN - 0.09
    style.add_text(fig, left, top, "TFLOPS, logarithmic", ha="left", **head)
    style.add_text(fig, _TFLOPS_IN, top, "TFLOPS", ha="right", **head)
    style.add_text(fig, _TIMES_IN, top, "× previous", ha="right", **head)
    style.add_text(fig, _SHARE_IN, top, "% of cuBLAS", ha="left", **head)


def _row_axis(axes, count: int) -> None:
    """The first chapter on top, no ticks at the rows."""
    axes.set_ylim(count - 0.5, -0.5)
    axes.yaxis.set_major_locator(NullLocator())
    axes.tick_params(axis="x", length=0, pad=5)


def _draw_bars(axes, run: Results, ladder: Ladder, measured: list[Row], cublas) -> None:
    """Left panel: TFLOPS on a logarithmic axis, each bar on a pale track up to its ceiling."""
    shown = [row.gflops for row in measured] + ([cublas] if cublas else [])
    shown += [c for c in (run.ceiling(chapter) for chapter, _ in ladder) if c]
    low = min(shown) / 1000
    low = 10 ** math.floor(math.log10(low) - 0.15) if low > 0 else 0.1
    high = max(shown) / 1000 * 1.3
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    _row_axis(axes, len(ladder))
    axes.xaxis.set_major_locator(LogLocator(base=10, numticks=12))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(axis="x")

    for i, (chapter, row) in enumerate(ladder):
        color = style.CEILING_COLORS[chapter.ceiling]
        if not (row and row.measured):
            axes.text(
                low * 1.05,
                i,
                style.fit(missing_words(row), style.SMALL_PT, _MISSING_IN),
                va="center_baseline",
                size=style.SMALL_PT,
                style="italic",
                color=style.MUTED,
                path_effects=style.halo(),
                zorder=4,
            )
            continue
        ceiling = run.ceiling(chapter)
        if ceiling:
            limit = ceiling / 1000
            axes.barh(i, limit - low, left=low, height=_BAR, color=style.tint(color, 0.22))
            axes.plot([limit] * 2, [i - _BAR / 2, i + _BAR / 2], color=color, solid_capstyle="butt")
        axes.barh(i, row.gflops / 1000 - low, left=low, height=_BAR, color=color)

    if cublas:
        _cublas_line(axes, cublas / 1000)
        axes.annotate(
            f"cuBLAS {results.tflops(cublas)}",
            (cublas / 1000, 1),
            xycoords=("data", "axes fraction"),
            xytext=(5, 6.5),
            textcoords="offset points",
            ha="right",
            va="bottom",
            size=style.SMALL_PT,
            weight="bold",
        )


def _cublas_line(axes, value: float) -> None:
    axes.axvline(
        value, color=style.CUBLAS_COLOR, linewidth=1.3, dashes=(4, 2), path_effects=style.halo()
    )


def _draw_share(axes, ladder: Ladder, measured: list[Row]) -> None:
    """Right panel: the share of cuBLAS, linear, so that the last steps can be told apart."""
    shares = [row.of_cublas for row in measured if row.of_cublas is not None]
    _row_axis(axes, len(ladder))
    if not shares:
        axes.xaxis.set_major_locator(NullLocator())
        axes.text(
            0,
            0.5,
            "cuBLAS was not\nmeasured in this run",
            transform=axes.transAxes,
            size=style.SMALL_PT,
            style="italic",
            color=style.MUTED,
            va="center",
        )
        return
    reach = max(1.12, max(shares) * 1.04)
    axes.set_xlim(0, reach)
    axes.set_xticks([0, 0.5, 1], labels=["0", "50", "100%"])
    axes.grid(axis="x")
    for i, (chapter, row) in enumerate(ladder):
        if not (row and row.of_cublas is not None):
            continue
        color = style.CEILING_COLORS[chapter.ceiling]
        axes.barh(i, row.of_cublas, height=_BAR, color=color)
        inside = row.of_cublas > 0.5 * reach
        style.bar_label(
            axes,
            min(row.of_cublas, 1),
            i,
            results.percent(row.of_cublas),
            color,
            inside,
            path_effects=None if inside else style.halo(),
        )
    _cublas_line(axes, 1)


def _draw_columns(fig: Figure, ladder: Ladder) -> None:
    """The numbers between the panels."""
    for i, (_, row) in enumerate(ladder):
        if not (row and row.measured):
            continue
        middle = _row_middle(i)
        style.add_text(
            fig,
            _TFLOPS_IN,
            middle,
            results.tflops(row.gflops),
            ha="right",
            va="center_baseline",
            weight="bold",
        )
        if i > 0:
            style.add_text(
                fig,
                _TIMES_IN,
                middle,
                results.times(results.previous_ratio(ladder, i)),
                ha="right",
                va="center_baseline",
            )


def _draw_legend(fig: Figure, run: Results, ladder: Ladder, left: float, top: float) -> None:
    """What the colours and the pale tracks mean, with the ceilings as numbers."""
    style.add_text(
        fig, style.MARGIN_IN, top, "measured ceilings", size=style.SMALL_PT, color=style.MUTED
    )
    width, height = fig.get_size_inches()
    for name in dict.fromkeys(chapter.ceiling for chapter, _ in ladder):
        ceiling = run.ceilings.get(name)
        value = f"{results.tflops(ceiling)} TFLOPS" if ceiling else "not measured"
        y = (height - top - 0.115) / height
        for start, end, color in (
            (0, 0.16, style.CEILING_COLORS[name]),
            (0.16, 0.3, style.tint(style.CEILING_COLORS[name], 0.22)),
            (0.3, 0.32, style.CEILING_COLORS[name]),
        ):
            fig.add_artist(
                Rectangle(
                    ((left + start) / width, y),
                    (end - start) / width,
                    0.11 / height,
                    facecolor=color,
                    edgecolor="none",
                )
            )
        style.add_text(
            fig, left + 0.39, top, f"{CEILING_NAMES[name]}  {value}", size=style.SMALL_PT
        )
        left += 2.06


def _foot_lines(run: Results, ladder: Ladder, recorded: bool) -> list[tuple[str, bool]]:
    """Small print as (text, is emphasised)."""
    lines = []
    if recorded:
        lines.append((recorded_words(run), True))
    rounds = run.method.get("rounds")
    over = f"median of {rounds:g} rounds" if rounds else "median"
    lines.append(
        (
            f"Each chapter's default variant, {over}. cuBLAS: the better of its default and the "
            "best algorithm cublasLt proposes, in the same rounds.",
            False,
        )
    )
    software = run.software_words()
    lines.append((f"{software + ' · ' if software else ''}commit {run.commit} · {run.day}", False))
    return lines


def write(
    run: Results, path: Path, size: int = SIZE, dtype: str = DTYPE, recorded: bool = False
) -> None:
    """Draws and saves the chart."""
    fig = draw(run, size, dtype, recorded)
    ladder = run.ladder(results.square(size), dtype)
    style.save(fig, path, chart_title(run), describe(run, ladder, size, dtype, recorded))


def main() -> int:
    parser = cli.chart_parser("Draws the speedup chart of a result file.", "speedup.svg", results.DTYPES, DTYPE)
    parser.add_argument(
        "--size", type=cli.size, default=SIZE, metavar="N", help="M = N = K (default: %(default)s)"
    )
    args = parser.parse_args()
    run = results.given_or_recorded(args.result)
    write(run, args.output, args.size, args.dtype, args.recorded)
    print(
        f"{args.output}: {run.device_name}, {run.mode}, {run.day}, M = N = K = {args.size}, "
        f"{args.dtype}{' (recorded run)' if args.recorded else ''}"
    )
    return 0


if __name__ == "__main__":
    cli.run(main)
