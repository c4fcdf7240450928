"""What tables are made from, and what they share: cells, markers' options, captions."""

from dataclasses import dataclass, field
from pathlib import Path

import cli
import results
from cli import ResultError
from results import Run

import pandas as pd

NOT_YET = "not measured yet"


@dataclass
class Page:
    """What tables are made from; `to_root` leads from the page's folder to the repository's, `body`
    is what stands between the markers now."""

    root: Path
    to_root: str = ""
    folder: Path = Path()
    body: str = ""
    gallery: list[str] | None = None  # the lines of the gallery's table, if given
    runs: dict[str, Run | None] = field(default_factory=dict)

    def run(self, name: str, chapter: str = "") -> Run | None:
        """The run recorded under a name, None without one or where it lacks the chapter named."""
        if name not in self.runs:
            self.runs[name] = results.recorded(name, self.root)
        run = self.runs[name]
        return run if run and (not chapter or chapter in run.chapters.index) else None

    def link(self, chapter: str) -> str:
        asides = [path for path in self.root.glob("[0-9][0-9]_*/*/") if path.name == chapter]
        folder = asides[0].relative_to(self.root).as_posix() if asides else chapter
        return f"{self.to_root}{folder}/"


def markdown(heads, rows=([NOT_YET],), left: int = 1) -> list[str]:
    """GitHub's table without padding, so that a number that changes changes its own line alone. The
    first `left` columns hold words; short rows are filled up."""
    heads, lines = list(heads), []
    for row in (heads, ["---"] * left + ["--:"] * (len(heads) - left), *rows):
        cells = [str(cell).replace("|", "\\|").strip() for cell in row]
        lines.append(f"| {' | '.join(cells + [''] * (len(heads) - len(cells)))} |")
    return lines


def choice(name: str, value: str, allowed) -> str:
    if value not in allowed:
        raise ResultError(f"{name}={value}: expected {' or '.join(allowed)}")
    return value


def listed(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def square(size: str) -> tuple[int, int, int]:
    return (cli.size(size),) * 3


def asked_shapes(sizes: str, shapes: str) -> list[tuple[int, int, int]]:
    only = [square(size) for size in listed(sizes)]
    only += [tuple(map(cli.size, shape.split("x"))) for shape in listed(shapes)]
    if any(len(shape) != 3 for shape in only):
        raise ResultError("shapes: expected MxNxK")
    return only


def shape_column(rows: pd.DataFrame) -> tuple[str, pd.Series]:
    """Heading and cells for shapes: one number as long as all of them are M = N = K."""
    if rows.square.all():
        return "M = N = K", rows["size"]
    return "M×N×K", rows["shape"].map(lambda shape: "×".join(map(str, shape)))


def provenance(run: Run) -> str:
    """Where the numbers of a table come from."""
    parts = [run.device, run.software(), run.mode_words() + _rounds(run), f"{run.day}, commit {run.commit}"]
    return "; ".join(part for part in parts if part) + "."


def beside(run: Run | None) -> str:
    return f" Sustained: the run of {run.day}{_rounds(run)}, commit {run.commit}." if run else ""


def _rounds(run: Run) -> str:
    rounds = run.info["method"].get("rounds")
    return f", median of {rounds:g} rounds" if rounds else ""
