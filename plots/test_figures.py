"""The figures: that all of them can be drawn, and that they say what was measured."""

from __future__ import annotations

import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cli
import make
import results
import synthetic
from results import ResultError

MISSING = cli.matplotlib_missing()
if not MISSING:
    import power
    import roofline
    import speedup
    import sweep
    import tflops
    import tile_orders
    import timeline

SVG = "{http://www.w3.org/2000/svg}"


def load(data: dict) -> results.Results:
    with tempfile.TemporaryDirectory() as folder:
        return results.load(synthetic.save(data, Path(folder) / "h200_burst.json"))


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(lambda a: hasattr(a, "get_text"))]


@unittest.skipIf(MISSING, MISSING)
class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_every_figure_can_be_drawn(self):
        """From made-up runs, or from the sources; what it shows is said again for screen readers."""
        for figure in make.committed_figures():
            data = synthetic.run(mode=figure.mode if figure.mode in results.GPU_MODES else "burst")
            with self.subTest(figure.name):
                path = self.folder / figure.name
                figure.write(load(data) if figure.mode else None, path)
                root = ElementTree.parse(path).getroot()
                self.assertTrue(root.find(f"{SVG}title").text)
                self.assertTrue(root.find(f"{SVG}desc").text)

    def test_demonstrations_can_be_drawn(self):
        for script in (timeline, tile_orders):
            for path, name in script.recorded():
                with self.subTest(name):
                    script.write(path, self.folder / name)
                    self.assertTrue((self.folder / name).exists())

    def test_trouble_is_one_line_and_status_2(self):
        run = synthetic.save(synthetic.run(), self.folder / "h200_burst.json")
        for arguments, complaint in (
            ((self.folder / "none.json",), "none.json: No such file"),
            ((run, "--size", "513"), "K = 513"),
            ((run, "-o", "chart.gif"), "chart.gif"),
        ):
            with self.subTest(arguments):
                done = synthetic.script("speedup.py", *arguments)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertIn(complaint, done.stderr)

    def test_make_draws_what_was_recorded_and_leaves_the_rest(self):
        page = self.folder / "README.md"
        page.write_text("<!-- table:ladder -->\n<!-- /table -->\n", encoding="utf-8")
        done = synthetic.script("make.py", "--root", self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("speedup.svg: left as it is", done.stdout)
        self.assertIn("not measured yet", page.read_text(encoding="utf-8"))
        recorded = self.folder / "plots" / "results"
        synthetic.save(synthetic.run(3), recorded / "h200_burst.json")
        lessons = synthetic.run(3)
        lessons["rows"] = [row for row in lessons["rows"] if row["chapter"] != results.EVERY_SHAPE]
        synthetic.save(lessons, recorded / "h200_sweep.json")
        done = synthetic.script("make.py", "--root", self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("power.svg: left as it is: plots/results holds no sustained run", done.stdout)
        self.assertIn("sweep.svg: left as it is: ", done.stdout)
        self.assertTrue((self.folder / "plots" / "figures" / "speedup.svg").exists())
        self.assertIn("03 Warp tiling", page.read_text(encoding="utf-8"))

    def test_without_matplotlib_the_tables_are_written_all_the_same(self):
        stub = self.folder / "stub" / "matplotlib" / "__init__.py"
        stub.parent.mkdir(parents=True)
        stub.write_text("raise ImportError('not installed here')\n", encoding="utf-8")
        path = str(stub.parent.parent)
        done = synthetic.script("make.py", "--root", self.folder, PYTHONPATH=path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("figures left as they are: matplotlib"), done.stdout)
        alone = synthetic.script("speedup.py", PYTHONPATH=path)
        self.assertEqual((alone.returncode, alone.stderr.count("\n")), (2, 1), alone.stderr)


@unittest.skipIf(MISSING, MISSING)
class Ladder(unittest.TestCase):
    def test_bars_are_as_long_as_measured_and_every_shape_comes_last(self):
        left, right = speedup.draw(load(synthetic.run())).axes
        ends: dict[int, float] = {}  # of two bars on a row the one drawn last
        for bar in left.patches:
            ends[round(bar.get_y() + bar.get_height() / 2)] = bar.get_x() + bar.get_width()
        for row, (_, _, _, rate) in enumerate(synthetic.LADDER):
            self.assertAlmostEqual(ends[row], rate, places=9)
        shares = [bar.get_width() for bar in right.patches]
        self.assertAlmostEqual(shares[-1], synthetic.LADDER[-1][3] / 790)

    def test_what_is_left_out_has_a_reason(self):
        said = texts(speedup.draw(load(synthetic.run()), size=16384))
        self.assertIn(f"left out: {synthetic.TOO_SLOW}", said)
        data = synthetic.run(3)
        data["rows"] = [row for row in data["rows"] if row["chapter"] != "02_smem_tiling"]
        self.assertIn("not measured at this size", texts(speedup.draw(load(data))))
        said = texts(tflops.draw(load(synthetic.run(3))))
        self.assertIn(f"01 Naive is left out at 16384: {synthetic.TOO_SLOW}", said)

    def test_the_charts_in_words(self):
        run = load(synthetic.run())
        said = speedup.describe(run, run.ladder(results.square(4096), "bf16"), 4096, "bf16", True)
        self.assertTrue(said.startswith("No GPU on this machine"), said)
        last = "09 Hilbert schedule: 825 TFLOPS, 1.06× the chapter before, 104.4% of cuBLAS"
        self.assertIn(last, said)
        self.assertIn("Every shape: 830 TFLOPS", said)
        said = tflops.describe(run, "bf16", False)
        self.assertIn("Every shape, TFLOPS: 332 at 1024, 747 at 2048, 830 at 4096", said)

    def test_an_aside_is_no_rung(self):
        data = synthetic.run()
        data["chapters"].append({**data["chapters"][2], "name": "slice_k", "title": "Slice-K"})
        data["rows"].append(synthetic.row("slice_k", 640, 40))
        run = load(data)
        self.assertEqual([c.name for c in run.rungs], [name for name, *_ in synthetic.LADDER])
        self.assertNotIn(640, run.square_sizes("bf16"))
        for draw in (speedup.draw, tflops.draw):
            self.assertFalse(any("Slice-K" in text for text in texts(draw(run))))

    def test_nothing_to_draw(self):
        for draw in (speedup.draw, tflops.draw, power.draw):
            with self.assertRaises(ResultError):
                draw(load(synthetic.counters()))

    def test_energy_is_power_by_speed(self):
        run = load(synthetic.run(mode="sustained"))
        row = run.row("09_hilbert_schedule", "default", results.square(4096), "bf16")
        self.assertAlmostEqual(power._energy(row), 640.4 / 825)


@unittest.skipIf(MISSING, MISSING)
class Roofline(unittest.TestCase):
    def test_the_default_stands_for_its_chapter_where_c_is_largest(self):
        data = synthetic.counters()
        base = {**data["rows"][1], "counters": {"global_load_sectors": 2 * 256**3 // 32 // 8}}
        large = {**base, "m": 4096, "n": 4096, "counters": {"global_load_sectors": 2**25 // 4}}
        data["rows"] = [data["rows"][0], base, large]
        run = synthetic.run(mode="sustained")
        run["device"]["compute_capability"] = "9.0"
        (point,) = roofline.points(load(run), load(data), 4096)
        self.assertEqual(point.label, "02 Shared-memory tiling")
        self.assertAlmostEqual(point.intensity, 2 * 4096 * 4096 * 256 / (32 * 2**23))
        self.assertAlmostEqual(point.peak, 132 * 256 * 1655e-6)


def swept(shares: dict[tuple[int, int, int], float]) -> dict:
    """A run in which every_shape has these shares of cuBLAS."""
    data = synthetic.run()
    data["rows"] = [
        synthetic.row(results.EVERY_SHAPE, 1, 500 * share, cublas=500.0) | {"m": m, "n": n, "k": k}
        for (m, n, k), share in shares.items()
    ]
    return data


@unittest.skipIf(MISSING, MISSING)
class Sweep(unittest.TestCase):
    def test_layers_are_what_comes_with_several_tokens_and_every_share_is_there(self):
        layers = {(m, 4096, 1024): 0.5 + i / 4 for i, m in enumerate((1, 16, 64, 256))}
        shares = layers | {(512, 512, 512): 1.02, (4097, 4093, 4088): 4.0}
        run = load(swept(shares))
        self.assertEqual(sweep.layers(sweep.measured(run)), [(4096, 1024)])
        said = texts(sweep.draw(run))
        for share in shares.values():
            self.assertIn(f"{share:.2f}", said)
        with self.assertRaisesRegex(ResultError, "holds no slice_k beside cuBLAS"):
            sweep.draw(run, "slice_k")


if __name__ == "__main__":
    unittest.main()
