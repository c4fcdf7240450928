"""Tables of what was timed: against cuBLAS, against the chapter before, against torch."""

import math
import re

import cli
import results
from cli import ResultError
from results import CEILING_NAMES, DEVICE, Run, left_out, percent, shape_words, tflops, times, whole
from table_page import NOT_YET, Page, asked_shapes, beside, choice, listed, markdown
from table_page import provenance, shape_column, square

import pandas as pd


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


def headline(page: Page, name: str, *, run: str = "burst", dtype: str = "bf16") -> list[str]:
    """One chapter against cuBLAS in a few sentences: where it is ahead, how far, where behind."""
    record = page.run(f"{DEVICE}_{run}", name)
    rows = record.of_chapter(name, dtype) if record else ()
    rows = rows[rows.default & rows.of_cublas.notna()] if record else ()
    if not len(rows):
        return [f"{NOT_YET.capitalize()}."]
    label = record.chapters.label[name]
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
    where = f"{dtype}, {record.device}, {record.mode}, {record.day}; cuBLAS: the better of its default "
    lines = [f"{words}. ({where}and the best algorithm cublasLt proposes.)"]
    parts = []
    for device, sweeps in reversed((_sweeps(page, "2") if name == results.EVERY_SHAPE else {}).items()):
        shares = pd.concat(results.swept(sweep) for sweep in sweeps).of_cublas
        parts.append(
            f"{percent(_geometric(shares))} of cuBLAS on an {device} (at {len(shares)} shapes of {len(sweeps)} seeds, "
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


def _sweeps(page: Page, last: str) -> dict[str, list[Run]]:
    """Of each device the sweeps of its last seeds, or all."""
    runs: dict[str, list[Run]] = {}
    for run in results.sweeps(page.root):
        runs.setdefault(run.device, []).append(run)
    if last:
        count, seed = cli.size(last), lambda run: run.info["method"]["sweep_seed"]
        runs = {device: sorted(of_it, key=seed)[-count:] for device, of_it in runs.items()}
    return runs


def aligned(page: Page, *, last: str = "") -> list[str]:
    """The shapes of each device's last sweeps, by where rows of A and B begin."""
    heads = ["device", "rows begin at multiples of", "shapes", "geometric mean", "10th percentile", "1.00 or more"]
    cells = []
    for device, runs in _sweeps(page, last).items():
        rows = pd.concat(results.swept(run) for run in runs)
        for begin, shares in rows.of_cublas.groupby(-rows.k.map(lambda k: 2 * math.gcd(k, 64))):
            figures = [f"{figure:.3f}" for figure in (_geometric(shares), shares.quantile(0.1))]
            cells.append([device, f"{-begin} bytes", str(len(shares)), *figures, percent((shares >= 1).mean())])
    return markdown(heads, cells, 2)


def sweeps(page: Page, *, last: str = "") -> list[str]:
    """Every sweep that was ever recorded, in a row, or the last seeds of each device."""
    heads = ["device", "seed", "shapes", "geometric mean", "median", "10th percentile", "lowest"]
    runs, cells = _sweeps(page, last), []
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
