"""That compare.py notices what it is there to notice."""

import tempfile
import unittest
from pathlib import Path

import compare

RECORD = """\
mma/m16n8k16.bf16/one 256 0123abcd ok
mma/m16n8k16.fp16/one 1256 00000001 ok
wgmma/m64n8k16/none.none 512 89abcdef ok
"""


class Compare(unittest.TestCase):
    def records(self, cpu, cuda):
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / "cpu", Path(folder) / "cuda"]
            for path, text in zip(paths, (cpu, cuda)):
                path.write_text(text)
            return compare.compare_records(*(compare.read_record(path) for path in paths))

    def test_records(self):
        table, faults = self.records(RECORD, RECORD)
        self.assertEqual(faults, [])
        self.assertIn("| mma | 2 | 2 | 1,512 | agree |", table)
        self.assertIn("| all | 3 | 3 | 2,024 | agree |", table)
        changes = (("abcdef", "abcdee"), ("512", "511"), ("def ok", "def WRONG"), ("wgmma", "x"))
        for old, new in changes:
            self.assertTrue(self.records(RECORD, RECORD.replace(old, new))[1], new)
        for broken in (RECORD + RECORD, RECORD.replace(" ok", "")):
            self.assertRaises(ValueError, self.records, RECORD, broken)

    def test_headers(self):
        sync = (compare.COMMON / "cuda" / "gpu" / "mbarrier.hpp").read_text()
        for old, new in (
            ("void invalidate()", "void invalidate() const"),
            ("unsigned bytes, Scope scope", "int bytes, Scope scope"),
            ("Scope::kBlock", "Scope::kCluster"),
            ("std::uint64_t word;", "std::uint64_t word; int more;"),
            ("alignas(8)", "alignas(16)"),
        ):
            self.assertIn(old, sync)
            altered = compare.declarations(sync.replace(old, new))
            self.assertNotEqual(altered, compare.declarations(sync), new)


if __name__ == "__main__":
    unittest.main()
