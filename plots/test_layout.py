"""The layout figures: what the layout tool says, and that all can be drawn.

The tool is looked for in build/bin, or where LAYOUT_TOOL says.
"""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cli

ROOT = Path(__file__).resolve().parent.parent
TOOL = Path(os.environ.get("LAYOUT_TOOL", ROOT / "build" / "bin" / "layout"))
MISSING = cli.matplotlib_missing() or (None if TOOL.is_file() else f"{TOOL} is not built")

if not MISSING:
    import layout
    import layout_board
    import layout_wgmma
    from checks import ResultError


@unittest.skipIf(MISSING, MISSING)
class Answers(unittest.TestCase):
    def setUp(self):
        self.tool = layout_board.Tool(TOOL)

    def test_values_come_in_colexicographic_order(self):
        self.assertEqual(self.tool("(2,3):(3,1)").values, [0, 3, 1, 4, 2, 5])

    def test_owners_of_a_fragment(self):
        owners = self.tool.owners("mma_c")
        self.assertEqual(len(owners), 16 * 8)
        self.assertEqual(owners[0], [(0, 0)])
        self.assertEqual(owners[9 + 16 * 3], [(5, 3)])  # row 9, column 3

    def test_owners_that_share(self):
        owners = self.tool.owners("tiled_mma_b((2,2,1), <32,16,16>)")
        self.assertEqual(owners[0], [(0, 0), (32, 0)])  # two warps along m

    def test_a_refusal_is_one_line(self):
        with self.assertRaisesRegex(ResultError, "5:4 does not fit"):
            self.tool("logical_divide((5,4):(1,30), 4:1)")

    def test_the_modes_of_a_printed_shape(self):
        self.assertEqual(layout_board.modes("((4,32),8):((256,1),32)"), ["(4,32)", "8"])
        self.assertEqual(layout_board.size("((4,8),(2,2,2))"), 256)


@unittest.skipIf(MISSING, MISSING)
class Descriptor(unittest.TestCase):
    """The bit fields come from the header that encodes them."""

    def test_fields(self):
        fields = layout_wgmma.descriptor_fields()
        self.assertEqual(
            [(field.first, field.last) for field in fields],
            [(0, 13), (16, 29), (32, 45), (49, 51), (62, 63)],
        )
        self.assertEqual(fields[1].name, "leading byte offset")

    def test_values(self):
        """As chapter 06's lab prints it for the first of its examples."""
        fields = layout_wgmma.descriptor_fields()
        facts = layout_board.Tool(TOOL)("wgmma_tile_k(0,16,(64,16))").data
        bits, values = layout_wgmma.descriptor(fields, 0, facts, 0)
        self.assertEqual(bits, 0x0000000800400000)
        self.assertEqual(values, [0, 64, 8, 0, 0])

    def test_a_header_without_fields_is_refused(self):
        with self.assertRaisesRegex(ResultError, "five lines"):
            layout_wgmma.descriptor_fields(Path(__file__))


@unittest.skipIf(MISSING, MISSING)
class Figures(unittest.TestCase):
    def test_every_figure_can_be_drawn(self):
        for name, draw in layout.DRAWN.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "figure.svg"
                layout.save(name, *draw(layout_board.Tool(TOOL)), path)
                self.assertIn("<desc>", path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
