"""Chapter 08's cluster: shares make up whole tiles, masks and arrivals belong together."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cli
from figure_checks import texts_outside

MISSING = cli.matplotlib_missing()

if not MISSING:
    import cluster


@unittest.skipIf(MISSING, MISSING)
class Cluster(unittest.TestCase):
    def setUp(self):
        self.ranks = range(cluster.CM * cluster.CN)

    def test_masks_as_the_chapter_s_tests_have_them(self):
        a, b = cluster.shares_of(3)
        self.assertEqual((a.mask, b.mask), (0b1100, 0b1010))

    def test_every_block_receives_its_tiles_without_a_gap(self):
        for rank in self.ranks:
            for operand, rows in (("A", cluster.BM), ("B", cluster.BN)):
                end = 0
                for share in cluster.received(rank, operand):
                    self.assertEqual(share.first_row, end, (rank, operand))
                    end += share.rows
                self.assertEqual(end, rows)

    def test_shares_come_from_the_same_row_or_column(self):
        for rank in self.ranks:
            for share in cluster.received(rank, "A"):
                self.assertEqual(cluster.row(share.source), cluster.row(rank))
            for share in cluster.received(rank, "B"):
                self.assertEqual(cluster.col(share.source), cluster.col(rank))

    def test_who_receives_arrives_at_who_brings(self):
        for producer in self.ranks:
            a, b = cluster.shares_of(producer)
            for consumer in self.ranks:
                fed = (a.mask | b.mask) >> consumer & 1
                self.assertEqual(cluster.arrivals(consumer, producer), fed * cluster.CONSUMERS)

    def test_texts_stay_inside_the_figure(self):
        fig, _ = cluster.draw()
        self.assertEqual(texts_outside(fig), [])


if __name__ == "__main__":
    unittest.main()
