"""The table that holds the CPU backend's counters against those of the hardware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markdown import markdown
from results import Row

if TYPE_CHECKING:
    from tables import Request, Runs

# What the columns show; every counter that both files hold enters the largest difference.
SHOWN = {
    "global_load_sectors": "sectors loaded",
    "shared_load_wavefronts": "wavefronts, shared loads",
    "shared_store_wavefronts": "wavefronts, shared stores",
}


def difference(counted: float, measured: float) -> float:
    """Relative to the hardware's count; a count where the hardware has none is infinitely off."""
    if counted == measured:
        return 0.0
    return abs(counted - measured) / measured if measured else float("inf")


def largest_difference(counted: Row, measured: Row) -> float:
    both = counted.counters.keys() & measured.counters.keys()
    return max(difference(counted.counters[c], measured.counters[c]) for c in both)


def table(request: Request, runs: Runs) -> list[str]:
    """Counted on the CPU / counted by ncu, for every kernel that both have run."""
    words = [f"{word}: CPU backend / ncu" for word in SHOWN.values()]
    head = ["chapter", "variant", *words, "largest difference"]
    if not (runs.counters and runs.hardware):
        return markdown(head, [], left=2)
    body = []
    for row in runs.counters.rows:
        measured = runs.hardware.row(row.chapter, row.variant, row.shape, row.dtype)
        if not (measured and row.counters and measured.counters):
            continue
        chapter = runs.counters.chapter(row.chapter)
        pairs = [
            f"{row.counters.get(name, 0):,.0f} / {measured.counters.get(name, 0):,.0f}"
            for name in SHOWN
        ]
        largest = largest_difference(row, measured)
        off = "none" if largest == 0 else f"{100 * largest:.2g}%"
        body.append([row.chapter, chapter.variant_label(row.variant), *pairs, off])
    run = runs.hardware
    caption = (
        f"ncu on {run.device_name}, {run.day}; CPU backend {runs.counters.day}, "
        f"commit {runs.counters.commit}. The difference is the largest over "
        "requests, sectors and wavefronts of all loads and stores."
    )
    return [*markdown(head, body, left=2), "", caption]
