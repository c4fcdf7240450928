"""The figure of chapter 07's dealt rows: which lane gets which columns of C."""

from __future__ import annotations

import style
from layout_board import FOUR, HIGHLIGHT, LEFT, Board, Tool, heading

_COLS = 32  # columns of C after which the pattern repeats
_ROWS = 4  # rows of C that are shown
_CHOSEN = 1  # lane
_SECTOR = 16  # elements of 32 bytes


def columns(tool: Tool) -> tuple[list[int], list[int]]:
    """For each row of B's tile, the column of C that it makes: as rows come, and dealt out."""
    return tool(f"{_COLS}:1").values, tool("(2,4,4):(1,8,2)").values


def dealt_rows(tool: Tool):
    """Rows of B dealt out: eight neighbouring columns of C in one lane."""
    fig = style.figure(5.2)
    heading(fig, "Rows of B dealt out: eight neighbours of C in one lane")
    layout = tool(f"wgmma_d({_COLS})").layout
    words = f"Sums of wgmma by lane (T) and value (v), {layout}: 4 of 64 rows, {_COLS} columns."
    style.add_text(fig, LEFT, 0.42, words, size=style.TEXT_PT, color=style.MUTED)
    owners = tool.owners(f"wgmma_d({_COLS})")
    plain, dealt = columns(tool)
    cell = 0.252
    left = LEFT + 0.24
    boards = (
        (1.28, plain, "As they come: row r of B's tile makes column r", "a lane has pairs"),
        (3.28, dealt, "Dealt out by (2,4,4):(1,8,2)", "a lane has eights"),
    )
    for top, column_of, title, note in boards:
        at_once = 2 if column_of is plain else 8
        board = Board(fig, left, top, cell, _ROWS, _COLS, aspect=1.12)
        board.title(title, note)
        first_store = {}
        for tile_row, col in enumerate(column_of):
            for row in range(_ROWS):
                lane, value = owners[row + 64 * tile_row][0]
                first = value // 4 < at_once // 2
                color = style.tint(FOUR[lane % 4], 1.0 if first else 0.35)
                board.fill(row, col, color, f"T{lane}\nv{value}", 5.6)
                if lane == _CHOSEN:
                    first_store[col] = row
        for col in sorted(first_store):
            if col % at_once == 0:
                board.outline(first_store[col], col, 1, at_once, HIGHLIGHT, 1.6)
        for col in range(0, _COLS + 1, _SECTOR):
            board.axes.plot([col, col], [-0.12, _ROWS + 0.12], color=style.INK, linewidth=1.4,
                            clip_on=False, zorder=6)  # fmt: skip
        board.ticks([(r, str(r)) for r in range(_ROWS)], [(c, str(c)) for c in range(_COLS)])
        for tile_row, col in enumerate(column_of):
            at = dict(ha="center", va="top", size=6.0, color=HIGHLIGHT)
            board.axes.text(col + 0.5, _ROWS + 0.16, str(tile_row), **at)
    style.add_small_print(
        fig,
        [
            (
                "Strong colour: what one store instruction writes. Thick lines: sectors of 32 "
                "bytes. Pairs fill half of one; eights fill two.",
                False,
            ),
            (
                f"Outlined: the 8 sums of lane {_CHOSEN} in row 0. Numbers above: columns of C; below: rows of B's tile.",
                False,
            ),
        ],
    )
    return fig, (
        "Two grids of 4 rows by 32 columns of C, labelled with the lane and value that hold each "
        "sum: with rows of B as they come a lane has pairs eight columns apart, with rows dealt "
        "out it has eight neighbouring columns."
    )
