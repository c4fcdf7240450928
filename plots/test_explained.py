"""The figures that explain rather than measure: what they draw obeys the rules that they state."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cli
from checks import ResultError

MISSING = cli.matplotlib_missing()
if not MISSING:
    import cluster
    import house
    import loop_nest
    import overlap
    import rasters
    import ring
    import tile_orders
    import timeline


@unittest.skipIf(MISSING, MISSING)
class Ring(unittest.TestCase):
    def test_a_wait_passes_in_a_phase_of_the_other_parity(self):
        for stage in range(ring.STAGES):
            mine = [turn for turn in ring.turns() if turn.stage == stage]
            full, empty = [turn.arrived for turn in mine], [turn.released for turn in mine]
            for turn in mine:
                at = ring.parity_at(full, turn.consumer_passes)
                self.assertNotEqual(at, turn.full_parity)
                at = ring.parity_at(empty, turn.producer_passes)
                self.assertNotEqual(at, turn.empty_parity)

    def test_the_first_lap_does_not_wait(self):
        turns = ring.turns()
        for turn in turns[: ring.STAGES]:
            self.assertEqual((turn.producer_passes, turn.empty_parity), (turn.producer_asks, 1))
        self.assertTrue(any(turn.producer_passes > turn.producer_asks for turn in turns))

    def test_chapter_06_loads_into_the_stage_that_was_read_last(self):
        turns = ring.turns_of_06()
        for before, turn in zip(turns, turns[ring.STAGES :]):
            self.assertEqual(before.stage, turn.stage)
            self.assertGreaterEqual(turn.producer_passes, before.released)


@unittest.skipIf(MISSING, MISSING)
class Cluster(unittest.TestCase):
    def test_every_block_receives_its_tiles_without_a_gap(self):
        for rank in range(cluster.CM * cluster.CN):
            for operand, rows in (("A", cluster.BM), ("B", cluster.BN)):
                end = 0
                for share in cluster.received(rank, operand):
                    self.assertEqual(share.first_row, end, (rank, operand))
                    end += share.rows
                self.assertEqual(end, rows)

    def test_who_receives_arrives_at_who_brings(self):
        ranks = range(cluster.CM * cluster.CN)
        for producer in ranks:
            a, b = cluster.shares_of(producer)
            for consumer in ranks:
                fed = (a.mask | b.mask) >> consumer & 1
                self.assertEqual(cluster.arrivals(consumer, producer), fed * cluster.CONSUMERS)


@unittest.skipIf(MISSING, MISSING)
class Overlap(unittest.TestCase):
    def rows(self, way, row):
        return [bar for bar in overlap.bars(way) if bar.row == row]

    def test_products_come_after_their_loads_and_loads_after_what_was_read(self):
        for way in overlap.WAYS:
            loads, products = self.rows(way, "loads"), self.rows(way, "products")
            self.assertEqual(len(loads), len(products))
            for load, product in zip(loads, products):
                self.assertGreaterEqual(product.begin, load.end)
            for load, product in zip(loads[overlap.STAGES :], products):
                if way.stays or load.tile == product.tile:
                    self.assertGreaterEqual(load.begin, product.end)

    def test_only_deferred_stores_lie_beside_products(self):
        for way in overlap.WAYS:
            stores, products = self.rows(way, "stores"), self.rows(way, "products")
            beside = any(s.begin < p.end and p.begin < s.end for s in stores for p in products)
            self.assertEqual(beside, way.defers)


@unittest.skipIf(MISSING, MISSING)
class Sources(unittest.TestCase):
    def test_mappings_are_the_kernel_s(self):
        found = {mapping.name: mapping.lines for mapping in loop_nest.mappings()}
        self.assertEqual((found["strided"], found["coalesced"]), ((1, 32), (1, 1)))

    def test_the_tree_is_as_drawn_and_nothing_points_up(self):
        house.check()
        ranks = ["core", "layout", "cuda", "cpu", "gemm", "harness", house.CHAPTERS]
        for source, target in house.ARROWS:
            self.assertGreater(ranks.index(source), ranks.index(target))

    def copy(self, root: Path, more: dict[str, str]) -> None:
        """The tree's shape in small: one file for every arrow, and what else a test wants."""
        owner = {"cuda": "gpu", "cpu": "gpu"}
        files = dict(more)
        for number, (source, target) in enumerate(house.ARROWS):
            folder = "01_naive" if source == house.CHAPTERS else f"common/{source}"
            files[f"{folder}/file_{number}.hpp"] = f"#include <{owner.get(target, target)}/x.hpp>\n"
        for place, text in files.items():
            path = root / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def test_another_arrow_is_refused_with_the_file(self):
        for place, include, said in (
            ("common/layout/new.hpp", "<harness/chapter.hpp>", "layout includes harness"),
            ("02_tiles/new.cuh", '"../01_naive/kernel.cuh"', "includes another chapter"),
            ("02_tiles/new.cuh", '"aside/kernel.cuh"', "a lesson includes an aside"),
            ("02_tiles/aside/new.cuh", '"../../01_naive/x.cuh"', "includes another chapter"),
        ):
            with self.subTest(place), tempfile.TemporaryDirectory() as folder:
                aside = {"02_tiles/kernel.cuh": "", "02_tiles/aside/chapter.cu": '#include "../kernel.cuh"\n'}
                self.copy(Path(folder), aside)
                house.check(Path(folder))
                self.copy(Path(folder), {place: f"#include {include}\n"})
                with self.assertRaisesRegex(ResultError, f"{place}: {said}"):
                    house.check(Path(folder))


@unittest.skipIf(MISSING, MISSING)
class Orders(unittest.TestCase):
    def test_groups_read_less_than_what_they_are_held_against(self):
        orders = rasters.tiles_of()
        (grid,) = orders.grids
        read = {name: sum(orders.mib(grid.reads(name), rasters.SIZE)) for name in grid.orders}
        self.assertLess(read["groups"], min(read["row_major"], read["ranges"]))
        for tiles in grid.orders.values():
            self.assertEqual(sorted(tiles), sorted(grid.orders["row_major"]))

    def test_curves_go_from_neighbour_to_neighbour(self):
        for path, _ in tile_orders.recorded():
            for grid in tile_orders.load(path).grids:
                tiles = grid.orders["hilbert"]
                steps = [abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in zip(tiles, tiles[1:])]
                self.assertEqual(max(steps), 1, (grid.tiles_m, grid.tiles_n))


@unittest.skipIf(MISSING, MISSING)
class Timeline(unittest.TestCase):
    def test_the_description_adds_up(self):
        """Two roles, four tiles of 16 steps: loads take 2, multiplications 10, stores 30."""
        load, multiply, now = [], [], 0
        for _ in range(4):
            for _ in range(16):
                load += [["wait_empty", now, now + 3], ["load", now + 3, now + 5]]
                multiply += [["wait_full", now, now + 1], ["multiply", now + 1, now + 11]]
                now += 11
            multiply.append(["store", now, now + 30])
            now += 30
        roles = [{"role": "producer", "notes": load}, {"role": "consumer", "notes": multiply}]
        about = {"chapter": "07_any", "device": "none", "shape": "1x1x1", "unit": "cycles"}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "timeline_x.json"
            path.write_text(json.dumps({**about, "k_tiles": 16, "roles": roles}), encoding="utf-8")
            said = timeline.describe(timeline.load(path))
        length = 16 * 11 + 30 + 9 * 11 + 11 - (9 * 11 + 1)  # around the first store
        self.assertTrue(said.startswith(f"{length} cycles of one block."), said)
        self.assertIn(f"store {100 * 30 / length:.0f}%", said)


if __name__ == "__main__":
    unittest.main()
