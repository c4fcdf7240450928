"""The figures of wgmma's operands and accumulators: swizzle atoms, canonical layouts with LBO and
SBO, the descriptor, k-steps, permuted rows of B."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import cli
import style
from cli import ResultError
from layout_board import EIGHT, LEFT, MONO, Board, Tool
from style import FOUR, HIGHLIGHT, INK, MUTED, SMALL_PT, TEXT_PT, add_note, add_text


def wgmma_atoms(tool: Tool):
    """The swizzle atoms of wgmma in units of 16 bytes, K-major and MN-major."""
    fig = style.figure(6.85, "The swizzle atoms of wgmma, in units of 16 bytes")
    for major, top, lefts, words in (
        ("k", 1.36, (0.22, 1.92, 3.62, 5.66), "K-major: 8 rows along m or n, k to the right"),
        ("mn", 4.5, (0.22, 2.36, 4.5, 6.64),
         "MN-major: m or n down, 8 columns along k; a unit is 8 elements along m or n"),
    ):  # fmt: skip
        add_note(fig, LEFT, top - 0.9, words, size=TEXT_PT)
        for swizzle, left in zip((0, 32, 64, 128), lefts):
            image = tool(f"wgmma_atom_{major}({swizzle},128)")
            width = max(1, swizzle // 16)
            rows, cols = (8, width) if major == "k" else (width, 8)
            board = Board(fig, LEFT + left, top, 0.235, rows, cols)
            board.title(f"{swizzle} bytes" if swizzle else "none", image.layout)
            at = lambda row, col: image.values[row + rows * col]  # noqa: B023, E731
            board.fill_all(lambda r, c: (EIGHT[at(r, c) % 8], str(at(r, c))), 6.5, line=0.8)
            board.ticks()
    words = "The number is the unit's place in shared memory, its colour the group of 4 banks."
    style.add_small_print(fig, words)
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
    k_major, width = major == "k", max(1, swizzle // 16)
    rows, cols = (shape[0], shape[1] // 8) if k_major else (shape[0] // 8, shape[1])
    board = Board(fig, LEFT + left, top, 0.236, rows, cols, aspect=0.82)
    name = f"{swizzle}-byte swizzle" if swizzle else "no swizzle"
    board.title(f"{'K' if k_major else 'MN'}-major, {name}", units.layout, mono=True)

    def cell(row: int, col: int) -> tuple:
        value = units.values[row + rows * col]
        return style.tint(EIGHT[value // (8 * width) % 8], 0.45), str(value)

    board.fill_all(cell, line=0.6)
    if k_major:
        sbo, lbo = (8, 0), None if swizzle else (0, 1)
        board.outline(0, 0, rows, 2, INK, 1.2)
    else:
        sbo, lbo = ((0, 8), (width, 0)) if swizzle else ((1, 0), (0, 8))
    offsets = (("SBO", sbo, _SBO_COLOR), ("LBO", lbo, HIGHLIGHT))
    for line, (word, target, color) in enumerate(offsets):
        if target is None:
            board.below("LBO is ignored (1)", line)
            continue
        _edge_arrow(board, target, color)
        words = f"{word} {facts[word]}: {_step(target, k_major)}"
        board.below(words, line, color=color, weight="bold")


def _edge_arrow(board: Board, target: tuple[int, int], color: str) -> None:
    """From the first unit to another, outside of the board: the numbers stay free."""
    rows, cols = target
    start, end = ((0, -0.5), (rows, -0.5)) if rows else ((-0.5, 0), (-0.5, cols))
    bend = 0.2 if max(rows, cols) > 2 else 0.9
    board.arrow(start, end, color, bend=bend if rows else -bend)


def _step(target: tuple[int, int], k_major: bool) -> str:
    rows, cols = target
    if k_major:
        return "to the next 8 rows" if rows else "to the next unit along k"
    if cols:
        return "to the next 8 along k"
    return f"to the next {'unit' if rows == 1 else f'{rows} units'} along m or n"


def wgmma_canonical(tool: Tool):
    """Tiles of fp16 operands as wgmma wants them, with the two offsets of a descriptor."""
    fig = style.figure(
        9.45, "Canonical layouts of wgmma operands, and where LBO and SBO come from",
        "A cell is a unit of 16 bytes with its place before the swizzle, a colour an atom.",
    )  # fmt: skip
    for column, swizzle in enumerate((0, 32, 128)):
        _operand(fig, tool, 0.22 + 2.95 * column, 1.22, "k", swizzle, (16, 64))
    words = (
        "Above: 16 rows by 64 along k. Outlined: the 16 along k that one instruction reads; the "
        "next starts 2 units further. Below: 128 along m or n, 16 along k."
    )
    add_note(fig, LEFT, 4.96, words)
    _operand(fig, tool, 0.22, 5.78, "mn", 0, (128, 16))
    _operand(fig, tool, 0.22 + 4.42, 5.78, "mn", 128, (128, 16))
    return fig, (
        "Five tiles of 16-byte units, K-major with no, 32-byte and 128-byte swizzle and MN-major "
        "with none and 128-byte swizzle; arrows show the leading and stride offsets."
    )


# --- The descriptor ---------------------------------------------------------------------------

_DESCRIPTOR = cli.ROOT / "common" / "core" / "modes.hpp"
_SWIZZLE_CODE = {0: 0, 128: 1, 64: 2, 32: 3}


class Field(NamedTuple):
    first: int
    last: int
    name: str


def descriptor_fields(header: Path = _DESCRIPTOR) -> list[Field]:
    """The bit fields as the header that encodes them states them."""
    lines = re.findall(r"//\s+bits\s+(\d+)-(\d+)\s+([^,:(\n]+)", header.read_text(encoding="utf-8"))
    if len(lines) != 5:
        raise ResultError(f"{header}: five lines '// bits A-B  name' expected, found {len(lines)}")
    return [Field(int(first), int(last), name.strip()) for first, last, name in lines]


def descriptor(fields: list[Field], start: int, facts: dict, swizzle: int) -> tuple[int, list[int]]:
    """The 64 bits, and each field's value, for a tile at byte `start` of shared memory."""
    values = [start // 16, facts["LBO"], facts["SBO"], 0, _SWIZZLE_CODE[swizzle]]
    return sum(value << field.first for value, field in zip(values, fields)), values


def wgmma_descriptor(tool: Tool):
    """The bit fields of a matrix descriptor, and three examples."""
    fig = style.figure(
        4.05, "A matrix descriptor: 64 bits that say where an operand lies",
        "Addresses and offsets count units of 16 bytes. White: not used, zero.",
    )  # fmt: skip
    fields = descriptor_fields()
    cell = (style.WIDTH_IN - 2 * style.MARGIN_IN) / 64

    def bar(top: float, height: float) -> Board:
        board = Board(fig, LEFT, top, cell, 1, 64, aspect=height / cell)
        for color, field in zip([*FOUR, FOUR[0]], fields):
            width = field.last - field.first + 1
            board.fill(0, 63 - field.last, color, width=width, line=0.8)
        board.outline(0, 0, 1, 64, MUTED, 0.6)
        return board

    def put(board: Board, field: Field, text: str, size: float, y: float = 0.5, **kwargs) -> None:
        middle = 64 - (field.first + field.last + 1) / 2
        style.word(board.axes, middle, y, text, size, **{"va": "center", **kwargs})

    names = bar(1.08, 0.5)
    for field in fields:
        if field.last - field.first >= 7:
            put(names, field, field.name, TEXT_PT, weight="bold")
        elif field.last < 63:
            put(names, field, field.name, SMALL_PT, -0.42, va="bottom", weight="bold")
        else:
            style.word(names.axes, 0, -0.42, field.name, ha="left", va="bottom", weight="bold")
    names.ticks({}, {63 - bit: bit for field in fields for bit in (field.first, field.last)})
    plain, swizzled = "wgmma_tile_k(0,16,(64,16))", "wgmma_tile_k(128,16,(64,64))"
    examples = (
        ("A (64,16) K-major, no swizzle, at byte 0", plain, 0, 0),
        ("A (64,64) K-major, 128-byte swizzle, at byte 1024", swizzled, 1024, 128),
        ("the same, 16 columns further along k: byte 1056", swizzled, 1056, 128),
    )
    for i, (words, expression, start, swizzle) in enumerate(examples):
        top, right = 2.02 + 0.66 * i, style.WIDTH_IN - style.MARGIN_IN
        bits, values = descriptor(fields, start, tool(expression).data, swizzle)
        add_note(fig, LEFT, top - 0.2, words)
        add_note(fig, right, top - 0.2, f"0x{bits:016x}", color=INK, family=MONO, ha="right")
        board = bar(top, 0.26)
        for field, value in zip(fields, values):
            put(board, field, str(value), SMALL_PT)
    words = "Swizzle: 0 is none, 1 is 128 bytes, 2 is 64, 3 is 32. An LBO of 1 is ignored here."
    style.add_small_print(fig, words)
    return fig, (
        "A bar of 64 bits with the fields swizzle, base offset, SBO, LBO and start address, and "
        "three examples of their values."
    )


def wgmma_k_steps(tool: Tool):
    """The four k-steps in a 128-byte swizzle atom, before and after the swizzle."""
    fig = style.figure(4.3, "Four wgmmas in one row of 128 bytes: the start address moves by 32")
    before, after = tool("(8,8):(8,1)").values, tool("wgmma_atom_k(128,128)").values
    cell, top = 0.36, 1.02
    described = Board(fig, LEFT + 0.3, top, cell, 8, 8, aspect=0.8)
    described.title("What the descriptor describes", "row of the tile down, units of 8 along k")
    lies = Board(fig, LEFT + 4.72, top, cell, 8, 8, aspect=0.8)
    lies.title("Where it lies in shared memory", "128 bytes a line, a column is 4 banks")
    for i, (unit, place) in enumerate(zip(before, after)):
        col, row = divmod(i, 8)
        described.fill(row, col, FOUR[col // 2], str(unit), 7.5, line=0.8)
        lies.fill(*divmod(place, 8), FOUR[col // 2], str(unit), 7.5, line=0.8)
    for board in (described, lies):
        board.outline(0, 0, 8, 8, INK, 0.8)
        board.ticks()
    for step in range(4):
        x = described.left + 2 * step * cell
        add_text(fig, x, described.bottom + 0.06, f"+{32 * step}", size=SMALL_PT, weight="bold")
        add_note(fig, x, described.bottom + 0.24, f"k {16 * step}-{16 * step + 15}")
    words = ("Unit c of row r lies", "at place c xor r:", "address bits 4-6", "xor bits 7-9.")
    for i, line in enumerate(words):
        add_note(fig, described.right + 0.2, top + 0.75 + 0.2 * i, line)
    style.add_small_print(
        fig,
        "The number is the unit's before the swizzle, its colour the wgmma that reads it.",
        "The xor works on the sum of start address and offset, so adding 32 bytes first is right.",
    )
    return fig, (
        "Two grids of 8 by 8 units of 16 bytes in four colours, one for each k-step of 16: columns "
        "of two units before the 128-byte swizzle, scattered within their rows after it."
    )


# --- Permuted rows of B ---------------------------------------------------------------------------

_COLS = 32  # columns of C after which the pattern repeats
_ROWS = 4  # rows of C that are shown
_CHOSEN = 1  # lane
_SECTOR = 16  # elements of 32 bytes


def dealt_rows(tool: Tool):
    """Rows of B permuted: which lane gets which columns of C."""
    layout, owners = tool(f"wgmma_d({_COLS})").layout, tool.owners(f"wgmma_d({_COLS})")
    fig = style.figure(
        5.2, "Permuted rows of B: eight neighbours of C in one lane",
        f"Accumulators of wgmma by lane (T) and value (v), {layout}: "
        f"4 of 64 rows, {_COLS} columns.",
    )  # fmt: skip
    for top, at_once, expression, title, note in (
        (1.28, 2, "32:1", "As they come: row r of B's tile makes column r", "a lane has pairs"),
        (3.28, 8, "(2,4,4):(1,8,2)", "Permuted by (2,4,4):(1,8,2)", "a lane has eights"),
    ):
        board = Board(fig, LEFT + 0.24, top, 0.252, _ROWS, _COLS, aspect=1.12)
        board.title(title, note)
        # For each row of B's tile, the column of C that it makes.
        for tile_row, col in enumerate(tool(expression).values):
            for row in range(_ROWS):
                lane, value = owners[row + 64 * tile_row]
                color = style.tint(FOUR[lane % 4], 1.0 if value // 4 < at_once // 2 else 0.35)
                board.fill(row, col, color, f"T{lane}\nv{value}", 5.6)
                if lane == _CHOSEN and col % at_once == 0:
                    board.outline(row, col, 1, at_once, HIGHLIGHT, 1.6)
            look = dict(va="top", color=HIGHLIGHT)
            style.word(board.axes, col + 0.5, _ROWS + 0.16, str(tile_row), 6.0, **look)
        for col in range(0, _COLS + 1, _SECTOR):
            line = dict(color=INK, linewidth=1.4, clip_on=False, zorder=6)
            board.axes.plot([col, col], [-0.12, _ROWS + 0.12], **line)
        board.ticks()
    style.add_small_print(
        fig,
        "Strong colour: what one store instruction writes. Thick lines: sectors of 32 bytes. Pairs "
        "fill half of one; eights fill two.",
        f"Outlined: the 8 accumulators of lane {_CHOSEN} in row 0. Numbers above: columns of C; "
        "below: rows of B's tile.",
    )
    return fig, (
        "Two grids of 4 rows by 32 columns of C with the lane and value of each accumulator: with "
        "rows of B as they come a lane has pairs, with permuted rows eight neighbouring columns."
    )
