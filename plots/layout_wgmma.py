"""The figures of wgmma operands: swizzle atoms, canonical layouts, LBO and SBO, the descriptor."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import style
from checks import ResultError
from layout_board import EIGHT, FOUR, HIGHLIGHT, LEFT, MONO, Board, Tool, heading, place

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
    _edge_arrow(board, sbo, _SBO_COLOR)
    if lbo:
        _edge_arrow(board, lbo, HIGHLIGHT)
    board.below(f"SBO {facts['SBO']}: {_step(sbo, k_major)}", color=_SBO_COLOR, weight="bold")
    words = f"LBO {facts['LBO']}: {_step(lbo, k_major)}" if lbo else "LBO is ignored (1)"
    board.below(words, 1, HIGHLIGHT if lbo else style.MUTED, "bold" if lbo else "normal")


def _edge_arrow(board: Board, target: tuple[int, int], color: str) -> None:
    """From the first unit to another, outside of the board: the numbers stay free."""
    rows, cols = target
    start = (0, -0.5) if rows else (-0.5, 0)
    end = (rows, -0.5) if rows else (-0.5, cols)
    span = max(rows, cols)
    board.arrow(start, end, color, bend=(1 if rows else -1) * (0.2 if span > 2 else 0.9))


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


# --- The descriptor ---------------------------------------------------------------------------

_DESCRIPTOR = Path(__file__).resolve().parent.parent / "common" / "core" / "matrix_descriptor.hpp"


class Field(NamedTuple):
    first: int
    last: int
    name: str

    @property
    def width(self) -> int:
        return self.last - self.first + 1


def descriptor_fields(header: Path = _DESCRIPTOR) -> list[Field]:
    """The bit fields as the header that encodes them states them."""
    text = header.read_text(encoding="utf-8")
    lines = re.findall(r"//\s+bits\s+(\d+)-(\d+)\s+([^,:(\n]+)", text)
    if len(lines) != 5:
        raise ResultError(f"{header}: five lines '// bits A-B  name' expected, found {len(lines)}")
    return [Field(int(first), int(last), name.strip()) for first, last, name in lines]


_SWIZZLE_CODE = {0: 0, 128: 1, 64: 2, 32: 3}


def descriptor(fields: list[Field], start: int, facts: dict, swizzle: int) -> tuple[int, list[int]]:
    """The 64 bits, and each field's value, for a tile at byte `start` of shared memory."""
    values = [start // 16, facts["LBO"], facts["SBO"], 0, _SWIZZLE_CODE[swizzle]]
    return sum(value << field.first for value, field in zip(values, fields)), values


def wgmma_descriptor(tool: Tool):
    """The bit fields of a matrix descriptor, and three examples."""
    fig = style.figure(4.05)
    heading(fig, "A matrix descriptor: 64 bits that say where an operand lies")
    words = "Addresses and offsets count units of 16 bytes. White: not used, zero."
    style.add_text(fig, LEFT, 0.42, words, size=style.TEXT_PT, color=style.MUTED)
    fields = descriptor_fields()
    cell = (style.WIDTH_IN - 2 * style.MARGIN_IN) / 64

    def bar(top: float, height: float) -> Board:
        board = Board(fig, LEFT, top, cell, 1, 64, aspect=height / cell)
        for field in fields:
            color = FOUR[fields.index(field) % 4]
            board.fill(0, 63 - field.last, color, width=field.width, line=0.8)
        board.outline(0, 0, 1, 64, style.MUTED, 0.6)
        return board

    def put(board: Board, field: Field, text: str, points: float, **kwargs) -> None:
        board.axes.text(
            64 - (field.first + field.last + 1) / 2,
            0.5,
            text,
            ha="center",
            va="center",
            size=points,
            **kwargs,
        )

    names = bar(1.08, 0.5)
    for field in fields:
        narrow = field.width < 8
        left_edge = field.last == 63
        if narrow:
            names.axes.text(
                0 if left_edge else 64 - (field.first + field.last + 1) / 2,
                -0.42,
                field.name,
                ha="left" if left_edge else "center",
                va="bottom",
                size=style.SMALL_PT,
                weight="bold",
            )
        else:
            put(names, field, field.name, style.TEXT_PT, weight="bold")
    names.ticks(
        cols=[(63 - bit, str(bit)) for field in fields for bit in (field.first, field.last)]
    )
    plain, swizzled = "wgmma_tile_k(0,16,(64,16))", "wgmma_tile_k(128,16,(64,64))"
    examples = (
        ("A (64,16) K-major, no swizzle, at byte 0", plain, 0, 0),
        ("A (64,64) K-major, 128-byte swizzle, at byte 1024", swizzled, 1024, 128),
        ("the same, 16 columns further along k: byte 1056", swizzled, 1056, 128),
    )
    for i, (words, expression, start, swizzle) in enumerate(examples):
        top = 2.02 + 0.66 * i
        bits, values = descriptor(fields, start, tool(expression).data, swizzle)
        style.add_text(fig, LEFT, top - 0.2, words, size=style.SMALL_PT, color=style.MUTED)
        style.add_text(
            fig,
            style.WIDTH_IN - style.MARGIN_IN,
            top - 0.2,
            f"0x{bits:016x}",
            size=style.SMALL_PT,
            family=MONO,
            ha="right",
        )
        board = bar(top, 0.26)
        for field, value in zip(fields, values):
            put(board, field, str(value), style.SMALL_PT)
    words = "Swizzle: 0 is none, 1 is 128 bytes, 2 is 64, 3 is 32. An LBO of 1 is ignored here."
    style.add_small_print(fig, [(words, False)])
    return fig, (
        "A bar of 64 bits with the fields swizzle, base offset, SBO, LBO and start address, and "
        "three examples of their values."
    )


def wgmma_k_steps(tool: Tool):
    """The four steps along k in a 128-byte swizzle atom, before and after the swizzle."""
    fig = style.figure(4.3)
    heading(fig, "Four wgmmas in one row of 128 bytes: the start address moves by 32")
    before = tool("(8,8):(8,1)").values
    after = tool("wgmma_atom_k(128,128)").values
    cell, top = 0.36, 1.02
    described = Board(fig, LEFT + 0.3, top, cell, 8, 8, aspect=0.8)
    described.title("What the descriptor describes", "row of the tile down, units of 8 along k")
    lies = Board(fig, LEFT + 4.72, top, cell, 8, 8, aspect=0.8)
    lies.title("Where it lies in shared memory", "128 bytes a line, a column is 4 banks")
    for i, unit in enumerate(before):
        row, col = place(i, 8)
        described.fill(row, col, FOUR[col // 2], str(unit), 7.5, line=0.8)
        lies.fill(after[i] // 8, after[i] % 8, FOUR[col // 2], str(unit), 7.5, line=0.8)
    for board in (described, lies):
        board.outline(0, 0, 8, 8, style.INK, 0.8)
        board.ticks([(r, str(r)) for r in range(8)], [(c, str(c)) for c in range(8)])
    for step in range(4):
        x = described.left + 2 * step * cell
        style.add_text(
            fig, x, described.bottom + 0.06, f"+{32 * step}", size=style.SMALL_PT, weight="bold"
        )
        words = f"k {16 * step}-{16 * step + 15}"
        small = dict(size=style.SMALL_PT, color=style.MUTED)
        style.add_text(fig, x, described.bottom + 0.24, words, **small)
    words = ["Unit c of row r lies", "at place c xor r:", "address bits 4-6", "xor bits 7-9."]
    for i, line in enumerate(words):
        y = top + 0.75 + 0.2 * i
        style.add_text(
            fig, described.right + 0.2, y, line, size=style.SMALL_PT, color=style.MUTED
        )
    style.add_small_print(
        fig,
        [
            (
                "The number is the unit's before the swizzle, its colour the wgmma that reads it.",
                False,
            ),
            (
                "The xor works on the sum of start address and offset, so adding 32 bytes first is "
                "right.",
                False,
            ),
        ],
    )
    return fig, (
        "Two grids of 8 by 8 units of 16 bytes in four colours, one for each step of 16 along k: "
        "columns of two units before the 128-byte swizzle, scattered within their rows after it."
    )
