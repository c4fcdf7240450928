"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Callable

if TYPE_CHECKING:
    from results import Shape

NOT_YET = "not measured yet"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """A Markdown table; the first `left` columns hold words, the others numbers."""
    if not rows:
        rows = [[NOT_YET, *[""] * (len(head) - 1)]]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    marks = ["---" if i < left else "--:" for i in range(len(head))]
    return [f"| {' | '.join(row)} |" for row in (head, marks, *cells)]


def shape_column(shapes: Sequence[Shape]) -> tuple[str, Callable[[Shape], str]]:
    """Heading and cells for shapes: one number as long as all of them are M = N = K."""
    if all(shape.is_square for shape in shapes):
        return "M = N = K", str
    return "M×N×K", lambda shape: "×".join(str(extent) for extent in shape)
