"""The figure of many shapes, and the sentence that counts them."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cli
import results
import synthetic
import table_contents
from checks import ResultError
from figure_checks import texts_outside

MISSING = cli.matplotlib_missing()

if not MISSING:
    import sweep

CHAPTER = "09_hilbert_schedule"


def run_of(shares: dict[tuple[int, int, int], float], folder: Path) -> results.Results:
    """A run in which the chapter's default has these shares of cuBLAS."""
    data = synthetic.run(mode="burst")
    model = next(row for row in data["rows"] if row["chapter"] == CHAPTER and row.get("gflops_median"))
    data["rows"] = []
    for (m, n, k), share in shares.items():
        rate = 1000.0 * share
        data["rows"].append(
            model
            | dict(variant="default", m=m, n=n, k=k, cublas_gflops=1000.0, cublas_default_gflops=900.0)
            | dict(gflops_median=rate, gflops_lo=rate, gflops_hi=rate)
        )
    path = folder / "h200_sweep.json"
    path.write_text(json.dumps(data))
    return results.load(path)


LAYERS = {(m, 4096, 1024): 0.5 + i / 4 for i, m in enumerate((1, 16, 64, 256))}
OTHERS = {(512, 512, 512): 1.02, (4097, 4093, 4088): 4.0}


@unittest.skipIf(MISSING, MISSING)
class Sweep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_ = run_of(LAYERS | OTHERS, self.folder)

    def test_layers_are_what_comes_with_several_tokens(self):
        self.assertEqual(sweep.layers(sweep.measured(self.run_)), [(4096, 1024)])

    def test_ahead_and_behind_differ_in_colour_and_the_far_are_stronger(self):
        self.assertNotEqual(sweep.color(1.1), sweep.color(0.9))
        self.assertLess(sum(sweep.color(0.5)), sum(sweep.color(0.95)))
        self.assertEqual(sweep.color(0.1), sweep.color(0.2))

    def test_every_share_is_in_the_figure_and_inside_it(self):
        figure = sweep.draw(self.run_)
        written = [text.get_text() for text in figure.texts]
        for share in (LAYERS | OTHERS).values():
            self.assertIn(f"{share:.2f}", written)
        self.assertTrue(any("6 shapes" in text and "at 4," in text for text in written), written)
        self.assertEqual(texts_outside(figure), [])

    def test_the_recorded_one(self):
        recorded = results.named(results.HEADLINE_DEVICE, "sweep")
        self.assertGreaterEqual(len(sweep.measured(recorded)), 60)
        self.assertEqual(texts_outside(sweep.draw(recorded)), [])

    def test_a_run_without_the_chapter_is_refused(self):
        with self.assertRaisesRegex(ResultError, "holds no 01_naive beside cuBLAS"):
            sweep.draw(run_of({}, self.folder), "01_naive")


class Named(unittest.TestCase):
    def test_a_named_run_is_not_the_newest_of_its_mode(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "plots" / "results").mkdir(parents=True)
            run_of(OTHERS, root / "plots" / "results")
            self.assertIsNone(results.recorded("h200", "burst", root))
            self.assertIsNotNone(results.named("h200", "sweep", root))
            self.assertIsNone(results.named("h200", "nn", root))

    def test_an_unknown_name_is_refused(self):
        with self.assertRaisesRegex(ResultError, "expected one of .*sweep"):
            results.named("h200", "everything")

    def test_the_headline_counts_its_shapes(self):
        with tempfile.TemporaryDirectory() as folder:
            run = run_of(LAYERS | OTHERS, Path(folder))
            request = table_contents.Request("page:1", [CHAPTER], {}, "")
            runs = table_contents.Runs(run, None, None, named={"sweep": run})
            text = " ".join(table_contents.headline(request, runs))
        self.assertIn("Over [6 shapes]", text)
        self.assertIn("faster at 4, at 95% of it or more at 4; ", text)
        self.assertIn("the lowest 50.0%", text)


if __name__ == "__main__":
    unittest.main()
