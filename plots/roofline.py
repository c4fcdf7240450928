#!/usr/bin/env python3
"""The roofline: every chapter's sustained speed over the operations it does for a byte.

Bytes are those that the SMs ask of the L2 and of what lies behind it, as the CPU backend counts them.
Roofs are what the probes of the harness reached, and copying. Beside it, each chapter's share of what
its units could do at the clock that this very chapter ran at.

usage: roofline.py [SUSTAINED.json] [--counters CPU_COUNTERS.json] [-o FILE] [--size 4096]
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import cli
import results
from results import CEILING_NAMES, Results, Row

cli.need_matplotlib()

from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

SIZE, DTYPE = 4096, "bf16"
SECTOR = 32  # bytes
# Operations per SM and cycle on compute capability 9.0. mma.sync does not get there.
PER_CYCLE = {"ffma": 256, "mma_sync": 4096, "wgmma": 4096}

# In inches from the top left corner of the figure.
_HEAD_IN, _LEFT_IN, _WIDTH_IN, _HEIGHT_IN = 1.1, 0.6, 4.2, 3.6
_NAMES_IN, _SHARE_IN = 5.12, 7.32
_LABEL_GAP_PT = 10.5
_BAR = 0.62


class Point(NamedTuple):
    label: str
    unit: str  # a key of CEILING_NAMES
    intensity: float  # operations per byte
    tflops: float
    peak: float | None  # TFLOPS that the units could do at the chapter's clock
    mhz: float | None


def intensity(row: Row) -> float | None:
    """Operations per byte asked of memory behind the SMs; None where none was counted."""
    counted = row.counters.get
    bytes_asked = SECTOR * (
        counted("global_load_sectors", 0) + counted("cp_async_global_sectors", 0)
    )
    bytes_asked += counted("tma_load_bytes", 0)
    shape = row.shape
    return 2 * shape.m * shape.n * shape.k / bytes_asked if bytes_asked else None


def points(run: Results, counters: Results, size: int) -> list[Point]:
    """Every chapter that both files know."""
    found = []
    sms, capability = run.device.get("sms"), run.device.get("compute_capability")
    for chapter, row in run.ladder(results.square(size), DTYPE):
        counted = counters.at_largest(chapter.name)
        rate = intensity(counted) if counted else None
        if not (row and row.measured and rate):
            continue
        known = sms and capability == "9.0" and row.sm_mhz
        peak = sms * PER_CYCLE[chapter.ceiling] * row.sm_mhz * 1e-6 if known else None
        found.append(
            Point(chapter.label, chapter.ceiling, rate, row.gflops / 1000, peak, row.sm_mhz)
        )
    return found


def chart_title(run: Results) -> str:
    return f"Roofline at the clock that was left: {run.device_name}"


def draw(run: Results, counters: Results, size: int = SIZE) -> Figure:
    """The chart; raises ResultError when the files have no chapter in common."""
    found = points(run, counters, size)
    if run.mode != "sustained" or not found:
        raise results.ResultError(f"{run.path}: no sustained run of M = N = K = {size} in {DTYPE}")
    foot = _foot(run, counters)
    fig = style.figure(_HEAD_IN + _HEIGHT_IN + 0.62 + len(foot) * style.LINE_IN + 0.12)
    style.add_text(fig, style.MARGIN_IN, 0.14, chart_title(run), size=style.TITLE_PT, weight="bold")
    words = f"M = N = K = {size} · {DTYPE} in and out, fp32 accumulation · {run.mode_words()}"
    style.add_text(fig, style.MARGIN_IN, 0.42, words, color=style.MUTED)
    head = dict(size=style.SMALL_PT, color=style.MUTED, va="bottom")
    style.add_text(fig, style.MARGIN_IN, _HEAD_IN - 0.07, "TFLOPS", **head)
    _draw_roofline(fig, run, found)
    if all(point.peak for point in found):
        words = "% of what its units could do at its clock"
        style.add_text(fig, _NAMES_IN, _HEAD_IN - 0.07, words, **head)
        _draw_shares(fig, found)
    style.add_small_print(fig, foot)
    return fig


def _roofs(run: Results) -> dict[str, float]:
    """TFLOPS of the probes."""
    return {name: run.ceilings[name] / 1000 for name in CEILING_NAMES if run.ceilings.get(name)}


def _draw_roofline(fig: Figure, run: Results, found: list[Point]) -> None:
    axes = style.add_axes(fig, _LEFT_IN, _HEAD_IN, _WIDTH_IN, _HEIGHT_IN)
    low = min(point.intensity for point in found) / 2
    high = max(point.intensity for point in found) * 5
    bottom = min(point.tflops for point in found) / 3
    top = max([*(point.tflops for point in found), *_roofs(run).values()]) * 1.8
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(bottom, top)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(base=10, numticks=12))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.tick_params(length=0, pad=5)
    axes.grid(True)
    axes.set_xlabel("operations per byte that the SMs ask for", size=style.SMALL_PT)
    _draw_roofs(axes, run, low, high, bottom)
    for point in found:
        color = style.CEILING_COLORS[point.unit]
        axes.plot(point.intensity, point.tflops, "o", color=color, markersize=5, zorder=4)
    _name_points(axes, found)


def _draw_roofs(axes, run: Results, low: float, high: float, bottom: float) -> None:
    """The slope of a copy, and a dotted line for each probe; names where no chapter is."""
    small = dict(size=style.SMALL_PT, color=style.MUTED, path_effects=style.halo())
    copy = (run.ceilings.get("copy_gbs") or 0) / 1000  # TB/s: TFLOPS for one operation per byte
    roofs = _roofs(run)
    if copy:
        end = max(roofs.values(), default=high * copy) / copy
        axes.plot([low, end], [low * copy, end * copy], color=style.MUTED, linewidth=1.2)
        middle = max(low, bottom / copy) ** 0.5 * end**0.5
        axes.annotate(
            f"copy {copy:.2f} TB/s", (middle, middle * copy), xytext=(9, -4), va="top",
            textcoords="offset points", **small,
        )  # fmt: skip
    ordered = sorted(roofs, key=roofs.get)
    for name in ordered:
        color = style.CEILING_COLORS[name]
        axes.plot([low, high], [roofs[name]] * 2, color=color, linewidth=1.1, linestyle=":")
        above = name == ordered[-1]  # two that are close to each other are named on either side
        axes.annotate(
            f"{CEILING_NAMES[name]} {results.tflops(roofs[name] * 1000)}", (low, roofs[name]),
            xytext=(4, 3 if above else -3), va="bottom" if above else "top",
            textcoords="offset points", **small,
        )  # fmt: skip


def _name_points(axes, found: list[Point]) -> None:
    """The chapters' numbers beside their points, moved apart."""
    scale = 72 / axes.figure.dpi
    heights = [axes.transData.transform((p.intensity, p.tflops))[1] * scale for p in found]
    for point, want in zip(found, heights):
        near = [
            i
            for i, other in enumerate(found)
            if max(other.intensity / point.intensity, point.intensity / other.intensity) < 2.5
        ]
        placed = style.spread([heights[i] for i in near], _LABEL_GAP_PT, axes.bbox.y1 * scale - 4)
        up = placed[[found[i] for i in near].index(point)] - want
        right = max(found[i].intensity for i in near)
        shift = (axes.transData.transform((right, 1))[0]
                 - axes.transData.transform((point.intensity, 1))[0]) * scale  # fmt: skip
        axes.annotate(
            point.label.split()[0],
            (point.intensity, point.tflops),
            xytext=(shift + 17, up),
            textcoords="offset points",
            va="center_baseline",
            ha="center",
            size=style.SMALL_PT,
            weight="bold",
            path_effects=style.halo(),
            arrowprops=dict(arrowstyle="-", color=style.MUTED, linewidth=0.5, shrinkA=1, shrinkB=3),
        )


def _draw_shares(fig: Figure, found: list[Point]) -> None:
    """A row for each chapter: its name, its clock, and its share of its units' peak there."""
    row_in = _HEIGHT_IN / max(len(found), 9)
    axes = style.add_axes(
        fig, _SHARE_IN, _HEAD_IN, style.WIDTH_IN - _SHARE_IN - 0.3, row_in * len(found)
    )
    axes.set_xlim(0, 1)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.yaxis.set_major_locator(NullLocator())
    axes.set_xticks([0, 0.5, 1], labels=["0", "50", "100%"])
    axes.tick_params(axis="x", length=0, pad=5)
    axes.grid(axis="x")
    for i, point in enumerate(found):
        color, share = style.CEILING_COLORS[point.unit], point.tflops / point.peak
        middle = _HEAD_IN + (i + 0.5) * row_in
        name = style.fit(point.label, style.SMALL_PT, 1.6)
        style.add_text(fig, _NAMES_IN, middle - 0.09, name, size=style.SMALL_PT, va="center")
        clock = f"{point.mhz:.0f} MHz"
        small = dict(size=style.SMALL_PT - 1, color=style.MUTED, va="center")
        style.add_text(fig, _NAMES_IN, middle + 0.08, clock, **small)
        axes.barh(i, share, height=_BAR, color=color)
        style.bar_label(axes, share, i, results.percent(share), color, inside=share > 0.45)


def _foot(run: Results, counters: Results) -> list[tuple[str, bool]]:
    software = run.software_words()
    return [
        (
            "Dotted: what the harness's own loops reached. Above the slope a kernel lives on its caches.",
            False,
        ),
        (
            "Units: 256 operations per SM and cycle for FFMA, 4096 for tensor cores, which mma.sync does not reach.",
            False,
        ),
        (f"Bytes as the CPU backend counts them, {counters.day}, commit {counters.commit}.", False),
        (f"{software + ' · ' if software else ''}commit {run.commit} · {run.day}", False),
    ]


def describe(run: Results, counters: Results, size: int = SIZE) -> str:
    """The chart in words, for <desc>."""
    parts = []
    for p in points(run, counters, size):
        words = (
            f"{p.label}: {p.intensity:.3g} operations per byte, {results.tflops(p.tflops * 1000)}"
        )
        words += " TFLOPS"
        if p.peak:
            words += f", {results.percent(p.tflops / p.peak)} of its units at {p.mhz:.0f} MHz"
        parts.append(words)
    return f"M = N = K = {size}, {run.mode_words()}. {'. '.join(parts)}."


def write(run: Results, counters: Results, path: Path, size: int = SIZE) -> None:
    style.save(draw(run, counters, size), path, chart_title(run), describe(run, counters, size))


def main() -> int:
    parser = cli.figure_parser("Draws a sustained run as a roofline.", "roofline.svg")
    parser.add_argument("result", nargs="?", metavar="SUSTAINED.json")
    parser.add_argument("--counters", metavar="CPU_COUNTERS.json")
    parser.add_argument("--size", type=cli.size, default=SIZE, metavar="N")
    args = parser.parse_args()
    run = results.given_or_recorded(args.result, "sustained")
    counters = results.load(args.counters) if args.counters else results.counters()
    if counters is None:
        raise results.ResultError("plots/results: no counters of the CPU backend, name a file")
    write(run, counters, args.output, args.size)
    print(args.output)
    return 0


if __name__ == "__main__":
    cli.run(main)
