"""Chapter 04's reads of shared memory: the banks of one ldmatrix phase, and four lanes of one
ldmatrix.x4. Banks are computed from addresses, fragments by the formulas of fragments.hpp."""

import style
from style import FOUR, HIGHLIGHT, MARGIN_IN, MUTED, PHONE_IN, TEXT_PT, tint, word

ELEMENT, VECTOR = 2, 16  # bytes of an element, and of the piece of a row that a lane points at
ROWS, BK, UNIT = 8, 64, 2  # of a phase; columns of the k-tile; the piece: columns 16 to 23
GROUPS = 8  # of four banks of 4 bytes

# Words; the pitch of a row in elements; whether the number of the row is xored into the piece's.
LAYOUTS = (
    ("Rows of 128 bytes, no swizzle", BK, False),
    ("Padded: rows of 144 bytes", BK + 8, False),
    ("Rows of 128 bytes, 128-byte swizzle", BK, True),
)


def wavefronts(pitch: int, swizzled: bool) -> list[tuple[int, int, int]]:
    """For every lane the byte at which its 16 begin, their group of four banks, and the wavefront that
    serves it."""
    found: list[tuple[int, int, int]] = []
    for row in range(ROWS):
        byte = row * pitch * ELEMENT + UNIT * VECTOR
        byte ^= (byte >> 7 & 7) << 4 if swizzled else 0
        group = byte // VECTOR % GROUPS
        found.append((byte, group, sum(group == other for _, other, _ in found)))
    return found


def bank_conflict():
    fig, sheet = style.phone_figure(
        7.8, "Bank conflicts, lane by lane",
        f"8 lanes read 16 bytes each: columns {UNIT * 8} to {UNIT * 8 + 7} of 8 rows of a k-tile.",
        "The number in a box is the wavefront that brings these bytes.",
    )  # fmt: skip
    left, row_in = 1.3, 0.2
    wide = (PHONE_IN - MARGIN_IN - left) / GROUPS
    for number, (title, pitch, swizzled) in enumerate(LAYOUTS):
        top, found = 1.44 + 2.22 * number, wavefronts(pitch, swizzled)
        count = 1 + max(wavefront for *_, wavefront in found)
        said = f"{count} wavefront{'s' * (count > 1)}"
        word(sheet, MARGIN_IN, top - 0.4, title, TEXT_PT, ha="left", weight="bold")
        word(sheet, PHONE_IN - MARGIN_IN, top - 0.4, said, TEXT_PT, ha="right", weight="bold",
             color=HIGHLIGHT if count > 1 else style.TEAL)  # fmt: skip
        word(sheet, left - 0.06, top - 0.12, "bank", ha="right", color=MUTED)
        for group in range(GROUPS):
            x = left + (group + 0.5) * wide
            word(sheet, x, top - 0.12, f"{4 * group}-{4 * group + 3}", color=MUTED)
        for lane, (byte, group, wavefront) in enumerate(found):
            y = top + lane * row_in
            word(sheet, left - 0.06, y + row_in / 2, f"lane {lane}: byte {byte}", ha="right")
            color = tint(HIGHLIGHT, 0.3 + 0.05 * wavefront) if count > 1 else tint(style.TEAL, 0.5)
            for other in range(GROUPS):
                look = (color, str(wavefront)) if other == group else ("#f1f2f4", "")
                style.cell(sheet, left + other * wide, y, wide, row_in, *look, weight="bold")
    return fig


LANES = {1: FOUR[0], 10: FOUR[1], 20: FOUR[2], 31: FOUR[3]}  # those that are traced


def ldmatrix_trace():
    fig, sheet = style.phone_figure(
        8.75, "One ldmatrix.x4, four lanes traced",
        "A fragment of A, 16 x 16: four matrices of 8 x 8 elements of 16 bits.",
    )  # fmt: skip
    left, row_in, cell, gap = 0.42, 0.185, 0.262, 0.1
    x = lambda col: left + col * cell + gap * (col // 8)  # noqa: E731
    for top, title in (
        (1.22, "1. Each lane supplies the address of one row"),
        (5.0, "2. Each lane receives a pair of each matrix"),
    ):
        y = lambda row: top + row * row_in + gap * (row // 8)  # noqa: B023, E731
        word(sheet, MARGIN_IN, top - 0.42, title, TEXT_PT, ha="left", weight="bold")
        for matrix, col in ((0, 0), (2, 8)):
            words = f"matrices {matrix} and {matrix + 1}: columns {col} to {col + 7}"
            word(sheet, x(col) + 4 * cell, top - 0.13, words, color=MUTED)
        for row in range(16):
            word(sheet, left - 0.06, y(row) + row_in / 2, str(row), ha="right", color=MUTED)
        for lane in range(32):
            color, traced = LANES.get(lane, "#e4e6ea"), lane in LANES
            look = dict(weight="bold") if traced else dict(color=MUTED)
            # Row and first column of the 16 bytes that a lane points at, or of its registers' pairs.
            places = [(lane % 16, lane // 16 * 8, 8, f"lane {lane}")]
            if title[0] == "2":
                row, col = lane // 4, lane % 4 * 2
                places = [(r % 2 * 8 + row, r // 2 * 8 + col, 2, f"{lane}: r{r}") for r in range(4)]
            for row, col, width, words in places:
                words = words if traced or width == 8 else ""
                style.cell(sheet, x(col), y(row), width * cell, row_in, color, words, **look)
    style.add_small_print(fig, "10: r2 is register 2 of lane 10: two elements of matrix 2.",
                          "Lanes 8 i to 8 i + 7 point at the rows of matrix i.")  # fmt: skip
    return fig
