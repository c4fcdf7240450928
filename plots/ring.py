#!/usr/bin/env python3
"""The rings of chapters 06 and 07 from a fresh start: phases of barriers, and which waits pass.

A small simulation fills them: loads that take a while, and who multiplies what they bring. In chapter
07 a producer waits for empty stages; in chapter 06 the thread that multiplies loads, a stage less
ahead. Phases, parities and waits follow from the counts of every stage; the times are only there to
have something to see.

usage: ring.py [--chapter 06|07] [-o FILE]
"""

from __future__ import annotations

from pathlib import Path
from typing import Callable, NamedTuple

import cli

cli.need_matplotlib()

from matplotlib.patches import Rectangle  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

STAGES = 4
TILES = 11
_ISSUE, _LOAD, _MULTIPLY = 0.55, 3.2, 1.75  # times
_END = 21.5  # of what is shown

_PARITY = ("#f7d08a", "#7fb6c9")  # the present phase's
_CONTENT = {"load": "#d9dce1", "multiply": "#b9bde6"}
_WAIT = "#c2272d"


class Turn(NamedTuple):
    """One tile's way through its stage, with the times when waits pass and phases end."""

    tile: int
    stage: int
    lap: int
    producer_asks: float  # wait_empty is called
    producer_passes: float  # and over; the load sets out
    arrived: float  # its bytes are there: the full barrier's phase ends
    consumer_passes: float  # wait_full is over
    released: float  # the consumers' arrivals: the empty barrier's phase ends

    @property
    def empty_parity(self) -> int:
        """What the producer waits for: in the first lap a phase that never was."""
        return self.lap % 2 ^ 1

    @property
    def full_parity(self) -> int:
        return self.lap % 2


def turns(stages: int = STAGES, tiles: int = TILES) -> list[Turn]:
    """Every tile in order; a stage is loaded when the tile `stages` before it has been released."""
    done: list[Turn] = []
    producer = consumer = 0.0
    for tile in range(tiles):
        asks = producer
        passes = max(asks, done[tile - stages].released if tile >= stages else 0.0)
        producer = passes + _ISSUE
        arrived = passes + _LOAD
        starts = max(consumer, arrived)
        consumer = starts + _MULTIPLY
        done.append(
            Turn(tile, tile % stages, tile // stages, asks, passes, arrived, starts, consumer)
        )
    return done


def turns_of_06(stages: int = STAGES, tiles: int = TILES) -> list[Turn]:
    """A stage is loaded behind the wait that says that the tile before has been read from it."""
    done: list[Turn] = []
    ahead = stages - 1  # one group of products is under way
    multiplied = 0.0
    for tile in range(tiles):
        issued = done[tile - ahead].consumer_passes if tile >= ahead else tile * _ISSUE
        arrived = issued + _LOAD
        starts = max(multiplied, arrived)
        multiplied = starts + _MULTIPLY
        done.append(
            Turn(tile, tile % stages, tile // stages, issued, issued, arrived, starts, multiplied)
        )
    return done


class Ring(NamedTuple):
    """What is drawn of a chapter's ring."""

    title: str
    words: str
    turns: Callable[[], list[Turn]]
    has_empty: bool
    small_print: tuple[str, str]
    description: str


RINGS = {
    "06": Ring(
        "Four stages from a fresh start: phases of full",
        "Tile k + 3 sets out as soon as tile k is being multiplied: then tile k - 1 has been read.",
        turns_of_06,
        has_empty=False,
        small_print=(
            "W0, W1: here the wait for the end of a phase of parity 0, or 1, is over, and this tile's "
            "products begin;",
            "with them the load of the tile three further on sets out, into the stage that was read "
            "last.",
        ),
        description=(
            "For each of four stages a line of time: what is in the stage, and the phases of its full "
            "barrier, coloured by parity. Three tiles set out at the start; each further one when the "
            "tile three before it begins to be multiplied, into the stage of the tile before that."
        ),
    ),
    "07": Ring(
        "Four stages from a fresh start: phases of full and empty",
        "A wait for parity p passes as soon as the barrier is in a phase of the other parity.",
        turns,
        has_empty=True,
        small_print=(
            "P1: here the producer's wait for parity 1 of empty is over; C0: the consumers' "
            "wait for parity 0 of full.",
            "In the first lap P waits for 1 while empty is in phase 0: it passes at once. "
            "In the second it waits for 0, the end of that phase.",
        ),
        description=(
            "For each of four stages a line of time: what is in the stage, and the phases of its full "
            "and its empty barrier, coloured by parity. The producer's waits of the first lap, for "
            "parity 1, pass at once; those of the second, for parity 0, pass when the consumers have "
            "released the stage."
        ),
    ),
}


def parity_at(ends: list[float], time: float) -> int:
    """Of the phase that a barrier is in: phase n begins when n phases have ended."""
    return sum(end <= time for end in ends) % 2


def draw(chapter: str = "07"):
    ring = RINGS[chapter]
    lines = ["stage", "full", *(["empty"] if ring.has_empty else [])]
    pitch = len(lines) + 1
    height = 0.25 * (STAGES * pitch)
    fig = style.figure(1.75 + height)
    style.add_text(
        fig,
        style.MARGIN_IN,
        0.12,
        ring.title,
        size=style.TITLE_PT,
        weight="bold",
    )
    style.add_text(fig, style.MARGIN_IN, 0.42, ring.words, size=style.TEXT_PT, color=style.MUTED)
    left, top = 1.08, 0.98
    axes = style.add_axes(fig, left, top, style.WIDTH_IN - left - style.MARGIN_IN, height - 0.02)
    before = 2.1  # room for what a fresh barrier counts as
    axes.set_xlim(-before, _END)
    axes.set_ylim(STAGES * pitch, -0.35)
    axes.set_xticks([])
    axes.set_yticks([])

    def bar(begin, end, y, color, text="", **kwargs) -> None:
        end = min(end, _END)
        if begin >= end:
            return
        kwargs.setdefault("edgecolor", "white")
        axes.add_patch(Rectangle((begin, y), end - begin, 0.92, facecolor=color, **kwargs))
        if text and end - begin > 0.9:
            at = dict(ha="center", va="center_baseline", size=6.5, color=style.INK)
            axes.text((begin + end) / 2, y + 0.46, text, **at)

    def wait(time, y, who, parity) -> None:
        if time >= _END:
            return
        axes.plot([time, time], [y - 0.1, y + 1.0], color=_WAIT, linewidth=1.3, zorder=5)
        at = dict(ha="left", va="center_baseline", size=6.2, color=_WAIT, weight="bold", zorder=6)
        axes.text(time + 0.1, y + 0.46, f"{who}{parity}", path_effects=style.halo(2), **at)

    def phases(ends, waits, y) -> None:
        before_first = dict(hatch="////", linewidth=0, alpha=0.55)
        bar(-before, -0.06, y, _PARITY[1], edgecolor="white", **before_first)
        edges = [0.0, *ends, _END]
        for phase, (begin, end) in enumerate(zip(edges, edges[1:])):
            bar(begin, end, y, _PARITY[phase % 2])
            end = min(end, _END)
            places = ((begin + end) / 2, begin + 0.95, end - 0.95)
            free = [x for x in places if not any(-1.6 < wait - x < 0.95 for wait in waits)]
            if free and end - begin > 1.7:
                at = dict(ha="center", va="center_baseline", size=6.5, color=style.INK)
                axes.text(free[0], y + 0.46, f"phase {phase}", **at)

    all_turns = ring.turns()
    for stage in range(STAGES):
        mine = [turn for turn in all_turns if turn.stage == stage]
        y = stage * pitch
        for turn in mine:
            loading = "loads" if turn.arrived - turn.producer_passes > 2 else ""
            bar(turn.producer_passes, turn.arrived, y, _CONTENT["load"], f"{loading} {turn.tile}")
            bar(turn.arrived, turn.consumer_passes, y, "#eceef1", str(turn.tile))
            bar(turn.consumer_passes, turn.released, y, _CONTENT["multiply"], f"× {turn.tile}")
        full_waits = [turn.consumer_passes for turn in mine]
        empty_waits = [turn.producer_passes for turn in mine]
        phases([turn.arrived for turn in mine], full_waits, y + 1)
        for turn in mine:
            wait(turn.consumer_passes, y + 1, "C" if ring.has_empty else "W", turn.full_parity)
        if ring.has_empty:
            phases([turn.released for turn in mine], empty_waits, y + 2)
            for turn in mine:
                wait(turn.producer_passes, y + 2, "P", turn.empty_parity)
        for line, name in enumerate([f"stage {stage}", *lines[1:]]):
            at = dict(ha="right", va="center_baseline", size=style.SMALL_PT)
            weight = "bold" if line == 0 else "normal"
            color = style.INK if line == 0 else style.MUTED
            axes.text(-before - 0.2, y + line + 0.46, name, weight=weight, color=color, **at)
    axes.plot([0, 0], [-0.3, STAGES * pitch - 1], color=style.INK, linewidth=0.9, zorder=4)
    at = dict(va="bottom", size=style.SMALL_PT, color=style.MUTED)
    axes.text(-0.15, -0.28, "before", ha="right", **at)
    axes.text(0.15, -0.28, "the kernel runs: time →", ha="left", **at)

    keys = (
        (_PARITY[0], "in a phase of parity 0"),
        (_PARITY[1], "of parity 1 (hatched: before the first)"),
        (_CONTENT["load"], "TMA brings a tile"),
        (_CONTENT["multiply"], "the tile is multiplied"),
    )
    x = style.MARGIN_IN
    for color, text in keys:
        key = style.add_axes(fig, x, height + 1.03, 0.2, 0.13)
        key.set_xticks([])
        key.set_yticks([])
        key.set_facecolor(color)
        style.add_text(fig, x + 0.26, height + 1.02, text, size=style.SMALL_PT, color=style.MUTED)
        x += 0.26 + style.text_width(text, style.SMALL_PT) + 0.32
    style.add_small_print(fig, [(line, False) for line in ring.small_print])
    return fig, ring.description


def write(path: Path, chapter: str = "07") -> None:
    fig, description = draw(chapter)
    style.save(fig, path, "The ring of four stages from a fresh start", description)


def main() -> int:
    parser = cli.figure_parser("Draws a chapter's ring of stages and barriers.", "ring.svg")
    parser.add_argument("--chapter", choices=tuple(RINGS), default="07")
    args = parser.parse_args()
    write(args.output, args.chapter)
    print(args.output)
    return 0


if __name__ == "__main__":
    cli.run(main)
