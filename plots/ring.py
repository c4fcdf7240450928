"""The rings of chapters 06 and 07 from a fresh start: phases of barriers, and which waits pass, by a
small simulation. In 07 a producer waits for empty stages; in 06 the thread that multiplies loads, a
stage less ahead. Phases, parities and waits follow from counts; times are only there to be seen."""

from typing import NamedTuple

import style
from style import MARGIN_IN, MUTED, WIDTH_IN

STAGES, TILES = 4, 11
_ISSUE, _LOAD, _MULTIPLY = 0.55, 3.2, 1.75  # times
_BEFORE, _END = 2.1, 21.5  # room for what a fresh barrier counts as, and the end of what is shown
_PARITY = ("#f7d08a", "#7fb6c9")  # the present phase's
_LOADS, _FULL, _MULTIPLIES = style.FAINT, "#eceef1", style.FOUR[2]


class Visit(NamedTuple):
    """One k-tile's way through its stage, with the times when waits pass and phases end."""

    tile: int
    producer_passes: float  # wait_empty is over; the load sets out
    arrived: float  # its bytes are there: the full barrier's phase ends
    consumer_passes: float  # wait_full is over
    released: float  # the consumers' arrivals: the empty barrier's phase ends

    @property
    def stage(self) -> int:
        return self.tile % STAGES

    @property
    def full_parity(self) -> int:
        return self.tile // STAGES % 2

    @property
    def empty_parity(self) -> int:
        """What the producer waits for: on its first way through the ring a phase that never was."""
        return self.full_parity ^ 1


def visits(chapter: str) -> list[Visit]:
    """Every tile in order. In 07 a stage is loaded when the tile before it has been released; in 06
    behind the wait that says that this tile has been read, while one group of MMAs is under way."""
    done: list[Visit] = []
    asks = multiplied = 0.0
    for tile in range(TILES):
        if chapter == "07":
            passes = max(asks, done[tile - STAGES].released if tile >= STAGES else 0.0)
        else:
            ahead = STAGES - 1
            passes = done[tile - ahead].consumer_passes if tile >= ahead else tile * _ISSUE
        arrived = passes + _LOAD
        starts = max(multiplied, arrived)
        multiplied = starts + _MULTIPLY
        done.append(Visit(tile, passes, arrived, starts, multiplied))
        asks = passes + _ISSUE
    return done


def _bar(axes, begin, end, y, color, text="") -> None:
    end = min(end, _END)
    if begin < end:
        style.box(axes, begin, y, end - begin, 0.92, color, "white")
        if end - begin > 0.9:
            style.word(axes, (begin + end) / 2, y + 0.46, text, 6.5)


def _phases(axes, y, ends: list[float], waits: list[tuple[float, int]], who: str) -> None:
    """A barrier's phases by their parity, and the waits at it."""
    look = dict(edge="white", line=0, hatch="////", alpha=0.55)
    style.box(axes, -_BEFORE, y, _BEFORE - 0.06, 0.92, _PARITY[1], **look)
    edges = [0.0, *ends, _END]
    for phase, (begin, end) in enumerate(zip(edges, edges[1:])):
        _bar(axes, begin, end, y, _PARITY[phase % 2])
        end = min(end, _END)
        places = ((begin + end) / 2, begin + 0.95, end - 0.95)
        free = [x for x in places if not any(-1.6 < time - x < 0.95 for time, _ in waits)]
        if free and end - begin > 1.7:
            style.word(axes, free[0], y + 0.46, f"phase {phase}", 6.5)
    for time, parity in waits:
        if time < _END:
            red = dict(color=style.HIGHLIGHT)
            axes.plot([time] * 2, [y - 0.1, y + 1.0], linewidth=1.3, zorder=5, **red)
            style.word(axes, time + 0.1, y + 0.46, f"{who}{parity}", 6.2, ha="left", weight="bold",
                       zorder=6, path_effects=style.halo(2), **red)  # fmt: skip


# Of each chapter the title, the line under it, and the small print.
_WORDS = {
    "06": (
        "Four stages from a fresh start: phases of full",
        "The load of tile k + 3 is issued when the MMAs of tile k begin: tile k - 1 has been read.",
        (
            "W0, W1: here the wait for the end of a phase of parity 0, or 1, is over, and this "
            "tile's MMAs begin;",
            "then the load of the tile three further on is issued, into the stage that was read last.",
        ),
    ),
    "07": (
        "Four stages from a fresh start: phases of full and empty",
        "A wait for parity p passes as soon as the barrier is in a phase of the other parity.",
        (
            "P1: here the producer's wait for parity 1 of empty is over; C0: the consumers' wait "
            "for parity 0 of full.",
            "On the first way through the ring P waits for 1 while empty is in phase 0: it passes "
            "at once. On the second it waits for 0, the end of that phase.",
        ),
    ),
}


def draw(chapter: str):
    title, words, foot = _WORDS[chapter]
    has_empty = chapter == "07"
    lines = ["full", "empty"] if has_empty else ["full"]
    pitch = len(lines) + 2
    height, left = 0.25 * STAGES * pitch, 1.08
    fig = style.figure(1.75 + height, title, words)
    axes = style.add_axes(fig, left, 0.98, WIDTH_IN - left - MARGIN_IN, height - 0.02)
    axes.set(xlim=(-_BEFORE, _END), ylim=(STAGES * pitch, -0.35), xticks=[], yticks=[])
    for stage in range(STAGES):
        mine, y = [visit for visit in visits(chapter) if visit.stage == stage], stage * pitch
        for visit in mine:
            loading = "loads" if visit.arrived - visit.producer_passes > 2 else ""
            _bar(axes, visit.producer_passes, visit.arrived, y, _LOADS, f"{loading} {visit.tile}")
            _bar(axes, visit.arrived, visit.consumer_passes, y, _FULL, str(visit.tile))
            _bar(axes, visit.consumer_passes, visit.released, y, _MULTIPLIES, f"× {visit.tile}")
        waits = [(visit.consumer_passes, visit.full_parity) for visit in mine]
        _phases(axes, y + 1, [visit.arrived for visit in mine], waits, "C" if has_empty else "W")
        if has_empty:
            waits = [(visit.producer_passes, visit.empty_parity) for visit in mine]
            _phases(axes, y + 2, [visit.released for visit in mine], waits, "P")
        style.word(axes, -_BEFORE - 0.2, y + 0.46, f"stage {stage}", ha="right", weight="bold")
        for line, name in enumerate(lines, start=1):
            style.word(axes, -_BEFORE - 0.2, y + line + 0.46, name, ha="right", color=MUTED)
    axes.plot([0, 0], [-0.3, STAGES * pitch - 1], color=style.INK, linewidth=0.9, zorder=4)
    above = dict(va="bottom", color=MUTED)
    style.word(axes, -0.15, -0.28, "before", ha="right", **above)
    style.word(axes, 0.15, -0.28, "the kernel runs: time →", ha="left", **above)
    key = {
        "in a phase of parity 0": _PARITY[0],
        "of parity 1 (hatched: before the first)": _PARITY[1],
        "TMA loads a tile": _LOADS,
        "the MMAs read the tile": _MULTIPLIES,
    }
    style.add_key(fig, height + 1.02, key, 0.5)
    style.add_small_print(fig, *foot)
    return fig
