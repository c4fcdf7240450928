"""Made-up results in the shape of real ones, for the tests; no number here was measured."""

from __future__ import annotations

import io
import json
import os
import runpy
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

PLOTS = Path(__file__).resolve().parent

LADDER = [  # folder, title, ceiling, TFLOPS at 4096
    ("01_naive", "Naive", "ffma", 0.5),
    ("02_smem_tiling", "Shared-memory tiling", "ffma", 22),
    ("03_warptiling", "Warp tiling", "ffma", 47),
    ("04_mma_ldmatrix", "Tensor cores", "mma_sync", 270),
    ("05_swizzle_pipeline", "Swizzle and pipeline", "mma_sync", 505),
    ("06_wgmma_tma", "wgmma and TMA", "wgmma", 600),
    ("07_warp_specialized", "Warp specialisation", "wgmma", 745),
    ("08_cluster_multicast", "Cluster multicast", "wgmma", 780),
    ("09_hilbert_schedule", "Hilbert schedule", "wgmma", 825),
    ("every_shape", "Every shape", "wgmma", 830),
]
TOO_SLOW = "one launch would take about 17.6 s"
SIZES = {1024: 0.4, 2048: 0.9, 4096: 1.0, 8192: 1.01, 16384: 1.0}  # and the share of the rate


def row(chapter: str, size: int, tflops: float, mode: str = "burst", cublas=790.0, **more) -> dict:
    """A measured row; `cublas` in TFLOPS."""
    return {
        "chapter": chapter,
        "variant": "default",
        "m": size,
        "n": size,
        "k": size,
        "dtype": "bf16",
        "mode": mode,
        "gflops_median": tflops * 1000,
        "gflops_lo": tflops * 998,
        "gflops_hi": tflops * 1003,
        "cublas_gflops": cublas * 1000 if cublas else None,
        "cublas_default_gflops": cublas * 990 if cublas else None,
        "sm_mhz": 1655.0,
        "power_w": 640.4,
        "rel_err": 1e-3,
        "samples_ms": [1.5, 1.6],
        **more,
    }


def run(chapters: int = len(LADDER), mode: str = "burst", scale: float = 1.0, cublas=790.0) -> dict:
    """A result file of the first so many chapters; the first one is left out at 16384."""
    rows = []
    for name, _, _, tflops in LADDER[:chapters]:
        for size, share in SIZES.items():
            line = row(name, size, tflops * share * scale, mode, cublas and cublas * share * scale)
            if size == 16384 and tflops < 1:
                keep = ("chapter", "variant", "m", "n", "k", "dtype", "mode")
                line = {**{key: line[key] for key in keep}, "skipped": f"left out: {TOO_SLOW}"}
            rows.append(line)
    if chapters > 1:
        tiled = row("02_smem_tiling", 4096, 18.5 * scale, mode, cublas and cublas * scale)
        rows.append({**tiled, "variant": "scalar"})
    for size, share in SIZES.items() if cublas else ():
        for variant, rate in (("default", 0.99), ("lt_best", 1.0)):
            rate *= cublas * share * scale
            line = row("cublas", size, rate, mode, cublas * share * scale)
            rows.append({**line, "variant": variant})
    return {
        "schema": 1,
        "date": "2026-03-14T09:26:53Z",
        "commit": "abc1234",
        "device": {"name": "NVIDIA H200", "sms": 132, "power_cap_w": 700},
        "software": {"driver": "580.1", "cuda": "13.0", "cublas": "13.1.0", "compiler": "x"},
        "method": {"mode": mode, "rest_ms": 60, "rounds": 7, "burst_ms": 3},
        "ceilings": {"ffma": 63600, "mma_sync": 620000, "wgmma": 950000, "copy_gbs": 4270},
        "chapters": [
            {
                "name": name,
                "title": title,
                "idea": f"the idea of {title}",
                "ceiling": ceiling,
                "variants": [
                    {"name": "main", "summary": "the default", "default": True},
                    {"name": "scalar", "summary": "for comparison", "default": False},
                ],
            }
            for name, title, ceiling, _ in LADDER[:chapters]
        ],
        "rows": rows,
    }


def counters() -> dict:
    """A counter file of the CPU backend: two variants of chapter 02."""
    data = run(2, "counters")
    problem = {"m": 256, "n": 256, "k": 256, "dtype": "bf16", "mode": "counters"}
    data["device"] = {"name": "CPU backend"}
    data["ceilings"] = None
    del data["software"]
    data["rows"] = [
        {
            "chapter": "02_smem_tiling",
            "variant": variant,
            **problem,
            "counters": {
                "global_load_requests": 40960,
                "global_load_sectors_per_request": ratio,
                "shared_load_wavefronts_per_request": 0.0,
            },
        }
        for variant, ratio in (("scalar", 8.5), ("default", 2))
    ]
    return data


def gallery_counters() -> dict:
    """The same for the gallery's kernels."""
    data = counters()
    data["chapters"] = [
        {
            "name": "gallery",
            "title": "Bug gallery",
            "ceiling": "wgmma",
            "variants": [{"name": "hopper", "default": True}, {"name": "ampere"}],
        }
    ]
    hopper = {"tma_shared_bytes": 1310720, "tma_multicast_bytes": 0, "tensor_flops": 83886080}
    ampere = {"ldmatrix_wavefronts": 40960, "tensor_flops": 83886080, "global_load_sectors": 64}
    rows = zip(data["rows"], (("hopper", hopper), ("ampere", ampere)))
    data["rows"] = [
        {**row, "chapter": "gallery", "variant": variant, "counters": values}
        for row, (variant, values) in rows
    ]
    return data


def launches() -> dict:
    """Times of launches on the CPU backend."""
    data = run(0, "launch", cublas=None)
    data["device"] = {"name": "CPU backend", "cpu": "Some CPU", "threads": 2}
    data["software"] = {"compiler": "g++ 12"}
    data["method"] = {"mode": "launch", "async": "late", "rounds": 5}
    del data["ceilings"]
    data["chapters"] = [
        {"name": "gallery", "title": "Bug gallery", "ceiling": "wgmma", "variants": []}
    ]
    data["rows"] = [
        {
            "chapter": "gallery",
            "variant": "default",
            **{extent: size for extent in "mnk"},
            "dtype": "bf16",
            "mode": "launch",
            "ms_median": ms,
            "samples_ms": [ms],
        }
        for size, ms in ((512, 119.6), (1024, 1040.0))
    ]
    return data


def save(data: dict, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def script(name: str, *arguments, **environment) -> subprocess.CompletedProcess:
    """Runs a script of plots/ as a user would; without an environment of its own, in this process:
    most of what a new one does is to import matplotlib."""
    command = [str(PLOTS / name), *map(str, arguments)]
    if environment:
        return subprocess.run(
            [sys.executable, *command],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
        )
    out, err, status = io.StringIO(), io.StringIO(), 0
    with mock.patch.object(sys, "argv", command), redirect_stdout(out), redirect_stderr(err):
        try:
            runpy.run_path(command[0], run_name="__main__")
        except SystemExit as end:
            status = end.code or 0
    return subprocess.CompletedProcess(command, status, out.getvalue(), err.getvalue())
