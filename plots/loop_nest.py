"""Chapter 01's two mappings: which outputs a warp owns, and what one step of its loop reads."""

import style
from style import MARGIN_IN, SMALL_PT, TEXT_PT, add_note, add_text

LANES = 32
EDGE = 32  # outputs of C, and steps along K, that are drawn each way
_TOP_IN, _C_IN, _K_IN, _GAP_IN = 1.98, 1.72, 0.66, 0.07
_BLOCK, _WARP, _A, _B = style.tint(style.AMBER, 0.3), style.AMBER, style.INDIGO, style.TEAL

# Variants of the chapter: the name, lanes for an output, a block's rows and columns of C. A warp's
# outputs lie along a row.
MAPPINGS = (("strided", 1, 8, 32), ("coalesced", 32, 2, 4))  # as in kernel.cuh


def _grid(fig, left: float, top: float, width: float, height: float):
    axes, ticks = style.add_axes(fig, left, top, width, height), range(0, EDGE + 1, 8)
    axes.set(xlim=(0, EDGE), ylim=(EDGE, 0), facecolor="#eceef1", xticks=ticks, yticks=ticks)
    axes.tick_params(length=0, labelleft=False, labelbottom=False)
    axes.grid(True, color="white", linewidth=0.8)
    return axes


def draw():
    title = "Who computes what: a block, its warps, and one step along k"
    fig = style.figure(_TOP_IN + _C_IN + 0.94, title)
    key = {
        "outputs of the first block": _BLOCK,
        "of its first warp": _WARP,
        "what that warp reads of A in its first step": _A,
        "and of B": _B,
    }
    style.add_key(fig, 0.46, key, 0.38)
    for number, (name, step, block_rows, block_cols) in enumerate(MAPPINGS):
        left = MARGIN_IN + number * 2.9
        start, below = left + _K_IN + _GAP_IN, _TOP_IN + _C_IN
        above = _TOP_IN - _GAP_IN - _K_IN
        c = _grid(fig, start, _TOP_IN, _C_IN, _C_IN)
        a = _grid(fig, left, _TOP_IN, _K_IN, _C_IN)
        b = _grid(fig, start, above, _C_IN, _K_IN)
        rows, cols = 1, LANES // step  # of A and B, that a warp touches in a step: a line of each
        for axes, width, height, color in (
            (c, block_cols, block_rows, _BLOCK), (c, cols, rows, _WARP), (a, step, rows, _A),
            (b, cols, step, _B),
        ):  # fmt: skip
            style.box(axes, 0, 0, width, height, color, line=0, zorder=3)
        add_note(fig, left, below + 0.04, "A: rows m, along k")
        add_note(fig, start + _C_IN, below + 0.04, "C: m down, n across", ha="right")
        add_note(fig, left, above, "B: rows n,\nk down")
        add_text(fig, left, above - 0.24, name, size=TEXT_PT, weight="bold")
        words = (
            f"a warp owns {rows} × {cols} output{'s' * (rows * cols > 1)}",
            f"a step touches {rows} + {cols} = {rows + cols} rows,",
            f"a cache line of each, for {LANES} multiply-adds",
        )
        for line, text in enumerate(words):
            add_text(fig, left, below + 0.28 + line * style.LINE_IN, text, size=SMALL_PT)
    return fig
