"""Result files: what is read from good ones, what is said about bad ones."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import results
import synthetic
from results import ResultError, square


class Loading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.file = self.root / "h200_burst.json"

    def refusal(self) -> str:
        """The message with which the file is refused; it must be one line that names the file."""
        with self.assertRaises(ResultError) as caught:
            results.load(self.file)
        message = str(caught.exception)
        self.assertNotIn("\n", message)
        self.assertTrue(message.startswith(f"{self.file}: "), message)
        return message[len(f"{self.file}: ") :]

    def test_a_good_file(self):
        run = results.load(synthetic.save(synthetic.run(), self.file))
        self.assertEqual(
            (run.mode, run.day, run.device_name), ("burst", "2026-03-14", "NVIDIA H200")
        )
        self.assertEqual(run.square_sizes("bf16"), [1024, 2048, 4096, 8192, 16384])
        self.assertEqual(run.square_sizes("fp16"), [])

        last = run.row("09_hilbert_schedule", "default", square(4096), "bf16")
        self.assertEqual(last.gflops, 825000)
        self.assertAlmostEqual(last.of_cublas, 825 / 790)
        self.assertAlmostEqual(run.of_ceiling(last), 825 / 950)
        self.assertEqual(run.cublas(square(4096), "bf16"), 790000)

        ladder = run.ladder(square(4096), "bf16")
        self.assertIsNone(results.previous_ratio(ladder, 0))
        self.assertEqual(results.previous_ratio(ladder, 1), 44)

    def test_a_chapter_left_out_is_no_measurement(self):
        run = results.load(synthetic.save(synthetic.run(), self.file))
        ladder = run.ladder(square(16384), "bf16")
        self.assertEqual(ladder[0][1].why_left_out, synthetic.TOO_SLOW)
        self.assertIsNone(ladder[0][1].of_cublas)
        self.assertIsNone(results.previous_ratio(ladder, 1))

    def test_chapters_come_in_their_order(self):
        data = synthetic.run()
        data["chapters"].reverse()
        run = results.load(synthetic.save(data, self.file))
        self.assertEqual([c.name for c in run.chapters], [name for name, *_ in synthetic.LADDER])

    def test_what_is_no_result_is_refused_in_one_line(self):
        self.assertIn("No such file", self.refusal())
        for text, said in (("{", "not a JSON file"), ("[]", "an object"), ('{"schema": 2}', "schema: ")):
            self.file.write_text(text, encoding="utf-8")
            self.assertIn(said, self.refusal())
        for key, value in (("gflops_median", float("nan")), ("chapter", "10_next"), ("dtype", "fp8")):
            data = synthetic.run()
            data["rows"][3][key] = value
            synthetic.save(data, self.file)
            self.refusal()
        data = synthetic.run()
        data["rows"].append(data["rows"][0])
        synthetic.save(data, self.file)
        self.assertIn("comes twice", self.refusal())

    def test_rows_of_variants_that_are_no_longer_listed_come_last(self):
        data = synthetic.run(2)
        gone = {**synthetic.row("02_smem_tiling", 4096, 5), "variant": "gone"}
        data["rows"].insert(0, gone)
        run = results.load(synthetic.save(data, self.file))
        rows = [row for row in run.of_chapter("02_smem_tiling", "bf16") if row.shape.m == 4096]
        self.assertEqual([row.variant for row in rows], ["default", "scalar", "gone"])

    def test_without_cublas_and_without_clocks(self):
        data = synthetic.run(cublas=None)
        for row in data["rows"]:
            row.update({"sm_mhz": None, "power_w": None} if "skipped" not in row else {})
        run = results.load(synthetic.save(data, self.file))
        self.assertIsNone(run.cublas(square(4096), "bf16"))
        self.assertIsNone(run.rows[3].of_cublas)
        self.assertIsNone(run.rows[3].sm_mhz)

    def test_cublas_is_the_better_of_its_rows(self):
        data = synthetic.run(3)
        run = results.load(synthetic.save(data, self.file))
        own = run.cublas_row(square(4096), "bf16")
        self.assertEqual((own.variant, own.gflops), ("lt_best", 790000))
        self.assertEqual(
            [c.name for c in run.chapters], [name for name, *_ in synthetic.LADDER[:3]]
        )
        data["rows"] = [row for row in data["rows"] if row["chapter"] != "cublas"]
        run = results.load(synthetic.save(data, self.file))
        self.assertIsNone(run.cublas_row(square(4096), "bf16"))
        self.assertEqual(run.cublas(square(4096), "bf16"), 790000)

    def test_counters(self):
        run = results.load(synthetic.save(synthetic.counters(), self.file))
        row = run.row("02_smem_tiling", "scalar", square(256), "bf16")
        self.assertEqual(row.counters["global_load_sectors_per_request"], 8.5)
        data = synthetic.counters()
        data["rows"][0]["counters"]["global_load_requests"] = "many"
        synthetic.save(data, self.file)
        self.assertTrue(self.refusal().startswith("rows[0].counters.global_load_requests: "))

    def test_the_newest_recorded_run_of_a_device(self):
        folder = self.root / "plots" / "results"
        self.assertIsNone(results.recorded("h200", "burst", self.root))
        for name, day, mode in (
            ("h200_burst.json", "2026-03-14", "burst"),
            ("h200_burst_again.json", "2026-05-01", "burst"),
            ("h200_sustained.json", "2026-06-01", "sustained"),
            ("a100_burst.json", "2026-07-01", "burst"),
        ):
            data = {**synthetic.run(3, mode), "date": f"{day}T00:00:00Z"}
            synthetic.save(data, folder / name)
        self.assertEqual(
            results.recorded("h200", "burst", self.root).path.name, "h200_burst_again.json"
        )
        self.assertEqual(results.recorded("h200", "sustained", self.root).day, "2026-06-01")
        self.assertEqual(results.recorded("a100", "burst", self.root).day, "2026-07-01")
        self.assertIsNone(results.recorded("cpu", "counters", self.root))
        self.assertIsNone(results.recorded("h200", "burst", self.root, cold=True))

    def test_cold_and_named_runs_are_kept_apart(self):
        folder = self.root / "plots" / "results"
        cold = synthetic.run(3)
        cold["method"]["cold"] = True
        synthetic.save(cold, folder / "h200_cold.json")
        synthetic.save(synthetic.run(3), folder / "h200_skinny.json")
        self.assertIsNone(results.recorded("h200", "burst", self.root))
        run = results.recorded("h200", "burst", self.root, cold=True)
        self.assertIn("each on other operands", run.mode_words())
        self.assertIsNotNone(results.named("h200", "skinny", self.root))
        self.assertIsNone(results.named("h200", "nn", self.root))

    def test_where_a_chapter_lies(self):
        (self.root / "03_warptiling" / "slice_k").mkdir(parents=True)
        self.assertEqual(results.folder_of("slice_k", self.root), "03_warptiling/slice_k")
        self.assertEqual(results.folder_of("03_warptiling", self.root), "03_warptiling")


class Words(unittest.TestCase):
    def test_numbers(self):
        rates = (521, 994, 995, 1000, 47123, 99940, 99960, 824600)
        self.assertEqual(
            [results.tflops(rate) for rate in rates],
            ["0.52", "0.99", "1.0", "1.0", "47.1", "99.9", "100", "825"],
        )
        self.assertEqual(
            [results.times(ratio) for ratio in (None, 0.97, 1.058, 1.994, 1.996, 9.94, 9.96, 44.2)],
            ["–", "0.97×", "1.06×", "1.99×", "2.0×", "9.9×", "10×", "44×"],
        )
        shares = (None, 0.0006, 0.0094, 0.0096, 0.996, 1.0443)
        self.assertEqual(
            [results.percent(share) for share in shares],
            ["–", "0.06%", "0.9%", "1.0%", "99.6%", "104.4%"],
        )

    def test_shapes(self):
        self.assertEqual(str(square(4096)), "4096")
        self.assertEqual(str(results.Shape(128, 8192, 64)), "128×8192×64")

    def test_modes_are_told_apart(self):
        words = {}
        with tempfile.TemporaryDirectory() as folder:
            for mode in results.GPU_MODES:
                run = results.load(synthetic.save(synthetic.run(3, mode), Path(folder) / "r.json"))
                words[mode] = run.mode_words()
        self.assertIn("burst mode (60 ms of rest, then about 3 ms", words["burst"])
        self.assertIn("sustained mode", words["sustained"])


if __name__ == "__main__":
    unittest.main()
