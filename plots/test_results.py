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


def _find(data, place: str):
    """For the place "a.0.b" the object data["a"][0] and the key "b"."""
    *way, last = [int(step) if step.isdigit() else step for step in place.split(".")]
    for step in way:
        data = data[step]
    return data, last


def _set(place: str, value):
    def mutate(data):
        parent, key = _find(data, place)
        parent[key] = value

    return mutate


def _remove(place: str):
    def mutate(data):
        parent, key = _find(data, place)
        del parent[key]

    return mutate


def _twice(key: str):
    return lambda data: data[key].append(data[key][0])


# What is done to a good file, the field that the message must name, a word that it must contain.
FAULTS = [
    (_set("schema", 2), "schema", "expected 1"),
    (_remove("schema"), "schema", "missing"),
    (_set("date", "yesterday"), "date", "2026-01-31T12:00:00Z"),
    (_set("date", 20260101), "date", "expected a time"),
    (_set("commit", ""), "commit", "a text"),
    (_set("device", "H200"), "device", "an object"),
    (_remove("device.name"), "device.name", "missing"),
    (_remove("software"), "software", "missing"),
    (_set("software.driver", 580), "software.driver", "a text"),
    (_set("method.mode", "turbo"), "method.mode", "burst or sustained"),
    (_set("method.rounds", "7"), "method.rounds", "a number"),
    (_remove("ceilings"), "ceilings", "missing"),
    (_set("ceilings.wgmma", -1), "ceilings.wgmma", "positive"),
    (_set("chapters", {}), "chapters", "a list"),
    (_set("chapters.1", "02"), "chapters[1]", "an object"),
    (_set("chapters.1.ceiling", "tensor"), "chapters[1].ceiling", "ffma or mma_sync or wgmma"),
    (_set("chapters.0.variants.1.default", True), "chapters[0].variants", "more than one"),
    (_set("chapters.0.variants.0.default", 1), "chapters[0].variants[0].default", "true or false"),
    (_twice("chapters"), "chapters[9].name", "twice"),
    (_remove("rows"), "rows", "missing"),
    (_set("rows.3.chapter", "10_next"), "rows[3].chapter", "'10_next'"),
    (_set("rows.3.variant", "magic"), "rows[3].variant", "'magic'"),
    (_set("rows.3.mode", "sustained"), "rows[3].mode", "expected burst"),
    (_set("rows.3.dtype", "fp8"), "rows[3].dtype", "bf16 or fp16"),
    (_set("rows.3.m", 0), "rows[3].m", "positive whole number"),
    (_set("rows.3.n", 1.5), "rows[3].n", "positive whole number"),
    (_set("rows.3.k", True), "rows[3].k", "positive whole number"),
    (_remove("rows.3.gflops_median"), "rows[3].gflops_median", "missing"),
    (_set("rows.3.gflops_median", "fast"), "rows[3].gflops_median", 'found "fast"'),
    (_set("rows.3.gflops_median", 10**9), "rows[3].gflops_median", "outside its interval"),
    (_set("rows.3.gflops_lo", 0), "rows[3].gflops_lo", "positive"),
    (_set("rows.3.cublas_gflops", 0), "rows[3].cublas_gflops", "positive"),
    (_set("rows.3.sm_mhz", "1.6 GHz"), "rows[3].sm_mhz", "positive"),
    (_set("rows.3.power_w", -5), "rows[3].power_w", "at least 0"),
    (_set("rows.3.rel_err", -5), "rows[3].rel_err", "at least 0"),
    (_set("rows.3.samples_ms", 1.5), "rows[3].samples_ms", "a list"),
    (_set("rows.50.gflops_hi", None), "rows[50].gflops_hi", "positive"),
    (_set("rows.4.skipped", ""), "rows[4].skipped", "a text"),
    (_twice("rows"), "rows[56].variant", "twice"),
]


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
        self.assertEqual(len(run.chapters), 9)
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

    def test_each_fault_is_named(self):
        for mutate, place, words in FAULTS:
            data = synthetic.run()
            mutate(data)
            synthetic.save(data, self.file)
            with self.subTest(place=place, words=words):
                message = self.refusal()
                self.assertTrue(message.startswith(f"{place}: "), message)
                self.assertIn(words, message)

    def test_not_a_number_is_refused(self):
        data = synthetic.run()
        data["rows"][3]["gflops_median"] = float("nan")
        synthetic.save(data, self.file)
        self.assertIn("NaN is not a number", self.refusal())
        data["rows"][3]["gflops_median"] = 1e300
        text = synthetic.save(data, self.file).read_text(encoding="utf-8")
        self.file.write_text(text.replace("1e+300", "1e+999"), encoding="utf-8")
        self.assertIn("rows[3].gflops_median: expected a positive number", self.refusal())

    def test_files_that_are_no_results(self):
        self.assertIn("No such file", self.refusal())
        self.file.write_text('{"schema": 1,', encoding="utf-8")
        self.assertIn("not a JSON file", self.refusal())
        self.file.write_bytes(b"\xff\xfe\x00")
        self.assertIn("not a JSON file", self.refusal())
        self.file.write_text("[]", encoding="utf-8")
        self.assertIn("an object", self.refusal())

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

    def test_cold_runs_are_kept_apart(self):
        folder = self.root / "plots" / "results"
        cold = {**synthetic.run(3), "date": "2026-08-01T00:00:00Z"}
        cold["method"] = {**cold["method"], "cold": True}
        synthetic.save(cold, folder / "h200_cold.json")
        self.assertIsNone(results.recorded("h200", "burst", self.root))
        synthetic.save({**synthetic.run(3), "date": "2026-07-01T00:00:00Z"}, folder / "h200_burst.json")
        self.assertEqual(results.recorded("h200", "burst", self.root).day, "2026-07-01")
        run = results.recorded("h200", "burst", self.root, cold=True)
        self.assertEqual(run.day, "2026-08-01")
        self.assertIn("each on other operands", run.mode_words())
        cold["method"]["cold"] = "very"
        synthetic.save(cold, self.file)
        self.assertTrue(self.refusal().startswith("method.cold: "))


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


class Scripts(unittest.TestCase):
    """Trouble on the command line: one line on stderr, exit status 2."""

    def refusal(self, name: str, *arguments) -> str:
        done = synthetic.script(name, *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_arguments(self):
        self.assertIn("--frobnicate", self.refusal("tables.py", "--frobnicate"))
        self.assertIn("--root", self.refusal("make.py", "--root"))

    def test_a_broken_recorded_file(self):
        with tempfile.TemporaryDirectory() as folder:
            data = synthetic.run()
            data["rows"][3]["gflops_hi"] = None
            synthetic.save(data, Path(folder) / "plots" / "results" / "h200_burst.json")
            for name in ("tables.py", "make.py"):
                message = self.refusal(name, "--root", folder)
                self.assertIn("h200_burst.json: rows[3].gflops_hi: ", message)


if __name__ == "__main__":
    unittest.main()
