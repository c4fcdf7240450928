"""What the programs beside this one share: a step timed from the host, and result files."""

import json
import statistics
import sys
import time
from pathlib import Path
from typing import Callable, Optional

import torch


def wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def step_ms(step: Callable[[], object], device: str) -> float:
    """Milliseconds from the call until the device is done."""
    wait(device)
    begin = time.perf_counter()
    step()
    wait(device)
    return 1e3 * (time.perf_counter() - begin)


def median_ms(step: Callable[[], object], device: str) -> float:
    times = [step_ms(step, device) for _ in range(25 if device == "cuda" else 3)]
    return statistics.median(times[len(times) // 5 :])  # the first ones prepare


def has_gpu(program: str) -> bool:
    """Whether the kernel runs on a GPU here; if not, says so."""
    if torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0):
        return True
    print(f"{program}: no GPU of compute capability 9.0", file=sys.stderr)
    return False


def write(path: Optional[Path], device: str, result: dict) -> None:
    """Where a path is given, what was measured and on what, as plots/tables.py reads it."""
    if path is None:
        return
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    file = {"device": name, "torch": torch.__version__, "cuda": torch.version.cuda, **result}
    path.write_text(json.dumps(file, indent=1) + "\n", encoding="utf-8")
