"""The main loops of chapters 03 and 05 over time. Models: what may begin when follows from the
kernels' waits and barriers, how long it takes is a round number."""

import style
from style import MARGIN_IN, MUTED, PHONE_IN, TEXT_PT, box, word

COLORS = (style.AMBER, style.TEAL, style.INDIGO)

LOAD, STORE, MULTIPLY, BARRIER = 3.0, 0.6, 3.4, 0.25  # times


def buffered(buffers: int, tiles: int = 4) -> tuple[list[tuple[str, int, float, float]], float]:
    """Every load, store, multiplication and barrier of a block: its row, k-tile, begin and end; and
    the end of all."""
    found, now = [("load", 0, 0.0, LOAD)], LOAD

    def then(row: str, tile: int, time: float) -> None:
        nonlocal now
        found.append((row, tile, now, now + time))
        now += time

    then("store", 0, STORE)
    then("barrier", 0, BARRIER)
    for tile in range(tiles):
        last = tile + 1 == tiles
        if not last and buffers == 2:
            found.append(("load", tile + 1, now, now + LOAD))  # beside the multiplication
        then(f"multiply {tile % buffers}", tile, MULTIPLY)
        if not last:
            if buffers == 1:
                then("barrier", tile + 1, BARRIER)  # all have read the buffer
                then("load", tile + 1, LOAD)
            then("store", tile + 1, STORE)
            then("barrier", tile + 1, BARRIER)  # the next k-tile is complete
    return found, now


def double_buffering():
    fig, sheet = style.phone_figure(
        4.55, "One buffer against two (chapter 03)",
        "A model of one block. The number on a bar is the k-tile.",
    )  # fmt: skip
    left, row_in, longest = 1.16, 0.31, buffered(1)[1]
    scale = (PHONE_IN - left - MARGIN_IN) / longest
    for buffers, top, title in ((1, 1.0, "One buffer"), (2, 2.4, "Two buffers")):
        events, end = buffered(buffers)
        names = ["load", "store"] + [f"multiply {i}" for i in range(buffers)]
        words = ["load: GMEM", "store: SMEM"] + [f"read buffer {i}" for i in range(buffers)]
        word(sheet, MARGIN_IN, top - 0.16, title, TEXT_PT, ha="left", weight="bold")
        busy = 4 * MULTIPLY / end
        said = f"multiplying {100 * busy:.0f}% of the time"
        word(sheet, PHONE_IN - MARGIN_IN, top - 0.16, said, ha="right", color=MUTED)
        bottom = top + row_in * len(names)
        for row, text in enumerate(words):
            word(sheet, left - 0.06, top + (row + 0.5) * row_in, text, ha="right")
        for name, tile, begin, stop in events:
            x, wide, color = left + begin * scale, (stop - begin) * scale, COLORS[tile % 3]
            if name == "barrier":
                box(sheet, x, top, wide, bottom - top, style.HIGHLIGHT, alpha=0.85)
                continue
            at, number = top + names.index(name) * row_in, "" if name == "store" else str(tile)
            style.cell(sheet, x, at + 0.04, wide, row_in - 0.08, color, number, weight="bold")
        x = left + end * scale
        sheet.plot([x, x], [top, bottom], color=style.INK, linewidth=1.2)
    style.add_small_print(
        fig, "Red: __syncthreads. With one buffer there are two for each k-tile: after",
        "reading (all warps have read it) and after the store (it is complete).",
        "With two buffers, k-tile k + 1 loads while k multiplies: one barrier.",
    )  # fmt: skip
    return fig


STAGES, TILES, STEPS = 3, 4, 4  # stages of shared memory, k-tiles, k-steps of 16 in a k-tile
ARRIVAL = 5  # k-steps from a copy's issue to its arrival; the wait allows (STAGES - 1) * STEPS - 1


def events() -> list[tuple[str, int, int, float, float]]:
    """Every copy, load and MMA: its column, k-tile and step (of a copy 0), begin and end. The unit
    is the MMAs of a k-step; the first ones begin at 0."""
    found = []
    for tile in range(TILES):
        # Of the first STAGES - 1 tiles in the prologue; later ones in a tile's first step.
        issued = (tile - STAGES + 1) * STEPS + 0.4
        begin = issued if tile >= STAGES - 1 else -1 - ARRIVAL + 0.5 * tile
        found.append((f"stage {tile % STAGES}", tile, 0, begin, begin + ARRIVAL))
        for step in range(STEPS):
            at = tile * STEPS + step
            found.append((f"registers {at % 2}", tile, step, at - 0.95, at - 0.1))
            found.append(("MMAs", tile, step, at, at + 1))
    return found


def pipeline_stages():
    names = [f"stage {i}" for i in range(STAGES)] + ["registers 0", "registers 1", "MMAs"]
    left, top, row_in = 0.62, 1.3, 0.245
    fig, sheet = style.phone_figure(
        top + (1.2 + ARRIVAL + TILES * STEPS) * row_in + 1, "A pipeline of two levels (05)",
        f"{STAGES} stages in SMEM, 2 register buffers, {STEPS} k-steps in a k-tile. Time: down.",
        f"A model: a copy takes as long as the MMAs of {ARRIVAL} k-steps.",
    )  # fmt: skip
    wide = (PHONE_IN - left - MARGIN_IN) / len(names)
    y = lambda time: top + (time + 1.2 + ARRIVAL) * row_in  # noqa: E731
    for col, name in enumerate(names):
        x = left + (col + 0.5) * wide
        word(sheet, x, top - 0.18, name.replace(" ", "\n"), weight="bold", linespacing=1.1)
        sheet.plot([x, x], [top, y(TILES * STEPS)], color=style.FAINT, linewidth=0.7, zorder=1)
    for name, tile, step, begin, end in events():
        x, color = left + names.index(name) * wide, COLORS[tile % STAGES]
        words = f"k{tile}.{step}"
        if name.startswith("stage"):  # then it is read until the last fragments are in registers
            words, read, pale = f"copy\nk{tile}", (tile + 1) * STEPS - 1.1, style.tint(color, 0.3)
            box(sheet, x + 0.14, y(end), wide - 0.28, (read - end) * row_in, pale, zorder=3)
        place = (x + 0.04, y(begin), wide - 0.08, (end - begin) * row_in)
        style.cell(sheet, *place, color, words, zorder=3, linespacing=1.3)
    for tile in range(TILES):  # in the last k-step of the k-tile before: wait, then the barrier
        red, at = dict(color=style.HIGHLIGHT), y(tile * STEPS - 1)
        look = dict(linewidth=1, dashes=(3, 2), zorder=2, **red)
        sheet.plot([left, PHONE_IN - MARGIN_IN], [at, at], **look)
        word(sheet, left - 0.04, at, f"wait<{STAGES - 2}>\nbarrier", ha="right", **red)
    style.add_small_print(
        fig, "copy k2: cp.async of k-tile 2. Pale: the stage is full and read.",
        "registers: ldmatrix of the next k-step, beside the MMAs of this one.",
        "k1.3: k-tile 1, k-step 3. Red: the next k-tile has arrived, and no",
        "warp reads the stage before: the next copy may overwrite that one.",
    )  # fmt: skip
    return fig
