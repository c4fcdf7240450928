"""What the tables of the README files hold, each kind a function of the recorded runs.

tables.py finds the markers and writes the files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import cli
import counters_table
import hardware_counters
import l2_table
import pytorch_table
import results
from markdown import NOT_YET, markdown, shape_column
from results import CEILING_NAMES, DEFAULT_VARIANT, ResultError, Results, Row, Shape

COUNTER_DEVICE = "cpu"


@dataclass
class Runs:
    """The recorded results that tables are made of; None where nothing was recorded yet."""

    burst: Results | None
    sustained: Results | None
    counters: Results | None
    hardware: Results | None = None  # the same counters, by ncu on the headline device
    gallery_counters: Results | None = None  # both for the gallery's kernels
    gallery_hardware: Results | None = None
    cpu_speed: Results | None = None  # launches on the CPU backend, timed
    l2_counters: Results | None = None  # both for problems that do not fit the L2
    l2_hardware: Results | None = None
    cold: Results | None = None  # burst, each launch on other operands
    pytorch: pytorch_table.Timings | None = None  # the operator beside torch
    second: Results | None = None  # burst, on the second device
    large_counters: Results | None = None  # of defaults, at a large C
    large_hardware: Results | None = None
    root: Path = results.ROOT
    gallery: list[str] | None = None  # the lines of the gallery's table, if given

    @staticmethod
    def recorded(root: Path) -> Runs:
        return Runs(
            results.recorded(results.HEADLINE_DEVICE, "burst", root),
            results.recorded(results.HEADLINE_DEVICE, "sustained", root),
            results.recorded(COUNTER_DEVICE, "counters", root),
            results.recorded(results.HEADLINE_DEVICE, "counters", root),
            results.recorded(f"gallery_{COUNTER_DEVICE}", "counters", root),
            results.recorded(f"gallery_{results.HEADLINE_DEVICE}", "counters", root),
            results.recorded(COUNTER_DEVICE, "launch", root),
            results.recorded(f"l2_{COUNTER_DEVICE}", "counters", root),
            results.recorded(f"l2_{results.HEADLINE_DEVICE}", "counters", root),
            results.recorded(results.HEADLINE_DEVICE, "burst", root, cold=True),
            pytorch_table.recorded(root),
            results.recorded(results.SECOND_DEVICE, "burst", root),
            results.recorded(f"large_{COUNTER_DEVICE}", "counters", root),
            results.recorded(f"large_{results.HEADLINE_DEVICE}", "counters", root),
            root,
        )

    def named(self, name: str) -> Results | None:
        return results.named(results.HEADLINE_DEVICE, name, self.root)


@dataclass
class Request:
    """What a marker asks for; `place` is file:line, for complaints."""

    place: str
    words: list[str]  # without the table's name
    options: dict[str, str]
    to_root: str  # the way from the README's folder to the repository's, for links
    used: set = field(default_factory=set)

    def option(self, name: str, default: str) -> str:
        self.used.add(name)
        return self.options.get(name, default)

    def dtype(self) -> str:
        dtype = self.option("dtype", "bf16")
        if dtype not in results.DTYPES:
            self.fail(f"dtype={dtype}: expected {' or '.join(results.DTYPES)}")
        return dtype

    def size(self, text: str) -> int:
        try:
            return cli.size(text)
        except cli.argparse.ArgumentTypeError as error:
            self.fail(str(error))

    def list(self, name: str) -> list[str]:
        return [part for part in self.option(name, "").split(",") if part]

    def shape(self, text: str) -> Shape:
        extents = text.split("x")
        if len(extents) != 3:
            self.fail(f"shapes: expected MxNxK, found '{text}'")
        return Shape(*(self.size(extent) for extent in extents))

    def chapter(self) -> str:
        if len(self.words) != 1:
            self.fail("this table needs the name of one chapter")
        return self.words.pop()

    def fail(self, message: str):
        raise ResultError(f"{self.place}: {message}")


def provenance(run: Results) -> str:
    """Where the numbers of a table come from."""
    software = run.software_words()
    rounds = run.method.get("rounds")
    parts = [
        run.device_name,
        *([software] if software else []),
        run.mode_words() + (f", median of {rounds:g} rounds" if rounds else ""),
        f"{run.day}, commit {run.commit}",
    ]
    return "; ".join(parts) + "."


def left_out(row: Row | None) -> str:
    return f"left out: {row.why_left_out}" if row and row.skipped else "not measured"


def _rate_cells(run: Results, row: Row | None) -> list[str]:
    known = row and row.measured
    return [results.tflops(row.gflops), results.percent(row.of_cublas)] if known else ["–", "–"]


def ladder_table(request: Request, runs: Runs) -> list[str]:
    """One row per rung: the headline numbers, and beside them the sustained rate and that of the
    second device, if known."""
    shape = results.square(request.size(request.option("size", "4096")))
    dtype = request.dtype()
    burst = runs.burst
    head = ["chapter", "idea", "TFLOPS", "× previous", "% of cuBLAS", "% of its ceiling"]
    if not burst:
        return markdown(head, [], left=2)
    beside = []
    if runs.sustained:
        beside.append(runs.sustained)
        head += ["sustained TFLOPS", "% of cuBLAS, sustained"]
    if runs.second:
        beside.append(runs.second)
        board = runs.second.device_name.replace("NVIDIA ", "").split()[0]
        head += [f"{board} TFLOPS", f"% of cuBLAS, {board}"]

    rows = []
    ladder = burst.ladder(shape, dtype)
    for i, (chapter, row) in enumerate(ladder):
        folder = results.folder_of(chapter.name, runs.root)
        idea = chapter.idea if chapter.number else f"beyond the ladder: {chapter.idea}"
        cells = [f"[{chapter.label}]({request.to_root}{folder}/)", idea]
        if row and row.measured:
            ceiling = burst.of_ceiling(row)
            cells += [
                f"**{results.tflops(row.gflops)}**",
                results.times(results.previous_ratio(ladder, i)) if i else "",
                results.percent(row.of_cublas),
                f"{results.percent(ceiling)} {CEILING_NAMES[chapter.ceiling]}" if ceiling else "–",
            ]
        else:
            cells += [left_out(row), "", "", ""]
        for run in beside:
            cells += _rate_cells(run, run.row(chapter.name, DEFAULT_VARIANT, shape, dtype))
        rows.append(cells)
    cublas = burst.cublas(shape, dtype)
    if cublas:
        cells = [
            "cuBLAS",
            "the better of its default and the best algorithm cublasLt proposes",
            f"**{results.tflops(cublas)}**",
            *("", "", ""),
        ]
        for run in beside:
            rate = run.cublas(shape, dtype)
            cells += [results.tflops(rate) if rate else "–", ""]
        rows.append(cells)

    ceilings = [
        f"{word} {results.tflops(burst.ceilings[name])}"
        for name, word in CEILING_NAMES.items()
        if burst.ceilings.get(name)
    ]
    caption = f"M = N = K = {shape}, {dtype} in and out, fp32 accumulation. {provenance(burst)}"
    if ceilings:
        caption += f" Ceilings in TFLOPS, measured in the same run: {', '.join(ceilings)}."
    if runs.sustained:
        sustained = runs.sustained
        caption += f" Sustained: the run of {sustained.day}, commit {sustained.commit}."
    if runs.second:
        caption += f" Beside it: {provenance(runs.second)}"
    else:
        caption += f" An {results.SECOND_DEVICE.upper()} has not been recorded yet."
    return [*markdown(head, rows, left=2), "", caption]


def headline(request: Request, runs: Runs) -> list[str]:
    """One chapter against cuBLAS in a few sentences: at how many shapes ahead, how far, where behind."""
    name, dtype = request.chapter(), request.dtype()
    run = runs.burst
    chapter = run.chapter(name) if run else None
    if not chapter:
        return [f"{NOT_YET[0].upper()}{NOT_YET[1:]}."]
    rows = [
        row
        for row in run.of_chapter(name, dtype)
        if row.variant == DEFAULT_VARIANT and row.of_cublas is not None
    ]
    if not rows:
        return [f"{chapter.label} was not held against cuBLAS."]
    best = max(rows, key=lambda row: row.of_cublas)
    # As printed: 100.0% is neither ahead nor behind.
    ahead = [row for row in rows if round(1000 * row.of_cublas) > 1000]
    behind = [row for row in rows if round(1000 * row.of_cublas) < 1000]
    kind = "square sizes" if all(row.shape.is_square for row in rows) else "shapes"
    words = (
        f"**{chapter.label} is ahead of cuBLAS at {len(ahead)} of the {len(rows)} {kind} recorded, by "
        f"up to {results.percent(best.of_cublas - 1)}** (M×N×K = {'×'.join(map(str, best.shape))}, "
        f"{results.tflops(best.gflops)} TFLOPS)"
    )
    if behind:
        listed = [f"{row.shape} ({results.percent(row.of_cublas)})" for row in behind]
        if len(listed) > 6:
            worst = sorted(behind, key=lambda row: row.of_cublas)[:5]
            listed = [f"{row.shape} ({results.percent(row.of_cublas)})" for row in worst]
            listed.append(f"… ({len(behind)} shapes, the lowest first)")
        words += f", and behind at {', '.join(listed)}"
    where = f"{dtype}, {run.device_name}, {run.mode}, {run.day}; cuBLAS: the better of its default "
    lines = [f"{words}. ({where}and the best algorithm cublasLt proposes.)"]
    sweep = runs.named("sweep")
    shares = sorted(
        row.of_cublas
        for row in (sweep.of_chapter(name, dtype) if sweep and sweep.chapter(name) else [])
        if row.variant == DEFAULT_VARIANT and row.of_cublas is not None
    )
    if shares:
        folder = results.folder_of(name, runs.root)
        lines += [
            "",
            f"Over [{len(shares)} shapes]({request.to_root}{folder}/README.md), layers of "
            "language models with one token and many, odd sizes: as fast as cuBLAS or faster at "
            f"{sum(share >= 1 for share in shares)}, at 95% of it or more at "
            f"{sum(share >= 0.95 for share in shares)}; the median is "
            f"{results.percent(shares[len(shares) // 2])}, the lowest {results.percent(shares[0])}.",
        ]
    return lines


def chapter_table(request: Request, runs: Runs) -> list[str]:
    """All sizes and variants of one chapter, burst and then sustained; or burst and cold."""
    name, dtype = request.chapter(), request.dtype()
    only = [results.square(request.size(n)) for n in request.list("sizes")]
    only += [request.shape(text) for text in request.list("shapes")]
    variants = request.list("variants")
    inputs, special = request.option("inputs", "any"), request.option("run", "")
    if inputs not in ("any", "cold"):
        request.fail(f"inputs={inputs}: expected any or cold")
    if special and not re.fullmatch(r"[a-z0-9_]{1,40}", special):
        request.fail(f"run={special}: expected a name")
    asked = (runs.cold,) if inputs == "cold" else (runs.burst, runs.sustained)
    if special:
        asked = (runs.named(special),)
    known = [run for run in asked if run and run.chapter(name)]
    modes = len(known) > 1
    wanted = [
        (run, row)
        for run in known
        for row in run.of_chapter(name, dtype)
        if (not only or row.shape in only)
        and (not variants or row.variant in variants)
    ]
    there = {row.variant for _, row in wanted}
    there |= {v.name for run in known for v in run.chapter(name).variants if v.default}
    shape_head, shape_cell = shape_column([row.shape for _, row in wanted])
    head = [
        shape_head,
        "variant",
        *(["mode"] if modes else []),
        "TFLOPS [interval]",
        "% of cuBLAS",
        "% of ceiling",
        "SM MHz",
        "W",
    ]
    rows = []
    for run, row in wanted:
        start = [shape_cell(row.shape), run.chapter(name).variant_label(row.variant)]
        rows.append([*start, *([run.mode] if modes else []), *_measured_cells(run, row)])
    if rows:  # what the page names and the recorded run does not have
        for variant in variants:
            if variant not in there:
                empty = [""] * (len(head) - 3)
                rows.append(["–", variant, NOT_YET, *empty])
    lines = markdown(head, rows, left=3 if modes else 2)
    if rows:
        chapter = known[0].chapter(name)
        lines += [
            "",
            f"{dtype} in and out, fp32 accumulation; % of ceiling: of "
            f"{CEILING_NAMES[chapter.ceiling]}. {provenance(known[0])}",
        ]
        if modes:
            lines[-1] += f" Sustained: the run of {known[1].day}, commit {known[1].commit}."
    return lines


def _measured_cells(run: Results, row: Row) -> list[str]:
    if not row.measured:
        return [left_out(row), "", "", "", ""]
    middle, low, high = (results.tflops(r) for r in (row.gflops, row.gflops_lo, row.gflops_hi))
    return [
        f"{middle} [{low}, {high}]",
        results.percent(row.of_cublas),
        results.percent(run.of_ceiling(row)),
        f"{row.sm_mhz:.0f}" if row.sm_mhz is not None else "–",
        f"{row.power_w:.0f}" if row.power_w is not None else "–",
    ]


def ceilings_table(request: Request, runs: Runs) -> list[str]:
    """What the device can do at most, by the probes of the harness."""
    known = [run for run in (runs.burst, runs.sustained) if run]
    head = ["ceiling", "holds for", *(run.mode for run in known)]
    if not known:
        return markdown(["ceiling", "holds for", "burst"], [], left=2)
    rows = []
    for name, word in CEILING_NAMES.items():
        rates = [run.ceilings.get(name) for run in known]
        held = [c.label for c in known[0].chapters if c.ceiling == name]
        if any(rates):
            rows.append(
                [
                    word,
                    ", ".join(held),
                    *(f"{results.tflops(rate)} TFLOPS" if rate else "–" for rate in rates),
                ]
            )
    copies = [run.ceilings.get("copy_gbs") for run in known]
    if any(copies):
        rows.append(
            [
                "copy, read + write",
                "",
                *(f"{rate / 1000:.2f} TB/s" if rate else "–" for rate in copies),
            ]
        )
    caption = provenance(known[0])
    if len(known) > 1:
        caption += f" Sustained: the run of {known[1].day}, commit {known[1].commit}."
    return [*markdown(head, rows, left=2), "", caption]


def cpu_speed_table(request: Request, runs: Runs) -> list[str]:
    """How long a launch of the gallery's warp-specialised kernel takes on the CPU backend."""
    run = runs.cpu_speed
    head = ["M = N = K", "one launch"]
    if not run:
        return markdown(head, [])
    rows = [[str(row.shape), _duration(row.launch_ms)] for row in run.rows]
    parts = [
        f"{run.device.get('cpu', 'unknown processor')}, {run.device.get('threads', '?')} threads",
        *([run.software["compiler"]] if run.software.get("compiler") else []),
        f"median of {run.method.get('rounds', 1):g} launches",
        f"{run.day}, commit {run.commit}",
    ]
    return [*markdown(head, rows), "", "; ".join(parts) + "."]


def _duration(ms: float) -> str:
    return f"{ms:.0f} ms" if ms < 999.5 else f"{ms / 1000:.2f} s"


def gallery_table(request: Request, runs: Runs) -> list[str] | None:
    """What the gallery's program printed; None keeps what stands there."""
    return runs.gallery


TABLES: dict[str, Callable[[Request, Runs], list[str] | None]] = {
    "ladder": ladder_table,
    "headline": headline,
    "chapter": chapter_table,
    "counters": counters_table.table,
    "ceilings": ceilings_table,
    "hardware_counters": hardware_counters.table,
    "l2": l2_table.table,
    "cpu_speed": cpu_speed_table,
    "pytorch": pytorch_table.table,
    "gallery": gallery_table,
}
