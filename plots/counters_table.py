"""The table of what the CPU backend counted for the variants of a chapter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from markdown import markdown, shape_column
from results import Row, Shape

if TYPE_CHECKING:
    from table_contents import Request, Runs


def table(request: Request, runs: Runs) -> list[str]:
    """A row for each variant of one chapter, a column per counter.

    Unless the marker names its columns: the ratios per request, or where there are none, every
    counter; those that are zero throughout are left out. A dozen columns of totals would hide the
    cause.
    """
    name, dtype = request.chapter(), request.dtype()
    columns = [c for c in request.option("columns", "").split(",") if c]
    run = runs.counters
    rows = run.of_chapter(name, dtype) if run and run.chapter(name) else []
    rows = [row for row in rows if row.measured]
    known = list(dict.fromkeys(counter for row in rows for counter in row.counters))
    unknown = [c for c in columns if rows and c not in known]
    if unknown:
        request.fail(f"columns={unknown[0]}: {run.path.name} has no such counter for {name}")
    columns = columns or _telling(rows) or [c for c in known if _somewhere(c, rows)]
    shapes: list[Shape] = list(dict.fromkeys(row.shape for row in rows))
    sized = len(shapes) > 1
    shape_head, shape_cell = shape_column(shapes)
    words = [c.replace("_", " ") for c in columns]
    if not rows:
        return markdown(["variant", *(words or ["counters"])], [])
    head = ["variant", *([shape_head] if sized else []), *words]
    whole = {c: all(float(row.counters.get(c, 0)).is_integer() for row in rows) for c in columns}
    body = [
        [
            run.chapter(name).variant_label(row.variant),
            *([shape_cell(row.shape)] if sized else []),
            *(_count(row.counters.get(c), whole[c]) for c in columns),
        ]
        for row in rows
    ]
    problem = "" if sized else f"{shape_head} = {shape_cell(shapes[0])}, "
    caption = (
        f"{problem}{dtype}. Counted by the {run.device_name}, which needs no GPU; "
        f"{run.day}, commit {run.commit}."
    )
    return [*markdown(head, body), "", caption]


def _telling(rows: Sequence[Row]) -> list[str]:
    names = dict.fromkeys(counter for row in rows for counter in row.counters)
    ratios = [name for name in names if name.endswith("_per_request")]
    return [name for name in ratios if _somewhere(name, rows)]


def _somewhere(counter: str, rows: Sequence[Row]) -> bool:
    """Is it not zero throughout?"""
    return any(row.counters.get(counter) for row in rows)


def _count(value: float | None, whole: bool) -> str:
    """Whole numbers with thousands apart, ratios with two decimals; a dash for what is missing."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if whole else f"{value:,.2f}"
