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
    """A committed figure: its file in plots/figures and what draws it, from a run if it shows one."""

    name: str
    write: Callable[[Results, Path], None]
    shows_run: bool = True


def committed_figures() -> list[Figure]:
    """A new chart from the recorded run takes one line here; call only where matplotlib is."""
    import cluster
    import ring
    import speedup
    import tflops

    return [
        Figure("speedup.svg", speedup.write),
        Figure("tflops.svg", tflops.write),
        Figure("ring.svg", lambda _, path: ring.write(path), shows_run=False),
        Figure("cluster.svg", lambda _, path: cluster.write(path), shows_run=False),
    ]


def draw_figures(root: Path) -> None:
    """Draws the figures of the newest recorded burst run into plots/figures."""
    reason = cli.matplotlib_missing()
    run = results.recorded(results.HEADLINE_DEVICE, "burst", root)
    if run is None:
        reason = f"plots/results holds no burst run of {results.HEADLINE_DEVICE} yet"
    if reason:
        print(f"figures left as they are: {reason}")
        return
    folder = root / "plots" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for figure in committed_figures():
        figure.write(run, folder / figure.name)
        source = f" from {run.path.name} of {run.day}" if figure.shows_run else ""
        print(f"plots/figures/{figure.name}: drawn{source}")


def draw_demonstrations(root: Path) -> None:
    """Draws what the recorded `--variant timeline` runs saw, and what `tile_orders` printed."""
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
