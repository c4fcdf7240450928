#!/usr/bin/env python3
"""Draws every committed figure and writes the tables of all pages anew. Where something was not
recorded yet the figure is left as it is, said in one line."""

import subprocess
from functools import partial
from pathlib import Path

import charts
import cli
import cluster
import example_timeline
import architecture
import banks
import layout
import loop_nest
import losses
import machine
import overlap
import pipeline
import results
import ring
import running_example
import style
import tables
import tile_orders
import timeline
from cli import ROOT, ResultError


def figures(tool: Path | None = None) -> dict:
    """What draws each committed figure, by its name; a new figure takes one line here. Those of
    layouts need the built layout tool."""
    known = {
        name: lambda draw=draw, run=run: draw(results.given_or_recorded(None, run))
        for name, (draw, run) in charts.CHARTS.items()
    }
    modules = (loop_nest, cluster, overlap, architecture, running_example)
    known |= {each.__name__: each.draw for each in modules}
    pictures = [machine.memory_hierarchy, machine.waves, pipeline.double_buffering]
    pictures += [pipeline.pipeline_stages, banks.bank_conflict, banks.ldmatrix_trace]
    known |= {draw.__name__: draw for draw in pictures}
    known["losses"] = losses.draw
    known |= {"ring": partial(ring.draw, "07"), "ring_06": partial(ring.draw, "06")}
    for path in sorted(ROOT.glob("plots/results/running_example_*.json")):
        known[path.stem] = partial(example_timeline.draw, path)
    for chapter in tile_orders.CHAPTERS:
        known[f"tile_orders_{chapter}"] = partial(tile_orders.draw_computed, chapter)
    orders = ROOT / "plots/results/tile_orders.json"
    known["tile_orders_more"] = partial(tile_orders.draw_others, orders)
    known["l2_orders"] = partial(tile_orders.draw, orders)
    paths = sorted(ROOT.glob("plots/results/timeline_*.json"))
    known |= {path.stem: partial(timeline.draw, path) for path in paths}
    if tool:
        asked = layout.Tool(tool)
        known |= {name: partial(draw, asked) for name, draw in layout.DRAWN.items()}
    return known


def main() -> int:
    parser = cli.Parser(description="Draws all figures and writes the tables of all pages.")
    parser.add_argument("--layout-tool", type=Path, metavar="BINARY", help="for layout pictures")
    parser.add_argument("figure", nargs="*", help="only these, and no table")
    args = parser.parse_args()
    known = figures(args.layout_tool)
    unknown = sorted(set(args.figure) - known.keys())
    if unknown:
        parser.error(f"there is no figure '{unknown[0]}'; there are {', '.join(known)}")
    for name in args.figure or known:
        place = f"plots/figures/{name}.svg"
        try:
            fig = known[name]()
        except ResultError as error:
            print(f"{place}: left as it is: {error}")
            continue
        style.save(fig, ROOT / place)
        print(f"{place}: drawn")
    by_tool = layout.printed() if args.layout_tool and not args.figure else {}
    for name, arguments in by_tool.items():
        place = f"plots/figures/{name}.svg"
        command = [args.layout_tool, *arguments, "--svg", ROOT / place]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        print(f"{place}: drawn by the layout tool")
    changed = [] if args.figure else tables.update(ROOT)
    print("".join(f"{page}: updated\n" for page in changed), end="")
    return 0


if __name__ == "__main__":
    cli.run(main)
