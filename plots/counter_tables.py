"""Tables of what was counted: by the CPU backend, by ncu, by both."""

import math

import cli
import results
from cli import ResultError
from results import DEVICE, Run, percent, shape_words
from table_page import Page, choice, listed, markdown, shape_column

import pandas as pd

MIB = 2**20
LINE, SECTOR, BANK = 128, 32, 4  # bytes
TENSOR_PER_CYCLE = 4096  # operations of an SM's tensor cores, compute capability 9.0


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
