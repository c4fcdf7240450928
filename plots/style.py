"""One look for every figure, and SVG files that come out the same byte for byte: without pyplot and
from matplotlib's own defaults. Text becomes paths of the DejaVu Sans that matplotlib brings along; the
SVG's <title> and <desc> repeat it. Places are in inches from the figure's top left corner."""

import io
import math
from collections.abc import Collection, Sequence
from pathlib import Path
from statistics import fmean
from typing import Callable
from xml.sax.saxutils import escape

import cli

cli.need("matplotlib")

import matplotlib  # noqa: E402
from matplotlib import ft2font  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.font_manager import FontProperties  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402
from matplotlib.patheffects import withStroke  # noqa: E402
from matplotlib.text import Text  # noqa: E402
from matplotlib.textpath import text_to_path  # noqa: E402

WIDTH_IN = 850 / 96  # the width of a README column: 850 CSS pixels of 1/96 inch
PHONE_IN = 4.8  # a figure so wide, scaled to 390 CSS pixels, shows small print 9 pixels high
MARGIN_IN = 0.14

INK = "#1c1f24"
MUTED = "#5c636e"
FAINT = "#d9dce1"

# What a chapter computes with. Amber, teal and indigo keep apart under the common kinds of colour
# blindness, and their lightness (about 73, 54 and 26 of 100) keeps them apart in print.
CEILING_COLORS = {"ffma": "#e9a83a", "mma_sync": "#2b8f9b", "wgmma": "#2c3580"}
AMBER, TEAL, INDIGO = CEILING_COLORS.values()
CUBLAS_COLOR = INK
HIGHLIGHT = "#c2272d"
FOUR = ["#f7d08a", "#a9d8de", "#b9bde6", "#f0b8ae"]  # pale fills for what comes in fours

TITLE_PT = 13
TEXT_PT = 9.5
SMALL_PT = 8
LINE_IN = 0.185  # a line of small print
BAR = 0.62  # of a row

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


def figure(
    height_in: float, title: str, words: str = "", size: float = TEXT_PT, width=WIDTH_IN
) -> Figure:
    """A figure of README width with its title, and a line of that size under it."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(_RC)
    fig = Figure(figsize=(width, height_in), label=title)
    add_text(fig, MARGIN_IN, 0.12, title, size=TITLE_PT, weight="bold")
    if words:
        add_text(fig, MARGIN_IN, 0.42, words, size=size, color=MUTED)
    return fig


def phone_figure(height_in: float, title: str, *lines: str):
    """A figure that a phone shows whole, lines of small print under its title, and its sheet."""
    fig = figure(height_in, title, width=PHONE_IN)
    for i, text in enumerate(lines):
        add_note(fig, MARGIN_IN, 0.4 + i * LINE_IN, text)
    return fig, add_sheet(fig)


def add_axes(fig: Figure, left: float, top: float, width: float, height: float):
    """Axes without a frame."""
    fig_width, fig_height = fig.get_size_inches()
    bottom = (fig_height - top - height) / fig_height
    axes = fig.add_axes((left / fig_width, bottom, width / fig_width, height / fig_height))
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    return axes


def add_sheet(fig: Figure, left=0.0, top=0.0, width=0.0, height=0.0):
    """Axes of the whole figure, or of a part of it, whose unit is an inch, with y downwards."""
    fig_width, fig_height = fig.get_size_inches()
    width, height = width or fig_width - left, height or fig_height - top
    axes = add_axes(fig, left, top, width, height)
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    return axes


def add_text(fig: Figure, left: float, top: float, text: str, **kwargs):
    """Text whose upper left corner lies there."""
    fig_width, fig_height = fig.get_size_inches()
    kwargs.setdefault("va", "top")
    return fig.text(left / fig_width, (fig_height - top) / fig_height, text, **kwargs)


def add_note(fig: Figure, left: float, top: float, text: str, **kwargs):
    """The same in small grey letters."""
    return add_text(fig, left, top, text, **{"size": SMALL_PT, "color": MUTED, **kwargs})


def add_small_print(fig: Figure, *lines: str, bold: str = "") -> None:
    """Lines along the bottom edge, one in bold before the others."""
    width, top = fig.get_size_inches() - (0, 0.1)
    for i, text in enumerate(reversed([bold, *lines] if bold else lines), start=1):
        look = dict(weight="bold", color=INK) if text == bold else {}
        text = fit(text, SMALL_PT, width - 2 * MARGIN_IN)
        add_note(fig, MARGIN_IN, top - i * LINE_IN, text, **look)


def add_key(fig: Figure, top: float, colors: dict[str, str], gap=0.34, left=MARGIN_IN) -> float:
    """What colours mean, side by side; returns where the next word could stand."""
    for word, color in colors.items():
        add_text(fig, left, top, "■", size=TEXT_PT, color=color)
        add_text(fig, left + 0.16, top + 0.01, word, size=SMALL_PT)
        left += gap + text_width(word, SMALL_PT)
    return left


def box(axes, left, top, width, height, color, edge="none", line=1.0, **kwargs) -> None:
    """A filled rectangle. As an artist: add_patch would look for new limits of the axes, and there
    are many of them."""
    look = dict(facecolor=color, edgecolor=edge, linewidth=line)
    axes.add_artist(Rectangle((left, top), width, height, **look, **kwargs))


def word(axes, left, top, text, size=SMALL_PT, **kwargs) -> None:
    """Text around a point of the axes."""
    axes.text(left, top, text, size=size, **{"ha": "center", "va": "center_baseline", **kwargs})


def cell(axes, left, top, width, height, fill, text, edge="white", line=1.0, **kwargs) -> None:
    """A filled rectangle with a word in its middle."""
    box(axes, left, top, width, height, fill, edge, line, zorder=kwargs.get("zorder", 1))
    ink = text_on(fill)
    word(axes, left + width / 2, top + height / 2, text, **{"color": ink, **kwargs})


def arrow(axes, *points, color=INK, line=1.3) -> None:
    """A line through points, with a head at the last."""
    for begin, end in zip(points, points[1:]):
        head = "-|>" if end == points[-1] else "-"
        look = dict(arrowstyle=head, color=color, linewidth=line, shrinkA=0, shrinkB=0)
        axes.annotate("", end, begin, arrowprops=look, zorder=6)


def rows_axes(fig: Figure, left: float, top: float, width: float, height: float, rows: int):
    """Axes for horizontal bars, the first row on top, without ticks at the rows."""
    axes = add_axes(fig, left, top, width, height)
    axes.set(ylim=(rows - 0.5, -0.5), yticks=[])
    axes.tick_params(axis="x", length=0, pad=5)
    axes.grid(axis="x")
    return axes


def name_rows(axes, names: Collection[str], begin: float, end: float) -> None:
    """Makes axes a span of time with a named row for each line of bars, the first row on top."""
    axes.set(xlim=(begin, end), ylim=(len(names) - 0.5, -0.5))
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0, labelsize=SMALL_PT, labelcolor=INK)


def text_width(text: str, points: float) -> float:
    """The width of a line of text in inches."""
    font = FontProperties(family=_RC["font.family"], size=points)
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72


def fit(text: str, points: float, width_in: float) -> str:
    """The text, or as much of it as fits, ending in an ellipsis."""
    width_in *= 0.985  # long lines are drawn a little wider than they are measured
    if text_width(text, points) <= width_in:
        return text
    while text_width(f"{text}…", points) > width_in:
        text = text[:-1].rstrip()
    return f"{text}…"


def halo(width: float = 3) -> list:
    """A white outline that keeps a line or a word visible on top of bars."""
    return [withStroke(linewidth=width, foreground="white")]


def tint(color: str, strength: float) -> tuple:
    """The colour over white: strength 1 leaves it, 0 is white."""
    return tuple(1 - strength * (1 - channel) for channel in to_rgb(color))


def text_on(color) -> str:
    """Black or white, whichever reads better on a fill."""
    red, green, blue = to_rgb(color)
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"


def bar(axes, row: float, value: float, color: str, text: str, room: float = 1) -> None:
    """A horizontal bar in a row of axes, with its value inside, or beside it where it is short."""
    axes.barh(row, value, height=BAR, color=color)
    inside = value > 0.45 * room
    axes.annotate(
        text, (min(value, room), row), xytext=(-4 if inside else 4, 0), textcoords="offset points",
        ha="right" if inside else "left", va="center_baseline", size=SMALL_PT, weight="bold",
        color=text_on(color) if inside else INK, path_effects=None if inside else halo(),
    )  # fmt: skip


def spread(wanted: Sequence[float], gap: float, highest: float = math.inf) -> list[float]:
    """Moves positions apart until neighbours keep `gap`, each as near to its wish as that allows
    and none above `highest`. Less a gap for each one below it, positions only have to rise: isotonic
    regression, whose values are the largest over all begins of the smallest mean over all ends."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    wishes = [wanted[i] - rank * gap for rank, i in enumerate(order)]
    ends = range(1, len(wanted) + 1)
    placed = {}
    for rank, i in enumerate(order):
        means = ([fmean(wishes[a:b]) for b in ends[rank:]] for a in range(rank + 1))
        value = min(max(map(min, means)), highest - (len(wanted) - 1) * gap)
        placed[i] = value + rank * gap
    return [placed[i] for i in range(len(wanted))]


def save(fig: Figure, path: Path) -> None:
    """Writes an SVG (or, for a quick look, a PNG) without a date and in one step. Those who cannot see
    it get the figure's `description`, or its texts; where there are hundreds, the sentences."""
    image = io.BytesIO()
    if path.suffix == ".png":
        fig.savefig(image, format="png", dpi=192)
        cli.write_atomically(path, image.getvalue())
        return
    # The versions of matplotlib and of its font library decide the bytes of a figure.
    creator = f"Matplotlib v{matplotlib.__version__}, FreeType {ft2font.__freetype_version__}"
    metadata = {"Date": None, "Creator": creator, "Title": fig.get_label()}
    fig.savefig(image, format="svg", metadata=metadata)
    svg = image.getvalue().decode("utf-8")
    texts = dict.fromkeys(t.get_text().replace("\n", " ") for t in [*fig.texts, *fig.findobj(Text)])
    told = (text for text in texts if text and (len(texts) < 150 or text.count(" ") > 1))
    description = getattr(fig, "description", "; ".join(told))
    # A description in the metadata ends up in RDF only, which no screen reader looks at.
    svg = svg.replace("</title>", f"</title>\n <desc>{escape(description)}</desc>", 1)
    cli.write_atomically(path, svg.encode("utf-8"))


def main(draw: Callable[[Path], Figure], name: str, reads: str) -> int:
    """The main() of a script that draws one file: `-o FILE`, and that file."""
    parser = cli.Parser(description=draw.__doc__)
    parser.add_argument("-o", "--output", type=cli.figure_path, default=Path(name), metavar="FILE")
    parser.add_argument("reads", type=Path, metavar=reads)
    args = parser.parse_args()
    save(draw(args.reads), args.output)
    print(args.output)
    return 0
