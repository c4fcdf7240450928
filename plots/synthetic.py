"""Made-up results in the shape of real ones, for the tests; no number here was measured."""

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
    chapters = [
        {"name": name, "title": title, "idea": "an idea", "ceiling": ceiling, "variants": VARIANTS}
        for name, title, ceiling, _ in LADDER
    ]
    return {
        "schema": 1,
        "date": "2026-03-14T09:26:53Z",
        "commit": "abc1234",
        "device": {"name": "NVIDIA H200", "sms": 132, "power_cap_w": 700},
        "software": {"driver": "580.1"},
        "method": {"mode": mode, "rest_ms": 60, "rounds": 7, "burst_ms": 3},
        "ceilings": {"ffma": 63600, "mma_sync": None, "wgmma": 950000, "copy_gbs": 4270},
        "chapters": chapters,
        "rows": [{"mode": mode, "dtype": "bf16", **row} for row in rows],
        **more,
    }


def row(chapter: str, size: int, tflops: float, cublas: float | None = 790, **more) -> dict:
    """A measured row; rates in TFLOPS."""
    rates = {"gflops_median": 1000 * tflops, "gflops_lo": 998 * tflops, "gflops_hi": 1003 * tflops}
    rates["cublas_gflops"] = cublas and 1000 * cublas
    place = {"chapter": chapter, "variant": "default", "m": size, "n": size, "k": size}
    return {**place, **rates, "sm_mhz": 1655.0, "power_w": 640.4, **more}


def run(mode: str = "burst", scale: float = 1.0) -> dict:
    """Four chapters and cuBLAS at two sizes; the first one is left out at the larger."""
    left_out = {"chapter": "01_naive", "variant": "default", **dict.fromkeys("mnk", 8192)}
    rows = [{**left_out, "skipped": TOO_SLOW}, row("02_smem_tiling", 4096, 18.5, variant="scalar")]
    rows += [row(name, 4096, rate * scale) for name, _, _, rate in LADDER]
    rows += [row(name, 8192, rate * scale) for name, _, _, rate in LADDER[1:]]
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
        self.page = self.root / "README.md"

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def record(self, name: str, data: dict) -> Path:
        return self.write(f"plots/results/{name}.json", json.dumps(data))

    def script(self, path: Path, *arguments, **environment) -> subprocess.CompletedProcess:
        command = [sys.executable, path, *map(str, arguments)]
        return subprocess.run(command, env=environment or None, capture_output=True, text=True)
