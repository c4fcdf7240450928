"""Chapter 08's cluster of 2x2 blocks: which multicast slices each loads, who arrives where, by the
rules that cluster.cuh states."""

from typing import NamedTuple

import style
from style import MARGIN_IN, MUTED, TEXT_PT, WIDTH_IN, box, word

CM, CN = 2, 2  # blocks along M and along N
RANKS = range(CM * CN)
ROW, COL = [rank // CN for rank in RANKS], [rank % CN for rank in RANKS]
BM, BN, BK = 128, 256, 64  # a block's tile of C, and the columns of a stage
CONSUMERS = 2

_COLORS = style.FOUR  # by rank
_BLOCK_IN, _BLOCK_HEIGHT_IN, _GAP_IN = 2.36, 1.5, 0.14
_LEFT_IN, _TOP_IN = 1.12, 1.32  # of the blocks
_CELL_IN = 0.38  # of the table of arrivals


class Slice(NamedTuple):
    """A part of an operand's tile, multicast by one block to all `targets`."""

    operand: str
    number: int
    rows: int
    source: int
    targets: list[int]

    @property
    def kib(self) -> int:
        return self.rows * BK * 2 // 1024

    @property
    def place(self) -> str:
        """Its rows of the operand's tile."""
        return f"{self.number * self.rows}-{(self.number + 1) * self.rows - 1}"


def slices_of(rank: int) -> tuple[Slice, Slice]:
    """What a block loads for a stage: of A to its row, of B to its column."""
    to_row, to_col = ([r for r in RANKS if of[r] == of[rank]] for of in (ROW, COL))
    a = Slice("A", COL[rank], BM // CN, rank, to_row)
    return a, Slice("B", ROW[rank], BN // CM, rank, to_col)


def received(rank: int, operand: str) -> list[Slice]:
    """The slices that make up a block's tile, first rows first."""
    mine = [s for source in RANKS for s in slices_of(source) if rank in s.targets]
    return sorted((s for s in mine if s.operand == operand), key=lambda slice: slice.number)


def arrivals(consumer: int, producer: int) -> int:
    """How often the consumers of one block arrive at `empty` of another, per phase of a stage."""
    peers = ROW[consumer] == ROW[producer] or COL[consumer] == COL[producer]
    return CONSUMERS if peers else 0


def _place(rank: int) -> tuple[float, float]:
    left = _LEFT_IN + COL[rank] * (_BLOCK_IN + _GAP_IN)
    return left, _TOP_IN + ROW[rank] * (_BLOCK_HEIGHT_IN + _GAP_IN)


def _operands(sheet) -> None:
    """The tiles in global memory along the edges: of A left of each row, of B above each column."""
    height, width = _BLOCK_HEIGHT_IN / CN, _BLOCK_IN / CM
    parts = [(s, 0.2, _place(r * CN)[1] + s.number * height, 0.76, height)
             for r in range(CM) for s in received(r * CN, "A")]  # fmt: skip
    parts += [(s, _place(c)[0] + s.number * width, _TOP_IN - 0.52, width, 0.4)
              for c in range(CN) for s in received(c, "B")]  # fmt: skip
    for slice, left, top, wide, high in parts:
        box(sheet, left, top, wide, high, _COLORS[slice.source], "white")
        word(sheet, left + wide / 2, top + high / 2 - 0.08, f"rows {slice.place}", 7)
        word(sheet, left + wide / 2, top + high / 2 + 0.1, f"by {slice.source}", weight="bold")
    word(sheet, 0.2, _TOP_IN - 0.13, "tiles of A", ha="left", color=MUTED)
    word(sheet, _LEFT_IN - 0.1, _TOP_IN - 0.32, "tiles of B", ha="right", color=MUTED)


def _block(sheet, rank: int) -> None:
    """One block: what is in its stage, and what it loads."""
    left, top = _place(rank)
    pale = style.tint(_COLORS[rank], 0.22)
    box(sheet, left, top, _BLOCK_IN, _BLOCK_HEIGHT_IN, pale, MUTED, 0.8)
    word(sheet, left + 0.1, top + 0.17, f"rank {rank}", TEXT_PT, ha="left", weight="bold")
    small = dict(size=7, ha="left", color=MUTED)
    word(sheet, left + 0.68, top + 0.17, f"row {ROW[rank]}, column {COL[rank]}", **small)
    x, width, stage = left + 0.1, 0.58, 0
    for operand, full in (("A", 0.36), ("B", 0.72)):  # tiles as high as they have rows
        slices = received(rank, operand)
        height = full / len(slices)
        for slice in slices:
            at = top + 0.38 + slice.number * height
            box(sheet, x, at, width, height, _COLORS[slice.source], "white", 0.8)
            word(sheet, x + width / 2, at + height / 2, f"{operand}{slice.number}", 7)
            stage += slice.kib
        x += width + 0.05
    word(sheet, left + 0.1, top + 1.26, f"its stage: {stage} KB", **small)
    for line, slice in enumerate(slices_of(rank)):
        at = top + 0.45 + 0.42 * line
        words = f"loads {slice.operand}{slice.number}, {slice.kib} KB"
        word(sheet, x + 0.04, at, words, 7.5, ha="left")
        mask = f"to {sum(1 << target for target in slice.targets):0{len(RANKS)}b}"
        word(sheet, x + 0.04, at + 0.16, mask, 7.5, ha="left", weight="bold")
    together = sum(slice.kib for slice in slices_of(rank))
    word(sheet, x + 0.04, top + 1.26, f"together {together} KB", **small)


def _arrivals(sheet) -> None:
    """A row for each block's consumers, a column for each block's barrier."""
    left, top = WIDTH_IN - MARGIN_IN - len(RANKS) * _CELL_IN - 0.06, 1.6
    label = left - 0.85
    word(sheet, label, 0.9, "Arrivals at empty", TEXT_PT, ha="left", weight="bold")
    word(sheet, label, 1.08, "for each phase of a stage", ha="left", color=MUTED)
    word(sheet, left + 2 * _CELL_IN, top - 0.27, "empty of rank", 7, color=MUTED)
    last = top + (len(RANKS) + 0.4) * _CELL_IN
    word(sheet, left - 0.06, last, "together", 7, ha="right", weight="bold")
    for producer in RANKS:
        x, total = left + (producer + 0.5) * _CELL_IN, sum(arrivals(c, producer) for c in RANKS)
        word(sheet, x, top - 0.1, str(producer), weight="bold")
        word(sheet, x, last, str(total), weight="bold")
    for consumer in RANKS:
        y = top + (consumer + 0.5) * _CELL_IN
        word(sheet, left - 0.06, y, f"consumers of {consumer}", 7, ha="right")
        for producer in RANKS:
            count = arrivals(consumer, producer)
            look = (style.tint(_COLORS[producer], 0.75), str(count)) if count else ("#f1f2f4", "")
            x = left + producer * _CELL_IN
            style.cell(sheet, x, y - _CELL_IN / 2, _CELL_IN, _CELL_IN, *look)
    words = (f"{CONSUMERS} consumers × {CM + CN - 1} blocks,", "itself among them. Across the",
             "diagonal there are no arrivals:", "no slice goes to both blocks.")  # fmt: skip
    for i, line in enumerate(words):
        word(sheet, label, last + 0.3 + 0.17 * i, line, 7.5, ha="left", color=MUTED)


def draw():
    fig = style.figure(
        _TOP_IN + CM * (_BLOCK_HEIGHT_IN + _GAP_IN) + 0.58,
        "A cluster of 2 x 2: multicast slices, and arrivals at the empty barriers",
        f"One stage of tiles of {BM} x {BN}. A colour is the block whose TMA loads the slice.",
    )
    sheet = style.add_sheet(fig)
    _operands(sheet)
    for rank in RANKS:
        _block(sheet, rank)
    _arrivals(sheet)
    style.add_small_print(
        fig,
        "Masks: bit r, from the right, for rank r. TMA writes a slice at the same offset of "
        "each receiver's stage. The bytes count",
        "at the full barrier of each receiver. It expects all 48 KB.",
    )
    return fig
