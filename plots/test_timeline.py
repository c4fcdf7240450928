"""Timelines: what is refused, what is drawn, and that the committed figures are up to date."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cli

MISSING = cli.matplotlib_missing()

if not MISSING:
    import results
    import style
    import timeline
    from checks import ResultError


def synthetic() -> dict:
    """Two roles, four tiles of 16 steps: loads take 2, multiplications 10, stores 30."""
    load, multiply, now = [], [], 0
    for tile in range(4):
        for _ in range(16):
            load += [["wait_empty", now, now + 3], ["load", now + 3, now + 5]]
            multiply += [["wait_full", now, now + 1], ["multiply", now + 1, now + 11]]
            now += 11
        multiply.append(["store", now, now + 30])
        now += 30
    return {
        "chapter": "07_any",
        "device": "none",
        "shape": "1x1x1",
        "unit": "cycles",
        "k_tiles": 16,
        "roles": [{"role": "producer", "notes": load}, {"role": "consumer", "notes": multiply}],
    }


@unittest.skipIf(MISSING, MISSING)
class Timelines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def load(self, data) -> "timeline.Timeline":
        path = self.folder / "timeline_x.json"
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        return timeline.load(path)

    def test_the_window_is_around_the_first_store(self):
        first, last = timeline.window(self.load(synthetic()))
        self.assertEqual(first, 9 * 11 + 1)  # multiplication 16 - 7
        self.assertEqual(last, 16 * 11 + 30 + 9 * 11 + 11)  # 9 behind the first of the next tile

    def test_the_description_adds_up(self):
        said = timeline.describe(self.load(synthetic()))
        first, last = 9 * 11 + 1, 16 * 11 + 30 + 9 * 11 + 11
        self.assertTrue(said.startswith(f"{last - first} cycles of one block."), said)
        self.assertIn(f"store {100 * 30 / (last - first):.0f}%", said)
        self.assertIn(f"multiply {100 * 170 / (last - first):.0f}%", said)

    def test_what_is_no_timeline_is_refused(self):
        for data, complaint in (
            ("", "not a JSON file"),
            ("[]", "expected an object"),
            ("{}", "roles: missing"),
            ('{"roles": 3}', "roles: expected a list"),
            ('{"roles": [3]}', "expected an object"),
        ):
            with self.assertRaisesRegex(ResultError, complaint):
                self.load(data)
        broken = synthetic()
        broken["roles"][0]["notes"][0][0] = "sleeps"
        with self.assertRaisesRegex(ResultError, r"notes\[0\]: expected an event"):
            self.load(broken)
        broken = synthetic()
        broken["roles"][1]["notes"] = broken["roles"][1]["notes"][:30]
        with self.assertRaisesRegex(ResultError, "consumer ends before"):
            self.load(broken)
        broken["roles"][1]["notes"] = []
        with self.assertRaisesRegex(ResultError, "nobody multiplies"):
            self.load(broken)

    def test_the_committed_figures_are_what_the_runs_give(self):
        for path, name in timeline.recorded():
            committed = results.ROOT / "plots" / "figures" / name
            text = committed.read_text(encoding="utf-8")
            if style.creator() not in text:
                continue  # drawn by another matplotlib
            timeline.write(path, self.folder / name)
            self.assertEqual((self.folder / name).read_text(encoding="utf-8"), text, name)


if __name__ == "__main__":
    unittest.main()
