"""The table of what kernels ask of the L2 and what the L2 asks of DRAM, by the model and by ncu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable

from markdown import markdown
from results import Results, Row

if TYPE_CHECKING:
    from table_contents import Request, Runs

LINE, SECTOR = 128, 32  # bytes


Make = Callable[[dict[str, float]], str]  # a cell out of a row's counters


def _mib(counter: str, unit: int = 1) -> Make:
    return lambda counters: f"{counters[counter] * unit / 2**20:,.0f}"


def _hit_rate(counters: dict[str, float]) -> str:
    return f"{100 * counters['l2_model_hits'] / counters['l2_model_lines']:.1f}%"


def _missed(counters: dict[str, float]) -> str:
    return f"{(counters['l2_model_lines'] - counters['l2_model_hits']) * LINE / 2**20:,.0f}"


# Of each side: heads, and what stands below them.
MODEL = {
    "asked for": _mib("l2_model_lines", LINE),
    "hits": _hit_rate,
    "missed": _missed,
}
COUNTERS = {"l2_read_sectors", "dram_read_bytes", "dram_write_bytes"}
NCU = {
    "read from L2, ncu": _mib("l2_read_sectors", SECTOR),
    "from DRAM, ncu": _mib("dram_read_bytes"),
    "to DRAM, ncu": _mib("dram_write_bytes"),
}


def _cell(make: Make, row: Row | None) -> str:
    try:
        return make(row.counters) if row else "–"
    except (KeyError, ZeroDivisionError):  # this device has no such counter; nothing was asked for
        return "–"


def table(request: Request, runs: Runs) -> list[str]:
    """A row for each variant and size of a chapter; a side that was not recorded has no columns."""
    name, dtype = request.chapter(), request.dtype()
    sides = [
        (run, columns)
        for run, columns in ((runs.l2_counters, MODEL), (runs.l2_hardware, NCU))
        if run and run.chapter(name)
    ]
    heads = [head for _, columns in sides or [(None, MODEL)] for head in columns]
    kernels: dict[tuple, str] = {}
    for run, _ in sides:
        for row in run.of_chapter(name, dtype):
            if row.measured:
                label = run.chapter(name).variant_label(row.variant)
                kernels.setdefault((row.shape, row.variant), label)
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
    return [*lines, "", caption(runs, dtype, [run for run, _ in sides])] if body else lines


def caption(runs: Runs, dtype: str, known: list[Results]) -> str:
    words = [f"{dtype}; MB, of 1,048,576 bytes."]
    model, hardware = runs.l2_counters, runs.l2_hardware
    if model in known:
        words.append(
            f"Asked for, hits, missed: by TMA, in the {model.device_name}'s model of the L2, which "
            f"knows no cache policies; {model.day}, commit {model.commit}."
        )
    else:
        words.append("The model has not been recorded yet.")
    if hardware in known:
        words.append(
            f"ncu on {hardware.device_name}, {hardware.day}; its caches are empty at the start."
        )
    else:
        words.append("What ncu counts has not been recorded yet.")
    return " ".join(words)
