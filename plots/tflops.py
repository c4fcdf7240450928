#!/usr/bin/env python3
"""TFLOPS over size: a line per chapter and one for cuBLAS, M = N = K.

Where the ladder spans more than a factor of 20 the TFLOPS axis is logarithmic; that presses the
fast chapters together, so as soon as one comes near cuBLAS a second panel shows the share of cuBLAS
on a linear axis. The band around a line is the interval of its median, often thinner than the line.

usage: tflops.py [RESULT.json] [-o FILE] [--dtype bf16] [--recorded]
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import cli
import results
from results import CEILING_NAMES, Results, Row
from speedup import DTYPE, recorded_words

cli.need_matplotlib()

from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

# In inches from the top left corner of the figure.
_HEAD_IN = 1.0
_LEFT_IN = 0.62
_WIDTH_IN = 5.86
_HEIGHT_IN = 3.7
_SHARE_HEIGHT_IN = 2.6
_SHARE_GAP_IN = 0.5  # between the panels: the second one's heading
_AXIS_IN = 0.56  # below the plot: ticks and their label
_LABEL_GAP_PT = 12.5  # between the names at the ends of the lines
_TICK_GAP_IN = 0.42  # between the sizes that get a label
_LOG_FROM = 20
_NEAR = 0.5  # of cuBLAS: the second panel is drawn as soon as a chapter gets there,
_FAR = 0.25  # and shows the chapters that get this far at some size


class Line(NamedTuple):
    """What is drawn for one contestant over sizes: TFLOPS, or its share of cuBLAS."""

    label: str
    sizes: list[int]
    middle: list[float]
    low: list[float]
    high: list[float]
    look: dict  # colour, marker and dashes


_CUBLAS_LOOK = dict(color=style.CUBLAS_COLOR, dashes=(4, 2), linewidth=2)


def chart_title(run: Results) -> str:
    return f"TFLOPS over size: {run.device_name}"


def setting_words(run: Results, dtype: str) -> str:
    return f"M = N = K · {dtype} in and out, fp32 accumulation · {run.mode_words()}"


def _lines(run: Results, dtype: str) -> list[Line]:
    """TFLOPS of the chapters in order, and of cuBLAS, last so that it lies on top."""
    sizes = run.square_sizes(dtype)
    lines = []
    for name, rows in _measured(run, dtype).items():
        lines.append(_line(run, name, rows, [1000.0] * len(rows)))
    cublas = [(n, run.cublas(results.square(n), dtype)) for n in sizes]
    cublas = [(n, rate / 1000) for n, rate in cublas if rate]
    if cublas:
        at, rates = [list(column) for column in zip(*cublas)]
        lines.append(Line("cuBLAS", at, rates, rates, rates, _CUBLAS_LOOK))
    return lines


def _share_lines(run: Results, dtype: str) -> list[Line]:
    """The same as shares of the cuBLAS measured beside each row; empty while all are far below."""
    lines = []
    for name, rows in _measured(run, dtype).items():
        rows = [row for row in rows if row.cublas]
        if max((row.of_cublas for row in rows), default=0) >= _FAR:
            lines.append(_line(run, name, rows, [row.cublas for row in rows]))
    if not any(share >= _NEAR for line in lines for share in line.middle):
        return []
    sizes = sorted({n for line in lines for n in line.sizes})
    ones = [1.0] * len(sizes)
    return [*lines, Line("cuBLAS", sizes, ones, ones, ones, _CUBLAS_LOOK)]


def _measured(run: Results, dtype: str) -> dict[str, list[Row]]:
    """For each chapter that has any, the measured rows of its default variant by size."""
    found = {}
    for chapter in run.rungs:
        rows = [
            run.row(chapter.name, results.DEFAULT_VARIANT, results.square(n), dtype)
            for n in run.square_sizes(dtype)
        ]
        rows = [row for row in rows if row and row.measured]
        if rows:
            found[chapter.name] = rows
    return found


def _line(run: Results, name: str, rows: list[Row], units: list[float]) -> Line:
    """A chapter's line in the given units (GFLOPS), one for each row."""
    return Line(
        run.chapter(name).label,
        [row.shape.m for row in rows],
        [row.gflops / unit for row, unit in zip(rows, units)],
        [row.gflops_lo / unit for row, unit in zip(rows, units)],
        [row.gflops_hi / unit for row, unit in zip(rows, units)],
        _look(run, name),
    )


def _look(run: Results, name: str) -> dict:
    """Colour by what the chapter computes with; from step to step darker, with another marker."""
    ceiling = run.chapter(name).ceiling
    group = [chapter.name for chapter in run.rungs if chapter.ceiling == ceiling]
    step = group.index(name)
    strength = 1 if len(group) == 1 else 0.55 + 0.45 * step / (len(group) - 1)
    return dict(
        color=style.tint(style.CEILING_COLORS[ceiling], strength),
        marker=style.MARKERS[step % len(style.MARKERS)],
        markersize=4.5,
    )


def _left_out(run: Results, dtype: str) -> list[str]:
    """Chapters that were left out at some size, with the reason."""
    return [
        f"{run.chapter(row.chapter).label} is left out at {row.shape}: {row.why_left_out}"
        for row in run.rows
        if row.skipped
        and row.dtype == dtype
        and row.shape.is_square
        and row.variant == results.DEFAULT_VARIANT
        and row.chapter in {chapter.name for chapter in run.rungs}
    ]


def _foot_lines(run: Results, dtype: str, recorded: bool) -> list[tuple[str, bool]]:
    """Small print as (text, is emphasised)."""
    lines = [(recorded_words(run), True)] if recorded else []
    lines += [(text, False) for text in _left_out(run, dtype)]
    lines.append(
        (
            "Each chapter's default variant, median and its interval. cuBLAS: the better of its "
            "default and the best algorithm cublasLt proposes.",
            False,
        )
    )
    software = run.software_words()
    lines.append((f"{software + ' · ' if software else ''}commit {run.commit} · {run.day}", False))
    return lines


def describe(run: Results, dtype: str, recorded: bool) -> str:
    """The chart in words, for <desc>."""
    parts = [recorded_words(run)] if recorded else []
    parts.append(f"{setting_words(run, dtype)}.")
    for line in _lines(run, dtype):
        points = (
            f"{results.tflops(rate * 1000)} at {n}" for n, rate in zip(line.sizes, line.middle)
        )
        parts.append(f"{line.label}, TFLOPS: {', '.join(points)}.")
    parts += [f"{text}." for text in _left_out(run, dtype)]
    return " ".join(parts)


def draw(run: Results, dtype: str = DTYPE, recorded: bool = False) -> Figure:
    """The chart; raises ResultError when the run has no square problem of this type."""
    lines = _lines(run, dtype) if run.mode in results.GPU_MODES else []
    if not lines:
        raise results.ResultError(f"{run.path}: rows: no M = N = K was measured in {dtype}")
    shares = _share_lines(run, dtype)
    foot = _foot_lines(run, dtype, recorded)
    second_in = _SHARE_GAP_IN + _SHARE_HEIGHT_IN if shares else 0
    height = _HEAD_IN + _HEIGHT_IN + second_in + _AXIS_IN + len(foot) * style.LINE_IN + 0.16
    fig = style.figure(height)
    style.add_text(fig, style.MARGIN_IN, 0.14, chart_title(run), size=style.TITLE_PT, weight="bold")
    style.add_text(fig, style.MARGIN_IN, 0.42, setting_words(run, dtype), color=style.MUTED)
    axes = style.add_axes(fig, _LEFT_IN, _HEAD_IN, _WIDTH_IN, _HEIGHT_IN)
    _scale_sizes(axes, lines, is_last=not shares)
    _scale_rates(axes, lines)
    _draw_lines(axes, lines)
    _draw_ceilings(axes, run, lines)
    if shares:
        top = _HEAD_IN + _HEIGHT_IN + _SHARE_GAP_IN
        below = style.add_axes(fig, _LEFT_IN, top, _WIDTH_IN, _SHARE_HEIGHT_IN)
        _scale_sizes(below, lines, is_last=True)
        _scale_shares(below, shares)
        _draw_lines(below, shares)
    style.add_small_print(fig, foot)
    return fig


def _draw_lines(axes, lines: list[Line]) -> None:
    for z, line in enumerate(lines):
        axes.plot(line.sizes, line.middle, zorder=3 + z / 10, **line.look)
        axes.fill_between(
            line.sizes,
            line.low,
            line.high,
            color=line.look["color"],
            alpha=0.3,
            linewidth=0,
            zorder=2.5,
        )
    _label_ends(axes, lines)


def _scale_sizes(axes, lines: list[Line], is_last: bool) -> None:
    """The axis of sizes, the same in both panels, named under the last one."""
    sizes = sorted({n for line in lines for n in line.sizes})
    axes.set_xscale("log", base=2)
    axes.set_xlim(sizes[0] / 1.12, sizes[-1] * 1.06)
    axes.xaxis.set_major_locator(FixedLocator(_tick_sizes(sizes)))
    axes.xaxis.set_minor_locator(FixedLocator(sizes))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    axes.xaxis.set_minor_formatter(FuncFormatter(lambda value, _: ""))
    axes.spines["bottom"].set_visible(True)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", which="both", length=3, labelbottom=is_last)
    axes.grid(axis="y")
    if is_last:
        axes.set_xlabel("M = N = K", size=style.SMALL_PT)


def _scale_rates(axes, lines: list[Line]) -> None:
    """The TFLOPS axis: logarithmic where the lines are too far apart for another one."""
    rates = [rate for line in lines for rate in (*line.low, *line.high)]
    if max(rates) > _LOG_FROM * min(rates):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_ylim(10 ** math.floor(math.log10(min(rates))), max(rates) * 1.45)
        _heading(axes, "TFLOPS, logarithmic")
    else:
        axes.set_ylim(0, max(rates) * 1.12)
        _heading(axes, "TFLOPS")


def _scale_shares(axes, shares: list[Line]) -> None:
    axes.set_ylim(0, max(1.1, *(1.04 * share for line in shares for share in line.high)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f}%"))
    _heading(axes, f"% of cuBLAS, for the chapters that reach {100 * _FAR:.0f}%")


def _heading(axes, text: str) -> None:
    """What the vertical axis shows, above its upper end, to be read without tilting the head."""
    axes.annotate(
        text,
        (0, 1),
        xycoords="axes fraction",
        xytext=(-30, 7),
        textcoords="offset points",
        size=style.SMALL_PT,
        color=style.MUTED,
    )


def _tick_sizes(sizes: list[int]) -> list[int]:
    """The sizes that get a label: powers of two first, others where there is room."""
    span = math.log2(sizes[-1] * 1.06) - math.log2(sizes[0] / 1.12)
    gap = _TICK_GAP_IN * span / _WIDTH_IN
    chosen: list[int] = []
    for n in sorted(sizes, key=lambda n: (n & (n - 1) != 0, n)):
        if all(abs(math.log2(n / other)) >= gap for other in chosen):
            chosen.append(n)
    return sorted(chosen)


def _draw_ceilings(axes, run: Results, lines: list[Line]) -> None:
    """Thin lines for what each instruction can do at most, where the axis reaches that far."""
    top = axes.get_ylim()[1]
    for name in dict.fromkeys(chapter.ceiling for chapter in run.rungs):
        ceiling = run.ceilings.get(name)
        if not ceiling or ceiling / 1000 > top:
            continue
        color = style.CEILING_COLORS[name]
        axes.axhline(ceiling / 1000, color=color, linewidth=0.9, dashes=(1, 2), zorder=1.5)
        on_left = not _is_crossed(ceiling / 1000, lines)
        axes.annotate(
            f"{CEILING_NAMES[name]} ceiling {results.tflops(ceiling)}",
            (0 if on_left else 1, ceiling / 1000),
            xycoords=("axes fraction", "data"),
            xytext=(4 if on_left else -4, 2),
            textcoords="offset points",
            ha="left" if on_left else "right",
            size=style.SMALL_PT - 0.5,
            color=style.MUTED,
            path_effects=style.halo(),
            zorder=6,
        )


def _is_crossed(level: float, lines: list[Line]) -> bool:
    """Whether some line passes, between its first two sizes, where a label on the level would lie."""
    height = 1.5  # of the label, on the logarithmic axis
    return any(
        min(line.middle[:2]) < level * height and max(line.middle[:2]) > level for line in lines
    )


def _label_ends(axes, lines: list[Line]) -> None:
    """Names at the right edge instead of a legend, moved apart, each tied to its line."""
    to_points = 72 / axes.figure.dpi
    place = axes.transData.transform
    ends = [place((line.sizes[-1], line.middle[-1])) * to_points for line in lines]
    edge = axes.transAxes.transform((1, 0))[0] * to_points
    top = axes.transAxes.transform((1, 1))[1] * to_points
    heights = style.spread([y for _, y in ends], _LABEL_GAP_PT, highest=top)
    room = style.WIDTH_IN - style.MARGIN_IN - (edge + 30) / 72
    for line, (x, y), height in zip(lines, ends, heights):
        is_cublas = "marker" not in line.look
        axes.annotate(
            style.fit(line.label, style.TEXT_PT - 0.5, room),
            (line.sizes[-1], line.middle[-1]),
            xytext=(edge + 30 - x, height - y),
            textcoords="offset points",
            va="center",
            size=style.TEXT_PT - 0.5,
            weight="bold" if is_cublas else "normal",
            annotation_clip=False,
        )
        axes.annotate(
            "",
            (line.sizes[-1], line.middle[-1]),
            xytext=(edge + 27 - x, height - y),
            textcoords="offset points",
            annotation_clip=False,
            zorder=1.8,
            arrowprops=dict(
                arrowstyle="-",
                color=line.look["color"],
                linewidth=0.8,
                shrinkA=0,
                shrinkB=4,
                alpha=0.7,
            ),
        )


def write(run: Results, path: Path, dtype: str = DTYPE, recorded: bool = False) -> None:
    """Draws and saves the chart."""
    fig = draw(run, dtype, recorded)
    style.save(fig, path, chart_title(run), describe(run, dtype, recorded))


def main() -> int:
    parser = cli.chart_parser("Draws TFLOPS over size from a result file.", "tflops.svg", results.DTYPES, DTYPE)
    args = parser.parse_args()
    run = results.given_or_recorded(args.result)
    write(run, args.output, args.dtype, args.recorded)
    print(
        f"{args.output}: {run.device_name}, {run.mode}, {run.day}, {args.dtype}"
        f"{' (recorded run)' if args.recorded else ''}"
    )
    return 0


if __name__ == "__main__":
    cli.run(main)
