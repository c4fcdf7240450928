"""The figures of layouts of chapters 02 to 06: every cell comes from the layout tool's JSON."""

import json
import math
import re
import shlex
import subprocess
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Callable, Optional

import cli
import style
from cli import ResultError
from style import FOUR, HIGHLIGHT, INK, MUTED, SMALL_PT, TEXT_PT, add_note, add_text, tint

from matplotlib.patches import FancyArrowPatch

# Eight fills for the eight groups of four banks, and for whatever else comes in eights: light and
# dark take turns, so that neighbours stay apart in print; cells also carry their number.
EIGHT = ["#f5c26b", "#c25b4e", "#f4e3a1", "#4f9d69", "#b8dfe6", "#3f6fb0", "#d9c2e9", "#6b4f9a"]
MONO = "DejaVu Sans Mono"
LEFT = style.MARGIN_IN


class Tool:
    """The layout program; each expression is asked for once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cache
    def __call__(self, *expression: str) -> SimpleNamespace:
        """What the program says: `layout`, its `values`, and more by the kind of layout."""
        command = [str(self.path), *expression, "--json"]
        with cli.reading(self.path):
            run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            raise ResultError(f"{self.path}: {run.stderr.strip()}")
        return SimpleNamespace(**json.loads(run.stdout))

    def owners(self, expression: str) -> list[tuple[int, int]]:
        """For every position of a tile, the first (thread, value) of a thread-value layout."""
        image = self(expression)
        # The first mode of the shape is that of threads: 128 of ((4,32),8):((256,1),32).
        mode = re.match(r"\((\d+|\([^()]*\))", image.layout).group(1)
        threads = math.prod(map(int, re.findall(r"\d+", mode)))
        places = reversed(list(enumerate(image.values)))
        found = {position: (i % threads, i // threads) for i, position in places}
        return [found[position] for position in range(math.prod(image.tile))]


def printed() -> dict[str, list[str]]:
    """The pictures that the layout program draws itself: the arguments that its page prints."""
    page = (cli.ROOT / "common/layout/README.md").read_text(encoding="utf-8")
    found = re.findall(r"^layout (.*) --svg (\w+)\.svg$", page, re.MULTILINE)
    return {name: shlex.split(arguments) for arguments, name in found}


class Board:
    """A grid of cells, drawn in inches from the figure's top left corner."""

    def __init__(self, fig, left: float, top: float, cell: float, rows: int, cols: int, aspect=1.0):
        self.fig, self.rows, self.cols = fig, rows, cols
        self.cell_in, self.height_in = cell, cell * aspect
        self.left, self.top = left, top
        self.right, self.bottom = left + cell * cols, top + self.height_in * rows
        self.axes = style.add_axes(fig, left, top, cell * cols, self.height_in * rows)
        self.axes.set(xlim=(0, cols), ylim=(rows, 0), xticks=[], yticks=[])

    def fill(self, row, col, color, text="", size=6.0, width=1, line=0.4) -> None:
        style.box(self.axes, col, row, width, 1, color, "white", line)
        look = dict(color=style.text_on(color) if isinstance(color, str) else INK)
        if text:
            style.word(self.axes, col + width / 2, row + 0.5, text, size, linespacing=1.0, **look)

    def fill_all(self, cell: Callable[[int, int], tuple], size=6.0, line=0.4) -> None:
        """Every cell by its row and column: a colour and a text."""
        for row in range(self.rows):
            for col in range(self.cols):
                self.fill(row, col, *cell(row, col), size, line=line)

    def outline(self, row, col, height=1.0, width=1.0, color=INK, line=1.2) -> None:
        look = dict(joinstyle="miter", clip_on=False, zorder=5)
        style.box(self.axes, col, row, width, height, "none", color, line, **look)

    def arrow(self, start, end, color: str, bend: float) -> None:
        """From the middle of a cell (row, col) to that of another."""
        (from_row, from_col), (to_row, to_col) = start, end
        arrow = FancyArrowPatch(
            (from_col + 0.5, from_row + 0.5), (to_col + 0.5, to_row + 0.5), arrowstyle="-|>",
            mutation_scale=9, linewidth=1.6, color=color, connectionstyle=f"arc3,rad={bend}",
            shrinkA=1, shrinkB=1, clip_on=False, zorder=6,
        )  # fmt: skip
        self.axes.add_patch(arrow)

    def title(self, text: str, note: str = "", mono: bool = False) -> None:
        add_text(self.fig, self.left, self.top - 0.5, text, size=TEXT_PT, weight="bold")
        look = dict(size=SMALL_PT - 1, family=MONO) if mono else {}
        add_note(self.fig, self.left, self.top - 0.32, note, **look)

    def below(self, text: str, line: int = 0, **kwargs) -> None:
        add_note(self.fig, self.left, self.bottom + 0.05 + line * style.LINE_IN, text, **kwargs)

    def ticks(self, rows: Optional[dict] = None, cols: Optional[dict] = None) -> None:
        """Words beside rows and above columns; without any their numbers."""
        rows = {i: i for i in range(self.rows)} if rows is None else rows
        cols = {i: i for i in range(self.cols)} if cols is None else cols
        left, above = -0.045 / self.cell_in, -0.035 / self.height_in
        for row, text in rows.items():
            style.word(self.axes, left, row + 0.5, str(text), 6.0, color=MUTED, ha="right")
        for col, text in cols.items():
            style.word(self.axes, col + 0.5, above, str(text), 6.0, color=MUTED, va="bottom")

    def wide_ticks(self, rows, cols) -> None:
        """The same in small print."""
        for row, text in enumerate(rows):
            style.word(self.axes, -0.1, row + 0.5, str(text), color=MUTED, ha="right")
        for col, text in enumerate(cols):
            style.word(self.axes, col + 0.5, -0.5, str(text), color=MUTED)

    def edge_ticks(self, rows, cols) -> None:
        """Where each row and column of cells begins."""
        self.ticks(*({i - 0.5: start for i, start in enumerate(starts)} for starts in (rows, cols)))


# --- 02 and 03: tiles of threads -----------------------------------------------------------------


def thread_tiles(tool: Tool):
    fig = style.figure(5.95, "A block's tile cut into thread tiles")
    tiles = Board(fig, LEFT + 0.28, 1.1, 0.285, 16, 16)
    words = "C, 128 x 128: a cell is the 8 x 8 tile of a thread"
    tiles.title(words, "number: thread, colour: warp")
    owners = tool.owners("tiled_copy((16,16):(16,1), (8,8):(8,1))")

    at = lambda row, col: owners[row * 8 + 128 * col * 8][0]  # noqa: E731
    tiles.fill_all(lambda r, c: (tint(EIGHT[at(r, c) // 32], 0.55), str(at(r, c))), 6.5)
    chosen = 37
    row, col = divmod(chosen, 16)
    tiles.outline(row, col, color=HIGHLIGHT, line=1.8)
    eights = {i: 8 * i for i in range(0, 16, 2)}
    tiles.ticks(eights, eights)

    left = tiles.right + 0.78
    values = Board(fig, left, 1.1, 0.285, 8, 8, aspect=0.8)
    values.title(f"Thread {chosen}: its 64 accumulators", "number: value, a register each")
    of_thread = lambda r, c: owners[row * 8 + r + 128 * (col * 8 + c)]  # noqa: E731
    values.fill_all(lambda r, c: (FOUR[0], str(of_thread(r, c)[1])), 6.5)
    values.outline(0, 0, 8, 8, HIGHLIGHT, 1.8)
    values.ticks({r: row * 8 + r for r in range(8)}, {c: col * 8 + c for c in range(8)})

    loads = Board(fig, left, values.bottom + 0.92, 0.1425, 8, 16, aspect=1.5)
    loads.title("Loading A, 128 x 16", "a thread loads 8 elements of a row")
    owners = tool.owners("tiled_copy((128,2):(2,1), (1,8))")
    for r in range(8):
        for vector in range(2):
            thread, _ = owners[r + 128 * 8 * vector]
            color = tint(EIGHT[thread // 32], 0.55 if vector else 0.35)
            loads.fill(r, vector * 8, color, f"thread {thread}", 6.5, width=8, line=0.8)
    loads.ticks(cols={0: 0, 8: 8})
    loads.below("... and so on to row 127, thread 255")
    return fig


def warp_tiles(tool: Tool):
    fig = style.figure(3.5, "A block's tile cut into warps, steps and lanes")
    top = 1.1
    block = Board(fig, LEFT + 0.3, top, 0.8, 2, 4)
    block.title("C, 128 x 256: 8 warps", "a warp owns 64 x 64")
    warps = tool.owners("tiled_copy((2,4):(4,1), (64,64):(64,1))")
    at = lambda row, col: warps[row * 64 + 128 * col * 64][0]  # noqa: E731
    block.fill_all(lambda r, c: (tint(EIGHT[at(r, c)], 0.55), f"warp {at(r, c)}"), 8, line=0.8)
    block.outline(0, 1, color=HIGHLIGHT, line=1.8)
    block.edge_ticks([0, 64], [0, 64, 128, 192])

    warp = Board(fig, block.right + 0.66, top, 0.4, 2, 4, aspect=2)
    warp.title("Warp 1: 2 x 4 steps", "a step covers 32 x 16")
    warp.fill_all(lambda r, c: (tint(EIGHT[1], 0.4), f"{r},{c}"), 8, line=0.8)
    warp.outline(0, 0, 2, 4, HIGHLIGHT, 1.8)
    warp.outline(0, 1, color=INK, line=1.8)
    warp.edge_ticks([0, 32], [0, 16, 32, 48])

    lanes = Board(fig, warp.right + 0.66, top, 0.44, 8, 4, aspect=0.4 * 4 / 8 / 0.44)
    lanes.title("A step: 32 lanes", "a lane owns 4 x 4, lanes in quads")
    owners = tool.owners("tiled_copy(((2,4),(2,2)):((2,8),(1,4)), (4,4):(4,1))")
    lane = lambda row, col: owners[row * 4 + 32 * col * 4][0]  # noqa: E731
    lanes.fill_all(lambda r, c: (tint(EIGHT[lane(r, c) // 4], 0.55), str(lane(r, c))), 7, line=0.8)
    lanes.outline(0, 0, 8, 4, INK, 1.8)
    lanes.edge_ticks(range(0, 32, 4), range(0, 16, 4))
    words = "Numbers along the edges: rows and columns. A warp takes its steps one after the other."
    style.add_small_print(fig, words)
    return fig


# --- 04: fragments and ldmatrix ------------------------------------------------------------------


def _fragment(fig, tool: Tool, top: float, expression: str, letter: str, rows: int, title: str):
    """Who holds what of an operand whose registers hold pairs along k or n; thread 5 outlined."""
    owners, tile = tool.owners(expression), tool(expression).tile
    board = Board(fig, LEFT + 0.2, top, 0.538, rows, tile[1] // 2, 0.34)
    add_text(fig, LEFT, top - 0.46, title, size=TEXT_PT, weight="bold")
    for row in range(rows):
        for col in range(board.cols):
            thread, value = owners[row + tile[0] * 2 * col]
            number = value // 2 if letter in "ab" else value
            board.fill(row, col, FOUR[thread % 4], f"T{thread} {letter}{number}", SMALL_PT)
            if thread == 5:
                board.outline(row, col, color=HIGHLIGHT, line=1.8)
    along = "k" if letter in "ab" else "n"
    board.wide_ticks(range(rows), [f"{along} {2 * i}, {2 * i + 1}" for i in range(board.cols)])


def fragments(tool: Tool):
    fig, _ = style.phone_figure(
        10.65, "mma.sync m16n8k16: A, B and C by lane",
        "T: lane of the warp; a, b, c: its register. A register of A or B holds",
        "2 elements of 16 bits; c0 means c0 and c1, each an fp32 accumulator.",
    )  # fmt: skip
    _fragment(fig, tool, 1.5, "mma_a", "a", 16, "A, 16 x 16: row m, columns k")
    _fragment(fig, tool, 5.1, "mma_b", "b", 8, "B, 8 x 16: row n, columns k")
    _fragment(fig, tool, 7.25, "mma_c", "c", 16, "C and D, 16 x 8: row m, columns n")
    style.add_small_print(fig, "Red: all that lane 5 holds. Colour: lane mod 4.")
    return fig


def ldmatrix(tool: Tool):
    fig, _ = style.phone_figure(
        5.9, "ldmatrix, plain and .trans",
        "One 8 x 8 matrix of 16-bit elements; lane r supplies the address of row r.",
        "T: the lane that receives an element, v: 0 or 1, which half of its register.",
    )  # fmt: skip
    for top, expression, title, note in (
        (1.5, "ldmatrix_destination(4)", "Plain",
         "neighbours in a row go to one lane: for K-major tiles"),
        (3.75, "ldmatrix_destination_trans(4)", ".trans",
         "neighbours in a column go to one lane: for MN-major tiles"),
    ):  # fmt: skip
        owners = {element: (i % 32, i // 32) for i, element in enumerate(tool(expression).values)}
        board = Board(fig, LEFT + 0.24, top, 0.53, 8, 8, 0.36)
        board.title(title, note)
        cell = lambda lane, value: (FOUR[lane % 4], f"T{lane} v{value}")  # noqa: E731
        board.fill_all(lambda r, c: cell(*owners[r * 8 + c]), SMALL_PT)  # noqa: B023
        board.outline(1, 0, 1, 8, HIGHLIGHT, 1.8)
        board.wide_ticks(range(8), range(8))
    style.add_small_print(fig, "Red: the row that lane 1 supplies. Plain: it goes to four lanes;",
                          ".trans: it goes to eight lanes, one element each.")  # fmt: skip
    return fig


# --- 05: swizzles --------------------------------------------------------------------------------


def swizzles(tool: Tool):
    title = "Swizzle 1, 2 and 3: one column of 16-byte units in eight different bank groups"
    fig = style.figure(7.75, title)
    cell = 0.29
    for width, bits, left in ((16, 1, 0.26), (32, 2, 2.26), (64, 3, 4.81)):
        plain = f"(8,{width}):({width},1)"
        for lower, expression in enumerate((plain, f"Sw<{bits},3,3> o {plain}")):
            image = tool(expression, "--banks", "16")
            banks, vector = image.banks, image.banks["vector"]
            board = Board(fig, LEFT + left, 1.1 + 3.42 * lower, cell, 8, width // vector)
            words = f"Sw<{bits},3,3>" if lower else f"{2 * width} bytes a row"
            board.title(words, image.layout.split(" o ")[-1])
            groups = [bank // 4 for bank in banks["of"]]
            at = lambda row, col: groups[row + 8 * col * vector]  # noqa: B023, E731
            board.fill_all(lambda r, c: (EIGHT[at(r, c)], str(at(r, c))), 7.5, line=0.8)
            board.outline(0, 0, 8, 1, HIGHLIGHT, 1.8)
            ways = banks["worst"]
            words = f"a column: {ways}-way" if ways > 1 else "a column: no conflict"
            board.below(words, color=HIGHLIGHT if ways > 1 else INK, weight="bold")
            board.ticks()
    key = Board(fig, LEFT + 7.45, 1.1, cell, 8, 1)
    key.title("Banks", "4 of 4 bytes")
    key.fill_all(lambda group, _: (EIGHT[group], str(group)), 7.5, line=0.8)
    for group in range(8):
        words = f"{4 * group} to {4 * group + 3}"
        add_note(fig, key.right + 0.08, 1.1 + cell * group + 0.07, words)
    style.add_small_print(
        fig,
        "One cell is a unit of 8 elements of 16 bits, the number is its group of 4 banks.",
        "Outlined: what the 8 lanes of one phase read with 16-byte loads, or a matrix of ldmatrix.",
    )
    return fig


# --- 06: operands of wgmma ------------------------------------------------------------------------


def wgmma_atoms(tool: Tool):
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
    return fig


# Where an offset leads, for K-major operands or others, by rows and columns of units.
_STEPS = {
    (True, (8, 0)): "8 rows",
    (True, (0, 1)): "unit along k",
    (False, (0, 8)): "8 along k",
    (False, (1, 0)): "unit along m or n",
    (False, (8, 0)): "8 units along m or n",
}


def _operand(fig, tool: Tool, left: float, top: float, major: str, swizzle: int, shape) -> None:
    """A tile in units, numbered by its place before the swizzle, with arrows for LBO and SBO."""
    tile = f"wgmma_tile_{major}({swizzle},16,({shape[0]},{shape[1]}))"
    facts = vars(tool(tile))
    units = tool(tool(f"recast({tile},16,128)").layout.split(" o ")[-1])
    k_major, width = major == "k", max(1, swizzle // 16)
    rows, cols = (shape[0], shape[1] // 8) if k_major else (shape[0] // 8, shape[1])
    board = Board(fig, LEFT + left, top, 0.236, rows, cols, aspect=0.82)
    name = f"{swizzle}-byte swizzle" if swizzle else "no swizzle"
    board.title(f"{'K' if k_major else 'MN'}-major, {name}", units.layout, mono=True)

    of = lambda value: (tint(EIGHT[value // (8 * width) % 8], 0.45), str(value))  # noqa: E731
    board.fill_all(lambda r, c: of(units.values[r + rows * c]), line=0.6)
    if k_major:
        sbo, lbo = (8, 0), None if swizzle else (0, 1)
        board.outline(0, 0, rows, 2, INK, 1.2)
    else:
        sbo, lbo = ((0, 8), (width, 0)) if swizzle else ((1, 0), (0, 8))
    offsets = (("SBO", sbo, "#1f4e9c"), ("LBO", lbo, HIGHLIGHT))
    for line, (word, target, color) in enumerate(offsets):
        if target is None:
            board.below("LBO is ignored (1)", line)
            continue
        # From the first unit to another, outside of the board: the numbers stay free.
        down, right = target
        start, end = ((0, -0.5), (down, -0.5)) if down else ((-0.5, 0), (-0.5, right))
        bend = 0.2 if max(target) > 2 else 0.9
        board.arrow(start, end, color, bend if down else -bend)
        words = f"{word} {facts[word]}: to the next {_STEPS[k_major, target]}"
        board.below(words, line, color=color, weight="bold")


def wgmma_canonical(tool: Tool):
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
    return fig


_SWIZZLE_CODE = {0: 0, 128: 1, 64: 2, 32: 3}


def descriptor_fields() -> list[tuple[int, int, str]]:
    """First bit, last bit and name, as the header that encodes them states them."""
    header = cli.ROOT / "common/core/modes.hpp"
    lines = re.findall(r"//\s+bits\s+(\d+)-(\d+)\s+([^,:(\n]+)", header.read_text(encoding="utf-8"))
    if len(lines) != 5:
        raise ResultError(f"{header}: five lines '// bits A-B  name' expected, found {len(lines)}")
    return [(int(first), int(last), name.strip()) for first, last, name in lines]


def wgmma_descriptor(tool: Tool):
    fig = style.figure(
        4.05, "A matrix descriptor: an operand's address and layout in 64 bits",
        "Addresses and offsets count units of 16 bytes. White: not used, zero.",
    )  # fmt: skip
    fields = descriptor_fields()
    cell = (style.WIDTH_IN - 2 * style.MARGIN_IN) / 64

    def bar(top: float, height: float) -> Board:
        board = Board(fig, LEFT, top, cell, 1, 64, aspect=height / cell)
        for color, (first, last, _) in zip([*FOUR, FOUR[0]], fields):
            board.fill(0, 63 - last, color, width=last - first + 1, line=0.8)
        board.outline(0, 0, 1, 64, MUTED, 0.6)
        return board

    def put(board: Board, field: tuple, text: str, size: float, y: float = 0.5, **kwargs) -> None:
        middle = 64 - (field[0] + field[1] + 1) / 2
        style.word(board.axes, middle, y, text, size, **{"va": "center", **kwargs})

    names = bar(1.08, 0.5)
    for first, last, name in fields:
        if last - first >= 7:
            put(names, (first, last), name, TEXT_PT, weight="bold")
        elif last < 63:
            put(names, (first, last), name, SMALL_PT, -0.42, va="bottom", weight="bold")
        else:
            style.word(names.axes, 0, -0.42, name, ha="left", va="bottom", weight="bold")
    names.ticks({}, {63 - bit: bit for *bits, _ in fields for bit in bits})
    plain, swizzled = "wgmma_tile_k(0,16,(64,16))", "wgmma_tile_k(128,16,(64,64))"
    examples = (
        ("A (64,16) K-major, no swizzle, at byte 0", plain, 0, 0),
        ("A (64,64) K-major, 128-byte swizzle, at byte 1024", swizzled, 1024, 128),
        ("the same, 16 columns further along k: byte 1056", swizzled, 1056, 128),
    )
    for i, (words, expression, start, swizzle) in enumerate(examples):
        top, right = 2.02 + 0.66 * i, style.WIDTH_IN - style.MARGIN_IN
        facts = vars(tool(expression))
        values = [start // 16, facts["LBO"], facts["SBO"], 0, _SWIZZLE_CODE[swizzle]]
        bits = sum(value << first for value, (first, *_) in zip(values, fields))
        add_note(fig, LEFT, top - 0.2, words)
        add_note(fig, right, top - 0.2, f"0x{bits:016x}", color=INK, family=MONO, ha="right")
        board = bar(top, 0.26)
        for field, value in zip(fields, values):
            put(board, field, str(value), SMALL_PT)
    words = "Swizzle: 0 is none, 1 is 128 bytes, 2 is 64, 3 is 32. An LBO of 1 is ignored here."
    style.add_small_print(fig, words)
    return fig


def wgmma_k_steps(tool: Tool):
    fig = style.figure(4.3, "Four wgmmas in one row of 128 bytes: the start address moves by 32")
    before, after = tool("(8,8):(8,1)").values, tool("wgmma_atom_k(128,128)").values
    cell, top = 0.36, 1.02
    described = Board(fig, LEFT + 0.3, top, cell, 8, 8, aspect=0.8)
    described.title("What the descriptor describes", "row of the tile down, units of 8 along k")
    lies = Board(fig, LEFT + 4.72, top, cell, 8, 8, aspect=0.8)
    lies.title("Its place in shared memory", "128 bytes a line, a column is 4 banks")
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
    words = ("Unit c of row r is", "at place c xor r:", "address bits 4-6", "xor bits 7-9.")
    for i, line in enumerate(words):
        add_note(fig, described.right + 0.2, top + 0.75 + 0.2 * i, line)
    style.add_small_print(
        fig,
        "The number is the unit's before the swizzle, its colour the wgmma that reads it.",
        "The xor works on the sum of start address and offset, so adding 32 bytes first is right.",
    )
    return fig


def wgmma_fragments(tool: Tool):
    fig, _ = style.phone_figure(
        8.5, "wgmma m64nNk16: A and D by thread",
        "T: thread of the warpgroup; a, d: its register. Warp 0 is shown: 16 of 64",
        "rows. Warp w holds rows 16 w to 16 w + 15 in the same way (T + 32 w).",
    )  # fmt: skip
    words = "A from registers, 64 x 16: 2 elements in a register"
    _fragment(fig, tool, 1.5, "wgmma_a", "a", 16, words)
    words = "D, 64 x N: the first 16 columns; d0 means d0 and d1"
    _fragment(fig, tool, 5.05, "wgmma_d(16)", "d", 16, words)
    style.add_small_print(fig, "Red: thread 5 holds rows 1, 9. Columns 16 to 31 of D: d8 to d15.")
    return fig


_COLS = 32  # columns of C after which the pattern repeats
_ROWS = 4  # rows of C that are shown
_CHOSEN = 1  # lane
_SECTOR = 16  # elements of 32 bytes


def permuted_rows(tool: Tool):
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
                color = tint(FOUR[lane % 4], 1.0 if value // 4 < at_once // 2 else 0.35)
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
    return fig


_ALL = [thread_tiles, warp_tiles, fragments, ldmatrix, swizzles, wgmma_atoms, wgmma_canonical]
_ALL += [wgmma_descriptor, wgmma_k_steps, wgmma_fragments, permuted_rows]
DRAWN = {f"layout_{draw.__name__}": draw for draw in _ALL}
