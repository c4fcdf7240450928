#!/usr/bin/env python3
"""A block's timeline: who waits, loads, multiplies and stores while one tile of C follows another.

Draws what a chapter's `--variant timeline` printed, on a GPU (in cycles) or on the CPU backend (in
turns of threads).
"""

import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import cli
import style
from style import MARGIN_IN, SMALL_PT, WIDTH_IN

# Tiles along K that are shown before and after the change from one tile of C to the next.
BEFORE, AFTER = 7, 9
COLORS = {
    "wait_empty": style.FAINT,
    "wait_full": style.FAINT,
    "load": style.AMBER,
    "multiply": style.INDIGO,
    "store": style.TEAL,
}
WORDS = {"load": "loads", "multiply": "multiplies", "store": "stores", "wait_full": "waits"}


class Note(NamedTuple):
    event: str
    begin: int
    end: int
    number: int  # counts the events of this kind in its role


def load(path: Path) -> SimpleNamespace:
    """Reads one file, `roles` as notes by name, and the `window` that is shown; refuses what is not
    a timeline in one line."""
    file = cli.read_json(path)
    with cli.reading(path):
        events = file["traceEvents"]
        title = r"(?P<chapter>\w+) timeline (?P<shape>\S+), (?P<device>.*): a block"
        about = re.fullmatch(title, events[0]["args"]["name"]).groupdict()
        tracks = (event for event in events if event["name"] == "thread_name")
        names = {track["tid"]: track["args"]["name"] for track in tracks}
        roles: dict[str, list[Note]] = {}
        seen: Counter = Counter()
        spans = [event for event in events if event["ph"] in "BE"]
        for begin, end in zip(spans[::2], spans[1::2], strict=True):
            event, role = begin["name"].split(",")[0], names[begin["tid"]]
            if event in COLORS:  # a role's, and not a stage's
                times = round(1000 * begin["ts"]), round(1000 * end["ts"])
                roles.setdefault(role, []).append(Note(event, *times, seen[event, role]))
                seen[event, role] += 1
        k_tiles = int(about["shape"].split("x")[2]) // 64
        return SimpleNamespace(**about, k_tiles=k_tiles, roles=roles, window=window(roles, k_tiles))


def window(roles: dict[str, list[Note]], k_tiles: int) -> tuple[int, int]:
    """From BEFORE multiplications before the last consumer's first store to AFTER behind it."""
    every = ([note for note in notes if note.event == "multiply"] for notes in roles.values())
    multiplied = [notes for notes in every if notes]
    first = min(notes[max(0, k_tiles - BEFORE)].begin for notes in multiplied)
    last = max(notes[k_tiles + AFTER].end for notes in multiplied)
    if first == last:
        raise ValueError("what is shown takes no time")
    return first, last


def draw(path: Path):
    """Draws the timeline that --variant timeline printed."""
    timeline = load(path)
    first, last = timeline.window
    hair = (last - first) / 450  # what takes no time is still to be seen
    rows, left, top, row_in = len(timeline.roles), 0.95, 1.02, 0.52
    fig = style.figure(
        top + rows * row_in + 0.72,
        f"Chapter {timeline.chapter.split('_')[0]}: one block, from one tile of C to the next",
        f"{timeline.device} · {timeline.shape}, bf16 · {timeline.k_tiles} tiles along K, their "
        "numbers on the bars",
        SMALL_PT,
    )
    style.add_key(fig, 0.66, {word: COLORS[event] for event, word in WORDS.items()})
    axes = style.add_axes(fig, left, top, WIDTH_IN - left - MARGIN_IN, rows * row_in)
    style.name_rows(axes, timeline.roles, first, last)
    axes.grid(axis="x")
    unit = "turns of threads" if timeline.device == "CPU backend" else "cycles of the SM"
    axes.set_xlabel(unit, size=SMALL_PT)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    parts = []
    for row, (name, notes) in enumerate(timeline.roles.items()):
        spent: Counter = Counter()
        for note in notes:
            in_window = max(0, min(note.end, last) - max(note.begin, first))
            spent[note.event.replace("_", " ")] += in_window
            waits = note.event.startswith("wait")
            if note.end < first or note.begin > last or (waits and note.end - note.begin < hair):
                continue
            begin, end = max(note.begin, first), min(max(note.end, note.begin + hair), last)
            height, color = 0.32 if waits else 0.66, COLORS[note.event]
            look = dict(edge="white" if end - begin > 6 * hair else "none", line=0.6)
            place = (begin, row - height / 2, end - begin, height)
            style.box(axes, *place, color, zorder=2 if waits else 3, **look)
            if note.event == "multiply" and end - begin > 11 * hair:
                number, look = note.number % timeline.k_tiles, dict(color=style.text_on(color))
                style.word(axes, (begin + end) / 2, row, str(number), 6, va="center", **look)
        shares = (f"{event} {100 * time / (last - first):.0f}%" for event, time in spent.items())
        parts.append(f"{name}: {', '.join(shares)}")
    return fig, f"{last - first} {unit.split()[0]} of one block. {'; '.join(parts)}."


if __name__ == "__main__":
    cli.run(lambda: style.main(draw, "timeline.svg", "TIMELINE.json"))
