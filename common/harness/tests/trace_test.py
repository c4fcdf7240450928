#!/usr/bin/env python3
"""That `--trace` writes what Perfetto takes: keys, times that do not fall on a track, spans that end, flows with
both ends in spans, and the tracks of a ring; and that it is refused where there is nothing to trace.

    trace_test.py FOLDER      FOLDER: of the CPU backend's programs
"""
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS, WORK = Path(sys.argv[1]), Path(tempfile.mkdtemp())


def run(chapter, *options):
    path = WORK / "trace.json"
    path.unlink(missing_ok=True)
    ended = subprocess.run([PROGRAMS / f"{chapter}_cpu", "--trace", path, *options], text=True, capture_output=True)
    return ended, json.loads(path.read_text())["traceEvents"] if path.exists() else None


def check(chapter, roles, *options):
    ended, events = run(chapter, *options)
    assert ended.returncode == 0, ended.stderr
    names, times, flows = {}, collections.defaultdict(lambda: [0]), collections.defaultdict(dict)
    for event in events:
        assert {"ph", "pid", "tid", "ts", "name"} <= event.keys(), event
        kind, track, at = event["ph"], event["tid"], event["ts"]
        in_span = len(times[track]) % 2 == 0
        if event["name"] == "thread_name":
            names[track] = event["args"]["name"]
        elif kind in "BE":
            assert in_span == (kind == "E"), f"spans overlap: {event}"
            times[track].append(at)
        elif kind != "M":
            assert in_span and at >= times[track][-1], f"not in a span: {event}"
            flows[event["id"]][kind] = at
    for track, all_times in times.items():
        assert len(all_times) % 2 == 1 and all_times == sorted(all_times), f"{names[track]}: {all_times}"
    assert flows and all(flow.keys() == {"s", "f"} and flow["s"] <= flow["f"] for flow in flows.values()), flows
    for role in (*roles, "stage 0", "stage 1"):
        assert any(role in name and len(times[track]) > 1 for track, name in names.items()), f"no {role} in {names}"


for policy in ("late", "early", "mix", "random:5"):
    check("05_swizzle_pipeline", ["loads and multiplies"], "--async", policy)
    check("06_wgmma_tma", ["loads and multiplies"], "--async", policy)
    for ring in ("07_warp_specialized", "08_cluster_multicast", "09_hilbert_schedule", "every_shape"):
        check(ring, ["producer", "consumer"], "--shape", "256x512x640", "--async", policy)
for ring in ("07_warp_specialized", "08_cluster_multicast", "09_hilbert_schedule"):
    check(ring, ["producer", "consumer 0", "consumer 1"], "--variant", "timeline", "--async", "mix")
for chapter in ("05_swizzle_pipeline", "06_wgmma_tma", "07_warp_specialized", "08_cluster_multicast", "09_hilbert_schedule"):
    ended = subprocess.run([PROGRAMS / f"{chapter}_cpu", "--variant", "running_example"], text=True, capture_output=True)
    assert ended.returncode == 0 and len(json.loads(ended.stdout)["events"]) >= 16, (chapter, ended.stderr)
for chapter, options, reason in (("02_smem_tiling", [], "nothing to trace"),
                                 ("05_swizzle_pipeline", ["--variant", "all"], "one variant"),
                                 ("09_hilbert_schedule", ["--counters"], "--trace"),
                                 ("09_hilbert_schedule", ["--variant", "tile_orders"], "takes no --trace")):
    ended, events = run(chapter, *options)
    said = ended.stderr.strip().splitlines()
    assert ended.returncode == 2 and len(said) == 1 and reason in said[0] and events is None, (chapter, ended)
print("traces of all rings are as Perfetto wants them")
