"""Result files that were measured alike become one."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import results
import synthetic

TOOL = results.ROOT / "common" / "tools" / "merge_results.py"


class Merge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def save(self, name: str, data: dict) -> Path:
        path = self.folder / name
        path.write_text(json.dumps(data), encoding="utf-8")
        return path

    def merge(self, *files: Path) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, TOOL, *files], capture_output=True, text=True)

    def test_rows_are_added_once(self):
        first, more = synthetic.run(2), synthetic.run(2)
        more["rows"] = [first["rows"][0], {**first["rows"][0], "n": 8}]
        target = self.save("first.json", first)
        self.assertEqual(self.merge(target, self.save("more.json", more)).returncode, 0)
        merged = results.load(target)
        self.assertEqual(len(merged.rows), len(first["rows"]) + 1)

    def test_what_was_measured_otherwise_is_refused(self):
        first = synthetic.run(2)
        target = self.save("first.json", first)
        before = target.read_text()
        for field, value in (("commit", "0"), ("device", {}), ("method", {}), ("software", {})):
            run = self.merge(target, self.save("more.json", {**synthetic.run(2), field: value}))
            self.assertEqual(run.returncode, 2)
            self.assertEqual(run.stderr.count("\n"), 1)
            self.assertIn(field, run.stderr)
        self.assertEqual(self.merge(target, self.folder / "none.json").returncode, 2)
        self.assertEqual(target.read_text(), before)


if __name__ == "__main__":
    unittest.main()
