"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

NOT_YET = "not measured yet"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """A Markdown table; the first `left` columns hold words, the others numbers."""
    if not rows:
        rows = [[NOT_YET, *[""] * (len(head) - 1)]]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    marks = ["---" if i < left else "--:" for i in range(len(head))]
    return [f"| {' | '.join(row)} |" for row in (head, marks, *cells)]
