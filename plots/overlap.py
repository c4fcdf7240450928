"""What overlaps in chapters 06, 07 and 09: loads, MMAs and stores of three tiles of C. A model: the
rules are those of the kernels, the times are round numbers."""

import style
from style import MARGIN_IN, SMALL_PT, TEXT_PT, WIDTH_IN, add_note, add_text

STAGES, TILES, STEPS = 4, 3, 6  # STEPS: k-tiles, for each tile of C
# Times; the unit is the multiplication of one k-tile.
ISSUE, LOAD, LAUNCH, STORE, HOLD = 0.08, 2.0, 0.8, 3.0, 0.45
PARTS = 4  # in which a tile leaves when its stores are deferred
ROWS = ("loads", "MMAs", "stores")

# In words; whether one block stays for all tiles, with a producer that runs ahead; whether stores
# wait for the next tile's MMAs.
WAYS = (
    ("06: a block for each tile", False, False),
    ("07: a persistent block, with a producer", True, False),
    ("09: stores deferred, beside the next tile's MMAs", True, True),
)


def bars(stays: bool, defers: bool) -> list[tuple[str, int, float, float]]:
    """Every load, MMA and store of a block's three tiles, or of three blocks on one SM: the row of
    ROWS, the tile, begin and end."""
    found = []
    multiplied: list[float] = []  # when each step was, over all tiles
    producer = ready = 0.0  # when the next load can be issued, and the next MMA begin
    waiting = None  # the tile whose parts still have to leave
    for tile in range(TILES):
        if not stays:  # nothing is in shared memory when a block begins
            producer = ready = (ready + LAUNCH) if tile else LAUNCH
        for step in range(STEPS):
            number = tile * STEPS + step
            behind = number - STAGES
            same_ring = behind >= (0 if stays else tile * STEPS)
            issue = max(producer, multiplied[behind] if same_ring else 0.0)
            if not stays and step == STAGES - 1:  # who multiplies loads, one stage less ahead
                issue = max(issue, multiplied[number - step] - 1.0)
            producer = issue + ISSUE
            found.append(("loads", tile, issue, issue + LOAD))
            begin = max(ready, issue + LOAD)
            ready = begin + 1.0
            multiplied.append(ready)
            found.append(("MMAs", tile, begin, ready))
            if waiting is not None and step < PARTS:
                found.append(("stores", waiting, begin, begin + STORE / PARTS))
        waiting = tile if defers else None
        time = HOLD if defers else STORE
        found.append(("stores", tile, ready, ready + time))
        ready += time
    if waiting is not None:  # behind the last tile nothing is multiplied
        found.append(("stores", waiting, ready, ready + STORE))
    return found


def draw():
    left, first, row_in, way_in = 1.16, 1.24, 0.26, 1.22
    fig = style.figure(
        first + len(WAYS) * way_in + 0.28,
        "What overlaps: three tiles of C, one after the other",
        f"A model of one SM: {STEPS} k-tiles, {STAGES} stages; a load takes {LOAD:g} times as long "
        f"as the MMAs of a k-tile, storing a tile {STORE:g} times",
        SMALL_PT,
    )
    tints = (style.INDIGO, style.TEAL, style.AMBER)
    style.add_key(fig, 0.66, {f"tile {tile}": color for tile, color in enumerate(tints)}, 0.4)
    lengths = [max(end for *_, end in bars(*way)) for _, *way in WAYS]
    for number, ((words, *way), length) in enumerate(zip(WAYS, lengths)):
        top = first + number * way_in
        add_text(fig, MARGIN_IN, top - 0.24, words, size=TEXT_PT, weight="bold")
        axes = style.add_axes(fig, left, top, WIDTH_IN - left - MARGIN_IN, len(ROWS) * row_in)
        style.name_rows(axes, ROWS, 0, max(lengths))
        axes.set_xticks([])
        for row in range(len(ROWS)):
            axes.axhline(row, color=style.FAINT, linewidth=0.7, zorder=1)
        for name, tile, begin, end in bars(*way):
            row, high = ROWS.index(name), 0.3 if name == "loads" else 0.72
            look = dict(edge="white", line=0.6, zorder=3)
            style.box(axes, begin, row - high / 2, end - begin, high, tints[tile], **look)
        axes.axvline(length, color=style.INK, linewidth=1.1)
        said = f"done after {length:.0f}, multiplying {TILES * STEPS / length:.0%} of the time"
        add_note(fig, WIDTH_IN - MARGIN_IN, top - 0.22, said, ha="right")
    words = "Real tiles have more k-tiles, so that what does not overlap counts for less than here."
    style.add_small_print(fig, words)
    return fig
