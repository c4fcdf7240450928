#!/usr/bin/env python3
"""A block's timeline: who waits, loads, multiplies and stores while one tile of C follows another.

Draws what a chapter's `--variant timeline` printed, on a GPU (in cycles) or on the CPU backend (in
turns of threads).

usage: timeline.py TIMELINE.json [-o FILE]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import checks
import cli
import results
from checks import ResultError

cli.need_matplotlib()

from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

# Tiles along K that are shown before and after the change from one tile of C to the next.
BEFORE, AFTER = 7, 9

COLORS = {
    "wait_empty": style.FAINT,
    "wait_full": style.FAINT,
    "load": style.CEILING_COLORS["ffma"],
    "multiply": style.CEILING_COLORS["wgmma"],
    "store": style.CEILING_COLORS["mma_sync"],
}
WORDS = {"load": "loads", "multiply": "multiplies", "store": "stores", "wait_full": "waits"}

_LEFT_IN, _TOP_IN, _ROW_IN, _BAR_IN = 0.95, 1.02, 0.52, 0.34


class Note(NamedTuple):
    event: str
    begin: int
    end: int
    number: int  # counts the events of this kind in its role


class Timeline(NamedTuple):
    chapter: str
    device: str
    shape: str
    unit: str
    k_tiles: int
    roles: list[tuple[str, list[Note]]]


def _note(value: Any) -> bool:
    """Whether it is [event, begin, end]."""
    if not isinstance(value, list) or len(value) != 3 or value[0] not in list(COLORS):
        return False
    _, begin, end = value
    return type(begin) is type(end) is int and 0 <= begin <= end < 2**63


def load(path: Path) -> Timeline:
    """Reads one file; refuses what is not a timeline in one line."""
    file = checks.read_object(path)
    roles = []
    for entry in file.children("roles"):
        seen: dict[str, int] = {}
        notes = []
        for i, note in enumerate(entry.get("notes", checks.a_list)):
            if not _note(note):
                entry.fail(f"notes[{i}]", "expected an event, its begin and its end")
            event, begin, end = note
            notes.append(Note(event, begin, end, seen.get(event, 0)))
            seen[event] = seen.get(event, 0) + 1
        roles.append((entry.get("role", checks.text), notes))
    found = Timeline(
        *(file.get(name, checks.text) for name in ("chapter", "device", "shape", "unit")),
        file.get("k_tiles", checks.extent),
        roles,
    )
    first, last = window(found)
    if first == last:
        raise ResultError(f"{path}: what is shown takes no time")
    return found


def window(timeline: Timeline) -> tuple[int, int]:
    """From BEFORE multiplications before the last consumer's first store to AFTER behind it."""
    starts, ends = [], []
    for role, notes in timeline.roles:
        multiplied = [note for note in notes if note.event == "multiply"]
        if not multiplied:
            continue
        if len(multiplied) <= timeline.k_tiles + AFTER:
            raise ResultError(f"timeline: {role} ends before {AFTER} tiles behind its first store")
        starts.append(multiplied[max(0, timeline.k_tiles - BEFORE)].begin)
        ends.append(multiplied[timeline.k_tiles + AFTER].end)
    if not starts:
        raise ResultError("timeline: nobody multiplies")
    return min(starts), max(ends)


def _draw_role(axes, notes: list[Note], row: int, timeline: Timeline) -> None:
    first, last = window(timeline)
    hair = (last - first) / 450  # what takes no time is still to be seen
    for note in notes:
        if note.end < first or note.begin > last:
            continue
        waits = note.event.startswith("wait")
        if waits and note.end - note.begin < hair:
            continue
        begin, end = max(note.begin, first), min(max(note.end, note.begin + hair), last)
        height = 0.32 if waits else 0.66
        axes.add_patch(
            Rectangle(
                (begin, row - height / 2),
                end - begin,
                height,
                facecolor=COLORS[note.event],
                edgecolor="white" if end - begin > 6 * hair else "none",
                linewidth=0.6,
                zorder=2 if waits else 3,
            )
        )
        if note.event == "multiply" and end - begin > 11 * hair:
            axes.text(
                (begin + end) / 2,
                row,
                str(note.number % timeline.k_tiles),
                ha="center",
                va="center",
                size=6,
                color=style.text_on(COLORS[note.event]),
            )


def draw(timeline: Timeline) -> tuple[Figure, str]:
    rows = len(timeline.roles)
    fig = style.figure(_TOP_IN + rows * _ROW_IN + 0.72)
    number = timeline.chapter.split("_")[0]
    title = f"Chapter {number}: one block, from one tile of C to the next"
    style.add_text(fig, style.MARGIN_IN, 0.12, title, size=style.TITLE_PT, weight="bold")
    first, last = window(timeline)
    style.add_text(
        fig,
        style.MARGIN_IN,
        0.4,
        f"{timeline.device} · {timeline.shape}, bf16 · {timeline.k_tiles} tiles along K, their "
        "numbers on the bars",
        size=style.SMALL_PT,
        color=style.MUTED,
    )
    left = style.MARGIN_IN
    for event, word in WORDS.items():
        style.add_text(fig, left, 0.66, "■", size=style.TEXT_PT, color=COLORS[event])
        style.add_text(fig, left + 0.16, 0.67, word, size=style.SMALL_PT)
        left += 0.34 + style.text_width(word, style.SMALL_PT)
    axes = style.add_axes(
        fig, _LEFT_IN, _TOP_IN, style.WIDTH_IN - _LEFT_IN - style.MARGIN_IN, rows * _ROW_IN
    )
    axes.set_xlim(first, last)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.set_yticks(range(rows), [name for name, _ in timeline.roles])
    axes.tick_params(axis="y", length=0, labelsize=style.SMALL_PT, labelcolor=style.INK)
    axes.grid(axis="x")
    unit = "cycles of the SM" if timeline.unit == "cycles" else "turns of threads"
    axes.set_xlabel(unit, size=style.SMALL_PT)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    for row, (_, notes) in enumerate(timeline.roles):
        _draw_role(axes, notes, row, timeline)
    return fig, describe(timeline)


def describe(timeline: Timeline) -> str:
    """What the figure says, for those who cannot see it: each role's time by what it did."""
    first, last = window(timeline)
    parts = []
    for name, notes in timeline.roles:
        spent: dict[str, int] = {}
        for note in notes:
            inside = min(note.end, last) - max(note.begin, first)
            if inside > 0:
                spent[note.event] = spent.get(note.event, 0) + inside
        shares = ", ".join(
            f"{event.replace('_', ' ')} {100 * time / (last - first):.0f}%"
            for event, time in sorted(spent.items())
        )
        parts.append(f"{name}: {shares or 'nothing that takes time'}")
    return f"{last - first} {timeline.unit} of one block. " + "; ".join(parts) + "."


def write(path: Path, output: Path) -> None:
    fig, description = draw(load(path))
    style.save(fig, output, "Timeline of one block", description)


def recorded(root: Path = results.ROOT) -> list[tuple[Path, str]]:
    """The committed timelines and the names of their figures."""
    files = sorted((root / "plots" / "results").glob("timeline_*.json"))
    return [(path, path.stem + ".svg") for path in files]


def main() -> int:
    description = "Draws the timeline that --variant timeline printed."
    return cli.draw_from_file(description, write, "TIMELINE.json", "timeline.svg")


if __name__ == "__main__":
    cli.run(main)
