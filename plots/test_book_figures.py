"""The figures that explain rather than measure, and those of the sustained run."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cli
import results
import synthetic
from checks import ResultError
from figure_checks import texts_outside

MISSING = cli.matplotlib_missing()
SCHEDULES = os.environ.get("SCHEDULES_TOOL", str(results.ROOT / "build" / "bin" / "schedules"))

if not MISSING:
    import house
    import loop_nest
    import overlap
    import power
    import rasters
    import roofline


def sustained(**more) -> results.Results:
    data = synthetic.run(mode="sustained")
    data["device"].update(compute_capability="9.0", **more)
    with tempfile.TemporaryDirectory() as folder:
        return results.load(synthetic.save(data, Path(folder) / "h200_sustained.json"))


def counters() -> results.Results:
    return results.recorded("cpu", "counters")


@unittest.skipIf(MISSING, MISSING)
class LoopNest(unittest.TestCase):
    def test_mappings_are_the_kernel_s(self):
        found = {mapping.name: mapping for mapping in loop_nest.mappings()}
        self.assertEqual(found["strided"].lines, (1, 32))
        self.assertEqual(found["square"].lines, (4, 8))
        self.assertEqual(found["coalesced"].lines, (1, 1))

    def test_a_kernel_without_mappings_is_refused(self):
        with self.assertRaisesRegex(ResultError, "no mappings"):
            loop_nest.mappings(Path(__file__))

    def test_texts_stay_inside_the_figure(self):
        self.assertEqual(texts_outside(loop_nest.draw(loop_nest.mappings())[0]), [])


@unittest.skipIf(MISSING, MISSING)
class Overlap(unittest.TestCase):
    def rows(self, way, row):
        return [bar for bar in overlap.bars(way) if bar.row == row]

    def test_each_chapter_is_done_before_the_one_before(self):
        lengths = [overlap.length(way) for way in overlap.WAYS]
        self.assertEqual(lengths, sorted(lengths, reverse=True))
        self.assertGreater(lengths[0], lengths[-1])

    def test_products_come_in_turn_and_after_their_loads(self):
        for way in overlap.WAYS:
            loads, products = self.rows(way, "loads"), self.rows(way, "products")
            self.assertEqual(len(loads), len(products))
            for load, product in zip(loads, products):
                self.assertGreaterEqual(product.begin, load.end)
            for before, after in zip(products, products[1:]):
                self.assertGreaterEqual(after.begin, before.end)

    def test_a_stage_is_filled_only_when_it_was_read(self):
        for way in overlap.WAYS:
            loads, products = self.rows(way, "loads"), self.rows(way, "products")
            for load, product in zip(loads[overlap.STAGES :], products):
                if way.stays or load.tile == product.tile:
                    self.assertGreaterEqual(load.begin, product.end)

    def test_only_deferred_stores_lie_beside_products(self):
        for way in overlap.WAYS:
            stores, products = self.rows(way, "stores"), self.rows(way, "products")
            beside = any(
                store.begin < product.end and product.begin < store.end
                for store in stores
                for product in products
            )
            self.assertEqual(beside, way.defers)

    def test_texts_stay_inside_the_figure(self):
        self.assertEqual(texts_outside(overlap.draw()[0]), [])


@unittest.skipIf(MISSING, MISSING)
class House(unittest.TestCase):
    def copy(self, root: Path, more: dict[str, str]) -> None:
        """The tree's shape in small: one file for every arrow, and what else a test wants."""
        owner = {"cuda": "gpu", "cpu": "gpu"}
        for number, (source, target) in enumerate(house.ARROWS):
            folder = "01_naive" if source == house.CHAPTERS else f"common/{source}"
            path = root / folder / f"file_{number}.hpp"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"#include <{owner.get(target, target)}/x.hpp>\n", encoding="utf-8")
        for place, text in more.items():
            path = root / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def test_the_tree_is_as_drawn_and_nothing_points_up(self):
        house.check()
        ranks = ["core", "layout", "gemm", "cuda", "cpu", "harness", house.CHAPTERS]
        for source, target in house.ARROWS:
            self.assertGreater(ranks.index(source), ranks.index(target))

    def test_another_arrow_is_refused_with_the_file(self):
        for place, include, said in (
            ("common/layout/new.hpp", "<harness/chapter.hpp>", "layout includes harness"),
            ("common/cuda/gpu/new.hpp", "<gemm/problem.hpp>", "cuda includes gemm"),
            ("02_tiles/new.cuh", '"../01_naive/kernel.cuh"', "includes another chapter"),
        ):
            with self.subTest(place), tempfile.TemporaryDirectory() as folder:
                self.copy(Path(folder), {"02_tiles/kernel.cuh": ""})
                house.check(Path(folder))
                self.copy(Path(folder), {place: f"#include {include}\n"})
                with self.assertRaisesRegex(ResultError, f"{place}: {said}"):
                    house.check(Path(folder))

    def test_an_arrow_that_nothing_stands_for_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            self.copy(Path(folder), {})
            (Path(folder) / "common/gemm/file_10.hpp").write_text("", encoding="utf-8")
            with self.assertRaisesRegex(ResultError, "no file of gemm includes core"):
                house.check(Path(folder))

    def test_texts_stay_inside_the_figure(self):
        self.assertEqual(texts_outside(house.draw()[0]), [])


@unittest.skipIf(MISSING, MISSING)
class Rasters(unittest.TestCase):
    def test_recorded_orders_are_those_of_the_schedules(self):
        if not Path(SCHEDULES).is_file():
            self.skipTest(f"{SCHEDULES} is not built")
        for path, _ in rasters.recorded():
            chapter, _ = rasters.load(path)
            printed = subprocess.run([SCHEDULES, chapter], capture_output=True, text=True).stdout
            self.assertEqual(printed, path.read_text(encoding="utf-8"), "run make record")

    def test_groups_read_less_than_what_they_are_held_against(self):
        for path, _ in rasters.recorded():
            chapter, orders = rasters.load(path)
            grid = orders.square(rasters.SIZE)
            other, groups = (
                sum(orders.mib(grid.reads(name), rasters.SIZE))
                for name in rasters.FIGURES[chapter][1]
            )
            self.assertLess(groups, other)

    def test_figures_are_those_of_the_recorded_orders(self):
        for path, name in rasters.recorded():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                committed = (results.ROOT / "plots" / "figures" / name).read_text(encoding="utf-8")
                again = Path(folder) / name
                fig = rasters.write(path, again)
                self.assertEqual(texts_outside(fig), [])
                if rasters.style.creator() not in committed:
                    self.skipTest("drawn by another matplotlib")
                self.assertTrue(again.read_text(encoding="utf-8") == committed, "run make plots")

    def test_other_files_are_refused(self):
        with self.assertRaisesRegex(ResultError, "chapter: expected 05_swizzle_pipeline or"):
            rasters.load(results.ROOT / "plots" / "results" / "tile_orders.json")


@unittest.skipIf(MISSING, MISSING)
class Sustained(unittest.TestCase):
    def test_energy_is_power_by_speed(self):
        row = sustained().row("09_hilbert_schedule", "default", results.square(4096), "bf16")
        self.assertAlmostEqual(power._energy(row), 640.4 / 825)

    def test_every_chapter_is_told(self):
        run = sustained()
        for text in (power.describe(run), roofline.describe(run, counters())):
            for name, title, _, _ in synthetic.LADDER:
                self.assertIn(f"{name[:2]} {title}", text)

    def test_operations_per_byte_follow_the_tiles(self):
        found = {p.label[:2]: p for p in roofline.points(sustained(), counters(), 4096)}
        self.assertEqual(len(found), 9)
        self.assertAlmostEqual(found["02"].intensity, 64, places=1)  # 128 x 128
        self.assertAlmostEqual(found["07"].intensity, 128 * 256 / 384, places=1)
        self.assertAlmostEqual(found["08"].intensity, 128, places=1)  # two blocks share B
        self.assertAlmostEqual(found["09"].peak, 132 * 4096 * 1655e-6)

    def test_stand_ins_are_what_the_default_runs_at_4096(self):
        burst = results.recorded(results.HEADLINE_DEVICE, "burst")
        for chapter, variant in results.AT_LARGE_SIZES.items():
            default, other = (
                burst.row(chapter, name, results.square(4096), "bf16")
                for name in ("default", variant)
            )
            self.assertLess(abs(default.gflops / other.gflops - 1), 0.02, f"{chapter} {variant}")

    def test_other_devices_have_no_shares(self):
        run = sustained()
        run.device["compute_capability"] = "8.6"
        self.assertIsNone(roofline.points(run, counters(), 4096)[0].peak)
        self.assertEqual(texts_outside(roofline.draw(run, counters())), [])

    def test_nothing_to_draw(self):
        with tempfile.TemporaryDirectory() as folder:
            burst = results.load(synthetic.save(synthetic.run(), Path(folder) / "h200_burst.json"))
        for draw in (power.draw, lambda run: roofline.draw(run, counters())):
            with self.assertRaisesRegex(ResultError, "no sustained run"):
                draw(burst)

    def test_texts_stay_inside_the_figure(self):
        for run in (sustained(), results.recorded(results.HEADLINE_DEVICE, "sustained")):
            self.assertEqual(texts_outside(power.draw(run)), [])
            self.assertEqual(texts_outside(roofline.draw(run, counters())), [])


if __name__ == "__main__":
    unittest.main()
