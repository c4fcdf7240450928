"""The figures of wgmma operands: swizzle atoms, canonical layouts, LBO and SBO."""

from __future__ import annotations

import style
from layout_board import EIGHT, HIGHLIGHT, LEFT, Board, Tool, heading, place

_MODES = ((0, "none"), (32, "32 bytes"), (64, "64 bytes"), (128, "128 bytes"))


def wgmma_atoms(tool: Tool):
    """The swizzle atoms of wgmma in units of 16 bytes, K-major and MN-major."""
    fig = style.figure(6.85)
    heading(fig, "The swizzle atoms of wgmma, in units of 16 bytes")
    cell = 0.235
    rows_of_boards = (
        ("k", 0.46, 1.36, (0.22, 1.92, 3.62, 5.66), "K-major: 8 rows along m or n, k to the right"),
        (
            "mn",
            3.6,
            4.5,
            (0.22, 2.36, 4.5, 6.64),
            "MN-major: m or n down, 8 columns along k; a unit is 8 elements along m or n",
        ),
    )
    for major, words_top, top, lefts, words in rows_of_boards:
        style.add_text(fig, LEFT, words_top, words, size=style.TEXT_PT, color=style.MUTED)
        for (swizzle, name), left in zip(_MODES, lefts):
            image = tool(f"wgmma_atom_{major}({swizzle},128)")
            width = max(1, swizzle // 16)
            rows, cols = (8, width) if major == "k" else (width, 8)
            board = Board(fig, LEFT + left, top, cell, rows, cols)
            board.title(name, image.layout)
            for i, value in enumerate(image.values):
                row, col = place(i, rows)
                board.fill(row, col, EIGHT[value % 8], str(value), 6.5, line=0.8)
            board.ticks([(r, str(r)) for r in range(rows)], [(c, str(c)) for c in range(cols)])
    words = "The number is the unit's place in shared memory, its colour the group of 4 banks."
    style.add_small_print(fig, [(words, False)])
    return fig, (
        "The K-major and MN-major swizzle atoms of wgmma for no swizzle, 32, 64 and 128 bytes: "
        "grids of 16-byte units with their place in shared memory, coloured by bank group."
    )


_SBO_COLOR = "#1f4e9c"


def _operand(fig, tool: Tool, left: float, top: float, major: str, swizzle: int, shape) -> None:
    """A tile in units, numbered by its place before the swizzle, with arrows for LBO and SBO."""
    tile = f"wgmma_tile_{major}({swizzle},16,({shape[0]},{shape[1]}))"
    facts = tool(tile).data
    units = tool(tool(f"recast({tile},16,128)").layout.split(" o ")[-1])
    k_major = major == "k"
    rows, cols = (shape[0], shape[1] // 8) if k_major else (shape[0] // 8, shape[1])
    board = Board(fig, left, top, 0.236, rows, cols, aspect=0.82)
    name = "no swizzle" if swizzle == 0 else f"{swizzle}-byte swizzle"
    board.title(f"{'K' if k_major else 'MN'}-major, {name}", units.layout, mono=True)
    width = max(1, swizzle // 16)
    for i, value in enumerate(units.values):
        row, col = place(i, rows)
        color = style.tint(EIGHT[value // (8 * width) % 8], 0.45)
        board.fill(row, col, color, str(value), 6, line=0.6)
    if k_major:
        sbo, lbo = (8, 0), (0, 1) if swizzle == 0 else None
        board.outline(0, 0, rows, 2, style.INK, 1.2)
    else:
        sbo, lbo = ((1, 0), (0, 8)) if swizzle == 0 else ((0, 8), (width, 0))
    board.arrow((0, 0), sbo, _SBO_COLOR, bend=0.2 if sbo[0] else -0.2)
    if lbo:
        board.arrow((0, 0), lbo, HIGHLIGHT, bend=-0.2 if not lbo[0] else 0.2)
    board.below(f"SBO {facts['SBO']}: {_step(sbo, k_major)}", color=_SBO_COLOR, weight="bold")
    words = f"LBO {facts['LBO']}: {_step(lbo, k_major)}" if lbo else "LBO is ignored (1)"
    board.below(words, 1, HIGHLIGHT if lbo else style.MUTED, "bold" if lbo else "normal")


def _step(target: tuple[int, int], k_major: bool) -> str:
    rows, cols = target
    if k_major:
        return "to the next 8 rows" if rows else "to the next unit along k"
    if cols:
        return "to the next 8 along k"
    units = "unit" if rows == 1 else f"{rows} units"
    return f"to the next {units} along m or n"


def wgmma_canonical(tool: Tool):
    """Tiles of fp16 operands as wgmma wants them, with the two offsets of a descriptor."""
    fig = style.figure(9.45)
    heading(fig, "Canonical layouts of wgmma operands, and where LBO and SBO come from")
    words = "A cell is a unit of 16 bytes with its place before the swizzle, a colour an atom."
    style.add_text(fig, LEFT, 0.42, words, size=style.TEXT_PT, color=style.MUTED)
    for column, swizzle in enumerate((0, 32, 128)):
        _operand(fig, tool, LEFT + 0.22 + 2.95 * column, 1.22, "k", swizzle, (16, 64))
    style.add_text(
        fig,
        LEFT,
        4.96,
        "Above: 16 rows by 64 along k. Outlined: the 16 along k that one instruction reads; the "
        "next starts 2 units further. Below: 128 along m or n, 16 along k.",
        size=style.SMALL_PT,
        color=style.MUTED,
    )
    _operand(fig, tool, LEFT + 0.22, 5.78, "mn", 0, (128, 16))
    _operand(fig, tool, LEFT + 0.22 + 4.42, 5.78, "mn", 128, (128, 16))
    return fig, (
        "Five tiles of 16-byte units, K-major with no, 32-byte and 128-byte swizzle and MN-major "
        "with none and 128-byte swizzle; arrows show the leading and stride offsets from the first "
        "unit."
    )
