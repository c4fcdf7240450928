"""The ring of chapter 07: its waits obey the rule that the figure states."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cli
from figure_checks import texts_outside

MISSING = cli.matplotlib_missing()

if not MISSING:
    import ring


@unittest.skipIf(MISSING, MISSING)
class Turns(unittest.TestCase):
    def barriers(self, stage: int):
        mine = [turn for turn in ring.turns() if turn.stage == stage]
        full = [turn.arrived for turn in mine], [
            (turn.consumer_passes, turn.full_parity) for turn in mine
        ]
        empty = [turn.released for turn in mine], [
            (turn.producer_passes, turn.empty_parity) for turn in mine
        ]
        return full, empty

    def test_a_wait_passes_in_a_phase_of_the_other_parity(self):
        for stage in range(ring.STAGES):
            for ends, waits in self.barriers(stage):
                for time, parity in waits:
                    with self.subTest(stage=stage, time=time):
                        self.assertNotEqual(ring.parity_at(ends, time), parity)

    def test_who_waits_is_let_go_by_the_end_of_a_phase(self):
        for turn in ring.turns():
            if turn.producer_passes > turn.producer_asks:
                released = [other.released for other in ring.turns() if other.stage == turn.stage]
                self.assertIn(turn.producer_passes, released)
                just_before = (turn.producer_asks + turn.producer_passes) / 2
                self.assertEqual(ring.parity_at(released, just_before), turn.empty_parity)

    def test_the_first_lap_does_not_wait(self):
        turns = ring.turns()
        for turn in turns[: ring.STAGES]:
            self.assertEqual((turn.producer_passes, turn.empty_parity), (turn.producer_asks, 1))
        self.assertTrue(any(turn.producer_passes > turn.producer_asks for turn in turns))

    def test_texts_stay_inside_the_figure(self):
        fig, _ = ring.draw()
        self.assertEqual(texts_outside(fig), [])


if __name__ == "__main__":
    unittest.main()
