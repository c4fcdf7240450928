#!/usr/bin/env python3
"""Front door of plots/: draws every committed figure and writes the tables of all pages anew.

Where something was not recorded yet the figure is left as it is, said in one line.

usage: make.py [--layout-tool BINARY]
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import charts
import cli
import cluster
import house
import layout
import loop_nest
import overlap
import results
import ring
import style
import tables
import tile_orders
import timeline
from cli import ROOT, ResultError

FIGURES = ROOT / "plots" / "figures"
RESULTS = ROOT / "plots" / "results"


def chart(name: str):
    """A chart of the recorded run that the pages show."""
    draw, recorded = charts.CHARTS[name]
    return draw(results.given_or_recorded(None, recorded))


def figures() -> dict:
    """What draws each committed figure, by its name; a new figure takes one line here."""
    known = {name: partial(chart, name) for name in charts.CHARTS}
    known |= {module.__name__: module.draw for module in (loop_nest, cluster, overlap, house)}
    known |= {"ring": ring.draw_07, "ring_06": ring.draw_06}
    for chapter in tile_orders.CHAPTERS:
        known[f"tile_orders_{chapter}"] = partial(tile_orders.draw_computed, chapter)
    printed = {"tile_orders": tile_orders.draw, "timeline_*": timeline.draw}
    for pattern, draw in printed.items():
        paths = sorted(RESULTS.glob(f"{pattern}.json"))
        known |= {path.stem: partial(draw, path) for path in paths}
    return known


def main() -> int:
    parser = cli.Parser(description="Draws all figures and writes the tables of all pages.")
    parser.add_argument("--layout-tool", type=Path, metavar="BINARY", help="for layout pictures")
    args = parser.parse_args()
    FIGURES.mkdir(exist_ok=True)
    for name, draw in figures().items():
        place = f"plots/figures/{name}.svg"
        try:
            fig, description = draw()
        except ResultError as error:
            print(f"{place}: left as it is: {error}")
            continue
        style.save(fig, ROOT / place, description)
        print(f"{place}: drawn")
    if args.layout_tool:
        layout.write(args.layout_tool, FIGURES)
    changed = tables.update(ROOT)
    print("\n".join(f"{page}: tables updated" for page in changed) or "tables: up to date")
    return 0


if __name__ == "__main__":
    cli.run(main)
