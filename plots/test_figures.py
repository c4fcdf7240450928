"""The figures: all can be drawn, pages show them, and what they draw obeys the rules they state.

The layout tool is looked for in build/bin, or where LAYOUT_TOOL says.
"""

from __future__ import annotations

import os
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import charts
import cluster
import house
import layout
import layout_board
import layout_wgmma
import make
import overlap
import results
import ring
import style
import synthetic
import tables
import tile_orders
import timeline
from cli import ROOT, ResultError
from synthetic import Repository

TOOL = Path(os.environ.get("LAYOUT_TOOL", ROOT / "build" / "bin" / "layout"))


class Figures(Repository):
    def test_all_can_be_drawn_and_say_what_they_show(self):
        drawn = [(name, draw, ()) for name, draw in make.figures().items()]
        if TOOL.is_file():
            tool = layout_board.Tool(TOOL)
            drawn += [(f"layout_{name}", draw, (tool,)) for name, draw in layout.DRAWN.items()]
        for name, draw, arguments in drawn:
            with self.subTest(name):
                fig, description = draw(*arguments)
                style.save(fig, self.root / "figure.svg", description)
                svg = ElementTree.parse(self.root / "figure.svg").getroot()
                for tag in ("title", "desc"):
                    self.assertTrue(svg.find(f"{{http://www.w3.org/2000/svg}}{tag}").text)

    def test_pages_show_each_of_them(self):
        text = "\n".join(page.read_text(encoding="utf-8") for page in tables.pages(ROOT))
        shown = set(re.findall(r"figures/(\w+)\.svg", text))
        self.assertEqual(shown, {*make.figures(), *(f"layout_{name}" for name in layout.DRAWN)})
        self.assertEqual(shown, {path.stem for path in make.FIGURES.glob("*.svg")})

    def test_the_ladder_is_drawn_as_measured(self):
        run = results.load(self.record("h200_burst", synthetic.run()))
        fig, said = charts.speedup(run, charts.Choice(recorded=True))
        bars, shares = ([bar.get_width() for bar in axes.patches] for axes in fig.axes[:2])
        lowest = 0.1  # where the logarithmic axis begins
        rates = [rate for *_, rate in synthetic.LADDER]
        for bar, rate, share in zip(bars[1::2], rates, shares):  # tracks lie between
            self.assertAlmostEqual(bar + lowest, rate)
            self.assertAlmostEqual(share, rate / 790)
        self.assertTrue(said.startswith("No GPU on this machine"), said)
        words = "09 Hilbert schedule: 825 TFLOPS, 38× the chapter before, 104.4% of cuBLAS"
        self.assertIn(words, said)
        _, said = charts.speedup(run, charts.Choice(8192))
        self.assertIn(f"01 Naive: left out: {synthetic.TOO_SLOW}", said)
        with self.assertRaisesRegex(ResultError, "K = 513 in bf16 .sizes: 4096, 8192"):
            charts.speedup(run, charts.Choice(513))
        _, said = charts.over_size(run)
        self.assertIn("Every shape, TFLOPS: 830 at 4096, 830 at 8192", said)

    def test_trouble_is_one_line_and_status_2(self):
        for arguments in (("speedup", "none.json"), ("speedup", "-o", "x.gif"), ("pie",)):
            done = self.script(synthetic.PLOTS / "charts.py", *arguments)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


class Rules(Repository):
    def test_a_wait_passes_in_a_phase_of_the_other_parity(self):
        for stage in range(ring.STAGES):
            mine = [visit for visit in ring.visits("07") if visit.stage == stage]
            full, empty = [visit.arrived for visit in mine], [visit.released for visit in mine]
            for visit in mine:
                at = ring.parity_at(full, visit.consumer_passes)
                self.assertNotEqual(at, visit.full_parity)
                at = ring.parity_at(empty, visit.producer_passes)
                self.assertNotEqual(at, visit.empty_parity)
            self.assertEqual(mine[0].producer_passes, mine[0].producer_asks)
        visits = ring.visits("06")
        for before, visit in zip(visits, visits[ring.STAGES :]):
            self.assertGreaterEqual(visit.producer_passes, before.released)

    def test_a_cluster_s_tiles_are_complete_and_who_receives_arrives(self):
        for rank in cluster.RANKS:
            for operand, rows in (("A", cluster.BM), ("B", cluster.BN)):
                slices = cluster.received(rank, operand)
                self.assertEqual([s.number for s in slices], list(range(len(slices))))
                self.assertEqual(sum(s.rows for s in slices), rows)
            a, b = cluster.slices_of(rank)
            for consumer in cluster.RANKS:
                fed = (a.mask | b.mask) >> consumer & 1
                self.assertEqual(cluster.arrivals(consumer, rank), fed * cluster.CONSUMERS)

    def test_mmas_come_after_their_loads_and_only_deferred_stores_lie_beside_them(self):
        for way in overlap.WAYS:
            loads, mmas, stores = (
                [bar for bar in overlap.bars(way) if bar.row == row] for row in overlap.ROWS
            )
            self.assertTrue(all(mma.begin >= load.end for load, mma in zip(loads, mmas)))
            beside = any(s.begin < m.end and m.begin < s.end for s in stores for m in mmas)
            self.assertEqual(beside, way.defers)

    def test_groups_of_tiles_read_less_and_curves_go_to_neighbours(self):
        grid = tile_orders.computed()
        read = {name: sum(grid.mib(grid.reads(name), 8192)) for name in grid.orders}
        self.assertEqual(min(read, key=read.get), "groups")
        for grid in tile_orders.load(make.RESULTS / "tile_orders.json"):
            tiles = grid.orders["hilbert"]
            steps = [abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in zip(tiles, tiles[1:])]
            self.assertEqual(max(steps), 1)

    def test_a_timeline_s_description_adds_up(self):
        """Two roles, four tiles of 16 steps: loads take 2, multiplications 10, stores 30."""
        load, multiply, now = [], [], 0
        for _ in range(4):
            for _ in range(16):
                load += [["wait_empty", now, now + 3], ["load", now + 3, now + 5]]
                multiply += [["wait_full", now, now + 1], ["multiply", now + 1, now + 11]]
                now += 11
            multiply.append(["store", now, now + 30])
            now += 30
        notes = {"producer": load, "consumer": multiply}
        data = dict.fromkeys(("chapter", "device", "shape"), "07") | {"unit": "cycles", "k_tiles": 16}
        data["roles"] = [{"role": role, "notes": of} for role, of in notes.items()]
        said = timeline.describe(timeline.load(self.record("timeline", data)))
        length = 16 * 11 + 30 + 9 * 11 + 11 - (9 * 11 + 1)  # around the first store
        self.assertTrue(said.startswith(f"{length} cycles of one block."), said)
        self.assertIn(f"store {100 * 30 / length:.0f}%", said)

    def test_the_tree_is_as_drawn_and_other_includes_are_refused(self):
        house.check()
        files = {"02_tiles/aside/chapter.cu": '#include "../kernel.cuh"\n'}
        for number, (source, target) in enumerate(house.ARROWS):
            folder = "01_naive" if source == house.CHAPTERS else f"common/{source}"
            first = {"cuda": "gpu", "cpu": "gpu"}.get(target, target)
            files[f"{folder}/file_{number}.hpp"] = f"#include <{first}/x.hpp>\n"
        for place, include, said in (
            ("common/layout/new.hpp", "<harness/chapter.hpp>", "layout includes harness"),
            ("02_tiles/new.cuh", '"../01_naive/kernel.cuh"', "includes another chapter"),
            ("02_tiles/new.cuh", '"aside/kernel.cuh"', "a lesson includes an aside"),
        ):
            for name, text in {**files, place: ""}.items():
                self.executable(name, text)
            house.check(self.root)
            self.executable(place, f"#include {include}\n")
            with self.assertRaisesRegex(ResultError, f"{place}: {said}"):
                house.check(self.root)
            (self.root / place).unlink()


@unittest.skipUnless(TOOL.is_file(), f"{TOOL} is not built")
class Layouts(unittest.TestCase):
    def test_the_tool_s_answers(self):
        tool = layout_board.Tool(TOOL)
        self.assertEqual(tool("(2,3):(3,1)").values, [0, 3, 1, 4, 2, 5])
        owners = tool.owners("mma_c")
        self.assertEqual((len(owners), owners[9 + 16 * 3]), (16 * 8, (5, 3)))  # row 9, column 3
        with self.assertRaisesRegex(ResultError, "5:4 does not fit"):
            tool("logical_divide((5,4):(1,30), 4:1)")

    def test_a_descriptor_s_fields_are_the_header_s(self):
        """The values are those that chapter 06's lab prints for the first of its examples."""
        fields = layout_wgmma.descriptor_fields()
        places = [(0, 13), (16, 29), (32, 45), (49, 51), (62, 63)]
        self.assertEqual([(field.first, field.last) for field in fields], places)
        facts = layout_board.Tool(TOOL)("wgmma_tile_k(0,16,(64,16))").data
        bits, values = layout_wgmma.descriptor(fields, 0, facts, 0)
        self.assertEqual((bits, values), (0x0000000800400000, [0, 64, 8, 0, 0]))


if __name__ == "__main__":
    unittest.main()
