#!/usr/bin/env python3
"""The charts of result files. Without a file the newest recorded run is drawn. --recorded says so in
the chart, for a machine that has no GPU to measure with.
"""

import math
from pathlib import Path
from typing import NamedTuple

import cli
import results
import style
from cli import ResultError
from results import CEILING_NAMES, Run, percent, tflops, times, whole
from style import BAR, MARGIN_IN, SMALL_PT, TEXT_PT, WIDTH_IN, add_note, add_text

import pandas as pd
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

NEXT_TO_CUBLAS = "cuBLAS: the better of its default and the best algorithm cublasLt proposes"


class Choice(NamedTuple):
    """What to show of a run."""

    size: int = 4096
    dtype: str = "bf16"
    recorded: bool = False


def setting(run: Run, what: Choice, at_size: bool = True) -> str:
    size = f" = {what.size}" if at_size else ""
    words = f"M = N = K{size} · {what.dtype} in and out, fp32 accumulation"
    return f"{words} · {run.mode_words()}"


def recorded_words(run: Run, what: Choice) -> str:
    """What a chart must say that was drawn where nothing could be measured."""
    words = f"No GPU on this machine: the chart shows the run recorded on {run.day} ({run.device})."
    return words if what.recorded else ""


def logarithmic(axes, which: str, low: float, high: float) -> None:
    axes.set(**{f"{which}scale": "log", f"{which}lim": (low, high)})
    axis = getattr(axes, f"{which}axis")
    axis.set_major_locator(LogLocator(base=10, numticks=12))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _: f"{value:g}")


def dashed(axes, value: float, **kwargs) -> None:
    axes.axvline(value, color=style.CUBLAS_COLOR, linewidth=1.3, dashes=(4, 2), **kwargs)


def ladder_at(run: Run, what: Choice, mode: str = "burst") -> pd.DataFrame:
    """The ladder of a run that has something to show at the size."""
    found = run.ladder((what.size,) * 3, what.dtype)
    modes = results.GPU_MODES if mode == "burst" else (mode,)
    if run.mode not in modes or found.gflops_median.isna().all():
        have = ", ".join(map(str, run.sizes(what.dtype))) or "none"
        at = f"M = N = K = {what.size} in {what.dtype} (sizes: {have})"
        raise ResultError(f"{run.path}: nothing measured in {mode} mode at {at}")
    found["color"] = found.ceiling.map(style.CEILING_COLORS)
    found["tflops"] = found.gflops_median / 1000
    found["limit"] = found.ceiling.map(run.ceilings) / 1000
    return found


# --- The ladder -----------------------------------------------------------------------------------


def speedup(run: Run, what: Choice = Choice()):
    """The ladder spans three orders of magnitude, so the TFLOPS axis is logarithmic; that flattens
    the last steps, so a second panel shows the share of cuBLAS on a linear axis."""
    ladder, cublas = ladder_at(run, what), run.cublas((what.size,) * 3, what.dtype)
    cublas = cublas.gflops_median / 1000
    # From the left: names, bars, two columns of numbers (by their right edges), shares.
    bars_end, tflops_in, times_in, share_in, top, row = 5.62, 6.3, 7.06, 7.28, 1.04, 0.345
    bold = recorded_words(run, what)
    rows_in = len(ladder) * row
    fig = style.figure(
        top + rows_in + 0.84 + (2 + bool(bold)) * style.LINE_IN,
        f"Matrix multiplication, chapter by chapter: {run.device}",
        setting(run, what),
    )
    names = [style.fit(label, TEXT_PT, 2.5) for label in ladder.label]
    left = MARGIN_IN + max(1.1, *(style.text_width(name, TEXT_PT) for name in names)) + 0.16
    for at, word, align in (
        (left, "TFLOPS, logarithmic", "left"), (tflops_in, "TFLOPS", "right"),
        (times_in, "× previous", "right"), (share_in, "% of cuBLAS", "left"),
    ):  # fmt: skip
        add_note(fig, at, top - 0.09, word, ha=align, va="bottom")
    bars = style.rows_axes(fig, left, top, bars_end - left, rows_in, len(ladder))
    share = style.rows_axes(fig, share_in, top, 1.38, rows_in, len(ladder))
    shown = pd.Series([*ladder.tflops, *ladder.limit, cublas]).dropna()
    low = 10 ** math.floor(math.log10(min(shown)) - 0.15)
    logarithmic(bars, "x", low, max(shown) * 1.3)
    share.set_xlim(0, max(1.12, ladder.of_cublas.max() * 1.04))
    share.set_xticks([0, 0.5, 1], labels=["0", "50", "100%"])
    said = []
    for i, (name, rung) in enumerate(zip(names, ladder.itertuples())):
        place = dict(va="center_baseline")
        middle = top + (i + 0.5) * row
        add_text(fig, MARGIN_IN, middle, name, **place)
        if not rung.tflops > 0:
            why = results.left_out(rung.why)
            said.append(f"{rung.label}: {why}")
            bars.text(low * 1.05, i, style.fit(why, SMALL_PT, 5.2), size=SMALL_PT, style="italic",
                      color=style.MUTED, path_effects=style.halo(), zorder=4, **place)  # fmt: skip
            continue
        if rung.limit > 0:  # a pale track up to the ceiling
            track = style.tint(rung.color, 0.22)
            bars.barh(i, rung.limit - low, left=low, height=BAR, color=track)
            edge = [i - BAR / 2, i + BAR / 2]
            bars.plot([rung.limit] * 2, edge, color=rung.color, solid_capstyle="butt")
        bars.barh(i, rung.tflops - low, left=low, height=BAR, color=rung.color)
        rate, before = tflops(rung.gflops_median), times(rung.previous)
        add_text(fig, tflops_in, middle, rate, ha="right", weight="bold", **place)
        if i:
            add_text(fig, times_in, middle, before, ha="right", **place)
        said.append(f"{rung.label}: {rate} TFLOPS, {before} the chapter before, "
                    f"{percent(rung.of_cublas)} of cuBLAS")  # fmt: skip
        if rung.of_cublas > 0:
            style.bar(share, i, rung.of_cublas, rung.color, percent(rung.of_cublas))
    if cublas > 0:
        dashed(bars, cublas, path_effects=style.halo())
        dashed(share, 1, path_effects=style.halo())
        words = f"cuBLAS {tflops(1000 * cublas)}"
        bars.annotate(words, (cublas, 1), xycoords=("data", "axes fraction"), xytext=(5, 6.5),
                      textcoords="offset points", ha="right", va="bottom", size=SMALL_PT,
                      weight="bold")  # fmt: skip
        said.append(f"cuBLAS: {tflops(1000 * cublas)} TFLOPS")
    below = top + rows_in + 0.42
    add_note(fig, MARGIN_IN, below, "pale: measured ceilings")
    key = {}
    for name in dict.fromkeys(ladder.ceiling):
        rate = run.ceilings.get(name)
        words = f"{tflops(rate)} TFLOPS" if rate else "not measured"
        key[f"{CEILING_NAMES[name]}  {words}"] = style.CEILING_COLORS[name]
    style.add_key(fig, below, key, left=left)
    rounds = run.info["method"].get("rounds")
    over = f"median of {rounds:g} rounds" if rounds else "median"
    words = f"Each chapter's default variant, {over}. {NEXT_TO_CUBLAS}, in the same rounds."
    style.add_small_print(fig, words, run.origin(), bold=bold)
    fig.description = f"{bold} {setting(run, what)}. {'. '.join(said)}.".strip()
    return fig


FAR = 0.25  # of cuBLAS: the second panel shows the chapters that get this far at some size
PANEL_IN, LABEL_GAP_PT = 5.86, 12.5  # width; between the names at the ends of the lines


class Line(NamedTuple):
    """What is drawn over sizes: TFLOPS, or their share of cuBLAS. Columns: m, middle, low, high."""

    label: str
    points: pd.DataFrame
    look: dict  # colour, marker and dashes


def _lines(run: Run, dtype: str, of_cublas: bool) -> list[Line]:
    """The chapters in order, and cuBLAS last so that it lies on top. Colour by what a chapter
    computes with; from step to step darker, with another marker."""
    lines = []
    for name, rung in run.rungs.iterrows():
        rows = run.of_chapter(name, dtype)
        rows = rows[rows.default & rows.square & rows.gflops_median.notna()]
        unit = rows.cublas_gflops if of_cublas else 1000.0
        points = rows[["gflops_median", "gflops_lo", "gflops_hi"]].div(unit, axis=0)
        points = points.set_axis(["middle", "low", "high"], axis=1).assign(m=rows.m).dropna()
        if not len(points) or (of_cublas and points.middle.max() < FAR):
            continue
        group = list(run.rungs.index[run.rungs.ceiling == rung.ceiling])
        step = group.index(name)
        strength = 1 if len(group) == 1 else 0.55 + 0.45 * step / (len(group) - 1)
        color = style.tint(style.CEILING_COLORS[rung.ceiling], strength)
        look = dict(color=color, marker="osD^v"[step % 5], markersize=4.5)
        lines.append(Line(rung.label, points, look))
    known = [(n, 1.0) for n in sorted({n for line in lines for n in line.points.m})]
    if not of_cublas:
        known = [(n, run.cublas((n, n, n), dtype).gflops_median / 1000) for n in run.sizes(dtype)]
    points = pd.DataFrame(known, columns=["m", "middle"]).dropna()
    if len(points):
        points["low"] = points["high"] = points.middle
        look = dict(color=style.CUBLAS_COLOR, dashes=(4, 2), linewidth=2)
        lines.append(Line("cuBLAS", points, look))
    return lines


def over_size(run: Run, what: Choice = Choice()):
    """The TFLOPS axis is logarithmic; that presses the fast chapters together, so a second panel shows
    their share of cuBLAS on a linear axis. The band around a line is its median's interval."""
    lines = _lines(run, what.dtype, of_cublas=False)
    if not lines:
        raise ResultError(f"{run.path}: rows: no M = N = K was measured in {what.dtype}")
    shares = _lines(run, what.dtype, of_cublas=True)
    rows = run.rows[run.rows.why.notna() & (run.rows.dtype == what.dtype) & run.rows.square]
    rows = rows[rows.default & rows.chapter.isin(run.rungs.index)]
    labels = rows.chapter.map(run.rungs.label)
    left_out = list(labels + " is left out at " + rows["size"] + ": " + rows.why)
    bold = recorded_words(run, what)
    words = f"Each chapter's default variant, median and its interval. {NEXT_TO_CUBLAS}."
    foot = [*left_out, words, run.origin()]
    top, high, below, gap = 1.0, 3.7, 2.6, 0.5
    height = top + high + (gap + below if shares else 0) + 0.72
    height += (len(foot) + bool(bold)) * style.LINE_IN
    fig = style.figure(height, f"TFLOPS over size: {run.device}", setting(run, what, False))
    axes = _panel(fig, top, high, "TFLOPS, logarithmic", lines, is_last=not shares)
    least = min(line.points.low.min() for line in lines)
    most = max(line.points.high.max() for line in lines)
    logarithmic(axes, "y", 10 ** math.floor(math.log10(least)), most * 1.45)
    _draw_lines(axes, lines)
    _draw_ceilings(axes, run, lines)
    if shares:
        head = f"% of cuBLAS, for the chapters that reach {100 * FAR:.0f}%"
        axes = _panel(fig, top + high + gap, below, head, lines, is_last=True)
        axes.set_ylim(0, max(1.1, *(1.04 * line.points.high.max() for line in shares)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
        _draw_lines(axes, shares)
    style.add_small_print(fig, *foot, bold=bold)
    points = ((f"{tflops(1000 * p.middle)} at {p.m}" for p in line.points.itertuples()) for line in lines)
    parts = [f"{line.label}, TFLOPS: {', '.join(of)}" for line, of in zip(lines, points)]
    fig.description = f"{bold} {setting(run, what, False)}. {'. '.join([*parts, *left_out])}.".strip()
    return fig


def _panel(fig, top: float, high: float, head: str, lines: list[Line], is_last: bool):
    """Axes of sizes, the same in both panels, named under the last one; what they show vertically is
    said above. Powers of two get a label first, others where there is room."""
    axes = style.add_axes(fig, 0.62, top, PANEL_IN, high)
    sizes = sorted({n for line in lines for n in line.points.m})
    start, end = sizes[0] / 1.12, sizes[-1] * 1.06
    gap = 0.42 * math.log2(end / start) / PANEL_IN
    chosen: list[int] = []
    for n in sorted(sizes, key=lambda n: (n & (n - 1) != 0, n)):
        if all(abs(math.log2(n / other)) >= gap for other in chosen):
            chosen.append(n)
    axes.set_xscale("log", base=2)
    axes.set_xlim(start, end)
    axes.set_xticks(chosen, labels=chosen)
    axes.set_xticks(sizes, labels=[""] * len(sizes), minor=True)
    axes.spines["bottom"].set_visible(True)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", which="both", length=3, labelbottom=is_last)
    axes.grid(axis="y")
    if is_last:
        axes.set_xlabel("M = N = K", size=SMALL_PT)
    axes.annotate(head, (0, 1), xycoords="axes fraction", xytext=(-30, 7), size=SMALL_PT,
                  textcoords="offset points", color=style.MUTED)  # fmt: skip
    return axes


def _draw_lines(axes, lines: list[Line]) -> None:
    """With names at the right edge instead of a legend, moved apart, each tied to its line."""
    to_points = 72 / axes.figure.dpi
    ends = [line.points.iloc[-1][["m", "middle"]] for line in lines]
    places = [axes.transData.transform(end) * to_points for end in ends]
    edge, top = axes.transAxes.transform((1, 1)) * to_points
    heights = style.spread([y for _, y in places], LABEL_GAP_PT, highest=top)
    room = WIDTH_IN - MARGIN_IN - (edge + 30) / 72
    for z, (line, end, (x, y), height) in enumerate(zip(lines, ends, places, heights)):
        p, color = line.points, line.look["color"]
        axes.plot(p.m, p.middle, zorder=3 + z / 10, **line.look)
        axes.fill_between(p.m, p.low, p.high, color=color, alpha=0.3, linewidth=0, zorder=2.5)
        label = style.fit(line.label, TEXT_PT - 0.5, room)
        weight = "bold" if line.label == "cuBLAS" else "normal"
        at = dict(textcoords="offset points", annotation_clip=False)
        axes.annotate(label, end, xytext=(edge + 30 - x, height - y), va="center",
                      size=TEXT_PT - 0.5, weight=weight, **at)  # fmt: skip
        tie = dict(arrowstyle="-", color=color, linewidth=0.8, shrinkA=0, shrinkB=4, alpha=0.7)
        axes.annotate("", end, xytext=(edge + 27 - x, height - y), zorder=1.8, arrowprops=tie, **at)


def _draw_ceilings(axes, run: Run, lines: list[Line]) -> None:
    """Thin lines for what each instruction can do at most, where the axis reaches that far, named
    on the left unless some line passes there."""
    for name in dict.fromkeys(run.rungs.ceiling):
        level = run.ceilings.get(name, math.inf) / 1000
        if level > axes.get_ylim()[1]:
            continue
        color = style.CEILING_COLORS[name]
        axes.axhline(level, color=color, linewidth=0.9, dashes=(1, 2), zorder=1.5)
        starts = [line.points.middle.iloc[:2] for line in lines]
        crossed = any(start.min() < level * 1.5 and start.max() > level for start in starts)
        axes.annotate(
            f"{CEILING_NAMES[name]} ceiling {tflops(1000 * level)}", (int(crossed), level),
            xycoords=("axes fraction", "data"), xytext=(-4 if crossed else 4, 2),
            textcoords="offset points", ha="right" if crossed else "left", size=SMALL_PT - 0.5,
            color=style.MUTED, path_effects=style.halo(), zorder=6,
        )  # fmt: skip


# --- Many shapes ----------------------------------------------------------------------------------


def sweep(run: Run, what: Choice = Choice()):
    """every_shape's share of cuBLAS at every shape of a sweep, in ascending order, a panel for each
    device that has one."""
    runs = list({one.device: one for one in [run, *results.sweeps(), run]}.values())
    looks = {"layer": (style.INDIGO, "o"), "square": (style.AMBER, "s"), "ragged": (style.MUTED, "^")}
    words = "every point is a shape that nobody tuned for · " + run.mode_words()
    height = 1.75 + 2.4 * len(runs)
    fig = style.figure(height, "every_shape's share of cuBLAS", words)
    for i, one in enumerate(runs):
        rows = results.swept(one).sort_values("of_cublas").reset_index()
        if not len(rows):
            raise ResultError(f"{one.path}: holds no {results.EVERY_SHAPE} beside cuBLAS")
        bottom = 0.8 + (len(runs) - 1 - i) * 2.4
        axes = fig.add_axes((0.09, bottom / height, 0.87, 1.9 / height))
        axes.axhline(1, color=style.MUTED, linewidth=0.8)
        for kind, (color, marker) in looks.items():
            own = rows[rows.kind == kind]
            axes.plot(own.index + 1, own.of_cublas, marker, color=color, markersize=4, label=kind)
        seed = one.info["method"]["sweep_seed"]
        axes.set_title(f"{one.device}, seed {seed}: {len(rows)} shapes", loc="left", size=TEXT_PT)
        axes.set_ylabel("of cuBLAS")
        axes.legend(loc="lower right", fontsize=SMALL_PT)
    style.add_small_print(fig, "shapes by their share", run.origin())
    return fig


# --- Under sustained load -------------------------------------------------------------------------


def power(run: Run, what: Choice = Choice()):
    """Four panels of bars, a row for each chapter: TFLOPS, the clock that was left, the power
    drawn, and the energy of an operation, which is the power by the speed."""
    ladder = ladder_at(run, what, "sustained")
    cublas = run.cublas((what.size,) * 3, what.dtype)
    if "sm_mhz" in cublas:
        last = {**cublas, "label": "cuBLAS", "color": style.CUBLAS_COLOR}
        last["tflops"] = cublas.gflops_median / 1000
        ladder = pd.concat([ladder, pd.DataFrame([last])], ignore_index=True)
    energy = ladder.power_w / ladder.tflops  # pJ for one multiplication or addition
    panels = {
        "TFLOPS": (ladder.tflops, lambda value: tflops(1000 * value)),
        "SM clock, MHz": (ladder.sm_mhz, whole),
        "power, W": (ladder.power_w, whole),
        "pJ per operation": (energy, lambda value: results.digits(value, 9.995, 99.95)),
    }
    top, row, names_in, panel_in, gap = 1.2, 0.31, 2.22, 1.42, 0.24
    height = len(ladder) * row
    words = setting(run, what)
    fig = style.figure(top + height + 0.92, f"Under sustained load: {run.device}", words)
    for i, label in enumerate(ladder.label):
        label = style.fit(label, TEXT_PT, names_in - 0.2)
        add_text(fig, MARGIN_IN, top + (i + 0.5) * row, label, va="center_baseline")
    cap = run.info["device"].get("power_cap_w") or 0
    for number, (head, (values, words)) in enumerate(panels.items()):
        left = names_in + number * (panel_in + gap)
        add_note(fig, left, top - 0.09, head, va="bottom")
        axes = style.rows_axes(fig, left, top, panel_in, height, len(ladder))
        limit = cap if head.startswith("power") else None
        known = sorted(values.dropna())
        # One value far above all others would leave nothing of these: its bar is cut, and says so.
        cut = len(known) > 2 and known[-1] > 4 * known[-2]
        reach = known[-2] * 1.3 if cut else max([*known, limit or 0], default=1.0)
        axes.set_xlim(0, reach * 1.03)
        axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
        for i, (value, color) in enumerate(zip(values, ladder.color)):
            if not value > 0:
                style.word(axes, 0, i, "not measured", ha="left", style="italic", color=style.MUTED)
                continue
            shown = words(value) + " →" * (value > reach * 1.03)
            style.bar(axes, i, value, color, shown, reach)
        if limit:
            dashed(axes, limit)
    words = f"Dashed: the board's limit, {cap:.0f} W. Where it is reached, the clock gives way."
    beyond = ladder.label[ladder.why.notna()]
    out = [f"Left out: {', '.join(beyond)}."] if len(beyond) else []
    style.add_small_print(fig, *([words] if cap else []), *out, run.origin())
    return fig


SECTOR = 32  # bytes
# Operations per SM and cycle on compute capability 9.0. mma.sync does not get there.
PER_CYCLE = {"ffma": 256, "mma_sync": 4096, "wgmma": 4096}


def intensity(counters: Run, chapter: str) -> float:
    """Operations per byte asked of memory behind the SMs, as the CPU backend counts them for the
    default; NaN where none was counted."""
    row = counters.at_largest(chapter)
    if not len(row):
        return math.nan
    counted = counters.counters.loc[row.index[0]].fillna(0).get
    sectors = counted("global_load_sectors", 0) + counted("cp_async_global_sectors", 0)
    asked = SECTOR * sectors + counted("tma_load_bytes", 0)
    return 2 * math.prod(row["shape"].iloc[0]) / asked if asked else math.nan


def roofline(run: Run, what: Choice = Choice()):
    """Roofs are what the probes of the harness reached, and copying. Beside it, each chapter's
    share of what its units could do at the clock that this very chapter ran at."""
    counters = results.recorded("large_cpu_counters") or results.recorded("cpu_counters")
    if not counters:
        raise ResultError("plots/results: no counters of the CPU backend")
    found = ladder_at(run, what, "sustained")
    found["intensity"] = [intensity(counters, name) for name in found.index]
    found = found[found.tflops.notna() & found.intensity.notna()]
    device = run.info["device"]
    sms = device.get("sms") if device.get("compute_capability") == "9.0" else None
    peak = (sms or math.nan) * found.ceiling.map(PER_CYCLE) * found.sm_mhz / 1e6
    found["of_peak"] = found.tflops / peak
    top, names_in, share_in, height = 1.1, 5.12, 7.32, 3.6
    title = f"Roofline at the clock that was left: {run.device}"
    words = setting(run, what)
    fig = style.figure(top + height + 0.74 + 4 * style.LINE_IN, title, words)
    add_note(fig, MARGIN_IN, top - 0.07, "TFLOPS", va="bottom")
    axes = style.add_axes(fig, 0.6, top, 4.2, height)
    _draw_roofs(axes, run, found)
    _name_points(axes, found)
    if found.of_peak.notna().all():
        words = "% of what its units could do at its clock"
        add_note(fig, names_in, top - 0.07, words, va="bottom")
        row = height / max(len(found), 9)
        width = WIDTH_IN - share_in - 0.3
        bars = style.rows_axes(fig, share_in, top, width, row * len(found), len(found))
        bars.set_xlim(0, 1)
        bars.set_xticks([0, 0.5, 1], labels=["0", "50", "100%"])
        for i, point in enumerate(found.itertuples()):
            middle = top + (i + 0.5) * row
            name = style.fit(point.label, SMALL_PT, 1.6)
            add_text(fig, names_in, middle - 0.09, name, size=SMALL_PT, va="center")
            clock = f"{point.sm_mhz:.0f} MHz"
            add_note(fig, names_in, middle + 0.08, clock, size=SMALL_PT - 1, va="center")
            style.bar(bars, i, point.of_peak, point.color, percent(point.of_peak))
    style.add_small_print(
        fig,
        "Dotted: what the harness's own loops reached. Above the slope a kernel lives on its "
        "caches.",
        "Units: 256 operations per SM and cycle for FFMA, 4096 for tensor cores, which mma.sync "
        "does not reach.",
        f"Bytes as the CPU backend counts them, {counters.day}, commit {counters.commit}.",
        run.origin(),
    )
    return fig


def _draw_roofs(axes, run: Run, found: pd.DataFrame) -> None:
    """The slope of a copy, and a dotted line for each probe; names where no chapter is."""
    roofs = {name: run.ceilings[name] / 1000 for name in CEILING_NAMES if name in run.ceilings}
    low, high = found.intensity.min() / 2, found.intensity.max() * 5
    bottom = found.tflops.min() / 3
    top = max([*found.tflops, *roofs.values()]) * 1.8
    logarithmic(axes, "x", low, high)
    logarithmic(axes, "y", bottom, top)
    axes.tick_params(length=0, pad=5)
    axes.grid(True)
    axes.set_xlabel("operations per byte that the SMs ask for", size=SMALL_PT)
    small = dict(size=SMALL_PT, color=style.MUTED, path_effects=style.halo(),
                 textcoords="offset points")  # fmt: skip
    copy = run.ceilings.get("copy_gbs", 0) / 1000  # TB/s: TFLOPS for one operation per byte
    if copy:
        end = max(roofs.values(), default=high * copy) / copy
        axes.plot([low, end], [low * copy, end * copy], color=style.MUTED, linewidth=1.2)
        middle = math.sqrt(max(low, bottom / copy) * end)
        words = f"copy {copy:.2f} TB/s"
        axes.annotate(words, (middle, middle * copy), xytext=(9, -4), va="top", **small)
    ordered = sorted(roofs, key=roofs.get)
    for name in ordered:
        color = style.CEILING_COLORS[name]
        axes.plot([low, high], [roofs[name]] * 2, color=color, linewidth=1.1, linestyle=":")
        above = name == ordered[-1]  # two that are close to each other are named on either side
        words = f"{CEILING_NAMES[name]} {tflops(roofs[name] * 1000)}"
        axes.annotate(words, (low, roofs[name]), xytext=(4, 3 if above else -3),
                      va="bottom" if above else "top", **small)  # fmt: skip


def _name_points(axes, found: pd.DataFrame) -> None:
    """The chapters' points, and their numbers beside these, moved apart."""
    scale = 72 / axes.figure.dpi
    places = axes.transData.transform(found[["intensity", "tflops"]]) * scale
    for i, point in enumerate(found.itertuples()):
        at = (point.intensity, point.tflops)
        axes.plot(*at, "o", color=point.color, markersize=5, zorder=4)
        ratio = found.intensity / point.intensity
        near = [j for j, r in enumerate(ratio) if max(r, 1 / r) < 2.5]
        placed = style.spread([places[j][1] for j in near], 10.5, axes.bbox.y1 * scale - 4)
        shift = max(places[j][0] for j in near) - places[i][0]
        tie = dict(arrowstyle="-", color=style.MUTED, linewidth=0.5, shrinkA=1, shrinkB=3)
        axes.annotate(
            point.label.split()[0], at, xytext=(shift + 17, placed[near.index(i)] - places[i][1]),
            textcoords="offset points", va="center_baseline", ha="center", size=SMALL_PT,
            weight="bold", path_effects=style.halo(), arrowprops=tie,
        )  # fmt: skip


# What draws a chart, and the recorded run that it shows.
CHARTS = {
    "speedup": (speedup, f"{results.DEVICE}_burst"),
    "tflops": (over_size, f"{results.DEVICE}_burst"),
    "sweep": (sweep, f"{results.DEVICE}_sweep"),
    "power": (power, f"{results.DEVICE}_sustained"),
    "roofline": (roofline, f"{results.DEVICE}_sustained"),
}


def main() -> int:
    parser = cli.Parser(description="Draws a chart of a result file.")
    parser.add_argument("chart", choices=CHARTS)
    parser.add_argument("result", nargs="?", metavar="RESULT.json")
    parser.add_argument("-o", "--output", type=cli.figure_path, metavar="FILE")
    parser.add_argument("--size", type=cli.size, default=4096, metavar="N", help="M = N = K")
    parser.add_argument("--dtype", choices=results.DTYPES, default="bf16")
    parser.add_argument("--recorded", action="store_true", help="say that there is no GPU here")
    args = parser.parse_args()
    draw, name = CHARTS[args.chart]
    run = results.given_or_recorded(args.result, name)
    path = args.output or Path(f"{args.chart}.svg")
    style.save(draw(run, Choice(args.size, args.dtype, args.recorded)), path)
    print(f"{path}: {run.device}, {run.mode}, {run.day}{' (recorded run)' * args.recorded}")
    return 0


if __name__ == "__main__":
    cli.run(main)
