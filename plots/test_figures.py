"""The figures: all can be drawn, pages show them, and what they draw obeys the rules they state. The
layout tool is looked for in build/bin, or where LAYOUT_TOOL says."""

import json
import os
import re
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import charts
import cluster
import architecture
import layout
import make
import results
import ring
import style
import synthetic
import tables
import tile_orders
from cli import ROOT, ResultError
from synthetic import Repository

RESULTS = ROOT / "plots/results"
TOOL = Path(os.environ.get("LAYOUT_TOOL", ROOT / "build" / "bin" / "layout"))


class Figures(Repository):
    def test_all_can_be_drawn_and_say_what_they_show(self):
        for name, draw in make.figures(TOOL if TOOL.is_file() else None).items():
            with self.subTest(name):
                style.save(draw(), self.root / "figure.svg")
                svg = ElementTree.parse(self.root / "figure.svg").getroot()
                for tag in ("title", "desc"):
                    self.assertTrue(svg.find(f"{{http://www.w3.org/2000/svg}}{tag}").text)

    def test_pages_show_each_of_them(self):
        text = "\n".join(page.read_text(encoding="utf-8") for page in tables.pages(ROOT))
        shown = set(re.findall(r"figures/(\w+)\.svg", text))
        self.assertEqual(shown, make.figures(TOOL).keys() | layout.printed().keys())

    def test_the_ladder_is_drawn_as_measured(self):
        run = results.load(self.record("h200_burst", synthetic.run()))
        fig = charts.speedup(run, charts.Choice(recorded=True))
        bars, shares = ([bar.get_width() for bar in axes.patches] for axes in fig.axes[:2])
        for bar, share, (*_, rate) in zip(bars[1::2], shares, synthetic.LADDER):  # tracks between
            self.assertAlmostEqual(bar + 0.1, rate)  # where the logarithmic axis begins
            self.assertAlmostEqual(share, rate / 790)
        self.assertTrue(fig.description.startswith("No GPU on this machine"), fig.description)
        words = "09 Hilbert schedule: 825 TFLOPS, 38× the chapter before, 104.4% of cuBLAS"
        self.assertIn(words, fig.description)
        self.assertIn(synthetic.TOO_SLOW, charts.speedup(run, charts.Choice(8192)).description)
        with self.assertRaisesRegex(ResultError, "K = 513 in bf16 .sizes: 4096, 8192"):
            charts.speedup(run, charts.Choice(513))
        for arguments in (("speedup", "none.json"), ("speedup", "-o", "x.gif"), ("pie",)):
            done = self.script(synthetic.PLOTS / "charts.py", *arguments)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    def test_orders_miss_the_l2_as_the_cpu_backend_counted(self):
        grids = {grid.tiles_m: grid for grid in tile_orders.load(RESULTS / "tile_orders.json")}
        counted = json.loads((RESULTS / "l2_cpu_counters.json").read_text("utf-8"))["rows"]
        orders = ("row_major", "snake", "hilbert")
        rows = [row for row in counted if row["variant"] in orders and row["chapter"][:2] == "09"]
        self.assertGreaterEqual(len(rows), 6)
        for row in rows:
            lines = row["counters"]["l2_model_lines"] - row["counters"]["l2_model_hits"]
            missed = grids[row["m"] // 128].missed(row["variant"], 16 * row["k"])
            self.assertEqual(missed, 16 * 128 * lines / 2**20, (row["variant"], row["m"]))

    @unittest.skipUnless(TOOL.is_file(), f"{TOOL} is not built")
    def test_the_layout_tool_s_answers(self):
        owners = layout.Tool(TOOL).owners("mma_c")
        self.assertEqual((len(owners), owners[9 + 16 * 3]), (16 * 8, (5, 3)))  # row 9, column 3
        with self.assertRaisesRegex(ResultError, "5:4 does not fit"):
            layout.Tool(TOOL)("logical_divide((5,4):(1,30), 4:1)")

    def test_a_wait_passes_in_a_phase_of_the_other_parity(self):
        for stage in range(ring.STAGES):
            mine = [visit for visit in ring.visits("07") if visit.stage == stage]
            full, empty = [visit.arrived for visit in mine], [visit.released for visit in mine]
            for visit in mine:
                phase = sum(end <= visit.consumer_passes for end in full)
                self.assertNotEqual(phase % 2, visit.full_parity)
                phase = sum(end <= visit.producer_passes for end in empty)
                self.assertNotEqual(phase % 2, visit.empty_parity)

    def test_who_receives_a_multicast_slice_arrives_at_who_brings_it(self):
        for rank in cluster.RANKS:
            for operand, rows in (("A", cluster.BM), ("B", cluster.BN)):
                self.assertEqual(sum(s.rows for s in cluster.received(rank, operand)), rows)
            a, b = cluster.slices_of(rank)
            for consumer in cluster.RANKS:
                fed = consumer in {*a.targets, *b.targets}
                self.assertEqual(cluster.arrivals(consumer, rank), fed * cluster.CONSUMERS)

    def test_the_tree_is_as_drawn_and_other_includes_are_refused(self):
        architecture.check()
        self.write("02_tiles/aside/chapter.cu", '#include "../kernel.cuh"\n')
        for number, (source, target) in enumerate(architecture.ARROWS):
            folder = "01_naive" if source == architecture.CHAPTERS else f"common/{source}"
            first = {"cuda": "gpu", "cpu": "gpu"}.get(target, target)
            self.write(f"{folder}/file_{number}.hpp", f"#include <{first}/x.hpp>\n")
        for place, include, said in (
            ("common/layout/new.hpp", "<harness/chapter.hpp>", "layout includes harness"),
            ("02_tiles/new.cuh", '"../01_naive/kernel.cuh"', "includes another chapter"),
            ("02_tiles/new.cuh", '"aside/kernel.cuh"', "a lesson includes an aside"),
        ):
            architecture.check(self.root)
            path = self.write(place, f"#include {include}\n")
            with self.assertRaisesRegex(ResultError, f"{place}: {said}"):
                architecture.check(self.root)
            path.unlink()
