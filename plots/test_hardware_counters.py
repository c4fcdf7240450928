"""Counters of the CPU backend beside those of ncu: the tables, and the script that runs ncu."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import results
import synthetic
from test_tables import Repository

NCU_COUNTERS = results.ROOT / "common" / "tools" / "ncu_counters.py"

# Prints each metric it is asked for as its length, in the form of `ncu --csv --page raw`, and keeps
# its arguments.
FAKE_NCU = """#!/usr/bin/env python3
import csv, os, sys
arguments = sys.argv[1:]
with open(os.environ["SEEN"], "a") as seen:
    seen.write(" ".join(arguments) + chr(10))
metrics = arguments[arguments.index("--metrics") + 1].split(",")
known = [m for m in metrics if "bank_conflicts" not in m]
print("==PROF== Connected")
out = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL)
out.writerow(["ID", *known])
out.writerow(["", *["byte"] * len(known)])
out.writerow(["0", *["n/a" if "stsm" in m else f"{1000 * len(m):,}" for m in known]])
"""
FAKE_NVIDIA_SMI = """#!/bin/sh
echo "NVIDIA H200, 580.1"
"""


class Tables(Repository):
    def record_both(self, data: dict, prefix: str = "", change=lambda rows: None) -> None:
        measured = copy.deepcopy(data)
        measured["device"] = {"name": "NVIDIA H200"}
        change(measured["rows"])
        self.record(data, f"{prefix}cpu_counters.json")
        self.record(measured, f"{prefix}h200_counters.json")

    def test_the_largest_difference_is_over_what_both_have_counted(self):
        def change(rows):
            rows[0]["counters"]["global_load_requests"] *= 1.25  # the CPU counted a fifth less
            rows[1]["counters"]["shared_only_in_ncu"] = 1

        self.record_both(synthetic.counters(), change=change)
        head, *body = self.table("hardware_counters")
        self.assertEqual(head, ["chapter", "variant", "largest difference"])
        self.assertEqual(
            body,
            [
                ["02_smem_tiling", "scalar", "20%"],
                ["02_smem_tiling", "main (default)", "none"],
            ],
        )

    def test_one_number_where_both_agree(self):
        data = synthetic.counters()
        for row in data["rows"]:
            row["counters"] = {"global_load_sectors": 4096, "shared_load_wavefronts": 0}

        def change(rows):
            rows[1]["counters"]["global_load_sectors"] = 5120

        self.record_both(data, change=change)
        head, *body = self.table("hardware_counters")
        self.assertEqual(head[2:], ["sectors loaded", "largest difference"])
        self.assertEqual([row[2:] for row in body], [["4,096", "none"], ["4,096 / 5,120", "20%"]])

    def test_a_counter_that_one_side_lacks_is_left_out(self):
        data = synthetic.counters()
        for row in data["rows"]:
            row["counters"] = {"global_load_sectors": 4096, "shared_load_wavefronts": 64}

        def change(rows):
            for row in rows:
                row["counters"].pop("shared_load_wavefronts")

        self.record_both(data, change=change)
        head, *_ = self.table("hardware_counters")
        self.assertEqual(head[2:], ["sectors loaded", "largest difference"])

    def test_the_gallery_follows_the_chapters(self):
        self.record_both(synthetic.counters())
        self.record_both(synthetic.gallery_counters(), "gallery_")
        _, *body = self.table("hardware_counters")
        self.assertEqual(
            [row[:2] for row in body],
            [
                ["02_smem_tiling", "scalar"],
                ["02_smem_tiling", "main (default)"],
                ["gallery", "ampere"],  # the other one loads nothing by itself
            ],
        )
        head, *body = self.table("hardware_counters of=asynchronous")
        columns = ["wavefronts, ldmatrix", "bytes by TMA loads", "tensor-core operations"]
        self.assertEqual(head[2:-1], columns)
        self.assertEqual(
            body,
            [
                ["gallery", "hopper", "–", "1,310,720", "83,886,080", "none"],
                ["gallery", "ampere", "40,960", "–", "83,886,080", "none"],
            ],
        )

    def test_what_the_l2_sends_is_counted_in_sectors(self):
        data = synthetic.counters()
        data["rows"][0]["counters"] = {"tma_load_bytes": 6400, "tma_shared_bytes": 9600}
        data["rows"][1]["counters"] = {"tma_load_bytes": 0, "global_load_sectors": 100}

        def change(rows):
            for row in rows:
                row["counters"].pop("tma_load_bytes")
                row["counters"]["l2_read_sectors"] = 250

        self.record_both(data, change=change)
        head, *body = self.table("hardware_counters of=l2 chapter=02_smem_tiling")
        self.assertEqual(head[2:], ["bytes read from the L2", "largest difference"])
        self.assertEqual(body, [["02_smem_tiling", "scalar", "6,400 / 8,000", "20%"]])

    def test_the_default_stands_for_its_chapter_where_c_is_largest(self):
        def change(rows):
            rows[-1]["counters"]["global_load_requests"] += 1

        self.record_both(synthetic.counters(), change=change)
        _, *body = self.table("hardware_counters of=chapters")
        self.assertEqual([row[:2] for row in body], [["02_smem_tiling", "main (default)"]])
        self.assertNotEqual(body[0][-1], "none")
        self.record_both(synthetic.counters(), prefix="large_")
        _, *body = self.table("hardware_counters of=chapters")
        self.assertEqual(body[0][-1], "none")

    def test_a_default_is_compared_within_one_commit(self):
        data = synthetic.counters()
        measured = copy.deepcopy(data)
        measured["device"] = {"name": "NVIDIA H200"}
        self.record(data, "cpu_counters.json")
        for commit, variants in ((data["commit"], 2), ("abcdef1", 1)):
            measured["commit"] = commit
            self.record(measured, "h200_counters.json")
            _, *body = self.table("hardware_counters")
            self.assertEqual([row[1] for row in body], ["scalar", "main (default)"][:variants])

    def test_the_gallery_is_no_substitute_for_the_chapters(self):
        self.record_both(synthetic.gallery_counters(), "gallery_")
        _, *body = self.table("counters 02_smem_tiling")
        self.assertEqual(body[0][0], "not measured yet")
        _, *body = self.table("hardware_counters")
        self.assertEqual(len(body), 1)


class Script(Repository):
    def run_script(self, data: dict, *shapes: str) -> subprocess.CompletedProcess:
        tools = self.root / "tools"
        tools.mkdir()
        for name, text in (("ncu", FAKE_NCU), ("nvidia-smi", FAKE_NVIDIA_SMI)):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        source = synthetic.save(data, self.root / "cpu.json")
        self.seen, self.out = self.root / "seen", self.root / "out.json"
        return subprocess.run(
            [sys.executable, NCU_COUNTERS, "build", source, self.out, *shapes],
            env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "SEEN": str(self.seen)},
            capture_output=True,
            text=True,
        )

    def test_a_chapter(self):
        data = synthetic.counters()
        data["rows"][0]["dtype"] = "fp16"
        skipped = {k: v for k, v in data["rows"][1].items() if k != "counters"}
        data["rows"].append({**skipped, "m": 8, "skipped": "left out: too small"})
        done = self.run_script(data)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first, second = self.seen.read_text().splitlines()  # nothing for the row left out
        self.assertIn("-k gemm_kernel -c 1", first)
        self.assertIn("--print-units base", first)
        self.assertIn("sm__ops_path_tensor_src_fp16_dst_fp32.sum", first)
        self.assertIn("sm__ops_path_tensor_src_bf16_dst_fp32.sum", second)
        end = " --shape 256x256x256 --dtype "
        chapter = "build/bin/bench --chapter 02_smem_tiling --check --variant "
        self.assertTrue(first.endswith(chapter + "scalar" + end + "fp16"), first)
        self.assertTrue(second.endswith(chapter + "main" + end + "bf16"), second)

        written = results.load(self.out)
        self.assertEqual(written.device_name, "NVIDIA H200")
        self.assertEqual(written.software["driver"], "580.1")
        counted = written.rows[0].counters
        self.assertEqual(
            counted["tma_shared_bytes"],
            1000 * len("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum"),
        )
        self.assertNotIn("stmatrix_requests", counted)  # n/a
        self.assertNotIn("ldmatrix_bank_conflicts", counted)  # no column
        self.assertFalse(written.rows[2].measured)

    def test_shapes_in_the_place_of_the_file_s(self):
        data = synthetic.counters()
        data["rows"].append({**data["rows"][0], "m": 512})
        done = self.run_script(data, "8192x8192x8192", "64x128x256")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        runs = [line.split("--variant ")[1] for line in self.seen.read_text().splitlines()]
        self.assertEqual(
            runs,
            [
                f"{variant} --shape {shape} --dtype bf16"
                for shape in ("8192x8192x8192", "64x128x256")
                for variant in ("scalar", "main")
            ],
        )
        rows = results.load(self.out).rows
        self.assertEqual([row.shape.m for row in rows], [8192, 8192, 64, 64])
        self.assertIn("dram_read_bytes", rows[0].counters)

    def test_a_shape_that_is_none(self):
        done = self.run_script(synthetic.counters(), "4096")
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected MxNxK, found '4096'", done.stderr)

    def test_the_gallery(self):
        done = self.run_script(synthetic.gallery_counters())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        hopper, ampere = self.seen.read_text().splitlines()
        self.assertIn("-k regex:_kernel -c 1", hopper)
        self.assertTrue(hopper.endswith(" build/bin/gallery_cuda hopper"), hopper)
        self.assertTrue(ampere.endswith(" build/bin/gallery_cuda ampere"), ampere)
        self.assertEqual(len(json.loads(self.out.read_text())["rows"]), 2)

    def test_every_counter_of_the_tables_is_asked_for(self):
        import hardware_counters
        import l2_table

        sys.path.insert(0, str(NCU_COUNTERS.parent))
        import ncu_counters

        other = {name: theirs for name, (theirs, _) in hardware_counters.MEASURED_AS.items()}
        for columns in hardware_counters.SHOWN.values():
            names = {other.get(name, name) for name in columns}
            self.assertLessEqual(names, ncu_counters.METRICS.keys())
        self.assertLessEqual(l2_table.COUNTERS, ncu_counters.METRICS.keys())


if __name__ == "__main__":
    unittest.main()
