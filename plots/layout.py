"""The figures of layouts of chapters 02 to 06: every cell comes from the layout tool's JSON."""

import style
from layout_board import EIGHT, LEFT, Board, Tool
from layout_wgmma import dealt_rows, wgmma_atoms, wgmma_canonical, wgmma_descriptor, wgmma_k_steps
from style import FOUR, HIGHLIGHT, INK, MUTED, add_note, tint

# --- 02 and 03: tiles of threads -----------------------------------------------------------------


def thread_tiles(tool: Tool):
    """A 128x128 tile of C cut into 8x8 thread tiles, and the loads of a 128x16 k-tile of A."""
    fig = style.figure(5.95, "A block's tile cut into thread tiles")
    tiles = Board(fig, LEFT + 0.28, 1.1, 0.285, 16, 16)
    words = "C, 128 x 128: a cell is the 8 x 8 tile of a thread"
    tiles.title(words, "number: thread, colour: warp")
    owners = tool.owners("tiled_copy((16,16):(16,1), (8,8):(8,1))")

    def tile(row: int, col: int) -> tuple:
        thread, _ = owners[row * 8 + 128 * col * 8]
        return tint(EIGHT[thread // 32], 0.55), str(thread)

    tiles.fill_all(tile, 6.5)
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

    shown = 8
    loads = Board(fig, left, values.bottom + 0.92, 0.1425, shown, 16, aspect=1.5)
    loads.title("Loading A, 128 x 16", "a thread brings a vector of 8 of a row")
    owners = tool.owners("tiled_copy((128,2):(2,1), (1,8))")
    for r in range(shown):
        for vector in range(2):
            thread, _ = owners[r + 128 * 8 * vector]
            color = tint(EIGHT[thread // 32], 0.55 if vector else 0.35)
            loads.fill(r, vector * 8, color, f"thread {thread}", 6.5, width=8, line=0.8)
    loads.ticks(cols={0: 0, 8: 8})
    loads.below("... and so on to row 127, thread 255")
    return fig, (
        "A 128x128 tile as a 16x16 grid of thread tiles numbered row by row, one thread's 8x8 "
        "values, and the map of vector loads of a 128x16 k-tile, two threads to a row."
    )


def warp_tiles(tool: Tool):
    """A 128x256 tile of C cut into warps, the steps of a warp, and the lanes of a step."""
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
    return fig, (
        "A 128x256 tile as 2x4 warps, one warp's 64x64 as 2x4 steps of 32x16, and one step as 8x4 "
        "lanes of 4x4 values that stand in quads."
    )


# --- 04: fragments and ldmatrix ------------------------------------------------------------------


def fragments(tool: Tool):
    """A, B and C of m16n8k16 by thread and value, laid out as the product."""
    cell, aspect, chosen = 0.318, 0.76, 5
    edge = 16 * cell * aspect
    fig = style.figure(2.15 + 2 * edge, "mma.sync m16n8k16: which lane holds what")
    a_left, c_left = LEFT + 0.24, LEFT + 0.6 + 16 * cell
    b_top, c_top = 1.1, 1.95 + edge
    for left, top, cols, name, title, strides in (
        (c_left, b_top, 8, "mma_b", "B, 16 x 8 (k by n): 4 values", "n + 8 k"),
        (a_left, c_top, 16, "mma_a", "A, 16 x 16 (m by k): 8 values", "m + 16 k"),
        (c_left, c_top, 8, "mma_c", "C and D, 16 x 8: 4 values", "m + 16 n"),
    ):
        board, owners = Board(fig, left, top, cell, 16, cols, aspect), tool.owners(name)
        board.title(title, f"{tool(name).layout}, {strides}", mono=True)
        for row in range(16):
            for col in range(cols):
                lane, value = owners[col + 8 * row if name == "mma_b" else row + 16 * col]
                board.fill(row, col, FOUR[lane % 4], f"T{lane}\nv{value}", 6.0)
                if lane == chosen:
                    board.outline(row, col, color=HIGHLIGHT, line=1.5)
        board.ticks()
    words = (
        "T = lane of the warp, v = value, in the order of the lane's registers",
        "(two 16-bit values to a register of A and B, one fp32 accumulator to one of C).",
        "Colour: lane mod 4, the pair of neighbours along k (A, B) or n (C).",
        f"Outlined: all that lane {chosen} holds.",
        "",
        "Four lanes side by side hold 8 neighbours, 16 bytes: the row of an 8 x 8",
        "matrix that ldmatrix hands out.",
    )
    for i, line in enumerate(words):
        color = HIGHLIGHT if line.startswith("Outlined") else MUTED
        add_note(fig, a_left, b_top + 0.9 + i * 0.21, line, size=style.TEXT_PT - 0.5, color=color)
    return fig, (
        "Three grids: A (16x16), B (16x8) and C (16x8) of the m16n8k16 instruction; each cell "
        "names the lane and the value that hold it, and everything lane 5 holds is outlined."
    )


def ldmatrix(tool: Tool):
    """Who points at the rows of four 8x8 matrices, and who receives their elements."""
    cell, aspect = 0.246, 0.86
    fig = style.figure(2.4 + 24 * cell * aspect, "ldmatrix.x4: who points, and who receives")
    # For each element of the matrices the (lane, value) that an expression gives it.
    points, gets, gets_trans = (
        {element: (i % 32, i // 32) for i, element in enumerate(tool(expression).values)}
        for expression in (
            "ldmatrix_source(4)", "ldmatrix_destination(4)", "ldmatrix_destination_trans(4)",
        )  # fmt: skip
    )

    def element(row: int, col: int) -> int:
        """The four matrices of a 16x16 operand A: down first, then to the right."""
        return (row // 8 + 2 * (col // 8)) * 64 + row % 8 * 8 + col % 8

    def receiver(table: dict):
        def cell(row: int, col: int) -> tuple:
            lane, value = table[element(row, col)]
            return tint(EIGHT[row % 8], 0.5), f"T{lane}\nv{value}"

        return cell

    left = Board(fig, LEFT + 0.26, 1.1, cell, 16, 16, aspect)
    left.title("Source: a lane points at a row", "8 elements of 16 bits, 16 bytes")
    for row in range(16):
        for col in (0, 8):
            words = f"lane {points[element(row, col)][0]}"
            left.fill(row, col, tint(EIGHT[row % 8], 0.5), words, 6.5, width=8, line=0.8)
    right = Board(fig, left.right + 0.46, 1.1, cell, 16, 16, aspect)
    right.title("Destination: every lane gets a pair of each matrix", "T = lane, v = value")
    right.fill_all(receiver(gets), 5.2)
    for board in (left, right):
        for i in range(4):
            board.outline(i % 2 * 8, i // 2 * 8, 8, 8, INK, 1.2)
        board.ticks()
        board.outline(1, 0, 1, 8, HIGHLIGHT, 1.8)
    left.below("The row that lane 1 points at ...", color=HIGHLIGHT)
    right.below("... goes to lanes 4 to 7, as their values 0 and 1.", color=HIGHLIGHT)

    top = right.bottom + 1.1
    for board_left, table, title, note, words in (
        (left.left, gets, "plain", "the row goes to 4 lanes",
         "Neighbours of a row meet in\none lane: k is contiguous,\nthe form for K-major tiles."),
        (right.left, gets_trans, ".trans", "the row goes to 8 lanes, one element each",
         "Neighbours of a column\nmeet in one lane: the form\nfor MN-major tiles."),
    ):  # fmt: skip
        board = Board(fig, board_left, top, cell, 8, 8, aspect)
        board.title(f"One matrix, {title}", note)
        board.fill_all(receiver(table), 5.2)
        board.outline(1, 0, 1, 8, HIGHLIGHT, 1.8)
        board.ticks()
        for i, line in enumerate(words.split("\n")):
            add_note(fig, board.right + 0.16, top + 0.55 + 0.2 * i, line)
    return fig, (
        "Left: a 16x16 tile as four 8x8 matrices, each row with the lane that points at it. Right: "
        "the lane and value that receive each element. Below: one matrix, plain and with .trans."
    )


# --- 05: swizzles --------------------------------------------------------------------------------


def swizzles(tool: Tool):
    """Rows of 32, 64 and 128 bytes before and after their swizzles, coloured by bank group."""
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
        "One cell is a unit of 8 elements of 16 bits, its number the group of 4 banks it lies in.",
        "Outlined: what the 8 lanes of one phase read with 16-byte loads, or a matrix of ldmatrix.",
    )
    return fig, (
        "Six grids of eight rows: rows of 32, 64 and 128 bytes before and after swizzles of 1, 2 "
        "and 3 bits. Before, a column meets 2, 4 and 8 times in a bank group; after, never."
    )


# --- All of them ----------------------------------------------------------------------------------

_ALL = [thread_tiles, warp_tiles, fragments, ldmatrix, swizzles]
_ALL += [wgmma_atoms, wgmma_canonical, wgmma_descriptor, wgmma_k_steps, dealt_rows]
DRAWN = {f"layout_{draw.__name__}": draw for draw in _ALL}
