"""The tables that hold the CPU backend's counters against those of the hardware."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markdown import markdown
from results import DEFAULT_VARIANT, Results, Row

if TYPE_CHECKING:
    from table_contents import Request, Runs

# What the columns show, for each kind of counters. Every counter of the kind that both files hold
# enters the largest difference, whether or not it has a column.
SHOWN = {
    "accesses": {
        "global_load_sectors": "sectors loaded",
        "shared_load_wavefronts": "wavefronts, shared loads",
        "shared_store_wavefronts": "wavefronts, shared stores",
    },
    "asynchronous": {
        "ldmatrix_wavefronts": "wavefronts, ldmatrix",
        "stmatrix_wavefronts": "wavefronts, stmatrix",
        "tma_shared_bytes": "bytes by TMA loads",
        "tma_multicast_bytes": "of them by multicast",
        "tma_store_bytes": "bytes by TMA stores",
        "tensor_flops": "tensor-core operations",
    },
    "l2": {"tma_load_bytes": "bytes read from the L2"},
    # The default of each chapter where C is largest, with all but the L2.
    "chapters": {
        "global_load_sectors": "sectors loaded",
        "global_store_sectors": "sectors stored",
        "shared_load_wavefronts": "wavefronts, shared loads",
        "shared_store_wavefronts": "wavefronts, shared stores",
        "tma_shared_bytes": "bytes by TMA loads",
        "tma_store_bytes": "by TMA stores",
        "tensor_flops": "tensor-core operations",
    },
}
# Counters that the hardware has by another name, and bytes in one of its units.
MEASURED_AS = {"tma_load_bytes": ("l2_read_sectors", 32)}
# The hardware's counters of ordinary accesses also count these; the CPU backend keeps them apart. Of a
# copy the hardware counts the sectors where it writes: in rows that are padded by 16 bytes, half a
# sector, these are more than it reads.
INCLUDED = {
    "global_load_requests": ("cp_async_global_requests",),
    "global_load_sectors": ("cp_async_shared_sectors",),
    "shared_load_wavefronts": ("ldmatrix_wavefronts",),
    "shared_store_wavefronts": ("stmatrix_wavefronts",),
}
# ncu's counters of cp.async alone seem to take in copies that a predicate holds back, and its count
# of shared-memory loads some of the copies: not compared.
NOT_COMPARED = {"cp_async_global_sectors", "cp_async_shared_wavefronts"}
NOT_COMPARED_WITH_CP_ASYNC = {"shared_load_requests"}
WHAT = {
    "accesses": "requests, sectors and wavefronts of all loads and stores",
    "asynchronous": "what the columns show and requests",
    "chapters": "all counters that both have",
    "l2": "TMA loads beside all that ncu saw the SMs read, 32 bytes for a sector",
}


def kind_of(counter: str) -> str:
    if counter in MEASURED_AS:
        return "l2"
    return "accesses" if counter.startswith(("global_", "shared_")) else "asynchronous"


@dataclass
class Pair:
    """One kernel, counted on both sides."""

    label: str  # the variant's
    counted: Row
    measured: Row

    def by_hardware(self) -> dict[str, float]:
        """What ncu counted, by the CPU backend's names."""
        found = self.measured.counters
        other = {
            name: unit * found[theirs]
            for name, (theirs, unit) in MEASURED_AS.items()
            if theirs in found and self.counted.counters.get(name)  # ordinary loads count there too
        }
        return {**found, **other}

    def both(self, kind: str) -> set[str]:
        """The counters that can be compared."""
        names = self.counted.counters.keys() & self.by_hardware().keys() - NOT_COMPARED
        if self.counted.counters.get("cp_async_global_requests"):
            names -= NOT_COMPARED_WITH_CP_ASYNC
        if kind == "chapters":
            return {name for name in names if kind_of(name) != "l2"}
        return {name for name in names if kind_of(name) == kind}

    def values(self, counter: str) -> tuple[float, float] | None:
        measured = self.by_hardware()
        if not (counter in self.counted.counters and counter in measured):
            return None
        included = sum(self.counted.counters.get(name, 0.0) for name in INCLUDED.get(counter, ()))
        return self.counted.counters[counter] + included, measured[counter]

    def does(self, kind: str) -> bool:
        """Is any of the counters not zero?"""
        return any(any(self.values(name)) for name in self.both(kind))

    def cell(self, counter: str) -> str:
        values = self.values(counter)
        if values is None:
            return "–"
        words = [f"{value:,.0f}" for value in values]
        return words[0] if values[0] == values[1] else " / ".join(words)

    def largest_difference(self, kind: str) -> float:
        return max(difference(*self.values(name)) for name in self.both(kind))


def difference(counted: float, measured: float) -> float:
    """Relative to the hardware's count; a count where the hardware has none is infinitely off."""
    if counted == measured:
        return 0.0
    return abs(counted - measured) / measured if measured else float("inf")


def pairs(counted: Results, measured: Results) -> Iterator[Pair]:
    """Rows of the same kernel. A default may choose other tiles at another commit: it is compared
    within one."""
    for row in counted.rows:
        if row.variant == DEFAULT_VARIANT and counted.commit != measured.commit:
            continue
        other = measured.row(row.chapter, row.variant, row.shape, row.dtype)
        if other and row.counters and other.counters:
            label = counted.chapter(row.chapter).variant_label(row.variant)
            yield Pair(label, row, other)


def percentage(fraction: float) -> str:
    if fraction == 0:
        return "none"
    return f"{100 * fraction:.2g}%" if fraction < 0.995 else f"{100 * fraction:.0f}%"


def caption(sources: Sequence[tuple[Results, Results]], kind: str) -> str:
    parts = []
    for counted, measured in sources:
        parts.append(
            f"ncu on {measured.device_name}, {measured.day}; "
            f"CPU backend {counted.day}, commit {counted.commit}."
        )
    return (
        f"One number where both agree, otherwise CPU backend / ncu. {' '.join(dict.fromkeys(parts))} "
        f"The difference is the largest over {WHAT[kind]}."
    )


def table(request: Request, runs: Runs) -> list[str]:
    """Counted on the CPU and by ncu, for every kernel that both have run and that does such things."""
    kind = request.option("of", "accesses")
    if kind not in SHOWN:
        request.fail(f"of={kind}: expected {', '.join(SHOWN)}")
    only = request.option("chapter", "")
    sources, kernels = [], []
    small = (runs.counters, runs.hardware)
    files = [small, (runs.gallery_counters, runs.gallery_hardware)]
    if kind == "chapters":
        large = (runs.large_counters, runs.large_hardware)
        files = [large if all(large) else small]
    for counted, measured in files:
        found = pairs(counted, measured) if counted and measured else ()
        found = [
            pair
            for pair in found
            if pair.does(kind)
            and only in ("", pair.counted.chapter)
            and (kind != "chapters" or pair.counted is counted.at_largest(pair.counted.chapter))
        ]
        if found:
            sources.append((counted, measured))
        kernels += found
    columns = [
        name for name in SHOWN[kind] if any(any(pair.values(name) or ()) for pair in kernels)
    ]
    words = [SHOWN[kind][name] for name in columns]
    head = ["chapter", "variant", *words, "largest difference"]
    body = [
        [
            pair.counted.chapter,
            pair.label,
            *(pair.cell(name) for name in columns),
            percentage(pair.largest_difference(kind)),
        ]
        for pair in kernels
    ]
    lines = markdown(head, body, left=2)
    if not body:
        return lines
    shapes = dict.fromkeys(pair.counted.shape for pair in kernels)
    at = f"M×N×K = {', '.join('×'.join(map(str, s)) for s in shapes)}. " if kind == "chapters" else ""
    return [*lines, "", at + caption(sources, kind)]
