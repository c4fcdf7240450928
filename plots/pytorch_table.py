"""The table of chapter 09's PyTorch operator beside torch, from what time_linear.py recorded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import checks
import results
from checks import Node
from markdown import markdown

if TYPE_CHECKING:
    from table_contents import Request, Runs

# What is timed, by the names that time_linear.py gives: the operator's call first.
FUSED = {
    "linear_bias_relu": "`linear(x, w, b, relu=True)`",
    "torch_bias_relu": "`relu(F.linear(x, w, b))`",
    "torch_one_launch": "`_addmm_activation(b, x, w.T)`",
}
PLAIN = {"linear": "`linear(x, w)`", "torch": "`x @ w.T`"}


@dataclass(frozen=True)
class Timing:
    name: str
    shape: results.Shape
    mode: str
    tflops: float
    host_us: float


@dataclass(frozen=True)
class Timings:
    """One result file of time_linear.py."""

    provenance: str
    rows: tuple[Timing, ...]


def _row(node: Node) -> Timing:
    extents = [node.get(name, checks.extent) for name in "mnk"]
    return Timing(
        node.get("name", checks.one_of(*FUSED, *PLAIN)),
        results.Shape(*extents),
        node.get("mode", checks.one_of(*results.GPU_MODES)),
        node.get("tflops", checks.positive),
        node.get("host_us", checks.positive),
    )


def load(path: Path) -> Timings:
    file = checks.read_object(path)
    file.get("schema", checks.one_of(results.SCHEMA))
    software, method = file.child("software"), file.child("method")
    rounds = [
        f"{mode} mode, {method.child(mode).get('rounds', checks.extent)} rounds"
        for mode in results.GPU_MODES
        if mode in method.value
    ]
    parts = [
        file.child("device").get("name", checks.text),
        f"PyTorch {software.get('torch', checks.text)}",
        f"driver {software.get('driver', checks.text)}",
        *rounds,
        f"{file.get('date', checks.utc_time)[:10]}, commit {file.get('commit', checks.text)}",
    ]
    return Timings("; ".join(parts) + ".", tuple(_row(node) for node in file.children("rows")))


def recorded(root: Path) -> Timings | None:
    path = root / "plots" / "results" / f"pytorch_{results.HEADLINE_DEVICE}.json"
    return load(path) if path.exists() else None


def table(request: Request, runs: Runs) -> list[str]:
    """A row for each shape: TFLOPS of the operator's call and of torch's, by mode=burst."""
    mode = request.option("mode", "burst")
    if mode not in results.GPU_MODES:
        request.fail(f"mode={mode}: expected {' or '.join(results.GPU_MODES)}")
    kinds = {"fused": FUSED, "plain": PLAIN}
    kind = request.option("kind", "fused")
    if kind not in kinds:
        request.fail(f"kind={kind}: expected {' or '.join(kinds)}")
    names = list(kinds[kind])
    head = ["M×N×K, TFLOPS", *kinds[kind].values(), "× torch", "a call, CPU"]
    if not runs.pytorch:
        return markdown(head, [])
    of_mode = {(r.shape, r.name): r for r in runs.pytorch.rows if r.mode == mode}
    shapes = list(dict.fromkeys(shape for shape, name in of_mode if name in names))
    rows = []
    for shape in shapes:
        found = [of_mode.get((shape, name)) for name in names]
        ours, *others = (row.tflops if row else None for row in found)
        best = max((rate for rate in others if rate), default=None)
        rows.append(
            [
                str(shape),
                *(results.tflops(1000 * row.tflops) if row else "–" for row in found),
                results.times(ours / best if ours and best else None),
                f"{found[0].host_us:.0f} µs" if found[0] else "–",
            ]
        )
    return [*markdown(head, rows), "", runs.pytorch.provenance]
