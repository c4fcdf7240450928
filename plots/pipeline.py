"""Chapter 05's main loop over time, and the way of the operands through the memories."""

import style
from style import MARGIN_IN, SMALL_PT, TEXT_PT, WIDTH_IN, add_note, add_text

STAGES, TILES, STEPS = 3, 5, 4  # stages of shared memory, k-tiles, steps of 16 in a k-tile
ARRIVAL = 5  # steps from a copy's issue to its arrival; the wait allows (STAGES - 1) * STEPS - 1
COLORS = (style.AMBER, style.TEAL, style.INDIGO)


def events() -> list[tuple[str, int, int, float, float]]:
    """Every copy, load and MMA: its row, k-tile and step (of a copy 0), begin and end. The unit is
    the MMAs of a step; the first one begins at 0."""
    found = []
    for tile in range(TILES):
        # Of the first STAGES - 1 tiles before the loop; later ones in a tile's first step.
        issued = (tile - STAGES + 1) * STEPS + 0.4
        begin = issued if tile >= STAGES - 1 else -1 - ARRIVAL + 0.5 * tile
        found.append((f"stage {tile % STAGES}", tile, 0, begin, begin + ARRIVAL))
        for step in range(STEPS):
            at = tile * STEPS + step
            found.append((f"registers {at % 2}", tile, step, at - 0.95, at - 0.1))
            found.append(("MMAs", tile, step, at, at + 1))
    return found


def draw():
    """Draws the multi-stage pipeline of chapter 05: copies, loads of fragments, MMAs."""
    names = [f"stage {i}" for i in range(STAGES)] + ["registers 0", "registers 1", "MMAs"]
    left, top, row_in = 1.0, 1.12, 0.34
    fig = style.figure(
        top + len(names) * row_in + 0.98, "A pipeline of two levels: the main loop of chapter 05",
        f"{STAGES} stages of shared memory, 2 register buffers, {STEPS} steps to a k-tile; a "
        f"model, in which a copy takes as long as {ARRIVAL} steps", SMALL_PT,
    )  # fmt: skip
    key = {f"k-tiles {t}, {t + STAGES}": c for t, c in zip(range(STAGES - 1), COLORS)}
    style.add_key(fig, 0.68, key | {f"k-tile {STAGES - 1}": COLORS[STAGES - 1]}, 0.4)
    axes = style.add_axes(fig, left, top, WIDTH_IN - left - MARGIN_IN, len(names) * row_in)
    style.name_rows(axes, names, -1.2 - ARRIVAL, TILES * STEPS + 0.1)
    axes.set_xticks([])
    for row in range(len(names)):
        axes.axhline(row, color=style.FAINT, linewidth=0.7, zorder=1)
    for name, tile, step, begin, end in events():
        row, color = names.index(name), COLORS[tile % STAGES]
        look = dict(edge="white", line=0.6, zorder=3)
        if name.startswith("stage"):  # then it is read until the last fragments are in registers
            read = (tile + 1) * STEPS - 1.1
            style.box(axes, end, row - 0.2, read - end, 0.4, style.tint(color, 0.3), **look)
        style.box(axes, begin, row - 0.36, end - begin, 0.72, color, **look)
        words = {"s": f"copy {tile}", "r": "", "M": str(step)}[name[0]]
        style.word(axes, (begin + end) / 2, row, words, color=style.text_on(color), zorder=4)
    for tile in range(TILES):  # at the last step of the tile before: wait, then the barrier
        at = tile * STEPS - 1
        axes.axvline(at, color=style.HIGHLIGHT, linewidth=1, linestyle=(0, (3, 2)), zorder=2)
    below = top + len(names) * row_in + 0.08
    add_note(fig, left, below, "red: wait<1> and barrier; the next k-tile has arrived, and the "
             "present one has been read")  # fmt: skip
    style.add_small_print(
        fig, "copy: cp.async, global to shared memory; pale: the stage is full or being read.",
        "registers: ldmatrix of the next step, beside the MMAs of this one (0 to 3: the step).",
    )  # fmt: skip
    gap = STAGES - 1
    return fig, (
        f"The copy of k-tile t + {gap} sets out in the first step of k-tile t and has "
        f"{gap * STEPS - 2} steps to arrive. Fragments of a step are loaded beside the MMAs of the "
        "step before. At the last step of a k-tile stand the wait for the next one and a barrier."
    )


# --- The memories ---------------------------------------------------------------------------------

# Name; what it holds of the operands of chapter 05's default; how large it is on an H200; and what
# brings the operands on to the next: in chapters 04 and 05, and in chapters 06 to 09.
LEVELS = (
    ("global memory, L2", "A, B and C", "141 GB, 60 MB"),
    ("shared memory", "k-tiles of a block\n128 × 64, 256 × 64", "228 KB an SM"),
    ("registers", "fragments of a warp\n64 × 16, 64 × 16", "256 KB an SM"),
    ("tensor cores", "one MMA\n16 × 8 × 16", "4 an SM"),
)
WAYS = ("cp.async\nor TMA", "ldmatrix", "mma.sync")


def draw_memories():
    """Draws how operands go down the memories to the tensor cores, and results back."""
    wide, gap, high, top = 1.52, 0.78, 1.06, 0.98
    fig = style.figure(top + high + 1.3, "From global memory to the tensor cores, and back")
    add_text(fig, MARGIN_IN, 0.44, "What a level holds of chapter 05's operands, and which "
             "instruction brings it on", size=SMALL_PT, color=style.MUTED)  # fmt: skip
    sheet = style.add_sheet(fig)
    arrow = dict(arrowstyle="-|>", color=style.INK, linewidth=1.3, shrinkA=0, shrinkB=0)

    def leads(path, words, at, color=style.INK):
        for begin, end in zip(path, path[1:]):
            last = end == path[-1]
            look = arrow | dict(color=color, arrowstyle="-|>" if last else "-")
            sheet.annotate("", end, begin, arrowprops=look)
        style.word(sheet, *at, words, color=color, linespacing=1.3)

    lefts = [MARGIN_IN + i * (wide + gap) for i in range(len(LEVELS))]
    tints = (0.25, 0.45, 0.65, 0.9)
    for left, (name, holds, size), strength in zip(lefts, LEVELS, tints):
        color = style.tint(style.TEAL, strength)
        style.box(sheet, left, top, wide, high, color)
        ink = style.text_on(color)
        look = dict(color=ink, linespacing=1.4)
        style.word(sheet, left + wide / 2, top + 0.2, name, TEXT_PT, weight="bold", color=ink)
        style.word(sheet, left + wide / 2, top + 0.54, holds, **look)
        style.word(sheet, left + wide / 2, top + 0.88, size, **look)
    for left, words in zip(lefts, WAYS):
        begin, end = left + wide, left + wide + gap
        at = (begin + gap / 2, top + 0.36 - 0.1 * words.count("\n"))
        leads([(begin + 0.04, top + 0.6), (end - 0.04, top + 0.6)], words, at)
    middle, low = [left + wide / 2 for left in lefts], top + high
    path = [(middle[1] + 0.3, low), (middle[1] + 0.3, low + 0.3), (middle[3], low + 0.3),
            (middle[3], low + 0.02)]  # fmt: skip
    leads(path, "wgmma reads shared memory (chapters 06 to 09)", (middle[2] + 0.98, low + 0.43),
          style.INDIGO)  # fmt: skip
    path = [(middle[2] - 0.5, low), (middle[2] - 0.5, low + 0.68), (middle[0], low + 0.68),
            (middle[0], low + 0.02)]  # fmt: skip
    leads(path, "the epilogue: accumulators leave registers, through shared memory or directly",
          (middle[1] - 0.1, low + 0.82), style.HIGHLIGHT)  # fmt: skip
    style.add_small_print(fig, "Sizes of an H200. A block may use 227 KB of the 228.")
    steps = "; ".join(f"{a[0]} to {b[0]}: {way}" for a, b, way in zip(LEVELS, LEVELS[1:], WAYS))
    said = steps.replace("\n", " ")
    return fig, f"{said}. wgmma reads shared memory itself. The epilogue brings results back."
