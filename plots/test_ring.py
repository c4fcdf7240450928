"""The rings of chapters 06 and 07: their waits obey the rules that the figures state."""

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

    def test_chapter_06_loads_into_the_stage_that_was_read_last(self):
        turns = ring.turns_of_06()
        for before, turn in zip(turns, turns[ring.STAGES :]):
            self.assertEqual(before.stage, turn.stage)
            self.assertGreaterEqual(turn.producer_passes, before.released)
        for turn in turns:
            ahead = [t for t in turns if t.producer_passes <= turn.consumer_passes < t.released]
            self.assertLessEqual(len(ahead), ring.STAGES)
            ends = [t.arrived for t in turns if t.stage == turn.stage]
            self.assertNotEqual(ring.parity_at(ends, turn.consumer_passes), turn.full_parity)

    def test_texts_stay_inside_the_figure(self):
        for chapter in ring.RINGS:
            self.assertEqual(texts_outside(ring.draw(chapter)[0]), [])


if __name__ == "__main__":
    unittest.main()
