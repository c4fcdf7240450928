"""The table of the PyTorch operator beside torch."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from test_tables import Repository

import pytorch_table
from checks import ResultError


def synthetic() -> dict:
    rates = {"linear_bias_relu": 800, "torch_bias_relu": 600, "torch_one_launch": 750}
    rates |= {"linear": 810, "torch": 805}
    rows = [
        {"name": name, "m": 64, "n": n, "k": 64, "mode": mode, "tflops": rate, "host_us": 12.4}
        for mode in ("burst", "sustained")
        for n in (64, 128)
        for name, rate in rates.items()
        if (mode, n, name) != ("sustained", 128, "torch_one_launch")
    ]
    return {
        "schema": 1,
        "date": "2026-01-31T12:00:00Z",
        "commit": "abc1234",
        "device": {"name": "NVIDIA H200"},
        "software": {"torch": "2.11.0", "driver": "580.1"},
        "method": {"burst": {"rounds": 15}, "sustained": {"rounds": 3}},
        "rows": rows,
    }


class Table(Repository):
    def record_timings(self, data: dict) -> None:
        self.record(data, "pytorch_h200.json")

    def test_nothing_recorded(self):
        self.assertEqual(self.table("pytorch")[1][0], "not measured yet")

    def test_fused_and_plain(self):
        self.record_timings(synthetic())
        head, first, second = self.table("pytorch")
        self.assertEqual(head[1], "`linear(x, w, b, relu=True)`")
        self.assertEqual(first, ["64", "800", "600", "750", "1.07×", "12 µs"])
        self.assertEqual(second[0], "64×128×64")
        plain = self.table("pytorch kind=plain mode=sustained")
        self.assertEqual(plain[1], ["64", "810", "805", "1.01×", "12 µs"])
        page = (self.root / "README.md").read_text(encoding="utf-8")
        self.assertIn("NVIDIA H200; PyTorch 2.11.0; driver 580.1; burst mode, 15 rounds;", page)

    def test_a_missing_contestant(self):
        self.record_timings(synthetic())
        self.assertEqual(
            self.table("pytorch mode=sustained")[2], ["64×128×64", "800", "600", "–", "1.33×", "12 µs"]
        )

    def test_refusals(self):
        self.record_timings(synthetic())
        for marker, complaint in (
            ("pytorch mode=hot", "mode=hot: expected burst or sustained"),
            ("pytorch kind=both", "kind=both: expected fused or plain"),
            ("pytorch size=4", "does not know 'size'"),
        ):
            with self.assertRaisesRegex(ResultError, complaint):
                self.table(marker)
        for key, value, complaint in (
            ("tflops", 0, r"rows\[0\].tflops: expected a positive number"),
            ("name", "tensorflow", r"rows\[0\].name"),
            ("mode", "cold", r"rows\[0\].mode"),
        ):
            data = synthetic()
            data["rows"][0][key] = value
            self.record_timings(data)
            with self.assertRaisesRegex(ResultError, complaint):
                pytorch_table.recorded(self.root)


if __name__ == "__main__":
    unittest.main()
