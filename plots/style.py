"""One look for every figure, and SVG files that come out the same byte for byte.

Figures are made without pyplot and from matplotlib's own defaults, so neither a user's
matplotlibrc nor a display changes them. Text becomes paths of the DejaVu Sans that matplotlib
brings along; what it says is repeated in the SVG's <title> and <desc> for screen readers and tests.
"""

from __future__ import annotations

import io
import math
import os
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import matplotlib
from matplotlib import ft2font
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patheffects import withStroke
from matplotlib.textpath import text_to_path

import cli

WIDTH_IN = 850 / 96  # the width of a README column: 850 CSS pixels of 1/96 inch
MARGIN_IN = 0.14

INK = "#1c1f24"
MUTED = "#5c636e"
FAINT = "#d9dce1"

# What a chapter computes with. Amber, teal and indigo keep apart under the common kinds of colour
# blindness, and their lightness (about 73, 54 and 26 of 100) keeps them apart in print.
CEILING_COLORS = {"ffma": "#e9a83a", "mma_sync": "#2b8f9b", "wgmma": "#2c3580"}
CUBLAS_COLOR = INK
MARKERS = "osD^v"

TITLE_PT = 13
TEXT_PT = 9.5
SMALL_PT = 8
LINE_IN = 0.185  # a line of small print

_RC = {
    "font.family": "DejaVu Sans",
    "font.size": TEXT_PT,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "axes.linewidth": 0.8,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelsize": SMALL_PT,
    "ytick.labelsize": SMALL_PT,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.7,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "gemm-ladder",  # ids inside the SVG are hashes; unsalted, they are random
}


def creator() -> str:
    """What decides the bytes of a figure: the versions of matplotlib and of its font library."""
    return f"Matplotlib v{matplotlib.__version__}, FreeType {ft2font.__freetype_version__}"


def figure(height_in: float) -> Figure:
    """An empty figure of README width."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(_RC)
    return Figure(figsize=(WIDTH_IN, height_in))


def add_axes(fig: Figure, left: float, top: float, width: float, height: float):
    """Axes placed in inches from the figure's top left corner, without a frame."""
    fig_width, fig_height = fig.get_size_inches()
    axes = fig.add_axes(
        (
            left / fig_width,
            (fig_height - top - height) / fig_height,
            width / fig_width,
            height / fig_height,
        )
    )
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    return axes


def add_text(fig: Figure, left: float, top: float, text: str, **kwargs):
    """Text whose upper left corner lies that many inches from the figure's top left corner."""
    fig_width, fig_height = fig.get_size_inches()
    kwargs.setdefault("va", "top")
    return fig.text(left / fig_width, (fig_height - top) / fig_height, text, **kwargs)


def add_small_print(fig: Figure, lines: Sequence[tuple[str, bool]]) -> None:
    """Lines of (text, is emphasised) along the bottom edge."""
    room = WIDTH_IN - 2 * MARGIN_IN
    top = fig.get_size_inches()[1] - 0.1 - len(lines) * LINE_IN
    for i, (text, emphasised) in enumerate(lines):
        add_text(
            fig,
            MARGIN_IN,
            top + i * LINE_IN,
            fit(text, SMALL_PT, room),
            size=SMALL_PT,
            weight="bold" if emphasised else "normal",
            color=INK if emphasised else MUTED,
        )


def text_width(text: str, points: float) -> float:
    """The width of a line of text in inches."""
    font = FontProperties(family=_RC["font.family"], size=points)
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72


def fit(text: str, points: float, width_in: float) -> str:
    """The text, or as much of it as fits, ending in an ellipsis.

    Long lines are drawn a little wider than they are measured, by how much depends on the version of
    matplotlib, so a small part of the room stays free.
    """
    width_in *= 0.985
    if text_width(text, points) <= width_in:
        return text
    lengths = range(1, len(text))
    too_long = bisect_left(
        lengths, True, key=lambda length: text_width(text[:length] + "…", points) > width_in
    )
    return text[:too_long].rstrip() + "…"


def halo(width: float = 3) -> list:
    """A white outline that keeps a line or a word visible on top of bars."""
    return [withStroke(linewidth=width, foreground="white")]


def tint(color: str, strength: float) -> tuple:
    """The colour over white: strength 1 leaves it, 0 is white."""
    return tuple(1 - strength * (1 - channel) for channel in to_rgb(color))


def text_on(color: str) -> str:
    """Black or white, whichever reads better on a fill."""
    red, green, blue = to_rgb(color)
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"


def bar_label(axes, end: float, row: float, text: str, color: str, inside: bool, **kwargs) -> None:
    """Says a value at the end of a horizontal bar of that colour: inside of it, or beside it."""
    axes.annotate(
        text,
        (end, row),
        xytext=(-4 if inside else 4, 0),
        textcoords="offset points",
        ha="right" if inside else "left",
        va="center_baseline",
        size=SMALL_PT,
        weight="bold",
        color=text_on(color) if inside else INK,
        **kwargs,
    )


def spread(wanted: Sequence[float], gap: float, highest: float = math.inf) -> list[float]:
    """Moves positions apart until neighbours keep `gap`, each as near to its wish as that allows.

    Labels at the ends of lines need it: neighbours that would overlap merge into a block centred
    on the mean of its members' wishes, and blocks merge further until none overlap. None ends up
    above `highest`.
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    blocks: list[list[int]] = []

    def start(block: list[int]) -> float:
        # Member j sits at start + j * gap, so its wish speaks for a start of wish - j * gap.
        mean = sum(wanted[i] - j * gap for j, i in enumerate(block)) / len(block)
        return min(mean, highest - (len(block) - 1) * gap)

    for i in order:
        blocks.append([i])
        while len(blocks) > 1:
            upper = blocks[-1]
            below = blocks[-2]
            if start(below) + len(below) * gap <= start(upper):
                break
            blocks[-2:] = [below + upper]

    placed = [0.0] * len(wanted)
    for block in blocks:
        for j, i in enumerate(block):
            placed[i] = start(block) + j * gap
    return placed


def save(fig: Figure, path: os.PathLike, title: str, description: str) -> None:
    """Writes an SVG (or, for a quick look, a PNG) without a date and in one step.

    `description` is what the figure says, for those who cannot see it.
    """
    path = Path(path)
    image = io.BytesIO()
    if path.suffix == ".png":
        fig.savefig(image, format="png", dpi=192)
        cli.write_atomically(path, image.getvalue())
        return
    metadata = {
        "Date": None,
        "Creator": creator(),
        "Title": title,
        "Description": description,
    }
    fig.savefig(image, format="svg", metadata=metadata)
    svg = image.getvalue().decode("utf-8")
    # matplotlib keeps the description in RDF only, which no screen reader looks at.
    svg = svg.replace("</title>", f"</title>\n <desc>{escape(description)}</desc>", 1)
    cli.write_atomically(path, svg.encode("utf-8"))
