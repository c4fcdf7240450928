#!/usr/bin/env python3
"""The figures of layouts for chapters 02 to 07: every cell comes from the JSON of the layout tool.

usage: layout.py --tool build/bin/layout [-o DIRECTORY] [FIGURE...]
"""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import cli
from checks import ResultError

cli.need_matplotlib()

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)
from layout_board import EIGHT, FOUR, HIGHLIGHT, LEFT, Board, Tool, heading, place  # noqa: E402
from layout_dealt import dealt_rows  # noqa: E402
from layout_wgmma import (  # noqa: E402
    wgmma_atoms,
    wgmma_canonical,
    wgmma_descriptor,
    wgmma_k_steps,
)

FOLDER = Path(__file__).resolve().parent / "figures"


# --- 02 and 03: tiles of threads -----------------------------------------------------------------


def thread_tiles(tool: Tool):
    """A 128x128 tile of C cut into 8x8 thread tiles, and the loads of a 128x16 slice of A."""
    fig = style.figure(5.95)
    heading(fig, "A block's tile cut into thread tiles")
    tiles = Board(fig, LEFT + 0.28, 1.1, 0.285, 16, 16)
    tiles.title(
        "C, 128 x 128: a cell is the 8 x 8 tile of a thread", "number: thread, colour: warp"
    )
    owners = tool.owners("tiled_copy((16,16):(16,1), (8,8):(8,1))")
    for row in range(16):
        for col in range(16):
            thread = owners[row * 8 + 128 * col * 8][0][0]
            tiles.fill(row, col, style.tint(EIGHT[thread // 32], 0.55), str(thread), 6.5)
    chosen = 37
    row, col = divmod(chosen, 16)
    tiles.outline(row, col, color=HIGHLIGHT, line=1.8)
    eights = [(i, str(8 * i)) for i in range(0, 16, 2)]
    tiles.ticks(eights, eights)

    left = tiles.right + 0.78
    values = Board(fig, left, 1.1, 0.285, 8, 8, aspect=0.8)
    values.title(f"Thread {chosen}: its 64 sums", "number: value, a register each")
    for position, pairs in enumerate(owners):
        thread, value = pairs[0]
        if thread == chosen:
            r, c = place(position, 128)
            values.fill(r - row * 8, c - col * 8, FOUR[0], str(value), 6.5)
    values.outline(0, 0, 8, 8, HIGHLIGHT, 1.8)
    values.ticks(
        [(r, str(row * 8 + r)) for r in range(8)], [(c, str(col * 8 + c)) for c in range(8)]
    )

    shown = 8
    loads = Board(fig, left, values.bottom + 0.92, 0.1425, shown, 16, aspect=1.5)
    loads.title("Loading A, 128 x 16", "a thread brings a vector of 8 of a row")
    owners = tool.owners("tiled_copy((128,2):(2,1), (1,8))")
    for r in range(shown):
        for vector in range(2):
            thread = owners[r + 128 * 8 * vector][0][0]
            color = style.tint(EIGHT[thread // 32], 0.55 if vector else 0.35)
            loads.fill(r, vector * 8, color, f"thread {thread}", 6.5, width=8, line=0.8)
    loads.ticks([(r, str(r)) for r in range(shown)], [(0, "0"), (8, "8")])
    loads.below("... and so on to row 127, thread 255")
    return fig, (
        "A 128x128 tile as a 16x16 grid of thread tiles numbered row by row, one thread's 8x8 "
        "values, and the map of vector loads of a 128x16 slice, two threads to a row."
    )


def warp_tiles(tool: Tool):
    """A 128x256 tile of C cut into warps, the steps of a warp, and the lanes of a step."""
    fig = style.figure(3.5)
    heading(fig, "A block's tile cut into warps, steps and lanes")
    top = 1.1
    block = Board(fig, LEFT + 0.3, top, 0.8, 2, 4)
    block.title("C, 128 x 256: 8 warps", "a warp owns 64 x 64")
    owners = tool.owners("tiled_copy((2,4):(4,1), (64,64):(64,1))")
    for row in range(2):
        for col in range(4):
            warp = owners[row * 64 + 128 * col * 64][0][0]
            color = style.tint(EIGHT[warp], 0.55)
            block.fill(row, col, color, f"warp {warp}", 8, line=0.8)
    block.outline(0, 1, color=HIGHLIGHT, line=1.8)
    block.edge_ticks([0, 64], [0, 64, 128, 192])

    warp = Board(fig, block.right + 0.66, top, 0.4, 2, 4, aspect=2)
    warp.title("Warp 1: 2 x 4 steps", "a step covers 32 x 16")
    for row in range(2):
        for col in range(4):
            warp.fill(row, col, style.tint(EIGHT[1], 0.4), f"{row},{col}", 8, line=0.8)
    warp.outline(0, 0, 2, 4, HIGHLIGHT, 1.8)
    warp.outline(0, 1, color=style.INK, line=1.8)
    warp.edge_ticks([0, 32], [0, 16, 32, 48])

    lanes = Board(fig, warp.right + 0.66, top, 0.44, 8, 4, aspect=0.4 * 4 / 8 / 0.44)
    lanes.title("A step: 32 lanes", "a lane owns 4 x 4, lanes in quads")
    owners = tool.owners("tiled_copy(((2,4),(2,2)):((2,8),(1,4)), (4,4):(4,1))")
    for row in range(8):
        for col in range(4):
            lane = owners[row * 4 + 32 * col * 4][0][0]
            lanes.fill(row, col, style.tint(EIGHT[lane // 4], 0.55), str(lane), 7, line=0.8)
    lanes.outline(0, 0, 8, 4, style.INK, 1.8)
    lanes.edge_ticks(range(0, 32, 4), range(0, 16, 4))
    words = "Numbers along the edges: rows and columns. A warp takes its steps one after the other."
    style.add_small_print(fig, [(words, False)])
    return fig, (
        "A 128x256 tile as 2x4 warps, one warp's 64x64 as 2x4 steps of 32x16, and one step as 8x4 "
        "lanes of 4x4 values that stand in quads."
    )


# --- 04: fragments and ldmatrix ------------------------------------------------------------------


def _fragment(board: Board, owners, rows: int, transposed: bool, chosen: int) -> None:
    for position, pairs in enumerate(owners):
        lane, value = pairs[0]
        row, col = place(position, rows)
        if transposed:
            row, col = col, row
        board.fill(row, col, FOUR[lane % 4], f"T{lane}\nv{value}", 6.0)
        if lane == chosen:
            board.outline(row, col, color=HIGHLIGHT, line=1.5)


def fragments(tool: Tool):
    """A, B and C of m16n8k16 by thread and value, laid out as the product."""
    cell, aspect = 0.318, 0.76
    edge = 16 * cell * aspect
    fig = style.figure(1.1 + 2 * edge + 0.85 + 0.2)
    heading(fig, "mma.sync m16n8k16: which lane holds what")
    a_left, c_left = LEFT + 0.24, LEFT + 0.24 + 16 * cell + 0.36
    b_top = 1.1
    c_top = b_top + edge + 0.85
    chosen = 5
    b = Board(fig, c_left, b_top, cell, 16, 8, aspect)
    b.title("B, 16 x 8 (k by n): 4 values", f"{tool('mma_b').layout}, n + 8 k", mono=True)
    _fragment(b, tool.owners("mma_b"), 8, True, chosen)
    a = Board(fig, a_left, c_top, cell, 16, 16, aspect)
    a.title("A, 16 x 16 (m by k): 8 values", f"{tool('mma_a').layout}, m + 16 k", mono=True)
    _fragment(a, tool.owners("mma_a"), 16, False, chosen)
    c = Board(fig, c_left, c_top, cell, 16, 8, aspect)
    c.title("C and D, 16 x 8: 4 values", f"{tool('mma_c').layout}, m + 16 n", mono=True)
    _fragment(c, tool.owners("mma_c"), 16, False, chosen)
    for board in (a, b, c):
        board.ticks(
            [(r, str(r)) for r in range(board.rows)], [(k, str(k)) for k in range(board.cols)]
        )
    x = LEFT + 0.24
    for i, line in enumerate(
        [
            "T = lane of the warp, v = value, in the order of the lane's registers",
            "(two 16-bit values to a register of A and B, one fp32 sum to one of C).",
            "Colour: lane mod 4, the pair of neighbours along k (A, B) or n (C).",
            f"Outlined: all that lane {chosen} holds.",
            "",
            "Four lanes side by side hold 8 neighbours, 16 bytes: the row of an 8 x 8",
            "matrix that ldmatrix hands out.",
        ]
    ):
        color = HIGHLIGHT if line.startswith("Outlined") else style.MUTED
        style.add_text(fig, x, b_top + 0.9 + i * 0.21, line, size=style.TEXT_PT - 0.5, color=color)
    return fig, (
        "Three grids: A (16x16), B (16x8) and C (16x8) of the m16n8k16 instruction; each cell "
        "names the lane and the value that hold it, and everything lane 5 holds is outlined."
    )


def ldmatrix(tool: Tool):
    """Who points at the rows of four 8x8 matrices, and who receives their elements."""
    cell, aspect = 0.246, 0.86
    fig = style.figure(1.1 + 24 * cell * aspect + 1.1 + 0.2)
    heading(fig, "ldmatrix.x4: who points, and who receives")
    source = tool("ldmatrix_source(4)").values
    target = tool("ldmatrix_destination(4)").values
    trans = tool("ldmatrix_destination_trans(4)").values
    points = {element: i % 32 for i, element in enumerate(source)}
    gets = {element: (i % 32, i // 32) for i, element in enumerate(target)}
    gets_trans = {element: (i % 32, i // 32) for i, element in enumerate(trans)}

    def matrix_element(row: int, col: int) -> int:
        """The four matrices of a 16x16 operand A: down first, then to the right."""
        return (row // 8 + 2 * (col // 8)) * 64 + row % 8 * 8 + col % 8

    left = Board(fig, LEFT + 0.26, 1.1, cell, 16, 16, aspect)
    left.title("Source: a lane points at a row", "8 elements of 16 bits, 16 bytes")
    for row in range(16):
        for matrix_col in range(2):
            lane = points[matrix_element(row, matrix_col * 8)]
            color = style.tint(EIGHT[row % 8], 0.5)
            left.fill(row, matrix_col * 8, color, f"lane {lane}", 6.5, width=8, line=0.8)
    right = Board(fig, left.right + 0.46, 1.1, cell, 16, 16, aspect)
    right.title("Destination: every lane gets a pair of each matrix", "T = lane, v = value")
    for row in range(16):
        for col in range(16):
            lane, value = gets[matrix_element(row, col)]
            right.fill(row, col, style.tint(EIGHT[row % 8], 0.5), f"T{lane}\nv{value}", 5.2)
    for board in (left, right):
        for i in range(4):
            board.outline(i % 2 * 8, i // 2 * 8, 8, 8, style.INK, 1.2)
        board.ticks([(r, str(r)) for r in range(16)], [(k, str(k)) for k in range(16)])
    left.outline(1, 0, 1, 8, HIGHLIGHT, 1.8)
    right.outline(1, 0, 1, 8, HIGHLIGHT, 1.8)
    left.below("The row that lane 1 points at ...", color=HIGHLIGHT)
    right.below("... goes to lanes 4 to 7, as their values 0 and 1.", color=HIGHLIGHT)

    top = right.bottom + 1.1
    for board_left, table, title, note in (
        (LEFT + 0.26, gets, "One matrix, plain", "the row goes to 4 lanes"),
        (right.left, gets_trans, "One matrix, .trans", "the row goes to 8 lanes, one element each"),
    ):
        board = Board(fig, board_left, top, cell, 8, 8, aspect)
        board.title(title, note)
        for row in range(8):
            for col in range(8):
                lane, value = table[row * 8 + col]
                board.fill(row, col, style.tint(EIGHT[row], 0.5), f"T{lane}\nv{value}", 5.2)
        board.outline(1, 0, 1, 8, HIGHLIGHT, 1.8)
        board.ticks([(r, str(r)) for r in range(8)], [(k, str(k)) for k in range(8)])
        words = {
            "plain": [
                "Neighbours of a row meet in",
                "one lane: k is contiguous,",
                "the form for K-major tiles.",
            ],
            ".trans": [
                "Neighbours of a column",
                "meet in one lane: the form",
                "for MN-major tiles.",
            ],
        }[title.split()[-1]]
        for i, line in enumerate(words):
            style.add_text(
                fig,
                board.right + 0.16,
                top + 0.55 + 0.2 * i,
                line,
                size=style.SMALL_PT,
                color=style.MUTED,
            )
    return fig, (
        "Left: a 16x16 tile as four 8x8 matrices, each row labelled with the lane that points at "
        "it. Right: the same tile labelled with the lane and value that receive each element. "
        "Below: one matrix, plain and with .trans."
    )


# --- 05: swizzles --------------------------------------------------------------------------------


def _bank_groups(board: Board, image, vector: int) -> None:
    for row in range(board.rows):
        for col in range(board.cols):
            bank = image.data["banks"]["of"][row + board.rows * col * vector]
            board.fill(row, col, EIGHT[bank // 4], str(bank // 4), 7.5, line=0.8)


def swizzles(tool: Tool):
    """Rows of 32, 64 and 128 bytes before and after their swizzles, coloured by bank group."""
    fig = style.figure(7.75)
    heading(fig, "Swizzle 1, 2 and 3: one column of 16-byte units in eight different bank groups")
    cell = 0.29
    for panel, (width, bits) in enumerate(((16, 1), (32, 2), (64, 3))):
        left = LEFT + 0.26 + (0, 2.0, 4.55)[panel]
        plain = f"(8,{width}):({width},1)"
        for lower, expression in enumerate((plain, f"Sw<{bits},3,3> o {plain}")):
            image = tool(expression, "--banks", "16")
            vector = image.data["banks"]["vector"]
            board = Board(fig, left, 1.1 + 3.42 * lower, cell, 8, width // vector)
            rows = f"{2 * width} bytes a row"
            board.title(rows if not lower else f"Sw<{bits},3,3>", image.layout.split(" o ")[-1])
            _bank_groups(board, image, vector)
            ways = image.data["banks"]["worst"]
            board.outline(0, 0, 8, 1, HIGHLIGHT, 1.8)
            words = f"a column: {ways}-way" if ways > 1 else "a column: no conflict"
            board.below(words, color=HIGHLIGHT if ways > 1 else style.INK, weight="bold")
            board.ticks([(r, str(r)) for r in range(8)], [(c, str(c)) for c in range(board.cols)])
    key = Board(fig, LEFT + 7.45, 1.1, 0.29, 8, 1)
    key.title("Banks", "4 of 4 bytes")
    for group in range(8):
        key.fill(group, 0, EIGHT[group], str(group), 7.5, line=0.8)
        style.add_text(
            fig,
            key.right + 0.08,
            1.1 + 0.29 * group + 0.07,
            f"{4 * group} to {4 * group + 3}",
            size=style.SMALL_PT,
            color=style.MUTED,
        )
    style.add_small_print(
        fig,
        [
            (
                "One cell is a unit of 8 elements of 16 bits, its number the group of 4 banks it "
                "lies in.",
                False,
            ),
            (
                "Outlined: what the 8 lanes of one phase read with 16-byte loads, or one matrix of "
                "ldmatrix.",
                False,
            ),
        ],
    )
    return fig, (
        "Six grids of eight rows: rows of 32, 64 and 128 bytes before and after swizzles of 1, 2 "
        "and 3 bits. Before, a column meets 2, 4 and 8 times in a bank group; after, never."
    )


# --- All of them ----------------------------------------------------------------------------------

DRAWN: dict[str, Callable] = {
    "thread_tiles": thread_tiles,
    "warp_tiles": warp_tiles,
    "fragments": fragments,
    "ldmatrix": ldmatrix,
    "swizzles": swizzles,
    "wgmma_atoms": wgmma_atoms,
    "wgmma_canonical": wgmma_canonical,
    "wgmma_descriptor": wgmma_descriptor,
    "wgmma_k_steps": wgmma_k_steps,
    "dealt_rows": dealt_rows,
}


def write(tool: Tool, name: str, path: Path) -> None:
    """Draws one figure into a file, SVG or PNG."""
    save(name, *DRAWN[name](tool), path)


def save(name: str, fig, description: str, path: Path) -> None:
    """Saves a figure of that name, drawn before."""
    title = (DRAWN[name].__doc__ or name).splitlines()[0].rstrip(".")
    style.save(fig, path, title, description)


def main() -> int:
    parser = cli.Parser(description="Draws the figures of layouts with the layout tool.")
    parser.add_argument("--tool", type=Path, required=True, help="the layout program")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, help="where to")
    parser.add_argument("--png", action="store_true", help="PNG instead of SVG, for a quick look")
    parser.add_argument("figure", nargs="*", help="which: " + ", ".join(DRAWN) + " (all)")
    args = parser.parse_args()
    unknown = [name for name in args.figure if name not in DRAWN]
    if unknown:
        parser.error(f"there is no figure '{unknown[0]}'; there are {', '.join(DRAWN)}")
    if not args.tool.is_file():
        raise ResultError(f"{args.tool}: not found; build the target layout_tool")
    args.output.mkdir(parents=True, exist_ok=True)
    tool = Tool(args.tool)
    for name in args.figure or DRAWN:
        path = args.output / f"layout_{name}{'.png' if args.png else '.svg'}"
        write(tool, name, path)
        print(path)
    return 0


if __name__ == "__main__":
    cli.run(main)
