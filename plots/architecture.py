"""The architecture: which folder may include which. Where the boxes and arrows stand is written here;
that they are all there are is checked against the `#include` lines of the sources."""

import re
from collections.abc import Iterator
from pathlib import Path

import style
from cli import ROOT, ResultError
from style import MUTED, SMALL_PT

from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path as Line

CHAPTERS = "chapters"
_BACKENDS = ("cuda", "cpu")
# What an include path begins with, and whose folder that is. <gpu/...> is one of two folders: the
# build picks common/cuda or common/cpu.
_OWNERS = {"runtime": ("cpu",), "gpu": _BACKENDS}
_OWNERS |= {name: (name,) for name in ("harness", "gemm", "layout", "core")}
_APART = {"test", "tests", "gallery", "copy", "tools", "tool", "cmake"}  # may use everything

# Left, top, width and height; a title, and words below it.
BOXES = {
    "harness": (0.14, 2.02, 2.9, 0.56, "common/harness", "options, timing, cuBLAS, results"),
    "gemm": (0.9, 3.02, 2.8, 0.56, "common/gemm", "the problem, its checks, the reference"),
    "layout": (4.2, 3.02, 1.3, 0.56, "common/layout", "layout algebra"),
    "cuda": (5.75, 3.02, 1.35, 0.56, "common/cuda/gpu", "intrinsics: PTX"),
    "cpu": (7.28, 3.02, 1.43, 0.56, "common/cpu", "intrinsics: a model"),
    "core": (0.14, 4.02, 8.57, 0.5, "common/core", "number types, vectors, errors"),
}
_FRAME = (0.14, 0.78, 8.57, 0.82)  # around the chapters
_BUS, _LOWER_BUS = 2.3, 3.8  # the heights at which harness and gemm reach to the right
_UNDER = _FRAME[1] + _FRAME[3]
# Corners of each arrow; the first lies on the box that includes.
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


def chapters(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob("[0-9][0-9]_*"))


def included(folder: Path) -> Iterator[tuple[Path, str]]:
    """Every source below a folder with each path that it includes."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".cu", ".cuh", ".hpp", ".cpp"):
            for found in re.findall(r'^#include ["<](.*?)[">]', path.read_text("utf-8"), re.M):
                yield path, found


def includes(root: Path) -> dict[tuple[str, str], str]:
    """Who includes whom, with one file that does. Tests, tools and the gallery are left aside."""
    found: dict[tuple[str, str], str] = {}
    folders = dict.fromkeys(chapters(root), CHAPTERS) | {f"common/{name}": name for name in BOXES}
    for folder, owner in folders.items():
        for path, include in included(root / folder):
            place = path.relative_to(root)
            first, *rest = include.split("/")
            if _APART & {*place.parts} or path.name.startswith("test") or not rest:
                continue
            if owner in _BACKENDS and first == "gpu":
                continue  # an intrinsic that is made of another one of the same folder
            for target in _OWNERS.get(first, ()):
                if target != owner:
                    found.setdefault((owner, target), place.as_posix())
    return found


def check(root: Path = ROOT) -> None:
    """Refuses a tree that the picture does not show, naming the file."""
    for name in chapters(root):
        asides = {path.parent.name for path in (root / name).glob("*/chapter.cu")}
        for path, include in included(root / name):
            first, *rest = parts = include.split("/")
            place = path.relative_to(root).as_posix()
            if any(re.match(r"\d\d_", part) and part != name for part in parts):
                raise ResultError(f"{place}: includes another chapter")
            if path.parent.name == name and first in asides and rest:
                raise ResultError(f"{place}: a lesson includes an aside")
    found = includes(root)
    for source, target in found.keys() ^ ARROWS.keys():
        place = found.get((source, target), "no file")
        raise ResultError(f"{place}: {source} includes {target}: not as architecture.py draws it")


def draw(root: Path = ROOT):
    check(root)
    fig = style.figure(
        5.12, "The architecture",
        "An arrow: includes. A chapter includes no other chapter, a lesson no aside, and nothing "
        "points back up.", SMALL_PT,
    )  # fmt: skip
    sheet = style.add_sheet(fig)
    for corners in ARROWS.values():
        arrow = dict(arrowstyle="-|>", mutation_scale=9, linewidth=1.0, joinstyle="miter")
        sheet.add_patch(FancyArrowPatch(path=Line(corners), color=MUTED, zorder=2, **arrow))
    names = chapters(root)
    style.box(sheet, *_FRAME, "white", style.AMBER, zorder=3)
    first, top, width, height = _FRAME
    room = width / len(names)
    for i, name in enumerate(names):
        left, (number, *words) = first + i * room + 0.05, name.split("_")
        inner = (left, top + 0.06, room - 0.1, height - 0.12)
        style.box(sheet, *inner, style.tint(style.AMBER, 0.3), line=0, zorder=4)
        middle, words = left + room / 2 - 0.05, "\n".join(words)
        bold, small = dict(va="center", weight="bold"), dict(va="top", linespacing=1.15)
        style.word(sheet, middle, top + 0.24, number, style.TEXT_PT, zorder=5, **bold)
        style.word(sheet, middle, top + 0.38, words, SMALL_PT - 0.5, zorder=5, **small)
    for name, (left, top, width, height, title, words) in BOXES.items():
        color = style.TEAL if name in _BACKENDS else style.INDIGO
        style.box(sheet, left, top, width, height, style.tint(color, 0.16), color, zorder=3)
        middle, at = left + width / 2, dict(va="center", zorder=4)
        style.word(sheet, middle, top + 0.19, title, SMALL_PT + 0.5, weight="bold", **at)
        style.word(sheet, middle, top + 0.38, words, SMALL_PT - 0.5, color=MUTED, **at)
    style.add_small_print(
        fig,
        "Asides are in their chapter's folder. Beside it: common/test (contract, planted bugs), "
        "common/copy (what `make copy` adds), common/tools, plots.",
    )
    return fig
