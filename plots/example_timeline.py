"""The example that all chapters share, as the kernels of chapters 05 to 09 ran it on the CPU backend:
what `--variant running_example` printed of one SM's blocks, or of a cluster's, event after event. Only
their order is shown, not time, and an event is as wide as the words in it."""

from collections import Counter, namedtuple
from pathlib import Path
from types import SimpleNamespace

import cli
import style
from style import AMBER, FAINT, INDIGO, MARGIN_IN, PHONE_IN, SMALL_PT, TEAL

K_TILES, STAGES, STORES = 3, 2, 4  # STORES: by TMA, of a tile
FIELDS = ("block", "kind", "thread", "barrier", "phase", "turn")  # of an event
DONE = ("multiplied", "stored")  # MMAs have been waited for
CONSUMERS = {128: "consumer 0", 256: "consumer 1"}
LANES = {  # of who loads, and of threads that multiply, the first of each warpgroup
    "05": ("all threads: copy", {0: "all threads: mma"}),
    "06": ("thread 0: TMA", {0: "warpgroup 0", 128: "warpgroup 1"}),
    "08": ("producer", {128: "consumer 0"}),  # the other one does the same
}
COLORS = {
    "load": AMBER,
    "multiply": INDIGO,
    "store C": TEAL,
    "wait": FAINT,
    "stage fills": style.tint(AMBER, 0.35),
    "stage is read": style.tint(INDIGO, 0.2),
}
WIDTHS = {"load": 4.2, "multiply": 4.2, "store": 2.4, "stored": 3.2}  # of events; of others 0.6
LANE_IN, TOP_IN, CAPTION_IN = 0.26, 1.16, 0.4
# Of a lane; `half`: the upper (-1) or the lower one (1).
Span = namedtuple("Span", "lane kind begin end text half", defaults=[0])


def events_of(file: dict, shown: set[int]) -> list[SimpleNamespace]:
    """The events in their order and with their places. Chapter 05 has groups of copies and no
    barriers: as if each group had gone to a stage that has one."""
    events, seen = [], Counter()
    for block, kind, thread, barrier, phase, turn in file["events"]:
        number, kinds = seen[block, kind], {kind: (phase, barrier)}
        seen[block, kind] += 1
        ring = divmod(number, STAGES)
        if kind == "commit":
            kinds = {"load": ring}
        elif kind == "retire":  # behind the wait the last step of the k-tile before is multiplied
            kinds = {"blocked": ring, "phase": ring, "wait": ring} if number <= K_TILES else {}
            kinds |= {"multiplied": (number, 0)} if 0 < number <= K_TILES else {}
            kinds |= {"multiply": (number, 0)} if number < K_TILES else {}
        for kind, (phase, barrier) in kinds.items():
            fields = dict(zip(FIELDS, (block, kind, thread, barrier, phase, turn)))
            events.append(SimpleNamespace(**fields))
    at, loads = 0.0, set()
    for e in events:
        if e.kind == "multiplied" and e.phase % K_TILES == 0 and file["chapter"] < "09":
            e.kind = "stored"  # a tile's accumulators, by the threads that hold them
        load = (e.kind, e.block, e.thread, e.barrier, e.phase)  # A and B of a k-tile are one
        e.begin = e.end = at
        if e.kind == "phase" or e.thread in shown and load not in loads:
            e.end = at = at + WIDTHS.get(e.kind, 0.6)
        loads |= {load} if e.kind == "load" else set()
    return events


def spans(file: dict) -> tuple[list[str], list[Span], list[SimpleNamespace]]:
    """The lanes from top to bottom, what lies in them, and the events."""
    chapter, found, lanes = file["chapter"][:2], [], []
    loader, workers = LANES.get(chapter, ("producer", CONSUMERS))
    events = events_of(file, {0, *workers})
    full = sorted({e.barrier for e in events if e.kind == "load"})
    empty = sorted({e.barrier for e in events if e.kind == "phase"} - {*full})
    for block, *tiles in file["blocks"]:
        own = f"{block}: " if chapter == "08" else ""
        lane_of = {thread: own + lane for thread, lane in {0: loader, **workers}.items()}
        some = [loader, *workers.values(), *["TMA stores"] * (chapter == "09"), "stage 0", "stage 1"]
        lanes += [own + lane for lane in some if own + lane not in lanes]
        mine, stores, read = [e for e in events if e.block == block], 0, {}

        def words(number: int) -> str:  # of a k-tile
            if number == K_TILES * len(tiles):
                return "zeros"  # what chapter 05 copies behind the last k-tile
            turn, k = divmod(number, K_TILES)
            backwards = file["reverse_k"] and turn % 2 == 1
            return f"t{tiles[turn]} k{K_TILES - 1 - k if backwards else k}"

        for i, e in enumerate(mine):
            lane, later = lane_of.get(e.thread), [o for o in mine[i:] if o.thread == e.thread]
            if e.kind == "load" and e.end > e.begin:
                number = e.phase * STAGES + full.index(e.barrier)
                found.append(Span(own + loader, "load", e.begin, e.end, words(number)))
            elif e.kind == "blocked" and lane:
                end = next(o.begin for o in later if o.kind == "wait")
                found.append(Span(lane, "wait", e.begin, end, ""))
            elif e.kind == "multiply" and lane:
                half = 0 if chapter == "09" else e.phase % 2 * 2 - 1
                end = next(o.begin for o in later if o.kind in DONE and o.phase > e.phase)
                found.append(Span(lane, "multiply", e.begin, end, words(e.phase), half))
            elif e.kind in ("store", "stored") and lane:
                by_tma, turn = e.kind == "store", e.phase // K_TILES - 1
                tile, lane = (tiles[stores // STORES], "TMA stores") if by_tma else (tiles[turn], lane)
                found.append(Span(lane, "store C", e.begin, e.end, f"t{tile}"))
                stores += by_tma
            if e.kind in DONE:  # the k-tiles up to this one have been read
                read = {(e.thread, number): e.begin for number in range(e.phase)} | read
        for number in range(K_TILES * len(tiles)):
            phase, stage = divmod(number, STAGES)
            at = {(e.kind, e.barrier): e.begin for e in reversed(mine) if e.phase == phase}
            filled, freed = at["phase", full[stage]], max(t for (_, n), t in read.items() if n == number)
            freed = at["phase", empty[stage]] if empty else freed
            for kind, *ends in (("fills", at["load", full[stage]], filled), ("is read", filled, freed)):
                found.append(Span(f"{own}stage {stage}", f"stage {kind}", *ends, words(number)))
    return lanes, found, events


def draw(path: Path):
    file = cli.read_json(path)
    with cli.reading(path):
        lanes, found, events = spans(file)
        chapter, blocks = file["chapter"][:2], [block for block, *_ in file["blocks"]]
    which = f"blocks {blocks[0]} and {blocks[1]}" if len(blocks) > 1 else f"block {blocks[0]}"
    title, rows = f"Running example, chapter {chapter}", 2 if chapter < "07" else 3
    words = "256 × 256 × 192; tiles of 128 × 128, k-tiles of 64; " + which
    more = "“t1 k2”: k-tile 2 of tile 1" + "; “0:” is block 0" * (chapter == "08")
    height, left = len(lanes) * LANE_IN, 0.3 + max(style.text_width(lane, SMALL_PT) for lane in lanes)
    fig = style.figure(TOP_IN + rows * (height + CAPTION_IN), title, words, SMALL_PT, PHONE_IN)
    style.add_note(fig, MARGIN_IN, 0.42 + style.LINE_IN, more)
    style.add_key(fig, 0.85, COLORS, gap=0.28)
    wide, last = PHONE_IN - left - MARGIN_IN, events[-1].end
    whole = [s for s in found if s.kind in ("load", "store C")]  # these are not cut in two
    cuts = [e.end for e in events if not any(s.begin < e.end < s.end for s in whole)]
    edges = [min(cuts, key=lambda at: abs(at - last * row / rows)) for row in range(1, rows)]
    edges = [0, *edges, last]
    room = max(end - begin for begin, end in zip(edges, edges[1:]))
    for row, (first, until) in enumerate(zip(edges, edges[1:])):
        axes = style.add_axes(fig, left, TOP_IN + row * (height + CAPTION_IN), wide, height)
        style.name_rows(axes, lanes, first, first + room)
        axes.set_xticks([])
        turns = [e.turn for e in events if first <= e.begin < until]
        caption = f"block {blocks[row]}; " if chapter < "07" else ""
        caption += f"order of events: turns {turns[0]:,} to {turns[-1]:,} of threads, not time"
        axes.set_xlabel(caption, size=7)
        for span in found:
            begin, end, color = max(span.begin, first), min(span.end, until), COLORS[span.kind]
            if end <= begin:
                continue
            thick, size = (0.44, 6) if span.half else (0.84, 6.5)
            y, above = lanes.index(span.lane) + 0.22 * span.half, 2 if span.kind == "wait" else 3
            style.box(axes, begin, y - thick / 2, end - begin, thick, color, "white", 0.6, zorder=above)
            if style.text_width(span.text, size) < (end - begin) / room * wide:
                look = dict(color=style.text_on(color), zorder=4)
                style.word(axes, (begin + end) / 2, y, span.text, size, **look)
    return fig

