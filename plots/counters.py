"""Counters of the CPU backend beside those of the hardware: what can be compared, and with what."""

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
NOT_COMPARED_WITH_CP_ASYNC = {"shared_load_requests"}


def kind_of(counter: str) -> str:
    if counter in MEASURED_AS:
        return "l2"
    return "accesses" if counter.startswith(("global_", "shared_")) else "asynchronous"


def compared(counted: dict[str, float], measured: dict[str, float]) -> dict[str, tuple]:
    """What both have counted, as (CPU backend, ncu), by the CPU backend's names."""
    measured = dict(measured)
    for name, (theirs, unit) in MEASURED_AS.items():
        if theirs in measured and counted.get(name):  # ordinary loads count there too
            measured[name] = unit * measured[theirs]
    copies = counted.get("cp_async_global_requests")
    left_out = NOT_COMPARED | (NOT_COMPARED_WITH_CP_ASYNC if copies else set())
    return {
        name: (value + counted.get(INCLUDED.get(name), 0.0), measured[name])
        for name, value in counted.items()
        if name in measured and name not in left_out
    }


def difference(counted: float, measured: float) -> float:
    """Relative to the hardware's count; a count where the hardware has none is infinitely off."""
    if counted == measured:
        return 0.0
    return abs(counted - measured) / measured if measured else float("inf")
