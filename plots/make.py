#!/usr/bin/env python3
"""Front door of plots/: draws every committed figure and writes every README table anew.

Where matplotlib is missing, or nothing was recorded yet, the figures are left as they are, said in
one line, and the tables are written all the same.

usage: make.py [--root DIR] [--layout-tool BINARY]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Callable, NamedTuple

import cli
import results
import tables
from results import ResultError, Results


class Figure(NamedTuple):
    """A committed figure: its file in plots/figures, and what draws it from the newest recorded run
    of a mode or a named one, or from the sources alone."""

    name: str
    write: Callable[[Results | None, Path], None]
    mode: str | None = None


def committed_figures(root: Path = results.ROOT) -> list[Figure]:
    """A new figure takes one line here; call only where matplotlib is."""
    import cluster
    import house
    import loop_nest
    import overlap
    import power
    import rasters
    import ring
    import roofline
    import speedup
    import sweep
    import tflops

    def over_bytes(run: Results | None, path: Path) -> None:
        counters = results.counters(root)
        if counters:
            roofline.write(run, counters, path)

    return [
        Figure("speedup.svg", speedup.write, "burst"),
        Figure("tflops.svg", tflops.write, "burst"),
        Figure("sweep.svg", sweep.write, "sweep"),
        Figure("power.svg", power.write, "sustained"),
        Figure("roofline.svg", over_bytes, "sustained"),
        Figure("loop_nest.svg", lambda _, path: loop_nest.write(path)),
        Figure("ring.svg", lambda _, path: ring.write(path)),
        Figure("ring_06.svg", lambda _, path: ring.write(path, "06")),
        Figure("cluster.svg", lambda _, path: cluster.write(path)),
        Figure("overlap.svg", lambda _, path: overlap.write(path)),
        Figure("house.svg", lambda _, path: house.write(path)),
        Figure("tile_orders_05.svg", lambda _, path: rasters.write("05", path)),
        Figure("tile_orders_07.svg", lambda _, path: rasters.write("07", path)),
    ]


def draw_figures(root: Path) -> None:
    """Draws all figures for which there is a recorded run into plots/figures."""
    reason = cli.matplotlib_missing()
    if reason:
        print(f"figures left as they are: {reason}")
        return
    folder = root / "plots" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for figure in committed_figures(root):
        find = results.recorded if figure.mode in results.GPU_MODES else results.named
        run = figure.mode and find(results.HEADLINE_DEVICE, figure.mode, root=root)
        place = f"plots/figures/{figure.name}"
        if figure.mode and not run:
            missing = f"plots/results holds no {figure.mode} run of {results.HEADLINE_DEVICE} yet"
            print(f"{place}: left as it is: {missing}")
            continue
        try:
            figure.write(run, folder / figure.name)
        except ResultError as error:  # the run holds nothing of what the figure shows
            print(f"{place}: left as it is: {error}")
            continue
        print(f"{place}: drawn{f' from {run.path.name} of {run.day}' if run else ''}")


def draw_demonstrations(root: Path) -> None:
    """Draws what the recorded `--variant timeline` runs saw, and the orders of tiles."""
    if cli.matplotlib_missing():
        return
    import tile_orders
    import timeline

    for script in (timeline, tile_orders):
        for path, name in script.recorded(root):
            script.write(path, root / "plots" / "figures" / name)
            print(f"plots/figures/{name}: drawn from {path.name}")


def draw_layouts(root: Path, tool: Path | None) -> None:
    """Layout pictures come from the project's own layout tool, so they need it built."""
    script = root / "plots" / "layout.py"
    if tool is None or not script.exists():
        return
    if not tool.exists():
        raise ResultError(f"--layout-tool: {tool} does not exist")
    status = subprocess.run([sys.executable, str(script), "--tool", str(tool)]).returncode
    if status:
        raise ResultError(f"{script}: ended with exit status {status}")


def main() -> int:
    parser = cli.Parser(description="Draws all figures and writes all README tables.")
    parser.add_argument("--root", type=Path, default=results.ROOT, help="the repository")
    parser.add_argument(
        "--layout-tool",
        type=Path,
        metavar="BINARY",
        help="the built layout tool, for the layout pictures",
    )
    args = parser.parse_args()
    draw_figures(args.root)
    draw_demonstrations(args.root)
    draw_layouts(args.root, args.layout_tool)
    changed = tables.update(args.root)
    for page in changed:
        print(f"{page}: tables updated")
    if not changed:
        print("README tables: up to date")
    return 0


if __name__ == "__main__":
    cli.run(main)
