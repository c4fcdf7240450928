"""Made-up results in the shape of real ones, for the tests; no number here was measured."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PLOTS = Path(__file__).resolve().parent
LADDER = [  # folder, title, ceiling, TFLOPS at 4096
    ("01_naive", "Naive", "ffma", 0.5),
    ("02_smem_tiling", "Shared-memory tiling", "ffma", 22),
    ("09_hilbert_schedule", "Hilbert schedule", "wgmma", 825),
    ("every_shape", "Every shape", "wgmma", 830),
]
VARIANTS = [{"name": "main", "default": True}, {"name": "scalar", "default": False}]
TOO_SLOW = "one launch would take about 17.6 s"


def file(rows: list[dict], mode: str = "burst", **more) -> dict:
    names = ("name", "title", "ceiling")
    about = [dict(zip(names, rung), idea=f"idea of {rung[1]}", variants=VARIANTS) for rung in LADDER]
    return {
        "schema": 1,
        "date": "2026-03-14T09:26:53Z",
        "commit": "abc1234",
        "device": {"name": "NVIDIA H200", "sms": 132, "power_cap_w": 700},
        "software": {"driver": "580.1", "cuda": "13.0", "cublas": "13.1.0"},
        "method": {"mode": mode, "rest_ms": 60, "rounds": 7, "burst_ms": 3},
        "ceilings": {"ffma": 63600, "mma_sync": None, "wgmma": 950000, "copy_gbs": 4270},
        "chapters": about,
        "rows": [{"mode": mode, "dtype": "bf16", **row} for row in rows],
        **more,
    }


def row(chapter: str, size: int, tflops: float, cublas: float | None = 790, **more) -> dict:
    """A measured row; rates in TFLOPS."""
    rates = {"gflops_median": 1000 * tflops, "gflops_lo": 998 * tflops, "gflops_hi": 1003 * tflops}
    place = {"chapter": chapter, "variant": "default", "m": size, "n": size, "k": size}
    rates["cublas_gflops"] = cublas and 1000 * cublas
    return {**place, **rates, "sm_mhz": 1655.0, "power_w": 640.4, **more}


def run(mode: str = "burst", scale: float = 1.0) -> dict:
    """Four chapters and cuBLAS at two sizes; the first one is left out at the larger."""
    rows = [row(name, 4096, rate * scale) for name, _, _, rate in LADDER]
    rows += [row(name, 8192, rate * scale) for name, _, _, rate in LADDER[1:]]
    rows.append({**{key: rows[0][key] for key in ("chapter", "variant")}, "skipped": TOO_SLOW})
    rows[-1] |= dict.fromkeys("mnk", 8192)
    rows.append(row("02_smem_tiling", 4096, 18.5 * scale, variant="scalar"))
    rows += [row("cublas", size, 790 * scale, variant="lt_best") for size in (4096, 8192)]
    return file(rows, mode)


def counters(device: str, *counted: dict, **more) -> dict:
    """What a device has counted of chapter 02's two variants."""
    place = {"chapter": "02_smem_tiling", **dict.fromkeys("mnk", 256)}
    rows = [{**place, "variant": v, "counters": c} for v, c in zip(("default", "scalar"), counted)]
    return file(rows, "counters", device={"name": device}, **more)


class Repository(unittest.TestCase):
    """A folder of its own for each test, with recorded results and a page."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "plots" / "results").mkdir(parents=True)
        self.page = self.root / "README.md"

    def record(self, name: str, data: dict) -> Path:
        path = self.root / "plots" / "results" / f"{name}.json"
        path.write_text(json.dumps(data), encoding="utf-8")
        return path

    def executable(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def script(self, path: Path, *arguments, **environment) -> subprocess.CompletedProcess:
        command = [sys.executable, path, *map(str, arguments)]
        environment = environment or None
        return subprocess.run(command, env=environment, capture_output=True, text=True)
