#!/usr/bin/env python3
"""Writes what the pages show of recorded results and of sources, so that nothing is typed twice.

Tables and blocks of code stand between markers (README.md). What a table's marker may say is what the
function of its name below takes: words by position, options by name; what has spaces stands in quotes.
"""

import argparse
import inspect
import math
import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

import cli
import results
from cli import ResultError
from results import CEILING_NAMES, DEVICE, Run, left_out, percent, shape_words, tflops, times, whole

import pandas as pd

NOT_YET = "not measured yet"
MIB = 2**20
LINE, SECTOR, BANK = 128, 32, 4  # bytes
TENSOR_PER_CYCLE = 4096  # operations of an SM's tensor cores, compute capability 9.0


@dataclass
class Page:
    """What tables are made from; `to_root` leads from the page's folder to the repository's, `body`
    is what stands between the markers now."""

    root: Path
    to_root: str = ""
    folder: Path = Path()
    body: str = ""
    gallery: list[str] | None = None  # the lines of the gallery's table, if given
    runs: dict[str, Run | None] = field(default_factory=dict)

    def run(self, name: str, chapter: str = "") -> Run | None:
        """The run recorded under a name, None without one or where it lacks the chapter named."""
        if name not in self.runs:
            self.runs[name] = results.recorded(name, self.root)
        run = self.runs[name]
        return run if run and (not chapter or chapter in run.chapters.index) else None

    def link(self, chapter: str) -> str:
        asides = [path for path in self.root.glob("[0-9][0-9]_*/*/") if path.name == chapter]
        folder = asides[0].relative_to(self.root).as_posix() if asides else chapter
        return f"{self.to_root}{folder}/"


# --- What the tables share ------------------------------------------------------------------------


def markdown(heads, rows=([NOT_YET],), left: int = 1) -> list[str]:
    """GitHub's table without padding, so that a number that changes changes its own line alone. The
    first `left` columns hold words; short rows are filled up."""
    heads, lines = list(heads), []
    for row in (heads, ["---"] * left + ["--:"] * (len(heads) - left), *rows):
        cells = [str(cell).replace("|", "\\|").strip() for cell in row]
        lines.append(f"| {' | '.join(cells + [''] * (len(heads) - len(cells)))} |")
    return lines


def choice(name: str, value: str, allowed) -> str:
    if value not in allowed:
        raise ResultError(f"{name}={value}: expected {' or '.join(allowed)}")
    return value


def listed(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def square(size: str) -> tuple[int, int, int]:
    return (cli.size(size),) * 3


def asked_shapes(sizes: str, shapes: str) -> list[tuple[int, int, int]]:
    only = [square(size) for size in listed(sizes)]
    only += [tuple(map(cli.size, shape.split("x"))) for shape in listed(shapes)]
    if any(len(shape) != 3 for shape in only):
        raise ResultError("shapes: expected MxNxK")
    return only


def shape_column(rows: pd.DataFrame) -> tuple[str, pd.Series]:
    """Heading and cells for shapes: one number as long as all of them are M = N = K."""
    if rows.square.all():
        return "M = N = K", rows["size"]
    return "M×N×K", rows["shape"].map(lambda shape: "×".join(map(str, shape)))


def provenance(run: Run) -> str:
    """Where the numbers of a table come from."""
    rounds = run.info["method"].get("rounds")
    mode = run.mode_words() + (f", median of {rounds:g} rounds" if rounds else "")
    parts = [run.device, run.software(), mode, f"{run.day}, commit {run.commit}"]
    return "; ".join(part for part in parts if part) + "."


def beside(run: Run | None) -> str:
    return f" Sustained: the run of {run.day}, commit {run.commit}." if run else ""


# --- The tables -----------------------------------------------------------------------------------


def ladder(page: Page, *, size: str = "4096", dtype: str = "bf16") -> list[str]:
    """One row per rung: the headline numbers, and beside them the sustained rate and that of the
    second device, if known."""
    shape = square(size)
    burst = page.run(f"{DEVICE}_burst")
    sustained, second = page.run(f"{DEVICE}_sustained"), page.run(f"{results.SECOND_DEVICE}_burst")
    heads = ["chapter", "idea", "TFLOPS", "× previous", "% of cuBLAS", "% of its ceiling"]
    if not burst:
        return markdown(heads, left=2)
    found, cublas = burst.ladder(shape, dtype), burst.cublas(shape, dtype)
    rows = []
    for i, rung in enumerate(found.itertuples()):
        idea = rung.idea if rung.number else f"beyond the ladder: {rung.idea}"
        cells = [f"[{rung.label}]({page.link(rung.Index)})", idea]
        if rung.gflops_median > 0:
            ceiling = f"{percent(rung.of_ceiling)} {CEILING_NAMES[rung.ceiling]}"
            cells += [f"**{tflops(rung.gflops_median)}**", times(rung.previous) if i else ""]
            cells += [percent(rung.of_cublas), ceiling if rung.of_ceiling > 0 else "–"]
        else:
            cells += [left_out(rung.why), "", "", ""]
        rows.append(cells)
    if cublas.gflops_median > 0:
        words = "the better of its default and the best algorithm cublasLt proposes"
        rows.append(["cuBLAS", words, f"**{tflops(cublas.gflops_median)}**", "", "", ""])
    table = pd.DataFrame(rows, columns=heads)
    for run, rate, share in (
        (sustained, "sustained TFLOPS", "% of cuBLAS, sustained"),
        (second, "{} TFLOPS", "% of cuBLAS, {}"),
    ):
        if run:
            board = run.device.replace("NVIDIA ", "").split()[0]
            other = run.ladder(shape, dtype).reindex(found.index)
            own = tflops(run.cublas(shape, dtype).gflops_median)
            table[rate.format(board)] = [*other.gflops_median.map(tflops), own][: len(table)]
            table[share.format(board)] = [*other.of_cublas.map(percent), ""][: len(table)]
    known = [(word, burst.ceilings.get(name)) for name, word in CEILING_NAMES.items()]
    ceilings = ", ".join(f"{word} {tflops(rate)}" for word, rate in known if rate)
    caption = f"M = N = K = {size}, {dtype} in and out, fp32 accumulation. {provenance(burst)}"
    if ceilings:
        caption += f" Ceilings in TFLOPS, measured in the same run: {ceilings}."
    caption += beside(sustained)
    if second:
        caption += f" Beside it: {provenance(second)}"
    return [*markdown(table, table.values, left=2), "", caption]


def headline(page: Page, name: str, *, dtype: str = "bf16") -> list[str]:
    """One chapter against cuBLAS in a few sentences: where it is ahead, how far, where behind."""
    run = page.run(f"{DEVICE}_burst", name)
    rows = run.of_chapter(name, dtype) if run else ()
    rows = rows[rows.default & rows.of_cublas.notna()] if run else ()
    if not len(rows):
        return [f"{NOT_YET.capitalize()}."]
    label = run.chapters.label[name]
    best, printed = rows.loc[rows.of_cublas.idxmax()], (1000 * rows.of_cublas).round()
    behind = rows[printed < 1000]  # as printed: 100.0% is neither ahead nor behind
    kind = "square sizes" if rows.square.all() else "shapes"
    words = (
        f"**{label} is ahead of cuBLAS at {(printed > 1000).sum()} of the {len(rows)} {kind} "
        f"recorded, by up to {percent(best.of_cublas - 1)}** (M×N×K = "
        f"{'×'.join(map(str, best['shape']))}, {tflops(best.gflops_median)} TFLOPS)"
    )
    if len(behind):
        shown = behind if len(behind) <= 6 else behind.nsmallest(5, "of_cublas")
        places = list(shown["size"] + " (" + shown.of_cublas.map(percent) + ")")
        if len(shown) < len(behind):
            places.append(f"… ({len(behind)} shapes, the lowest first)")
        words += f", and behind at {', '.join(places)}"
    where = f"{dtype}, {run.device}, {run.mode}, {run.day}; cuBLAS: the better of its default "
    lines = [f"{words}. ({where}and the best algorithm cublasLt proposes.)"]
    sweeps = [page.run(f"{device}_sweep", name) for device in (DEVICE, results.SECOND_DEVICE)]
    parts = []
    for sweep in filter(None, sweeps):
        shares = results.swept(sweep).of_cublas
        parts.append(
            f"{percent(_geometric(shares))} of cuBLAS on an {sweep.device} (at {len(shares)} shapes, "
            f"{percent((shares >= 1).mean())} of them level or ahead, the lowest at {percent(shares.min())})"
        )
    if parts:
        link = f"[shapes that nobody tuned for]({page.link(name)}README.md#shapes-that-nobody-tuned-for)"
        lines += ["", f"At {link} the geometric mean is {' and '.join(parts)}."]
    return lines


def _geometric(shares: pd.Series) -> float:
    return math.exp(shares.map(math.log).mean())


def gain(page: Page, name: str, *, size: str = "4096") -> list[str]:
    """What a chapter adds to the one before, in plain sentences."""
    shape, dtype, said = square(size), "bf16", []
    for device in (DEVICE, results.SECOND_DEVICE):
        run = page.run(f"{device}_burst", name)
        rungs = run.ladder(shape, dtype) if run else pd.DataFrame()
        if name not in rungs.index or not rungs.gflops_median[name] > 0:
            continue
        rung, before = rungs.loc[name], rungs.shift().loc[name]
        words = "On an" if said else f"At M = N = K = {size} ({dtype}) on an"
        words += f" {run.device} this chapter runs at **{tflops(rung.gflops_median)} TFLOPS**"
        if rung.of_cublas > 0:
            words += f", {percent(rung.of_cublas)} of cuBLAS"
        if rung.previous > 0:
            words += f". Chapter {before.number} runs at {tflops(before.gflops_median)} TFLOPS"
            words += f": this chapter is {times(rung.previous)[:-1]} times as fast"
        said.append(f"{words}.")
    return said or [f"{NOT_YET.capitalize()}."]


def sweeps(page: Page, *, last: str = "") -> list[str]:
    """Every sweep that was ever recorded, in a row, or the last seeds of each device."""
    heads = ["device", "seed", "shapes", "geometric mean", "median", "10th percentile", "lowest"]
    runs: dict[str, list[Run]] = {}
    for run in results.sweeps(page.root):
        runs.setdefault(run.device, []).append(run)
    if last:
        count, seed = cli.size(last), lambda run: run.info["method"]["sweep_seed"]
        runs = {device: sorted(of_it, key=seed)[-count:] for device, of_it in runs.items()}
    cells = []
    for run in (run for of_it in runs.values() for run in of_it):
        shares = results.swept(run).of_cublas
        figures = (_geometric(shares), shares.median(), shares.quantile(0.1), shares.min())
        least = [percent((shares >= level).mean()) for level in (1, 0.95)]
        seed = str(run.info["method"]["sweep_seed"])
        overlapped = (run.rows.chapter == results.EVERY_SHAPE) & (run.rows.variant == "overlapped")
        pdl = run.rows[overlapped].of_cublas.dropna()
        more = [*least, f"{_geometric(pdl):.3f}" if len(pdl) else "–"]
        cells.append([run.device, seed, str(len(shares)), *(f"{f:.3f}" for f in figures), *more])
    heads += ["1.00 or more", "0.95 or more", "geometric mean with PDL"]
    if last:  # without PDL
        heads, cells = heads[:-1], [row[:-1] for row in cells]
    return markdown(heads, cells, 2)


def worst(page: Page, *, device: str = DEVICE) -> list[str]:
    """The ten lowest shares of a device's last sweep, each with what is known to slow it."""
    choice("device", device, (DEVICE, results.SECOND_DEVICE))
    run = page.run(f"{device}_sweep", results.EVERY_SHAPE)
    rows = results.swept(run).nsmallest(10, "of_cublas") if run else pd.DataFrame()
    dram = run.info["device"].get("dram_bytes_per_second") if run else None
    cells = [
        [row.size_, row.kind, tflops(row.gflops_median), percent(row.of_cublas), _cause(row, dram)]
        for row in rows.rename(columns={"size": "size_"}).itertuples()
    ]
    return markdown(["M×N×K", "kind", "TFLOPS", "% of cuBLAS", "what probably slows it"], cells, 2)


def _cause(row, dram: float | None) -> str:
    """From the shape and the speed alone: what DRAM brings, how rows begin, how many tiles of 64 x 64
    there are for the SMs."""
    flops = 2 * row.m * row.n * row.k
    moved = 2 * (row.m * row.k + row.n * row.k + row.m * row.n)
    if dram and moved / dram > 0.7 * flops / (1e9 * row.gflops_median):
        return "A, B and C take DRAM most of the time"
    if row.k % 16 != 0:
        return "rows begin in the middle of sectors: loads take longer than MMAs"
    tiles = -(-row.m // 64) * -(-row.n // 64)
    if tiles < 4 * 132:
        return "few tiles with a long K: blocks read the same rows from the L2"
    if flops > 1e12:
        return "a large problem, for which the board is at its power limit"
    if row.k % 64 != 0:
        return "rows begin in the middle of lines, and the last wave is partial"
    return "the last wave is partial"


def chapter(
    page: Page, name: str, *, sizes: str = "", shapes: str = "", variants: str = "",
    run: str = "", dtype: str = "bf16", device: str = DEVICE,
) -> list[str]:  # fmt: skip
    """All sizes and variants of a chapter, burst and then sustained, or of a named run, on a device."""
    only = asked_shapes(sizes, shapes)
    choice("device", device, (DEVICE, results.SECOND_DEVICE))
    asked = [run] if run else results.GPU_MODES
    known = [found for what in asked if (found := page.run(f"{device}_{what}", name))]
    modes = ["mode"] if len(known) > 1 else []
    heads = ["variant", *modes, "TFLOPS [interval]", "% of cuBLAS", "% of ceiling"]
    left = 2 + len(modes)
    rows = pd.concat([found.of_chapter(name, dtype) for found in known]) if known else []
    if len(rows) and only:
        rows = rows[rows["shape"].isin(only)]
    if len(rows) and variants:
        rows = rows[rows.variant.isin(listed(variants))]
    if not len(rows):
        return markdown(["M = N = K", *heads], left=left)
    shape_head, shape_cells = shape_column(rows)
    if "sustained" in set(rows["mode"]):  # what NVML reads in a burst means nothing
        heads += ["SM MHz", "W"]
    body = []
    for size, row in zip(shape_cells, rows.itertuples()):
        cells = [size, row.label, *([row.mode] if modes else [])]
        if isinstance(row.why, str):
            body.append([*cells, left_out(row.why)])
            continue
        middle, low, high = map(tflops, (row.gflops_median, row.gflops_lo, row.gflops_hi))
        cells += [f"{middle} [{low}, {high}]", percent(row.of_cublas), percent(row.of_ceiling)]
        if row.mode == "sustained":
            cells += [whole(row.sm_mhz), whole(row.power_w)]
        body.append(cells)
    there = {*rows.variant, *(found.chapters.default[name] for found in known)}
    missing = [variant for variant in listed(variants) if variant not in there]
    body += [["–", variant, NOT_YET] for variant in missing]  # named on the page, not recorded
    first, *more = known
    caption = f"{dtype} in and out, fp32 accumulation; % of ceiling: of "
    caption += f"{CEILING_NAMES[first.chapters.ceiling[name]]}. {provenance(first)}"
    caption += beside(more[0] if more else None)
    return [*markdown([shape_head, *heads], body, left), "", caption]


def verdicts(
    page: Page, name: str, *, sizes: str = "", shapes: str = "", run: str = "burst"
) -> list[str]:
    """A row for each variant of a chapter: its rate at each size, its share of the default's, and in
    the last column the author's verdict, which is kept."""
    recorded, only = page.run(f"{DEVICE}_{run}", name), asked_shapes(sizes, shapes)
    if not only:
        raise ResultError("expected sizes= or shapes=")
    words, rows = said(page.body), recorded.of_chapter(name, "bf16") if recorded else None
    heads = [f"{shape_words(shape)}: {head}" for shape in only for head in ("TFLOPS", "% of default")]
    body = {}
    if rows is not None:
        rows = rows[rows["shape"].isin(only)]
        for variant, label in dict(zip(rows.variant, rows.label)).items():
            body[plain_name(label)] = cells = [label]
            for shape in only:
                there = rows[rows["shape"] == shape].set_index("variant")
                row, default = (there.reindex([v]).iloc[0] for v in (variant, "default"))
                if not row.gflops_median > 0:
                    cells += [left_out(row.why), ""]
                    continue
                share = row.gflops_median / default.gflops_median
                several = f"{100 * share:.0f}%" if share >= 2 else percent(share)
                cells += [tflops(row.gflops_median), several]
    for variant in words:
        body.setdefault(variant, [variant, NOT_YET, *[""] * (len(heads) - 1)])
    table = [[*cells, words.get(variant, "")] for variant, cells in body.items()]
    lines = markdown(["variant", *heads, "verdict"], table or [[NOT_YET]])
    lines[1] = lines[1].removesuffix("--: |") + "--- |"
    return [*lines, "", provenance(recorded)] if recorded else lines


def plain_name(label: str) -> str:
    """A variant's name in the first cell of a row."""
    return label.replace("(default)", "").strip(" `*")


def said(body: str) -> dict[str, str]:
    """First and last cell of each row of a table that stands on a page."""
    lines = [line.strip() for line in body.splitlines() if line.startswith("|")][2:]
    rows = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines]
    found = {plain_name(row[0]): row[-1].strip().replace("\\|", "|") for row in rows}
    found.pop(NOT_YET, None)
    return found


def counters(page: Page, name: str, *, columns: str, dtype: str = "bf16") -> list[str]:
    """What the CPU backend counted: a row for each variant of one chapter, a column per counter."""
    run, chosen = page.run("cpu_counters", name), listed(columns)
    rows = run.of_chapter(name, dtype) if run else []
    rows = rows[rows.why.isna()] if len(rows) else rows
    if not len(rows):
        return markdown(["variant", *chosen])
    values = run.counters.loc[rows.index].dropna(axis=1, how="all")
    unknown = [counter for counter in chosen if counter not in values]
    if unknown:
        raise ResultError(f"columns={unknown[0]}: {run.path.name} has no such counter for {name}")
    shape_head, shape_cells = shape_column(rows)
    table = {"variant": rows.label}
    if shape_cells.nunique() > 1:
        table[shape_head] = shape_cells
    for counter in chosen:
        digits = 0 if (values[counter].dropna() % 1 == 0).all() else 2
        cells = values[counter].map(f"{{:,.{digits}f}}".format, na_action="ignore")
        table[counter.replace("_", " ")] = cells.fillna("–")
    problem = "" if shape_head in table else f"{shape_head} = {shape_cells.iloc[0]}, "
    caption = f"{problem}{dtype}. Counted by the {run.device}, which needs no GPU; "
    body = markdown(table, zip(*table.values()))
    return [*body, "", f"{caption}{run.day}, commit {run.commit}."]


def ceilings(page: Page) -> list[str]:
    """What the device can do at most, by the probes of the harness."""
    known = [page.run(f"{DEVICE}_{mode}") for mode in results.GPU_MODES]
    known = [run for run in known if run]
    if not known:
        return markdown(["ceiling", "holds for", "burst"], left=2)
    first = known[0].chapters
    rows = []
    for name, word in {**CEILING_NAMES, "copy_gbs": "copy, read + write"}.items():
        rates = [run.ceilings.get(name) for run in known]
        if any(rates):
            held = ", ".join(first.label[first.ceiling == name])
            said = (f"{rate / 1000:.2f} TB/s" if name == "copy_gbs" else f"{tflops(rate)} TFLOPS"
                    for rate in rates)  # fmt: skip
            rows.append([word, held, *said])
    heads = ["ceiling", "holds for", *(run.mode for run in known)]
    caption = provenance(known[0]) + beside(known[1] if len(known) > 1 else None)
    return [*markdown(heads, rows, left=2), "", caption]


# What the CPU backend and ncu count. Of what both files hold every counter of a table's kind enters
# the largest difference, whether or not it has a column.
COLUMNS = {
    "global_load_sectors": "sectors loaded",
    "global_store_sectors": "sectors stored",
    "shared_load_wavefronts": "wavefronts, shared loads",
    "shared_store_wavefronts": "wavefronts, shared stores",
    "ldmatrix_wavefronts": "wavefronts, ldmatrix",
    "stmatrix_wavefronts": "wavefronts, stmatrix",
    "tma_shared_bytes": "bytes by TMA loads",
    "tma_multicast_bytes": "of them by multicast",
    "tma_store_bytes": "bytes by TMA stores",
    "tensor_flops": "tensor-core operations",
    "tma_load_bytes": "bytes read from the L2",
}
_NOT_SHOWN = {  # the default of each chapter where C is largest has all but the L2
    "accesses": {"global_store_sectors"},
    "chapters": {"ldmatrix_wavefronts", "stmatrix_wavefronts", "tma_multicast_bytes"},
}
WHAT = {
    "accesses": "requests, sectors and wavefronts of all loads and stores",
    "asynchronous": "what the columns show and requests",
    "chapters": "all counters that both have",
    "l2": "TMA loads beside all that ncu saw the SMs read, 32 bytes for a sector",
}
# Counters that the hardware has by another name, and bytes in one of its units.
MEASURED_AS = {"tma_load_bytes": ("l2_read_sectors", 32)}
# The hardware's counters of ordinary accesses also count these; the CPU backend keeps them apart.
# Of a copy the hardware counts the sectors where it writes: in rows that are padded by 16 bytes,
# half a sector, these are more than it reads.
INCLUDED = {
    "global_load_requests": "cp_async_global_requests",
    "global_load_sectors": "cp_async_shared_sectors",
    "shared_load_wavefronts": "ldmatrix_wavefronts",
    "shared_store_wavefronts": "stmatrix_wavefronts",
}
# ncu's counters of cp.async alone seem to take in copies that a predicate holds back, and its count
# of shared-memory loads some of the copies: not compared.
NOT_COMPARED = {"cp_async_global_sectors", "cp_async_shared_wavefronts"}


def compared(counted: dict[str, float], measured: dict[str, float]) -> dict[str, tuple]:
    """What both have counted, as (CPU backend, ncu), by the CPU backend's names."""
    measured = dict(measured)
    for name, (theirs, unit) in MEASURED_AS.items():
        if theirs in measured and counted.get(name):  # ordinary loads count there too
            measured[name] = unit * measured[theirs]
    copies = counted.get("cp_async_global_requests")
    left_out = NOT_COMPARED | ({"shared_load_requests"} if copies else set())
    return {
        name: (value + counted.get(INCLUDED.get(name), 0.0), measured[name])
        for name, value in counted.items()
        if name in measured and name not in left_out
    }


def pairs(counted: Run, measured: Run, kind: str) -> list[dict]:
    """Rows of the same kernel that does such things, with what both sides counted. A default may
    choose other tiles at another commit: it is compared within one."""
    both = counted.rows.reset_index().merge(measured.rows.reset_index(), on=results.KEY)
    if counted.commit != measured.commit:
        both = both[~both.default_x]
    found = []
    for row in both.itertuples():
        if kind == "chapters" and row.index_x not in counted.at_largest(row.chapter).index:
            continue
        sides = (counted.counters.loc[row.index_x], measured.counters.loc[row.index_y])
        values = compared(*(side.dropna().to_dict() for side in sides))
        for name in list(values):
            access = "accesses" if name.startswith(("global_", "shared_")) else "asynchronous"
            of = ("l2",) if name in MEASURED_AS else (access, "chapters")
            if kind not in of:
                values.pop(name)
        if any(any(value) for value in values.values()):
            cells = {"chapter": row.chapter, "variant": row.label_x, "shape": row.shape_x}
            found.append({**cells, "values": values})
    return found


def hardware_counters(page: Page, *, of: str = "accesses", chapter: str = "") -> list[str]:
    """Counted on the CPU and by ncu, for every kernel that both ran and that does such things."""
    hidden = _NOT_SHOWN.get(choice("of", of, WHAT), ())
    kernels, sources = [], []
    for prefix in ["large_"] if of == "chapters" else ["", "gallery_"]:
        counted, measured = (page.run(f"{prefix}{device}_counters") for device in ("cpu", DEVICE))
        found = pairs(counted, measured, of) if counted and measured else []
        found = [kernel for kernel in found if chapter in ("", kernel["chapter"])]
        kernels += found
        if found:
            source = f"ncu on {measured.device}, {measured.day}; "
            sources.append(f"{source}CPU backend {counted.day}, commit {counted.commit}.")
    columns = [name for name in COLUMNS if any(any(k["values"].get(name, ())) for k in kernels)]
    columns = [name for name in columns if name not in hidden]
    heads = ["chapter", "variant", *(COLUMNS[name] for name in columns), "largest difference"]
    if not kernels:
        return markdown(heads, left=2)

    def cell(values: tuple[float, float] | None) -> str:
        words = [f"{value:,.0f}" for value in values] if values else ["–"]
        return words[0] if not values or values[0] == values[1] else " / ".join(words)

    def share(fraction: float) -> str:
        several = f"{100 * fraction:.2g}%" if fraction < 0.995 else f"{100 * fraction:.0f}%"
        return several if fraction else "none"

    body = []
    for kernel in kernels:
        values = kernel["values"]
        # A count where the hardware has none is infinitely off.
        largest = max(abs(c - m) / m if m else math.inf if c else 0.0 for c, m in values.values())
        cells = [cell(values.get(name)) for name in columns]
        body.append([kernel["chapter"], kernel["variant"], *cells, share(largest)])
    shapes = dict.fromkeys("×".join(map(str, kernel["shape"])) for kernel in kernels)
    caption = f"M×N×K = {', '.join(shapes)}. " if of == "chapters" else ""
    caption += "One number where both agree, otherwise CPU backend / ncu. "
    caption += f"{' '.join(dict.fromkeys(sources))} The difference is the largest over {WHAT[of]}."
    return [*markdown(heads, body, left=2), "", caption]


MODEL = ["l2_model_lines", "l2_model_hits"]
NCU = ["l2_read_sectors", "dram_read_bytes", "dram_write_bytes"]
NCU += ["smem_bank_reads", "smem_bank_writes", "tensor_flops", "sm_cycles"]

# The columns of either: how a number is written, and the number for each row of counters.
_BY_MODEL = {
    "asked for": ("{:,.0f}", lambda c: c.l2_model_lines * LINE / MIB),
    "hits": ("{:.1f}%", lambda c: 100 * c.l2_model_hits / c.l2_model_lines),
    "missed": ("{:,.0f}", lambda c: (c.l2_model_lines - c.l2_model_hits) * LINE / MIB),
}
_BY_NCU = {
    "read from L2, ncu": ("{:,.0f}", lambda c: c.l2_read_sectors * SECTOR / MIB),
    "from DRAM, ncu": ("{:,.0f}", lambda c: c.dram_read_bytes / MIB),
    "to DRAM, ncu": ("{:,.0f}", lambda c: c.dram_write_bytes / MIB),
    "shared memory, ncu": (
        "{:.0f}", lambda c: (c.smem_bank_reads + c.smem_bank_writes) * BANK / c.sm_cycles
    ),
    "tensor cores busy, ncu": (
        "{:.1f}%", lambda c: 100 * c.tensor_flops / TENSOR_PER_CYCLE / c.sm_cycles
    ),
}


def l2(page: Page, name: str, *, scale: str = "1", dtype: str = "bf16") -> list[str]:
    """What a chapter's variants ask of the L2 and the L2 of DRAM, by the model and by ncu, and what
    shared memory and the tensor cores do meanwhile; a side that was not recorded has no columns.
    `scale=16` takes the model's rows for those of 16 times the K on a cache of 16 times the size: what
    it finds depends on how much is read between two readings of a line.
    """
    factor = cli.size(scale)
    model, hardware = (page.run(f"l2_{device}_counters", name) for device in ("cpu", DEVICE))
    sides, labels = [], {}
    for run, columns, times_k in ((model, _BY_MODEL, factor), (hardware, _BY_NCU, 1)):
        if run:
            rows = run.of_chapter(name, dtype)
            rows = rows[rows.why.isna()]
            c = times_k * run.counters.loc[rows.index].reindex(columns=[*MODEL, *NCU])
            cells = {head: of(c).map(form.format) for head, (form, of) in columns.items()}
            side = pd.DataFrame(cells)
            sizes = [shape_words((m, n, k * times_k)) for m, n, k in rows["shape"]]
            side.index = pd.Index(list(zip(sizes, rows.variant)), tupleize_cols=False)
            sides.append(side.replace(r".*(nan|inf).*", "–", regex=True))
            labels = {**dict(zip(side.index, rows.label)), **labels}
    table = pd.concat(sides, axis=1).fillna("–") if sides else pd.DataFrame()
    if not len(table):
        return markdown(["M×N×K", "variant", "asked for", "hits", "missed"], left=2)
    table.insert(0, "M×N×K", [size for size, _ in table.index])
    table.insert(1, "variant", [labels[kernel] for kernel in table.index])
    words = [f"{dtype}; MB of 1,048,576 bytes."]
    if model:
        size = model.info["device"].get("l2_bytes")
        cache = f" of {size / MIB:.4g} MB" if size else ""
        smaller = f", with 1/{factor} of the K, bytes times {factor}" if factor > 1 else ""
        words.append(
            f"Asked for, hits, missed: by TMA, in the {model.device}'s model of an L2{cache} that "
            f"knows no cache policies{smaller}; {model.day}, commit {model.commit}."
        )
    else:
        words.append("The model's counters have not been recorded yet.")
    if hardware:
        words.append(
            f"ncu on {hardware.device}, {hardware.day}; its caches are empty at the start. "
            "Shared memory: bytes that one SM's reads and writes per cycle."
        )
    else:
        words.append("What ncu counts has not been recorded yet.")
    return [*markdown(table, table.values, left=2), "", " ".join(words)]


def cpu_speed(page: Page) -> list[str]:
    """How long a launch of the gallery's warp-specialised kernel takes on the CPU backend."""
    run = page.run("cpu_speed")
    if not run:
        return markdown(["M = N = K", "one launch"])
    words = [f"{ms:.0f} ms" if ms < 999.5 else f"{ms / 1000:.2f} s" for ms in run.rows.ms_median]
    device, method = run.info["device"], run.info["method"]
    parts = [
        f"{device.get('cpu', 'unknown processor')}, {device.get('threads', '?')} threads",
        (run.info.get("software") or {}).get("compiler"),
        f"median of {method.get('rounds', 1):g} launches",
        f"{run.day}, commit {run.commit}",
    ]
    table = markdown(["M = N = K", "one launch"], zip(run.rows["size"], words))
    return [*table, "", "; ".join(part for part in parts if part) + "."]


# What is timed beside torch: the result file, and for each row its words and the names of its times.
BESIDE_TORCH = {
    "calls": ("host", "a call, M = N = K = {size}", ("{}_us",), "µs"),
    "layers": ("host", "100 layers of width 4096, M = {m}", ("{}_ms",), "ms"),
    "transformer": ("transformer", "{}", ("{}_training_ms", "{}_inference_ms"), "ms"),
    "two_gpus": ("two_gpus", "{}", ("{}_training_ms", "{}_inference_ms"), "ms"),
}


def beside_torch(page: Page, *, kind: str) -> list[str]:
    """A row for each thing timed with the operator and with torch's own."""
    name, words, times_of, unit = BESIDE_TORCH[choice("kind", kind, BESIDE_TORCH)]
    path = page.root / "plots" / "results" / f"pytorch_{name}_{DEVICE}.json"
    header = ["", f"every_shape, {unit}", f"torch, {unit}", "× torch"]
    if not path.exists():
        return markdown(header)
    file, table = cli.read_json(path), []
    with cli.reading(path):
        for row in file.get(kind, [file]):
            for time_of in times_of:
                ours, torch = (row[time_of.format(n)] for n in ("every_shape", "torch"))
                what = time_of.removeprefix("{}_").removesuffix("_ms") + " step"
                table.append([words.format(what, **row), f"{ours:.3g}", f"{torch:.3g}", times(torch / ours)])
        return [*markdown(header, table), "", f"{file['device']}; PyTorch {file['torch']}."]


def gallery(page: Page) -> list[str] | None:
    """What the gallery's program printed; None keeps what stands there."""
    return page.gallery


def code(page: Page, file: str, *, first: str, lines: str) -> list[str]:
    """Lines of a source file, without the indentation that they share."""
    path = page.folder / file
    if not path.is_file():
        raise ResultError("no such file")
    text, count = path.read_text(encoding="utf-8").splitlines(), cli.size(lines)
    found = [i for i, line in enumerate(text) if first in line]
    if len(found) != 1:
        places = ", ".join(str(i + 1) for i in found)
        raise ResultError(f"first=\"{first}\" stands in {f'lines {places}' if found else 'no line'}")
    if found[0] + count > len(text):
        raise ResultError(f"lines={lines}: the file ends {len(text) - found[0]} lines from there")
    quoted = "\n".join(text[found[0] : found[0] + count]).rstrip().split("\n")
    ours = [line for line in quoted if line and not line.startswith("#")]  # pragmas begin at 0
    margin = min((len(line) - len(line.lstrip()) for line in ours), default=0)
    quoted = [line if line.startswith("#") else line[margin:] for line in quoted]
    kind = "cpp" if path.suffix in (".cuh", ".cu", ".cpp", ".hpp") else "text"
    return [f"```{kind}", *quoted, "```"]


def ncu(page: Page, of: str = "metrics") -> list[str]:
    """What Nsight Compute's sections said of chapters' kernels, a row for each metric; of=instructions:
    where the warps of one of them wait, by its samples."""
    choice("of", of, ("metrics", "instructions"))
    path = page.root / "plots" / "results" / f"{DEVICE}_ncu.json"
    if not path.exists():
        return markdown(["metric of ncu"])
    file = cli.read_json(path)
    with cli.reading(path):
        if of == "instructions":
            found = file["instructions"]
            body = [
                [f"`{row['instruction']}`", f"`{row['reason']}`", percent(row["samples"] / row["of"])]
                for row in found
            ]
            caption = f"{found[0]['chapter']}, {found[0]['of']:,} samples. {file['device']}, {file['date']}."
            return [*markdown(["instruction", "reason", "of all samples"], body, 2), "", caption]
        seen = pd.DataFrame({row["chapter"]: row["metrics"] for row in file["rows"]})
        seen = seen[(seen >= 0.05).any(axis=1)]  # reasons for which no warp waits say nothing
        body = [[f"`{name}`", *map("{:.4g}".format, row)] for name, row in seen.iterrows()]
        caption = f"M = N = K = {file['rows'][0]['shape'][0]}, bf16. {file['device']}; {file['tool']}; "
    return [*markdown(["metric of ncu", *seen.columns], body), "",
            caption + f"{file['date']}, commit {file['commit']}."]  # fmt: skip


_ALL = [ladder, headline, gain, sweeps, worst, chapter, verdicts, counters, ceilings]
_ALL += [hardware_counters, l2, cpu_speed, ncu, beside_torch, gallery]
TABLES = {table.__name__: table for table in _ALL}

# A block of code, in which markers are only shown; a table, or code; a marker without its other half.
MARKERS = re.compile(
    r"""^\ {0,3}(?P<fence>```+|~~~+).*?(?:\n\s*(?P=fence)|\Z)
    |^(?P<open><!--\s*(?P<kind>table|code):(?P<asked>[^\n]*?)-->)[^\S\n]*\n
     (?P<body>(?:(?!<!--\s*/?(?:table|code)\b)[^\n]*\n)*?)
     (?P<close><!--\s*/(?P=kind)\s*-->)[^\S\n]*$
    |^(?P<stray><!--\s*(?:table:|/table\b|code:|/code\b)[^\n]*)$""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)


def rewrite(text: str, file: str, page: Page) -> str:
    """A page with all its tables and quotations made anew."""

    def made(match: re.Match) -> str:
        place = f"{file}:{text.count(chr(10), 0, match.start()) + 1}"
        if match["stray"]:
            raise ResultError(f"{place}: a marker without its other half")
        if not match["open"]:
            return match[0]
        kind, page.body = match["kind"], match["body"]
        try:
            words = shlex.split(match["asked"])
            name = words[0] if words else ""
            if kind == "table" and name not in TABLES:
                raise ResultError(f"unknown table (there are: {', '.join(TABLES)})")
            make = code if kind == "code" else TABLES[words.pop(0)]
            plain = [word for word in words if "=" not in word]
            options = dict(word.split("=", 1) for word in words if "=" in word)
            choice("dtype", options.get("dtype", "bf16"), results.DTYPES)
            asked = inspect.signature(make).bind(page, *plain, **options)
            table = make(*asked.args, **asked.kwargs)
        except (ResultError, TypeError, ValueError, argparse.ArgumentTypeError) as error:
            asked = match["asked"].split()
            raise ResultError(f"{place}: {kind} '{asked[0] if asked else ''}': {error}") from None
        if table is None:  # it stays as it is
            return match[0]
        return "\n".join([match["open"], "", *table, "", match["close"]])  # renderers want these

    return MARKERS.sub(made, text)


def pages(root: Path) -> list[Path]:
    """Every page of the repository but those of builds and hidden folders."""
    tops = [path for path in root.iterdir() if not path.name.startswith(("build", "."))]
    return sorted(p for top in tops for p in [top, *top.rglob("*")] if p.suffix == ".md")


def update(root: Path, check: bool = False, gallery: list[str] | None = None) -> list[str]:
    """Brings all pages up to date, or with `check` only looks; returns the pages that differ. Nothing
    is written before every page has been read without a complaint."""
    made_of = Page(root, gallery=gallery)
    changed: dict[str, str] = {}
    for path in pages(root):
        text = path.read_bytes().decode("utf-8")
        name = path.relative_to(root).as_posix()
        made_of.to_root, made_of.folder = "../" * name.count("/"), path.parent
        new = rewrite(text, name, made_of)
        if new != text:
            changed[name] = new
    for name, new in changed.items() if not check else ():
        cli.write_atomically(root / name, new.encode("utf-8"))
    return list(changed)


def main() -> int:
    parser = cli.Parser(description="Writes the tables and quotations of the pages.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if out of date")
    parser.add_argument("--root", type=Path, default=cli.ROOT, help="the repository")
    parser.add_argument("--gallery", metavar="FILE", help="what bin/gallery --markdown printed")
    args = parser.parse_args()
    gallery = None
    if args.gallery:
        gallery = Path(args.gallery).read_text("utf-8").splitlines()
        if not gallery or not all(line.startswith("|") for line in gallery):
            raise ResultError(f"--gallery {args.gallery}: not a table")
    changed = update(args.root, args.check, gallery)
    old = "a table or a quotation is not what its source gives: run plots/tables.py"
    for page in changed:
        print(f"{page}: {old if args.check else 'updated'}", file=sys.stderr if args.check else None)
    return 1 if args.check and changed else 0


if __name__ == "__main__":
    cli.run(main)
