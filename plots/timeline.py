#!/usr/bin/env python3
"""A block's timeline: who waits, loads, multiplies and stores while one tile of C follows another, as
`--variant timeline` printed it, on a GPU (in cycles) or on the CPU backend (in turns of threads)."""

import re
from pathlib import Path
from types import SimpleNamespace

import cli
import style
from style import MARGIN_IN, SMALL_PT, WIDTH_IN

import pandas as pd

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


def load(path: Path) -> SimpleNamespace:
    """Reads one file, with its `notes` as a frame, and what of them is shown: from BEFORE
    multiplications before the last consumer's first store to AFTER behind it."""
    file = cli.read_json(path)
    with cli.reading(path):
        events = file["traceEvents"]
        title = r"(?P<chapter>\w+) timeline (?P<shape>\S+), (?P<device>.*): a block"
        about = re.fullmatch(title, events[0]["args"]["name"]).groupdict()
        file = SimpleNamespace(**about, k_tiles=int(about["shape"].split("x")[2]) // 64)
        tracks = {one["tid"]: one["args"]["name"] for one in events if one["name"] == "thread_name"}
        spans = [one for one in events if one["ph"] in "BE"]
        rows = [
            (tracks[begin["tid"]], begin["name"].split(",")[0], begin["ts"] * 1000, end["ts"] * 1000)
            for begin, end in zip(spans[::2], spans[1::2], strict=True)
        ]
        notes = pd.DataFrame(rows, columns=["role", "event", "begin", "end"]).round()
        notes = notes[notes.event.isin(COLORS)].reset_index()  # those of roles, not those of stages
        notes["color"] = [COLORS[event] for event in notes.event]
        notes["number"] = notes.groupby(["role", "event"]).cumcount() % file.k_tiles
        multiplied = notes[notes.event == "multiply"].groupby("role")
        file.first = int(multiplied.begin.nth(max(0, file.k_tiles - BEFORE)).min())
        file.last = int(multiplied.end.nth(file.k_tiles + AFTER).max())
        file.notes = notes
    return file


def draw(path: Path):
    """Draws the timeline that --variant timeline printed."""
    timeline = load(path)
    first, last, names = timeline.first, timeline.last, timeline.notes.role.unique()
    hair = (last - first) / 450  # what takes no time is still to be seen
    rows, left, top, row_in = len(names), 0.95, 1.02, 0.52
    fig = style.figure(
        top + rows * row_in + 0.72,
        f"Chapter {timeline.chapter.split('_')[0]}: one block, from one tile of C to the next",
        f"{timeline.device} · {timeline.shape}, bf16 · {timeline.k_tiles} tiles along K, their "
        "numbers on the bars",
        SMALL_PT,
    )
    style.add_key(fig, 0.66, {word: COLORS[event] for event, word in WORDS.items()})
    axes = style.add_axes(fig, left, top, WIDTH_IN - left - MARGIN_IN, rows * row_in)
    style.name_rows(axes, names, first, last)
    axes.grid(axis="x")
    unit = "turns of threads" if timeline.device == "CPU backend" else "cycles of the SM"
    axes.set_xlabel(unit, size=SMALL_PT)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    for row, name in enumerate(names):
        notes = timeline.notes[timeline.notes.role == name]
        for note in notes[(notes.end >= first) & (notes.begin <= last)].itertuples():
            waits = note.event.startswith("wait")
            if waits and note.end - note.begin < hair:
                continue
            begin, end = max(note.begin, first), min(max(note.end, note.begin + hair), last)
            height = 0.32 if waits else 0.66
            look = dict(edge="white" if end - begin > 6 * hair else "none", line=0.6)
            place = (begin, row - height / 2, end - begin, height)
            style.box(axes, *place, note.color, zorder=2 if waits else 3, **look)
            if note.event == "multiply" and end - begin > 11 * hair:
                look = dict(color=style.text_on(note.color), va="center")
                style.word(axes, (begin + end) / 2, row, str(note.number), 6, **look)
    return fig


if __name__ == "__main__":
    cli.run(lambda: style.main(draw, "timeline.svg", "TIMELINE.json"))
