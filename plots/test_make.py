"""make.py, the front door: figures and tables together, and that those committed are up to date."""

from __future__ import annotations

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cli
import make
import results
import synthetic

MISSING = cli.matplotlib_missing()
if not MISSING:
    import style


class Make(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.page = self.root / "README.md"
        self.page.write_text("<!-- table:ladder -->\n<!-- /table -->\n", encoding="utf-8")
        self.figures = self.root / "plots" / "figures"

    def record(self):
        path = self.root / "plots" / "results" / "h200_burst.json"
        synthetic.save(synthetic.run(3), path)

    @unittest.skipIf(MISSING, MISSING)
    def test_figures_and_tables(self):
        self.record()
        done = synthetic.script("make.py", "--root", self.root)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        names = sorted(path.name for path in self.figures.iterdir())
        sources = ["cluster.svg", "house.svg", "loop_nest.svg", "overlap.svg", "ring.svg"]
        sources.append("ring_06.svg")
        self.assertEqual(names, [*sources, "speedup.svg", "tflops.svg"])
        self.assertIn("power.svg: left as it is: plots/results holds no sustained run", done.stdout)
        self.assertIn("03 Warp tiling", self.page.read_text(encoding="utf-8"))

    def test_without_matplotlib_the_tables_are_written_all_the_same(self):
        self.record()
        stub = self.root / "stub" / "matplotlib" / "__init__.py"
        stub.parent.mkdir(parents=True)
        stub.write_text("raise ImportError('not installed here')\n", encoding="utf-8")
        path = str(stub.parent.parent)
        done = synthetic.script("make.py", "--root", self.root, PYTHONPATH=path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first = done.stdout.split("\n")[0]
        self.assertTrue(first.startswith("figures left as they are: matplotlib"), first)
        self.assertFalse(self.figures.exists())
        self.assertIn("03 Warp tiling", self.page.read_text(encoding="utf-8"))

        alone = synthetic.script("speedup.py", PYTHONPATH=path)
        self.assertEqual(alone.returncode, 2)
        self.assertEqual(alone.stderr.count("\n"), 1, alone.stderr)
        self.assertIn("speedup.py: no figure: matplotlib cannot be imported", alone.stderr)

    def test_before_anything_was_recorded(self):
        done = synthetic.script("make.py", "--root", self.root)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("speedup.svg: left as it is", done.stdout)
        self.assertIn("not measured yet", self.page.read_text(encoding="utf-8"))


@unittest.skipIf(MISSING, MISSING)
class Committed(unittest.TestCase):
    def test_committed_figures_are_what_the_recorded_results_give(self):
        with tempfile.TemporaryDirectory() as folder:
            for figure in make.committed_figures():
                with self.subTest(figure=figure.name):
                    run = figure.mode and results.recorded(results.HEADLINE_DEVICE, figure.mode)
                    if figure.mode and not run:
                        self.skipTest(f"plots/results holds no {figure.mode} run yet")
                    committed = results.ROOT / "plots" / "figures" / figure.name
                    self.assertTrue(committed.exists(), f"{committed} is missing: run make plots")
                    text = committed.read_text(encoding="utf-8")
                    wrote = re.search(r"Matplotlib v[^<\"]*", text).group(0).strip()
                    if wrote != style.creator():
                        self.skipTest(f"written by {wrote}, here is {style.creator()}")
                    again = Path(folder) / figure.name
                    figure.write(run, again)
                    self.assertEqual(
                        again.read_bytes(), committed.read_bytes(), "out of date: run make plots"
                    )


if __name__ == "__main__":
    unittest.main()
