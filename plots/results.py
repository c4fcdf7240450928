"""Result files as pandas frames: what the harness measured, with where, when and how. Rates stay as
the file has them (GFLOPS); `tflops` and the other helpers below put them into words."""

import re
from dataclasses import dataclass
from pathlib import Path

import cli
from cli import ROOT, ResultError

cli.need("pandas")

import pandas as pd  # noqa: E402

GPU_MODES = ("burst", "sustained")
DTYPES = ("bf16", "fp16")
CEILING_NAMES = {"ffma": "FFMA", "mma_sync": "mma.sync", "wgmma": "wgmma"}
CUBLAS = "cublas"  # rows of cuBLAS itself are written as those of a chapter of this name
EVERY_SHAPE = "every_shape"  # beyond the ladder: a row of its own behind the chapters
DEVICE = "h200"  # the device whose recorded runs the committed pages show
SECOND_DEVICE = "h100"  # and the one beside it

KEY = ["chapter", "variant", "m", "n", "k", "dtype"]
NUMBERS = ["gflops_median", "gflops_lo", "gflops_hi", "cublas_gflops", "sm_mhz", "power_w"]
NUMBERS += ["ms_median"]


@dataclass
class Run:
    """One result file: one device, one mode. `chapters`, by name: number, title, label, idea, ceiling,
    default (its variant's real name). `rows`: KEY and NUMBERS, NaN where nothing was measured, then
    `why`; shape, square, size, default, label (of the variant), of_cublas and of_ceiling. `counters`:
    for the same rows."""

    path: Path
    info: dict  # the file without rows and chapters
    mode: str
    day: str
    commit: str
    device: str
    ceilings: dict[str, float]  # GFLOPS of the probes that were run; "copy_gbs" in GB/s
    chapters: pd.DataFrame
    rows: pd.DataFrame
    counters: pd.DataFrame

    @property
    def rungs(self) -> pd.DataFrame:
        """The chapters in their order, and every_shape behind them; other asides are none."""
        return self.chapters[(self.chapters.number != "") | (self.chapters.index == EVERY_SHAPE)]

    def of_chapter(self, name: str, dtype: str) -> pd.DataFrame:
        """A chapter's rows by size, the default variant first, then as the chapter lists them."""
        rows = self.rows[(self.rows.chapter == name) & (self.rows.dtype == dtype)]
        return rows.sort_values("order")

    def ladder(self, shape: tuple, dtype: str) -> pd.DataFrame:
        """Every rung with what its default did at a shape; `previous`: times the rung before."""
        rows = self.rows[(self.rows["shape"] == shape) & (self.rows.dtype == dtype)]
        rows = rows[rows.default].set_index("chapter")
        found = self.rungs.join(rows[[*NUMBERS, "why", "of_cublas", "of_ceiling"]])
        found["previous"] = found.gflops_median / found.gflops_median.shift()
        return found

    def at_largest(self, chapter: str) -> pd.DataFrame:
        """The default's row where C is largest: there it runs the tiles of large problems."""
        rows = self.rows[(self.rows.chapter == chapter) & self.rows.default & self.rows.why.isna()]
        return rows.loc[[(rows.m * rows.n).idxmax()]] if len(rows) else rows

    def sizes(self, dtype: str) -> list[int]:
        """Sizes N for which some rung's default has a row of M = N = K, ascending."""
        rows = self.rows[self.rows.square & self.rows.default & (self.rows.dtype == dtype)]
        return sorted(set(rows.m[rows.chapter.isin(self.rungs.index)]))

    def cublas(self, shape: tuple, dtype: str) -> pd.Series:
        """The better cuBLAS at a shape: its own row, or the rate that the chapters' rows say."""
        rows = self.rows[(self.rows["shape"] == shape) & (self.rows.dtype == dtype)]
        own = rows[(rows.chapter == CUBLAS) & rows.why.isna()]
        if len(own):
            return own.loc[own.gflops_median.idxmax()]
        return pd.Series({"gflops_median": self.ladder(shape, dtype).cublas_gflops.median()})

    def software(self) -> str:
        """ "driver 580.1, CUDA 13.0, cuBLAS 13.1.0", leaving out what the file does not know."""
        known = self.info.get("software") or {}
        words = (("driver", "driver"), ("CUDA", "cuda"), ("cuBLAS", "cublas"))
        return ", ".join(f"{word} {known[key]}" for word, key in words if known.get(key))

    def origin(self) -> str:
        """Where a picture's numbers come from."""
        parts = [self.software(), f"commit {self.commit}", self.day]
        return " · ".join(part for part in parts if part)

    def mode_words(self) -> str:
        """What the mode means, with this run's own settings."""
        if self.mode != "burst":
            return "sustained mode (measured after a warm-up under full load)"
        rest, burst = (self.info["method"][name] for name in ("rest_ms", "burst_ms"))
        words = f"burst mode ({rest:g} ms of rest, then about {burst:g} ms of launches"
        cold = self.info["method"].get("cold")
        return words + (", each on other operands)" if cold else ")")


def shape_words(shape: tuple) -> str:
    """One number for M = N = K."""
    return str(shape[0]) if len(set(shape)) == 1 else "×".join(map(str, shape))


def _chapters(listed: list[dict]) -> pd.DataFrame:
    found = pd.DataFrame(listed, columns=["name", "title", "idea", "ceiling", "variants"])
    if found.name.duplicated().any():
        raise ValueError("a chapter is listed twice")
    found = found.set_index("name").sort_index()
    numbers = [re.match(r"(\d\d)_|", name).group(1) or "" for name in found.index]
    found["number"] = numbers
    found["label"] = [f"{n} {title}".strip() for n, title in zip(numbers, found.title)]
    chosen = ([v["name"] for v in variants if v.get("default")] for variants in found.variants)
    found["default"] = [names[0] if names else "default" for names in chosen]
    return found


def _rows(listed: list[dict], chapters: pd.DataFrame, ceilings: dict) -> pd.DataFrame:
    rows = pd.DataFrame(listed, columns=[*KEY, *NUMBERS, "mode", "skipped"])
    rows[["m", "n", "k"]] = rows[["m", "n", "k"]].astype(int)
    rows[NUMBERS] = rows[NUMBERS].astype(float)
    if rows.duplicated(KEY).any():
        raise ValueError(f"a row comes twice: {tuple(rows[rows.duplicated(KEY)].iloc[0][KEY])}")
    strangers = set(rows.chapter) - {*chapters.index, CUBLAS}
    if strangers:
        raise ValueError(f"chapters that are not listed: {strangers}")
    rows["why"] = rows.skipped.map(lambda why: why.removeprefix("left out: "), na_action="ignore")
    rows["shape"] = list(zip(rows.m, rows.n, rows.k))
    rows["square"] = (rows.m == rows.n) & (rows.n == rows.k)
    rows["size"] = rows["shape"].map(shape_words)
    rows["default"] = rows.variant == "default"
    names = chapters.default.map(lambda name: name if name == "default" else f"{name} (default)")
    rows["label"] = rows.variant.where(~rows.default, rows.chapter.map(names))
    rows["of_cublas"] = rows.gflops_median / rows.cublas_gflops
    rows["of_ceiling"] = rows.gflops_median / rows.chapter.map(chapters.ceiling).map(ceilings)
    listed = {c: ["default", *(v["name"] for v in vs)] for c, vs in chapters.variants.items()}
    known = [listed.get(chapter, []) for chapter in rows.chapter]
    place = [names.index(v) if v in names else len(names) for names, v in zip(known, rows.variant)]
    volume = rows.m * rows.n * rows.k
    rows["order"] = list(zip(~rows.square, volume, rows["shape"], place, rows.index))
    return rows


def load(path: Path) -> Run:
    """Reads one result file; raises ResultError with one line where it is none."""
    info = cli.read_json(path)
    with cli.reading(path):
        if info["schema"] != 1:
            raise ValueError(f"schema {info['schema']}")
        listed = info.pop("rows")
        chapters = _chapters(info.pop("chapters"))
        ceilings = {name: rate for name, rate in (info.get("ceilings") or {}).items() if rate}
        rows = _rows(listed, chapters, ceilings)
        counters = pd.DataFrame([row.get("counters") or {} for row in listed]).astype(float)
        mode, day, commit = info["method"]["mode"], info["date"][:10], info["commit"]
        if not (rows["mode"] == mode).all():
            raise ValueError(f"rows of another mode than {mode}")
        about = (Path(path), info, mode, day, commit, info["device"]["name"], ceilings)
        return Run(*about, chapters, rows, counters)


def recorded(name: str, root: Path = ROOT) -> Run | None:
    """The run recorded as NAME.json, or as NAME_SEED.json, of these the last; None without one."""
    folder = root / "plots" / "results"
    paths = sorted([*folder.glob(f"{name}.json"), *folder.glob(f"{name}_[0-9]*.json")])
    return load(paths[-1]) if paths else None


def sweeps(root: Path = ROOT) -> list[Run]:
    """Every recorded sweep, by device and seed."""
    return [load(path) for path in sorted((root / "plots" / "results").glob("*_sweep_*.json"))]


def swept(run: Run) -> pd.DataFrame:
    """What every_shape's default did at the shapes of a sweep, in the order in which the harness
    draws them (common/harness/sweep.cpp), with their `kind`."""
    rows = run.rows[(run.rows.chapter == EVERY_SHAPE) & run.rows.default].sort_index()
    order = {"L": "layer", "S": "square", "R": "ragged"}
    kinds = [order["LSRLSRLSRL"[i % 10]] for i in range(len(rows))]
    return rows.assign(kind=kinds)[rows.of_cublas.notna()]


def given_or_recorded(path: str | None, name: str) -> Run:
    """The file named on the command line, otherwise the recorded run of the name."""
    run = load(path) if path else recorded(name)
    if run is None:
        raise ResultError(f"plots/results: no recorded {name}, name a file")
    return run


def digits(value: float, two: float, one: float) -> str:
    """With two decimals below a first bound, with one below a second."""
    return f"{value:.{2 if value < two else 1 if value < one else 0}f}"


def tflops(gflops: float) -> str:
    """GFLOPS as TFLOPS with about three digits: 0.52, 47.1, 825."""
    value = gflops / 1000
    if not value > 0:
        return "–"
    return digits(value, 0.995, 99.95)


def times(ratio: float) -> str:
    """1.06×, 2.1×, 44×; a dash when there is nothing to compare with."""
    if not ratio > 0:
        return "–"
    return f"{digits(ratio, 1.995, 9.95)}×"


def percent(fraction: float) -> str:
    """One decimal, since the last chapters differ by that; two where one would say 0.0."""
    if not fraction >= 0:
        return "–"
    return f"{100 * fraction:.2f}%" if fraction < 0.00095 else f"{100 * fraction:.1f}%"


def left_out(why) -> str:
    return f"left out: {why}" if isinstance(why, str) else "not measured"


def whole(value: float) -> str:
    return f"{value:.0f}" if value == value else "–"
