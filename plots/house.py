#!/usr/bin/env python3
"""The architecture: which folder may include which, read from the `#include` lines of the tree.

Where the boxes and arrows stand is written here; that they are all there are, and that no arrow points
back up, is checked against the sources.

usage: house.py [-o FILE]
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import cli
import results
from checks import ResultError

cli.need_matplotlib()

from matplotlib.patches import FancyArrowPatch, Rectangle  # noqa: E402
from matplotlib.path import Path as Line  # noqa: E402

import style  # noqa: E402  (needs matplotlib, whose absence was just reported in one line)

CHAPTERS = "chapters"
_SOURCES = (".cu", ".cuh", ".hpp", ".cpp")
# What an include path begins with, and whose folder that is. <gpu/...> is one of two folders: the
# build picks common/cuda or common/cpu.
_OWNERS = {
    "harness": "harness",
    "gemm": "gemm",
    "layout": "layout",
    "core": "core",
    "runtime": "cpu",
}
_BACKENDS = ("cuda", "cpu")
_APART = ("test", "tests", "gallery", "copy", "tools", "tool", "cmake")  # may use everything


class Box(NamedTuple):
    left: float
    top: float
    width: float
    height: float
    title: str
    words: str


BOXES = {
    "harness": Box(
        0.14, 2.02, 2.9, 0.56, "common/harness", "command line, timing, cuBLAS, results"
    ),
    "gemm": Box(0.9, 3.02, 2.8, 0.56, "common/gemm", "the problem, its checks, the reference"),
    "layout": Box(4.2, 3.02, 1.3, 0.56, "common/layout", "layout algebra"),
    "cuda": Box(5.75, 3.02, 1.35, 0.56, "common/cuda/gpu", "intrinsics: PTX"),
    "cpu": Box(7.28, 3.02, 1.43, 0.56, "common/cpu", "intrinsics: a model"),
    "core": Box(0.14, 4.02, 8.57, 0.5, "common/core", "number types, vectors, errors"),
}
_FRAME = Box(0.14, 0.78, 8.57, 0.82, "", "")  # around the chapters
_BUS, _LOWER_BUS = 2.3, 3.8  # the heights at which harness and gemm reach to the right
# Corners of each arrow, in inches from the top left; the first lies on the box that includes.
_UNDER = _FRAME.top + _FRAME.height
ARROWS = {
    (CHAPTERS, "harness"): [(1.6, _UNDER), (1.6, 2.02)],
    (CHAPTERS, "gemm"): [(3.4, _UNDER), (3.4, 3.02)],
    (CHAPTERS, "core"): [(3.95, _UNDER), (3.95, 4.02)],
    (CHAPTERS, "layout"): [(4.85, _UNDER), (4.85, 3.02)],
    (CHAPTERS, "cuda"): [(6.6, _UNDER), (6.6, 3.02)],
    (CHAPTERS, "cpu"): [(8.2, _UNDER), (8.2, 3.02)],
    ("harness", "gemm"): [(2.0, 2.58), (2.0, 3.02)],
    ("harness", "core"): [(0.5, 2.58), (0.5, 4.02)],
    ("harness", "cuda"): [(3.04, _BUS), (6.2, _BUS), (6.2, 3.02)],
    ("harness", "cpu"): [(3.04, _BUS), (7.7, _BUS), (7.7, 3.02)],
    ("gemm", "core"): [(2.3, 3.58), (2.3, 4.02)],
    ("gemm", "cuda"): [(3.3, 3.58), (3.3, _LOWER_BUS), (6.05, _LOWER_BUS), (6.05, 3.58)],
    ("gemm", "cpu"): [(3.3, 3.58), (3.3, _LOWER_BUS), (7.6, _LOWER_BUS), (7.6, 3.58)],
    ("cuda", "core"): [(6.4, 3.58), (6.4, 4.02)],
    ("cpu", "core"): [(8.0, 3.58), (8.0, 4.02)],
}


def chapters(root: Path = results.ROOT) -> list[str]:
    """The chapters' folders, in order."""
    return sorted(path.name for path in root.iterdir() if re.fullmatch(r"\d\d_\w+", path.name))


def includes(root: Path = results.ROOT) -> dict[tuple[str, str], str]:
    """Who includes whom, with one file that does. Tests, tools and demonstrations are left aside."""
    found: dict[tuple[str, str], str] = {}
    folders = [(name, CHAPTERS) for name in chapters(root)]
    folders += [(f"common/{name}", name) for name in BOXES]
    for folder, owner in folders:
        for path in sorted((root / folder).rglob("*")):
            place = path.relative_to(root).as_posix()
            if path.suffix not in _SOURCES or set(_APART) & set(path.relative_to(root).parts):
                continue
            if path.name.startswith("test"):
                continue
            for first in re.findall(r"^#include <(\w+)/", path.read_text("utf-8"), re.MULTILINE):
                for target in _BACKENDS if first == "gpu" else (_OWNERS.get(first),):
                    if owner in _BACKENDS and first == "gpu":
                        continue  # a word that is made of another one of the same folder
                    if target and target != owner:
                        found.setdefault((owner, target), place)
    return found


def _wrong_way(root: Path) -> str | None:
    """A file that includes another chapter's, or a lesson's that includes an aside's, and what it does.
    A folder in a chapter's with a chapter.cu of its own is an aside."""
    for name in chapters(root):
        asides = {path.parent.name for path in (root / name).glob("*/chapter.cu")}
        for path in sorted((root / name).rglob("*")):
            if path.suffix not in _SOURCES:
                continue
            place = path.relative_to(root).as_posix()
            for included in re.findall(r'^#include ["<](.*?)[">]', path.read_text("utf-8"), re.M):
                parts = included.split("/")
                if any(re.match(r"\d\d_", part) and part != name for part in parts):
                    return f"{place}: includes another chapter"
                if path.parent.name == name and parts[0] in asides and len(parts) > 1:
                    return f"{place}: a lesson includes an aside"
    return None


def check(root: Path = results.ROOT) -> None:
    """Refuses a tree that the picture does not show, naming the file."""
    wrong = _wrong_way(root)
    if wrong:
        raise ResultError(wrong)
    found = includes(root)
    for edge in found.keys() - ARROWS.keys():
        raise ResultError(
            f"{found[edge]}: {edge[0]} includes {edge[1]}, which house.py has no arrow for"
        )
    for edge in ARROWS.keys() - found.keys():
        raise ResultError(
            f"house.py: no file of {edge[0]} includes {edge[1]}, but there is an arrow"
        )


def draw(root: Path = results.ROOT):
    check(root)
    height_in = 5.12
    fig = style.figure(height_in)
    style.add_text(fig, style.MARGIN_IN, 0.12, "The architecture", size=style.TITLE_PT, weight="bold")
    words = "An arrow: includes. A chapter includes no other chapter, a lesson no aside, and nothing points back up."
    style.add_text(fig, style.MARGIN_IN, 0.42, words, size=style.SMALL_PT, color=style.MUTED)
    axes = style.add_axes(fig, 0, 0, style.WIDTH_IN, height_in)
    axes.set_xlim(0, style.WIDTH_IN)
    axes.set_ylim(height_in, 0)
    axes.set_axis_off()
    for corners in ARROWS.values():
        axes.add_patch(
            FancyArrowPatch(path=Line(corners), arrowstyle="-|>", mutation_scale=9, linewidth=1.0,
                            color=style.MUTED, joinstyle="miter", zorder=2)
        )  # fmt: skip
    _draw_chapters(axes, root)
    for name, box in BOXES.items():
        color = style.CEILING_COLORS["mma_sync" if name in _BACKENDS else "wgmma"]
        _draw_box(axes, box, style.tint(color, 0.16), color)
    line = (
        "Asides lie in their chapter's folder. Beside it: common/test (contract, planted bugs), "
        "common/copy (what `make copy` adds), common/tools, plots."
    )
    style.add_small_print(fig, [(line, False)])
    return fig, describe(root)


def _draw_box(axes, box: Box, face, edge) -> None:
    axes.add_patch(
        Rectangle((box.left, box.top), box.width, box.height, facecolor=face, edgecolor=edge,
                  linewidth=1.0, zorder=3)
    )  # fmt: skip
    middle = box.left + box.width / 2
    at = dict(ha="center", va="center", zorder=4)
    axes.text(middle, box.top + 0.19, box.title, size=style.SMALL_PT + 0.5, weight="bold", **at)
    axes.text(middle, box.top + 0.38, box.words, size=style.SMALL_PT - 0.5, color=style.MUTED, **at)


def _draw_chapters(axes, root: Path) -> None:
    names = chapters(root)
    color = style.CEILING_COLORS["ffma"]
    frame = (_FRAME.left, _FRAME.top)
    axes.add_patch(
        Rectangle(frame, _FRAME.width, _FRAME.height, facecolor="white", edgecolor=color, zorder=3)
    )
    room = _FRAME.width / len(names)
    for i, name in enumerate(names):
        left = _FRAME.left + i * room + 0.05
        number, *words = name.split("_")
        axes.add_patch(
            Rectangle((left, _FRAME.top + 0.06), room - 0.1, _FRAME.height - 0.12,
                      facecolor=style.tint(color, 0.3), edgecolor="none", zorder=4)
        )  # fmt: skip
        middle = left + room / 2 - 0.05
        at = dict(ha="center", zorder=5)
        axes.text(middle, _FRAME.top + 0.24, number, va="center", weight="bold", **at)
        small = dict(size=style.SMALL_PT - 0.5, linespacing=1.15)
        axes.text(middle, _FRAME.top + 0.38, "\n".join(words), va="top", **small, **at)


def describe(root: Path = results.ROOT) -> str:
    """What the figure says, for those who cannot see it."""
    targets: dict[str, list[str]] = {}
    for source, target in ARROWS:
        targets.setdefault(source, []).append(target)
    parts = [f"{source} include {', '.join(found)}" for source, found in targets.items()]
    return f"{len(chapters(root))} chapters: {', '.join(chapters(root))}. {'; '.join(parts)}."


def write(path: Path, root: Path = results.ROOT) -> None:
    fig, description = draw(root)
    style.save(fig, path, "The folders and what they include", description)


def main() -> int:
    return cli.draw_from_sources("Draws the folders of the repository and who includes whom.", write, "house.svg")


if __name__ == "__main__":
    cli.run(main)
