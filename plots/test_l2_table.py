"""The table of what kernels ask of the L2, with one side recorded, the other, and both."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import synthetic
from test_tables import Repository

MODEL = ["asked for", "hits", "missed"]
NCU = ["read from L2, ncu", "from DRAM, ncu", "to DRAM, ncu"]
NCU += ["shared memory, ncu", "tensor cores busy, ncu"]
MIB = 2**20


class Table(Repository):
    def record_model(self):
        data = synthetic.counters()
        data["device"]["l2_bytes"] = 60 * MIB // 16
        for row in data["rows"]:
            row["counters"] = {"l2_model_lines": 100 * MIB / 128, "l2_model_hits": 75 * MIB / 128}
        self.record(data, "l2_cpu_counters.json")

    def record_ncu(self, without: str = "", sizes=(256, 512)):
        data = synthetic.counters()
        data["device"] = {"name": "NVIDIA H200"}
        counters = {
            "l2_read_sectors": 110 * MIB / 32,
            "dram_read_bytes": 30 * MIB,
            "dram_write_bytes": 2000 * MIB,
            "smem_bank_reads": 7000,
            "smem_bank_writes": 5000,
            "sm_cycles": 400,
            "tensor_flops": 300 * 4096,
        }
        counters.pop(without, None)
        data["rows"] = [
            {**row, "m": size, "n": size, "k": size, "counters": counters}
            for row in data["rows"]
            for size in sizes
        ]
        self.record(data, "l2_h200_counters.json")

    def text(self) -> str:
        return (self.root / "README.md").read_text(encoding="utf-8")

    def test_the_model_alone(self):
        self.record_model()
        head, *body = self.table("l2 02_smem_tiling")
        self.assertEqual(head[2:], MODEL)
        self.assertEqual(body[0], ["256", "main (default)", "100", "75.0%", "25"])
        self.assertEqual([row[1] for row in body], ["main (default)", "scalar"])
        self.assertIn("What ncu counts has not been recorded yet.", self.text())

    def test_ncu_alone(self):
        self.record_ncu()
        head, *body = self.table("l2 02_smem_tiling")
        self.assertEqual(head[2:], NCU)
        self.assertEqual(body[0][2:], ["110", "30", "2,000", "120", "75.0%"])
        self.assertIn("The model's counters have not been recorded yet.", self.text())

    def test_both_with_a_size_that_only_one_has(self):
        self.record_model()
        self.record_ncu(without="dram_write_bytes")
        head, *body = self.table("l2 02_smem_tiling")
        self.assertEqual(head[2:], MODEL + NCU)
        self.assertEqual(body[0][2:], ["100", "75.0%", "25", "110", "30", "–", "120", "75.0%"])
        self.assertEqual([row[0] for row in body], ["256", "256", "512", "512"])
        self.assertEqual(body[3][1:], ["scalar", "–", "–", "–", "110", "30", "–", "120", "75.0%"])
        self.assertNotIn("not been recorded", self.text())

    def test_a_model_of_a_smaller_problem_and_cache(self):
        self.record_model()
        self.record_ncu(sizes=(256,))
        _, *body = self.table("l2 02_smem_tiling scale=2")
        self.assertEqual(body[0][0], "256×256×512")
        self.assertEqual(body[0][2:], ["200", "75.0%", "50", "–", "–", "–", "–", "–"])
        self.assertEqual(body[2][2:], ["–", "–", "–", "110", "30", "2,000", "120", "75.0%"])
        self.assertIn("an L2 of 3.75 MB that knows no cache policies, with 1/2 of", self.text())
        self.assertIn("'none'", self.refusal("<!-- table:l2 x scale=none -->\n<!-- /table -->\n"))

    def test_a_chapter_that_neither_has(self):
        self.record_model()
        _, *body = self.table("l2 09_hilbert_schedule")
        self.assertEqual(body[0][0], "not measured yet")

    def test_files_of_small_problems_are_others(self):
        self.record_model()
        _, *body = self.table("counters 02_smem_tiling")
        self.assertEqual(body[0][0], "not measured yet")


if __name__ == "__main__":
    unittest.main()
