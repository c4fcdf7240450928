"""The table of what kernels ask of the L2 and what the L2 asks of DRAM, by the model and by ncu, and
what shared memory and the tensor cores do meanwhile.

The CPU backend takes long for large problems. What its model of the L2 finds depends on how much is
read between two readings of a line, for which K and the cache may both be smaller: `scale=16` takes
its rows for those of problems with 16 times the K on a cache of 16 times the size.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Callable

from markdown import markdown
from results import Results, Row

if TYPE_CHECKING:
    from table_contents import Request, Runs

LINE, SECTOR, BANK = 128, 32, 4  # bytes
TENSOR_PER_CYCLE = 4096  # operations of an SM's tensor cores, compute capability 9.0


Make = Callable[[dict[str, float]], str]  # a cell out of a row's counters


def _mib(counter: str, unit: int = 1) -> Make:
    return lambda counters: f"{counters[counter] * unit / 2**20:,.0f}"


def _hit_rate(counters: dict[str, float]) -> str:
    return f"{100 * counters['l2_model_hits'] / counters['l2_model_lines']:.1f}%"


def _missed(counters: dict[str, float]) -> str:
    return f"{(counters['l2_model_lines'] - counters['l2_model_hits']) * LINE / 2**20:,.0f}"


def _smem_rate(counters: dict[str, float]) -> str:
    banks = counters["smem_bank_reads"] + counters["smem_bank_writes"]
    return f"{banks * BANK / counters['sm_cycles']:.0f}"


def _busy(counters: dict[str, float]) -> str:
    return f"{100 * counters['tensor_flops'] / TENSOR_PER_CYCLE / counters['sm_cycles']:.1f}%"


# Of each side: heads, and what stands below them.
MODEL = {
    "asked for": _mib("l2_model_lines", LINE),
    "hits": _hit_rate,
    "missed": _missed,
}
COUNTERS = {
    *("l2_read_sectors", "dram_read_bytes", "dram_write_bytes"),
    *("smem_bank_reads", "smem_bank_writes", "tensor_flops", "sm_cycles"),
}
NCU = {
    "read from L2, ncu": _mib("l2_read_sectors", SECTOR),
    "from DRAM, ncu": _mib("dram_read_bytes"),
    "to DRAM, ncu": _mib("dram_write_bytes"),
    "shared memory, ncu": _smem_rate,
    "tensor cores busy, ncu": _busy,
}


def _cell(make: Make, row: Row | None) -> str:
    try:
        return make(row.counters) if row else "–"
    except (KeyError, ZeroDivisionError):  # this device has no such counter; nothing was asked for
        return "–"


def scaled(run: Results, factor: int) -> Results:
    """The rows of a run as those of problems with so many times the K."""
    rows = tuple(
        replace(
            row,
            shape=row.shape._replace(k=row.shape.k * factor),
            counters={name: factor * value for name, value in row.counters.items()},
        )
        for row in run.rows
    )
    return replace(run, rows=rows)


def table(request: Request, runs: Runs) -> list[str]:
    """A row for each variant and size of a chapter; a side that was not recorded has no columns."""
    name, dtype = request.chapter(), request.dtype()
    scale = request.size(request.option("scale", "1"))
    model, hardware = (
        run if run and run.chapter(name) else None for run in (runs.l2_counters, runs.l2_hardware)
    )
    if model:
        model = scaled(model, scale)
    sides = [(run, columns) for run, columns in ((model, MODEL), (hardware, NCU)) if run]
    kernels: dict[tuple, str] = {}
    for run, _ in sides:
        for row in run.of_chapter(name, dtype):
            if row.measured:
                label = run.chapter(name).variant_label(row.variant)
                kernels.setdefault((row.shape, row.variant), label)
    heads = [head for _, columns in sides for head in columns] or list(MODEL)
    body = [
        [
            str(shape),
            label,
            *(
                _cell(make, run.row(name, variant, shape, dtype))
                for run, columns in sides
                for make in columns.values()
            ),
        ]
        for (shape, variant), label in kernels.items()
    ]
    lines = markdown(["M×N×K", "variant", *heads], body, left=2)
    return [*lines, "", caption(dtype, scale, model, hardware)] if body else lines


def caption(dtype: str, scale: int, model: Results | None, hardware: Results | None) -> str:
    words = [f"{dtype}; MB of 1,048,576 bytes."]
    if model:
        size = model.device.get("l2_bytes")
        cache = f" of {size / 2**20:.4g} MB" if size else ""
        words.append(
            f"Asked for, hits, missed: by TMA, in the {model.device_name}'s model of an L2{cache} "
            "that knows no cache policies"
        )
        if scale > 1:
            words[-1] += f", with 1/{scale} of the K, bytes times {scale}"
        words[-1] += f"; {model.day}, commit {model.commit}."
    else:
        words.append("The model's counters have not been recorded yet.")
    if hardware:
        words.append(
            f"ncu on {hardware.device_name}, {hardware.day}; its caches are empty at the start. "
            "Shared memory: bytes that one SM's reads and writes per cycle."
        )
    else:
        words.append("What ncu counts has not been recorded yet.")
    return " ".join(words)
