"""Reads result files: what the harness measured, with where, when and how it was measured.

Everything under plots/ goes through `load`, so a damaged or foreign file is refused in one place,
in one line that names the file and the field, and never turns into a wrong chart. Rates are kept
as the file has them (GFLOPS); `tflops` and the other helpers below put them into words.
"""

from __future__ import annotations

import math
import os
import re
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import checks
from checks import ResultError

SCHEMA = 1
GPU_MODES = ("burst", "sustained")
CPU_MODES = ("counters", "launch")  # of the CPU backend: what it counts, and its own time
MODES = (*GPU_MODES, *CPU_MODES)
DTYPES = ("bf16", "fp16")
CEILING_NAMES = {"ffma": "FFMA", "mma_sync": "mma.sync", "wgmma": "wgmma"}
DEFAULT_VARIANT = "default"
CUBLAS = "cublas"  # rows of cuBLAS itself are written as those of a chapter of this name

EVERY_SHAPE = "every_shape"  # beyond the ladder: a row of its own behind the chapters

ROOT = Path(__file__).resolve().parent.parent
HEADLINE_DEVICE = "h200"  # the device whose recorded run the committed pages show
SECOND_DEVICE = "h100"  # and the one beside it


class Shape(NamedTuple):
    """C (M, N) = A (M, K) * B (N, K)^T, in elements."""

    m: int
    n: int
    k: int

    @property
    def is_square(self) -> bool:
        return self.m == self.n == self.k

    def __str__(self) -> str:
        return str(self.m) if self.is_square else f"{self.m}×{self.n}×{self.k}"


def square(size: int) -> Shape:
    return Shape(size, size, size)


@dataclass(frozen=True)
class Variant:
    name: str
    summary: str
    default: bool


@dataclass(frozen=True)
class Chapter:
    """A chapter or an aside. `name` is its folder's, `ceiling` the probe it is held against."""

    name: str
    title: str
    idea: str
    ceiling: str
    variants: tuple[Variant, ...]

    @property
    def number(self) -> str:
        """ "03" for the folder 03_warptiling, nothing for an aside."""
        found = re.match(r"(\d\d)_", self.name)
        return found.group(1) if found else ""

    @property
    def label(self) -> str:
        """ "03 Warp tiling" for the folder 03_warptiling."""
        return f"{self.number} {self.title}".strip()

    def variant_label(self, variant: str) -> str:
        """The chapter's own choice by its real name, marked as the default."""
        if variant != DEFAULT_VARIANT:
            return variant
        chosen = next((v.name for v in self.variants if v.default), None)
        return f"{chosen} (default)" if chosen else variant


@dataclass(frozen=True)
class Row:
    """One measurement, or the reason why there is none (`skipped`), or one set of counters."""

    chapter: str
    variant: str
    shape: Shape
    dtype: str
    skipped: str | None = None
    gflops: float = math.nan
    gflops_lo: float = math.nan
    gflops_hi: float = math.nan
    cublas: float | None = None  # GFLOPS of the better cuBLAS of the same rounds
    sm_mhz: float | None = None
    power_w: float | None = None
    counters: dict[str, float] = field(default_factory=dict)
    launch_ms: float | None = None  # mode "launch" alone

    @property
    def measured(self) -> bool:
        return self.skipped is None

    @property
    def why_left_out(self) -> str:
        """The reason alone, whether or not the harness wrote "left out: " before it."""
        reason = self.skipped or ""
        return reason[len("left out: ") :] if reason.startswith("left out: ") else reason

    @property
    def of_cublas(self) -> float | None:
        """Fraction of cuBLAS, both from the same rounds."""
        return self.gflops / self.cublas if self.measured and self.cublas else None


@dataclass(frozen=True)
class Results:
    """One result file: one device, one mode."""

    path: Path
    date: str
    commit: str
    device: dict[str, Any]
    software: dict[str, Any]
    method: dict[str, Any]
    ceilings: dict[str, float | None]  # GFLOPS; "copy_gbs" in GB/s
    chapters: tuple[Chapter, ...]
    rows: tuple[Row, ...]

    @property
    def mode(self) -> str:
        return self.method["mode"]

    @property
    def cold(self) -> bool:
        """Whether operands changed from launch to launch, however large."""
        return bool(self.method.get("cold"))

    @property
    def day(self) -> str:
        return self.date[:10]

    @property
    def device_name(self) -> str:
        return self.device["name"]

    def chapter(self, name: str) -> Chapter | None:
        return next((c for c in self.chapters if c.name == name), None)

    def row(self, chapter: str, variant: str, shape: Shape, dtype: str) -> Row | None:
        wanted = (chapter, variant, shape, dtype)
        return next(
            (r for r in self.rows if (r.chapter, r.variant, r.shape, r.dtype) == wanted), None
        )

    def of_chapter(self, name: str, dtype: str) -> list[Row]:
        """A chapter's rows by size, the default variant first, then as the chapter lists them."""
        rows = [row for row in self.rows if row.chapter == name and row.dtype == dtype]
        listed = [DEFAULT_VARIANT, *(v.name for v in self.chapter(name).variants)]
        order = list(dict.fromkeys([*listed, *(row.variant for row in rows)]))
        return sorted(
            rows,
            key=lambda row: (
                not row.shape.is_square,
                row.shape.m * row.shape.n * row.shape.k,
                row.shape,
                order.index(row.variant),
            ),
        )

    @property
    def rungs(self) -> list[Chapter]:
        """The chapters in their order, and every_shape behind them; other asides are none."""
        return [c for c in self.chapters if c.number or c.name == EVERY_SHAPE]

    def ladder(self, shape: Shape, dtype: str) -> list[tuple[Chapter, Row | None]]:
        """Every rung with the row of its default variant, None where it has none."""
        return [(c, self.row(c.name, DEFAULT_VARIANT, shape, dtype)) for c in self.rungs]

    def at_largest(self, chapter: str) -> Row | None:
        """The default's row where C is largest: there it runs the tiles of large problems."""
        rows = [r for r in self.rows if (r.chapter, r.variant) == (chapter, DEFAULT_VARIANT)]
        rows = [r for r in rows if r.measured]
        return max(rows, key=lambda row: row.shape.m * row.shape.n, default=None)

    def square_sizes(self, dtype: str) -> list[int]:
        """Sizes N for which some rung's default has a row of M = N = K, ascending."""
        rungs = {c.name for c in self.rungs}
        return sorted(
            {
                r.shape.m
                for r in self.rows
                if r.dtype == dtype
                and r.shape.is_square
                and r.variant == DEFAULT_VARIANT
                and r.chapter in rungs
            }
        )

    def cublas_row(self, shape: Shape, dtype: str) -> Row | None:
        """The row of the better cuBLAS at a shape, None where the file has no such rows."""
        rows = [r for r in self.rows if (r.chapter, r.shape, r.dtype) == (CUBLAS, shape, dtype)]
        return max((r for r in rows if r.measured), key=lambda row: row.gflops, default=None)

    def cublas(self, shape: Shape, dtype: str) -> float | None:
        """GFLOPS of the better cuBLAS at a shape: its own row's, or what the chapters' rows say."""
        own = self.cublas_row(shape, dtype)
        if own:
            return own.gflops
        beside = [r.cublas for _, r in self.ladder(shape, dtype) if r and r.measured and r.cublas]
        return statistics.median(beside) if beside else None

    def ceiling(self, chapter: Chapter) -> float | None:
        """GFLOPS of the probe that bounds this chapter, None where it was not run."""
        return self.ceilings.get(chapter.ceiling)

    def of_ceiling(self, row: Row) -> float | None:
        """Fraction of the chapter's own measured ceiling."""
        chapter = self.chapter(row.chapter)
        ceiling = self.ceiling(chapter) if chapter else None
        return row.gflops / ceiling if row.measured and ceiling else None

    def software_words(self) -> str:
        """ "driver 580.1, CUDA 13.0, cuBLAS 13.1.0", leaving out what the file does not know."""
        words = (("driver", "driver"), ("CUDA", "cuda"), ("cuBLAS", "cublas"))
        return ", ".join(
            f"{word} {self.software[key]}" for word, key in words if self.software.get(key)
        )

    def mode_words(self) -> str:
        """What the mode means, with this run's own settings where the file has them."""
        if self.mode != "burst":
            return "sustained mode (measured after a warm-up under full load)"
        rest, burst = self.method.get("rest_ms"), self.method.get("burst_ms")
        if rest is None or burst is None:
            return "burst mode"
        words = f"burst mode ({rest:g} ms of rest, then about {burst:g} ms of launches"
        return words + (", each on other operands)" if self.cold else ")")


def previous_ratio(ladder: list[tuple[Chapter, Row | None]], index: int) -> float | None:
    """How many times faster than the chapter directly before; None when either is missing."""
    if index == 0:
        return None
    before, now = ladder[index - 1][1], ladder[index][1]
    if not (before and now and before.measured and now.measured):
        return None
    return now.gflops / before.gflops


def tflops(gflops: float) -> str:
    """GFLOPS as TFLOPS with about three digits: 0.52, 47.1, 825."""
    value = gflops / 1000
    return f"{value:.2f}" if value < 0.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def times(ratio: float | None) -> str:
    """1.06×, 2.1×, 44×; a dash when there is nothing to compare with."""
    if ratio is None:
        return "–"
    return (
        f"{ratio:.2f}×" if ratio < 1.995 else f"{ratio:.1f}×" if ratio < 9.95 else f"{ratio:.0f}×"
    )


def percent(fraction: float | None) -> str:
    """One decimal, since the last chapters differ by that; two where one would say 0.0."""
    if fraction is None:
        return "–"
    value = 100 * fraction
    return f"{value:.2f}%" if value < 0.095 else f"{value:.1f}%"


def _read_chapter(node: checks.Node) -> Chapter:
    variants = tuple(
        Variant(
            v.get("name", checks.text),
            v.get("summary", checks.text, optional=True) or "",
            bool(v.get("default", checks.flag, optional=True)),
        )
        for v in node.children("variants")
    )
    if sum(v.default for v in variants) > 1:
        node.fail("variants", "more than one is marked as the default")
    return Chapter(
        name=node.get("name", checks.text),
        title=node.get("title", checks.text),
        idea=node.get("idea", checks.text, optional=True) or "",
        ceiling=node.get("ceiling", checks.one_of(*CEILING_NAMES)),
        variants=variants,
    )


def _read_row(node: checks.Node, chapters: dict[str, Chapter], mode: str) -> Row:
    name = node.get("chapter", checks.text)
    variant = node.get("variant", checks.text)
    if name != CUBLAS and name not in chapters:
        node.fail("chapter", f"'{name}' is not in the file's list of chapters")
    node.get("mode", checks.one_of(mode))
    key = dict(
        chapter=name,
        variant=variant,
        shape=Shape(*(node.get(extent, checks.extent) for extent in "mnk")),
        dtype=node.get("dtype", checks.one_of(*DTYPES)),
    )

    if "skipped" in node.value:
        return Row(**key, skipped=node.get("skipped", checks.text))

    if mode == "counters":
        counters = node.child("counters")
        return Row(**key, counters={c: counters.get(c, checks.number) for c in counters.value})

    if mode == "launch":
        return Row(**key, launch_ms=node.get("ms_median", checks.positive))

    low, middle, high = (node.get(f"gflops_{f}", checks.positive) for f in ("lo", "median", "hi"))
    if not low <= middle <= high:
        node.fail("gflops_median", f"{middle} lies outside its interval {low} to {high}")
    node.get("rel_err", checks.not_negative, optional=True)
    node.get("samples_ms", checks.a_list, optional=True)
    return Row(
        **key,
        gflops=middle,
        gflops_lo=low,
        gflops_hi=high,
        cublas=node.get("cublas_gflops", checks.positive, optional=True),
        sm_mhz=node.get("sm_mhz", checks.positive, optional=True),
        power_w=node.get("power_w", checks.not_negative, optional=True),
    )


def load(path: os.PathLike) -> Results:
    """Reads and checks one result file; raises ResultError with one line on the first fault."""
    path = Path(path)
    top = checks.read_object(path)
    top.get("schema", checks.one_of(SCHEMA))
    method = top.child("method")
    mode = method.get("mode", checks.one_of(*MODES))
    device = top.child("device")
    device.get("name", checks.text)
    software = top.child("software", optional=mode in CPU_MODES)
    for key in ("driver", "cuda", "cublas", "compiler"):
        software.get(key, checks.text, optional=True)
    for key in ("rest_ms", "burst_ms", "rounds"):
        method.get(key, checks.not_negative, optional=True)
    method.get("cold", checks.flag, optional=True)
    ceilings = top.child("ceilings", optional=mode in CPU_MODES)

    chapters: dict[str, Chapter] = {}
    for node in top.children("chapters"):
        chapter = _read_chapter(node)
        if chapter.name in chapters:
            node.fail("name", f"'{chapter.name}' is listed twice")
        chapters[chapter.name] = chapter

    rows: dict[tuple, Row] = {}
    for node in top.children("rows"):
        row = _read_row(node, chapters, mode)
        key = (row.chapter, row.variant, row.shape, row.dtype)
        if key in rows:
            node.fail("variant", f"{row.chapter} {row.variant} {row.shape} {row.dtype} comes twice")
        rows[key] = row

    return Results(
        path=path,
        date=top.get("date", checks.utc_time),
        commit=top.get("commit", checks.text),
        device=device.value,
        software=software.value,
        method=method.value,
        ceilings={
            key: ceilings.get(key, checks.positive, optional=True)
            for key in (*CEILING_NAMES, "copy_gbs")
        },
        chapters=tuple(chapters[name] for name in sorted(chapters)),
        rows=tuple(rows.values()),
    )


def recorded(device: str, mode: str, root: Path = ROOT, cold: bool = False) -> Results | None:
    """The newest run of a device in plots/results, None when there is none.

    Files are named DEVICE_MODE.json, with anything after that (DEVICE_cold, DEVICE_speed for launches);
    the date inside decides. `cold`: operands changed from launch to launch, so that the L2 had none.
    """
    name = "cold" if cold else {"launch": "speed"}.get(mode, mode)
    runs = [load(path) for path in (root / "plots" / "results").glob(f"{device}_{name}*.json")]
    alike = [run for run in runs if (run.mode, run.cold) == (mode, cold)]
    return max(alike, key=lambda run: run.date, default=None)


def counters(root: Path = ROOT) -> Results | None:
    """What the CPU backend counted of each default, at a large C if that was recorded."""
    return recorded("large_cpu", "counters", root) or recorded("cpu", "counters", root)


def named(device: str, name: str, root: Path = ROOT) -> Results | None:
    """The run recorded as DEVICE_NAME.json, of one program with something out of the ordinary: many
    shapes, another layout, an epilogue, every variant. None when there is none."""
    path = root / "plots" / "results" / f"{device}_{name}.json"
    return load(path) if path.exists() else None


def folder_of(name: str, root: Path = ROOT) -> str:
    """Where a chapter or an aside lies, from the root."""
    asides = sorted(path for path in root.glob("[0-9][0-9]_*/*/") if path.name == name)
    return asides[0].relative_to(root).as_posix() if asides else name


def given_or_recorded(
    path: str | None, mode: str = "burst", device: str = HEADLINE_DEVICE
) -> Results:
    """The file named on the command line, otherwise the newest recorded run of the mode."""
    if path:
        return load(path)
    run = recorded(device, mode)
    if run is None:
        raise ResultError(f"plots/results: no recorded {mode} run of {device}, name a file")
    return run
