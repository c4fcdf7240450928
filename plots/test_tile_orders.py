"""Orders of tiles: what is refused, what rounds read, that the committed figure is up to date."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cli
from figure_checks import texts_outside

MISSING = cli.matplotlib_missing()

if not MISSING:
    import results
    import style
    import tile_orders
    from checks import ResultError


def grid(rows: int, cols: int, workers: int) -> dict:
    """All orders row by row, but groups column by column."""
    by_rows = [[row, col] for row in range(rows) for col in range(cols)]
    orders = {name: by_rows for name in tile_orders.NAMES}
    orders["groups"] = sorted(by_rows, key=lambda tile: tile[::-1])
    sizes = {"tiles_m": rows, "tiles_n": cols, "group_rows": 16, "workers": workers}
    return {**sizes, "orders": orders}


def synthetic() -> dict:
    grids = [grid(32, 16, 128), grid(64, 32, 128), grid(3, 2, 4)]
    return {"tile": [128, 256], "grids": grids}


@unittest.skipIf(MISSING, MISSING)
class TileOrders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def load(self, data) -> "tile_orders.Orders":
        path = self.folder / "tile_orders.json"
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        return tile_orders.load(path)

    def test_rounds_and_what_they_read(self):
        small = self.load(synthetic()).ragged()
        self.assertEqual([len(tiles) for tiles in small.rounds("snake")], [4, 2])
        self.assertEqual(small.reads("snake"), [({0, 1}, {0, 1}), ({2}, {0, 1})])
        self.assertEqual(small.new("snake"), [({0, 1}, {0, 1}), ({2}, set())])
        self.assertEqual(small.reads("groups"), [({0, 1, 2}, {0, 1}), ({1, 2}, {1})])

    def test_bytes(self):
        orders = self.load(synthetic())
        reads = orders.square(4096).reads("row_major")
        self.assertEqual(orders.mib(reads, 4096), (8, 32))  # 8 rows of tiles, all 16 columns
        said = tile_orders.describe(orders)
        self.assertIn("row by row: the first round lies in 8 rows and 16 columns", said)
        self.assertIn("8 + 32 = 40 MB, 16 new at 4096 and 8 + 128 = 136 MB, 16 new at 8192", said)

    def test_what_is_no_list_of_orders_is_refused(self):
        for data, complaint in (
            ("", "not a JSON file"),
            ("[]", "expected an object"),
            ("{}", "tile: missing"),
            ('{"tile": [0, 1]}', "tile: expected edges"),
            ('{"tile": [1, 1], "grids": []}', "grids: there is none"),
            ('{"tile": [1, 1], "grids": [{}]}', "tiles_m: missing"),
        ):
            with self.assertRaisesRegex(ResultError, complaint):
                self.load(data)
        broken = synthetic()
        broken["grids"][2]["orders"]["hilbert"] = [[0, 0]] * 6
        with self.assertRaisesRegex(ResultError, "hilbert: not every tile once"):
            self.load(broken)
        with self.assertRaisesRegex(ResultError, "no grid of 1024 x 1024"):
            self.load(synthetic()).square(1024)

    def test_texts_stay_inside_the_figure(self):
        for path, _ in tile_orders.recorded():
            fig, _ = tile_orders.draw(tile_orders.load(path))
            self.assertEqual(texts_outside(fig), [])

    def test_curves_go_from_neighbour_to_neighbour(self):
        for path, _ in tile_orders.recorded():
            for one in tile_orders.load(path).grids:
                tiles = one.orders["hilbert"]
                steps = [abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in zip(tiles, tiles[1:])]
                self.assertEqual(max(steps), 1, (one.tiles_m, one.tiles_n))

    def test_the_committed_figure_is_what_the_orders_give(self):
        for path, name in tile_orders.recorded():
            text = (results.ROOT / "plots" / "figures" / name).read_text(encoding="utf-8")
            if style.creator() not in text:
                continue  # drawn by another matplotlib
            tile_orders.write(path, self.folder / name)
            self.assertEqual((self.folder / name).read_text(encoding="utf-8"), text, name)


if __name__ == "__main__":
    unittest.main()
