#!/usr/bin/env python3
"""Whole programs, run as a user runs them: what they print, how they end, and traces as Perfetto takes them.

    programs_test.py BUILD_DIR [cuda|gpu]      cuda: there are CUDA programs; gpu: what needs a GPU, and nothing else
"""
import collections
import itertools
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD, KIND = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cpu"
WORK = tempfile.TemporaryDirectory()
FILE = Path(WORK.name) / "file.json"


def run(program, arguments, status=0, out="", err="", **more):
    """One that ends with this status, and whose output holds these words. FILE is written, or it is not there."""
    FILE.unlink(missing_ok=True)
    command = [BUILD / program, *shlex.split(arguments.replace("FILE", str(FILE)))]
    done = subprocess.run(command, text=True, capture_output=True, timeout=120, **more)
    assert done.returncode == status and out in done.stdout and err in done.stderr, (arguments, done)
    if status == 2:  # as every bad input must end: one line, and nothing else
        assert done.stderr.startswith(command[0].name.removesuffix("_cpu"))
        assert done.stderr.count("\n") == 1 and not done.stdout and not FILE.exists(), done
    return done


def fake(arguments, *expected, program="tests/harness_fakes_cpu", **more):
    return run(program, "--chapter 01_fake " + arguments, *expected, **more)


def check_programs():
    fake("--check --size 33", 0, "01_fake right 33 bf16: ok, rel_err")
    fake("--check --shape 5x6x7,8x9x1 --dtype fp16", 0, "8x9x1 fp16: ok")
    fake("", 0, "integers exact")
    fake("--async random:3 --size 16", 0, "ok")
    fake("--bench --size 16", 0, "not timed")
    fake("--ablation --check --size 16", 0, "01_fake slowly 16 bf16: ok")
    fake("--check --size 33 --variant wrong", 1, "WRONG with random operands")
    fake("--check --size 33 --variant stray", 1, "guard behind the matrix")
    fake("--check --size 33 --variant all", 3, "01_fake stray 33 bf16: WRONG", "on fire")
    fake("--counters --size 16 --variant wrong", 1, "01_fake wrong: WRONG")
    fake("--counters --size 16 --leave-out --variant refuses", 0, "refuses: left out: never")
    fake("--list", 0, "show            prints a line and finds an error (shown, not timed)")
    fake("--variant show --backend cpu --async random:3", 1, "shown\n")
    for arguments, why in {
        "--bench --size 0": "no speed",
        "--variant none": "none: choose from all, right, wrong, stray, refuses, breaks,",
        "--layout nt": "01_fake: has no layout nt; ",
        "--epilogue bias_relu": "01_fake: has no epilogue bias_relu; ",
        "--c-dtype fp32": "01_fake: has no fp32 C for bf16 operands; ",
        "--tune": "only --counters measures",
        "--counters --json /no/such/folder/x.json": "/no/such/folder/x.json",
        "--size 2147418112 --check": "A, B and C take",
        "--json ''": "not the name of a file",
        "--trace ''": "not the name of a file",
        "--trace /no/such/folder/x.json": "/no/such/folder/x.json: cannot be written",
        "--trace FILE": "01_fake right has nothing to trace",
        "--trace FILE --variant all": "takes one variant of one chapter",
        "--trace FILE --counters": "--trace",
        "--trace FILE --variant show": "takes no --trace",
        "--check --size 33 --variant refuses": "01_fake: never taken",
        "--variant show --check": "takes no --check",
        "--size -4": "--size, --shape: -4 is not N or MxNxK",
        "--async random:x": "'random:x': expected late, early",
        "--check --rounds 3": "--rounds",
        "--counters --backend cuda": "--counters",
        "--variant all --variant x": "--variant",
        "--chapter none": "none: choose from 01_fake, 02_fake",
    }.items():
        fake(arguments, 2, "", why)
    fake("--counters --size 16 --json FILE")
    assert json.loads(FILE.read_text())["rows"][0]["counters"]["global_load_sectors"] > 0
    # A ladder goes on without a chapter that refuses, unless that was called by its name.
    run("tests/harness_fakes_cpu", "--check --size 9", 0, "01_fake right 9 bf16: ok", "never taken")
    run("tests/harness_fakes_cpu", "--check --size 9 --chapter 02_fake", 2, "", "never taken")


def check_without_gpu():
    """The CUDA program becomes the CPU one: where there is no GPU, and when asked to."""
    blind = {"program": "tests/harness_fakes", "env": os.environ | {"CUDA_VISIBLE_DEVICES": ""}}
    instead = fake("", 0, "01_fake right 256 bf16: ok", "no CUDA device", **blind)
    assert "running on the CPU backend at size 256" in instead.stderr
    assert "size" not in fake("--variant show", 1, "shown\n", **blind).stderr
    fake("--backend cuda", 3, **blind)
    assert not fake("--backend cpu --check --size 9", **blind).stderr


def check_with_gpu():
    gpu = {"program": "tests/harness_fakes"}
    fake("--tune --size 64 --rounds 2 --json FILE", 0, "fastest configuration: ", **gpu)
    results = json.loads(FILE.read_text())
    assert {row["variant"] for row in results["rows"]} >= {"default", "tuned", "other", "lt_best"}
    ffma, mma_sync, wgmma, copy_gbs = results["ceilings"].values()
    # An SM has 64 or 128 fp32 units; tensor cores multiply twice as fast on a GeForce, 16 times on an A100.
    assert 50 < ffma / results["device"]["sms"] < 1000 and mma_sync > 1.5 * ffma and 100 < copy_gbs < 20000, results
    assert (wgmma or 0) > mma_sync if results["device"]["compute_capability"] == "9.0" else wgmma is None, results
    # cuBLAS, whose result is verified as a kernel's is, gets the problem right.
    for layout, dtype in itertools.product(("tn", "nn", "nt", "tt"), ("bf16", "fp16")) if wgmma else ():
        run("bin/every_shape", f"--bench --shape 200x264x328,136x72x40 --rounds 1 --layout {layout} --dtype {dtype}")
    # A lost device: one line, status 3, no result file.
    for arguments, said in (("--check --variant illegal", "cudaErrorIllegalAddress"),
                            ("--check --variant right --variant launch", "cudaErrorInvalid"),
                            ("--bench --rounds 1 --json FILE --variant illegal", "cudaErrorIllegalAddress"),
                            ("--bench --rounds 1 --json FILE --variant illegal_later", "cudaErrorIllegalAddress"),
                            ("--bench --rounds 1 --json FILE --variant launch", "cudaErrorInvalid")):
        done = fake("--size 64 " + arguments, 3, "", said, **gpu)
        assert done.stderr.count("\n") == 1 and not FILE.exists(), done
    # More than the device has is refused before anything is allocated.
    fake("--check --size 300000", 2, "", "the device has", **gpu)
    fake("--check --size 64", **gpu)


def check_trace(chapter, roles, options):
    """Keys, times that do not fall on a track, spans that end, flows with both ends in spans, and a ring's tracks."""
    run(f"bin/{chapter}_cpu", "--trace FILE " + options)
    names, times, flows = {}, collections.defaultdict(lambda: [0]), collections.defaultdict(dict)
    for event in json.loads(FILE.read_text())["traceEvents"]:
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


def check_traces():
    copies = ["05_swizzle_pipeline", "06_wgmma_tma"]
    rings = ["07_warp_specialized", "08_cluster_multicast", "09_hilbert_schedule"]
    for policy in ("late", "early", "mix", "random:5"):
        for chapter in copies:
            check_trace(chapter, ["loads and multiplies"], "--async " + policy)
        for chapter in (*rings, "every_shape"):
            check_trace(chapter, ["producer", "consumer"], "--shape 256x512x640 --async " + policy)
    for chapter in rings:
        check_trace(chapter, ["producer", "consumer 0", "consumer 1"], "--variant timeline --async mix")
    for chapter in copies + rings:
        shown = run(f"bin/{chapter}_cpu", "--variant running_example")
        assert len(json.loads(shown.stdout)["events"]) >= 16, chapter


if KIND == "gpu":
    if not shutil.which("nvidia-smi") or subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode:
        print("skipped: no GPU")
        sys.exit(77)
    check_with_gpu()
else:
    check_programs()
    if KIND == "cuda":
        check_without_gpu()
    check_traces()
print("programs end as they should, and traces are as Perfetto wants them")
