"""The small problem that all chapters share: its tiles, who computes them when, and its stages."""

import style
from style import FOUR, HIGHLIGHT, INK, MUTED, TEXT_PT, box, word

EDGE, TILE, K_TILES, STAGES, BLOCKS = 256, 128, 3, 2, 2
ACROSS = EDGE // TILE  # tiles of C each way
_UNIT_IN, _K_IN = 0.9, 0.36  # a tile of C, a k-tile
_LEFT_IN, _TOP_IN = 1.86, 1.98  # of C


def k_tiles_of(persistent: bool, slot: int) -> list[tuple[int, int, int, int]]:
    """What runs on an SM: block, tile of C, k-tile and stage. Persistent blocks take the tiles column
    by column, and only they count their stages on from one tile to the next."""
    found = []
    for wave in range(ACROSS**2 // BLOCKS):
        number = wave * BLOCKS + slot
        tile = number % ACROSS * ACROSS + number // ACROSS if persistent else number
        first = wave * K_TILES if persistent else 0
        block = slot if persistent else number
        found += [(block, tile, k, (first + k) % STAGES) for k in range(K_TILES)]
    return found


def _operands(sheet) -> None:
    edge, deep = ACROSS * _UNIT_IN, K_TILES * _K_IN
    a_left, b_top = _LEFT_IN - deep - 0.1, _TOP_IN - deep - 0.1
    for i in range(ACROSS):
        x, y, strength = _LEFT_IN + i * _UNIT_IN, _TOP_IN + i * _UNIT_IN, 0.14 if i else 0.35
        for k in range(K_TILES):
            blue, green = style.tint(style.INDIGO, strength), style.tint(style.TEAL, strength)
            style.cell(sheet, a_left + k * _K_IN, y, _K_IN, _UNIT_IN, blue, f"k{k}")
            style.cell(sheet, x, b_top + k * _K_IN, _UNIT_IN, _K_IN, green, f"k{k}")
        look, rows = dict(color=MUTED, linespacing=1.3), f"{i * TILE}-{(i + 1) * TILE - 1}"
        word(sheet, a_left - 0.06, y + _UNIT_IN / 2, f"rows\n{rows}", ha="right", **look)
        word(sheet, x + _UNIT_IN / 2, b_top - 0.1, rows, **look)
    for tile in range(ACROSS**2):
        row, col = divmod(tile, ACROSS)
        at = (_LEFT_IN + col * _UNIT_IN, _TOP_IN + row * _UNIT_IN, _UNIT_IN, _UNIT_IN)
        color = style.tint(style.AMBER, 0.25 if tile else 0.55)
        style.cell(sheet, *at, color, f"tile {tile}", weight="bold")
    outlines = ((a_left, _TOP_IN, deep, _UNIT_IN), (_LEFT_IN, b_top, _UNIT_IN, deep),
                (_LEFT_IN, _TOP_IN, _UNIT_IN, _UNIT_IN))  # fmt: skip
    for at in outlines:
        box(sheet, *at, "none", HIGHLIGHT, 1.6, zorder=5)
    bold, right = dict(ha="left", weight="bold", color=INK), _LEFT_IN + edge + 0.1
    word(sheet, a_left, _TOP_IN - 0.1, "A (M, K)", **bold)
    word(sheet, right, _TOP_IN - 0.24, "B (N, K),\ndrawn with\nk down", linespacing=1.3, **bold)
    word(sheet, right, _TOP_IN + 0.12, "C (M, N)", **bold)
    words = "red: tile 0\nof C, and\nwhat it needs\nof A and B"
    word(sheet, right, _TOP_IN + 1.2, words, ha="left", color=HIGHLIGHT, linespacing=1.4)


def draw():
    fig, sheet = style.phone_figure(
        6.75, "The running example",
        f"M = N = {EDGE}: four tiles of C of {TILE} x {TILE}. K: {K_TILES} k-tiles, k0 to k2.",
    )  # fmt: skip
    _operands(sheet)
    cell = (style.PHONE_IN - style.MARGIN_IN - 0.6) / (2 * K_TILES)
    for persistent, top, title in (
        (False, 4.1, "One block for each tile (02 to 04)"),
        (True, 5.2, "Persistent kernel (07, 08): two blocks"),
    ):
        word(sheet, style.MARGIN_IN, top, title, TEXT_PT, ha="left", weight="bold")
        for slot in range(BLOCKS):
            at, found = top + 0.16 + 0.4 * slot, k_tiles_of(persistent, slot)
            word(sheet, 0.54, at + 0.18, f"SM {slot}", ha="right")
            for i, (block, tile, k, stage) in enumerate(found):
                left = 0.6 + i * cell
                style.cell(sheet, left, at + 0.17, cell, 0.19, FOUR[stage], f"k{k}")
                if k == K_TILES // 2:
                    said = f"block {block}: tile {tile}"
                    word(sheet, left + cell / 2, at + 0.09, said, weight="bold")
                box(sheet, left - k * cell, at, K_TILES * cell, 0.36, "none", INK, zorder=3)
    style.add_key(fig, 6.15, {f"stage {stage}": FOUR[stage] for stage in range(STAGES)}, 0.4)
    style.add_note(fig, 2.0, 6.16, "time: to the right")
    others = "05, 06: blocks 0 to 3 compute tiles 0, 2, 1, 3", "09: block 0 computes tiles 0 and 3"
    for i, line in enumerate(others):
        style.add_note(fig, style.MARGIN_IN, 6.42 + i * style.LINE_IN, line)
    return fig
