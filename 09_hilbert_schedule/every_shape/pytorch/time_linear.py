#!/usr/bin/env python3
"""Times the operator beside torch on this GPU, by the rules that the chapters are measured by.

usage: time_linear.py [--mode burst|sustained|both] [--shape MxNxK,...] [--rounds N] [--json FILE]

burst: at least 60 ms of rest, a warm-up, about 3 ms of launches; in rounds, in changing order.
sustained: 0.7 s of the same calls, then at least 0.7 s measured. Calls of less than 100 us go through
a CUDA graph, and take their operands from several sets where the L2 would hold one. Every result is
verified before it is timed. What a call costs the CPU, time_host.py measures. The result file names the
commit that git says, or COMMIT in the environment.

Exit status: 0 measured, 1 wrong result, 2 bad usage, 3 no GPU that the kernel runs on.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

import torch

from every_shape import linear

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "plots"))

import cli  # noqa: E402

SHAPES = "1024x1024x1024,4096x4096x4096,8192x8192x8192,4096x14336x4096"
REST_S, BURST_MS, HOT_MS, GRAPH_BELOW_MS = 0.06, 3.0, 700.0, 0.1
ROUNDS = {"burst": 15, "sustained": 2}
SUSTAINED_SAMPLES = 10

Operands = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # x, weight, bias

# name: with bias and ReLU? and the call
METHODS: dict[str, tuple[bool, Callable[[Operands], torch.Tensor]]] = {
    "linear_bias_relu": (True, lambda o: linear(*o, "relu")),
    "torch_bias_relu": (True, lambda o: torch.relu(torch.nn.functional.linear(*o))),
    "torch_one_launch": (True, lambda o: torch._addmm_activation(o[2], o[0], o[1].T)),
    "linear": (False, lambda o: linear(o[0], o[1])),
    "torch": (False, lambda o: o[0] @ o[1].T),
}


def launches_in(total_ms: float, launch_ms: float) -> int:
    return max(1, math.ceil(total_ms / max(launch_ms, 1e-4)))


class TimedMethod:
    """One call, on one or more sets of operands in turn, timed as the harness times a kernel."""

    def __init__(self, name: str, sets: list[Operands]) -> None:
        self.name, self.sets, self.turn, self.graph = name, sets, 0, None
        self.call = METHODS[name][1]
        self.samples: list[float] = []
        self.launch_ms = self.elapsed(lambda: self.launch(10)) / 10
        self.batch = launches_in(BURST_MS, self.launch_ms)
        if self.launch_ms < GRAPH_BELOW_MS:
            self.capture()  # a guess: the CPU may have been what took the time
            self.launch_ms = self.elapsed(self.launch_batch) / self.batch
            self.batch = max(launches_in(BURST_MS, self.launch_ms), len(sets))
            self.capture()

    def launch(self, count: int) -> None:
        for _ in range(count):
            self.call(self.sets[self.turn])
            self.turn = (self.turn + 1) % len(self.sets)

    def launch_batch(self) -> None:
        if self.graph:
            self.graph.replay()
        else:
            self.launch(self.batch)

    def capture(self) -> None:
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.launch(self.batch)
        self.graph.replay()
        torch.cuda.synchronize()

    def elapsed(self, work: Callable[[], None]) -> float:
        work()
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop)

    def burst(self) -> None:
        torch.cuda.synchronize()
        time.sleep(REST_S)
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        if self.graph:
            self.launch_batch()
        else:
            self.launch(1)
        start.record()
        self.launch_batch()
        stop.record()
        stop.synchronize()
        self.samples.append(start.elapsed_time(stop) / self.batch)

    def sustained(self) -> None:
        # The GPU never waits between the first call and the last, or it would cool down.
        batches = launches_in(HOT_MS, self.batch * self.launch_ms)
        each = max(1, batches // SUSTAINED_SAMPLES)
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(math.ceil(batches / each) + 1)]
        for _ in range(batches):
            self.launch_batch()
        marks[0].record()
        for mark in marks[1:]:
            for _ in range(each):
                self.launch_batch()
            mark.record()
        marks[-1].synchronize()
        for before, after in zip(marks, marks[1:]):
            self.samples.append(before.elapsed_time(after) / (each * self.batch))


def operand_sets(m: int, n: int, k: int) -> list[Operands]:
    """So many that none is in the L2 any more when its turn comes again."""
    size = 2 * (m * k + n * k + m * n)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    count = min(1024, math.ceil(2 * l2 / size)) if size <= l2 else 1

    def uniform(*shape: int) -> torch.Tensor:
        return (torch.rand(shape, device="cuda") * 2 - 1).bfloat16()

    return [(uniform(m, k), uniform(n, k), uniform(n)) for _ in range(count)]


def error_of(method: TimedMethod, expected: dict[bool, torch.Tensor]) -> float:
    """The largest error as a part of the largest entry."""
    wanted = expected[METHODS[method.name][0]]
    out = method.call(method.sets[0]).float()
    error = (out - wanted).abs().max() / wanted.abs().max()
    return float(error) if bool(torch.isfinite(error)) else math.inf


def interval(samples: list[float]) -> tuple[float, float]:
    """Two samples between which the median lies with 95% probability, as far as there are enough."""
    ordered, n, outside = sorted(samples), len(samples), 0
    tail = term = 0.5**n
    while 2 * tail <= 0.05:
        outside += 1
        term *= (n - outside + 1) / outside
        tail += term
    outside = max(0, outside - 1)
    return ordered[outside], ordered[n - 1 - outside]


def measure(shape: tuple[int, int, int], mode: str, rounds: int) -> list[dict]:
    m, n, k = shape
    sets = operand_sets(m, n, k)
    x, weight, bias = (t.float() for t in sets[0])
    plain = x @ weight.T
    expected = {False: plain, True: torch.relu(plain + bias)}
    methods, rows = [], []
    for name in METHODS:
        method = TimedMethod(name, sets)
        error = error_of(method, expected)
        if not error < 2**-7:  # one rounding to bf16 is 2^-9 at most
            print(f"time_linear: {name} at {m}x{n}x{k}: WRONG, error {error:.2e}", file=sys.stderr)
            raise SystemExit(1)
        methods.append(method)
        rows.append({"name": name, "m": m, "n": n, "k": k, "dtype": "bf16", "mode": mode})
        rows[-1]["error"] = error
    del plain, expected, x, weight, bias
    for round_ in range(rounds):
        first = round_ // 2 % len(methods)
        order = methods[first:] + methods[:first]
        for method in reversed(order) if round_ % 2 else order:
            getattr(method, mode)()
    for method, row in zip(methods, rows):
        low, high = interval(method.samples)
        row["ms_median"] = statistics.median(method.samples)
        row |= {"ms_lo": low, "ms_hi": high, "samples_ms": method.samples}
        rate = 2e-9 * m * n * k / row["ms_median"]
        row["tflops"] = rate
        print(f"  {row['name']:18} {1e3 * row['ms_median']:9.1f} us {rate:7.1f} TFLOPS")
    return rows


def output_of(*command: str) -> str:
    try:
        return subprocess.check_output(command, text=True, stderr=subprocess.DEVNULL).strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def shapes(text: str) -> list[tuple[int, int, int]]:
    found = [re.fullmatch(r"([1-9]\d{0,6})x([1-9]\d{0,6})x([1-9]\d{0,6})", s) for s in text.split(",")]
    if None in found:
        raise argparse.ArgumentTypeError(f"expected MxNxK[,MxNxK...], found '{text}'")
    return [tuple(map(int, match.groups())) for match in found]


def main() -> int:
    parser = cli.Parser(description="Times the operator beside torch on this GPU.")
    parser.add_argument("--mode", choices=("burst", "sustained", "both"), default="both")
    parser.add_argument("--shape", type=shapes, default=shapes(SHAPES), metavar="MxNxK,...")
    parser.add_argument("--rounds", type=int, help="of every method (15 in burst, 2 in sustained)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements")
    options = parser.parse_args()
    if options.rounds is not None and options.rounds < 1:
        parser.error("--rounds: the least is 1")
    if options.json and not options.json.absolute().parent.is_dir():
        parser.error(f"--json: {options.json.parent} is not a directory")
    if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
        print("time_linear: no GPU of compute capability 9.0", file=sys.stderr)
        return 3
    modes = ("burst", "sustained") if options.mode == "both" else (options.mode,)
    query = ("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    result = {
        "schema": 1,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": os.environ.get("COMMIT")
        or output_of("git", "-C", str(ROOT), "describe", "--always", "--dirty"),
        "device": {"name": torch.cuda.get_device_name()},
        "software": {
            "driver": output_of(*query).split("\n")[0],
            "cuda": torch.version.cuda,
            "torch": torch.__version__,
        },
        "method": {mode: {"rounds": options.rounds or ROUNDS[mode]} for mode in modes},
        "rows": [],
    }
    for mode in modes:
        for shape in options.shape:
            print(f"{'x'.join(map(str, shape))} bf16, {mode}:")
            result["rows"] += measure(shape, mode, options.rounds or ROUNDS[mode])
            torch.cuda.empty_cache()
    if options.json:
        cli.write_atomically(options.json, (json.dumps(result, indent=1) + "\n").encode("utf-8"))
    return 0


def on_device() -> int:
    """main(), with one line and status 3 for a device that fails."""
    try:
        return main()
    except RuntimeError as error:  # torch's own, out of memory among them
        print(f"time_linear: {str(error).splitlines()[0]}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    cli.run(on_device)
