"""The tables between the markers of the README files."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import results
import synthetic
import tables
from results import ResultError


def block(marker: str, body: str = "") -> str:
    return f"<!-- table:{marker} -->\n{body}<!-- /table -->\n"


class Repository(unittest.TestCase):
    """Each test works in a repository of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def record(self, data: dict, name: str) -> None:
        synthetic.save(data, self.root / "plots" / "results" / name)

    def page(self, text: str, name: str = "README.md") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def table(self, marker: str, name: str = "README.md") -> list[list[str]]:
        """The cells of the table that a marker produces, without the line under the head."""
        page = self.page(block(marker), name)
        tables.update(self.root)
        lines = [line for line in page.read_text(encoding="utf-8").split("\n") if line[:1] == "|"]
        cells = [[cell.strip() for cell in line[1:-1].split(" | ")] for line in lines]
        self.assertTrue(all(len(row) == len(cells[0]) for row in cells), cells)
        return [cells[0], *cells[2:]]

    def refusal(self, text: str) -> str:
        """The one-line complaint about a page, which is left as it is."""
        page = self.page(text)
        with self.assertRaises(ResultError) as caught:
            tables.update(self.root)
        self.assertEqual(page.read_text(encoding="utf-8"), text)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)


class Contents(Repository):
    def test_ladder(self):
        self.record(synthetic.run(), "h200_burst.json")
        head, *body = self.table("ladder")
        self.assertEqual(head[2:], ["TFLOPS", "× previous", "% of cuBLAS", "% of its ceiling"])
        self.assertEqual(body[9][:2], ["[Every shape](every_shape/)", "beyond the ladder: the idea of Every shape"])
        self.assertEqual(
            body[1],
            [
                "[02 Shared-memory tiling](02_smem_tiling/)",
                "the idea of Shared-memory tiling",
                "**22.0**",
                "44×",
                "2.8%",
                "34.6% FFMA",
            ],
        )
        self.assertEqual(body[8][2:], ["**825**", "1.06×", "104.4%", "86.8% wgmma"])
        self.assertEqual((body[10][0], body[10][2]), ("cuBLAS", "**790**"))
        text = (self.root / "README.md").read_text(encoding="utf-8")
        for word in (
            "NVIDIA H200",
            "driver 580.1",
            "CUDA 13.0",
            "cuBLAS 13.1.0",
            "burst mode",
            "2026-03-14",
            "commit abc1234",
            "bf16",
        ):
            self.assertIn(word, text)

    def test_headline(self):
        page = self.page(block("headline 09_hilbert_schedule"))
        tables.update(self.root)
        self.assertIn("\nNot measured yet.\n", page.read_text(encoding="utf-8"))
        data = synthetic.run()
        rates = {1024: 980.0, 2048: 1000.2, 4096: 1042.0, 8192: 1012.0, 16384: 1001.0}
        for row in data["rows"]:
            if row["chapter"] == "09_hilbert_schedule":
                row["cublas_gflops"] = row["gflops_median"] * 1000 / rates[row["m"]]
        self.record(data, "h200_burst.json")
        tables.update(self.root)
        text = page.read_text(encoding="utf-8")
        self.assertIn("ahead of cuBLAS at 3 of the 5 square sizes recorded, by up to 4.2%", text)
        self.assertIn("M×N×K = 4096×4096×4096, 825 TFLOPS), and behind at 1024 (98.0%).", text)
        for row in data["rows"]:
            if row["m"] == 1024:
                row["k"] = 512
        self.record(data, "h200_burst.json")
        tables.update(self.root)
        self.assertIn("3 of the 5 shapes recorded", page.read_text(encoding="utf-8"))
        self.assertIn("unknown", self.refusal(block("headlines 09_hilbert_schedule")))
        self.assertIn("name of one chapter", self.refusal(block("headline")))

    def test_ladder_with_the_sustained_run_beside_it(self):
        self.record(synthetic.run(), "h200_burst.json")
        self.record(synthetic.run(mode="sustained", scale=0.8), "h200_sustained.json")
        head, *body = self.table("ladder")
        self.assertEqual(head[6:], ["sustained TFLOPS", "% of cuBLAS, sustained"])
        self.assertEqual(body[8][2], "**825**")
        self.assertEqual(body[8][6:], ["660", "104.4%"])
        self.assertEqual(body[10][6], "632")

    def test_ladder_of_both_boards(self):
        self.record(synthetic.run(), "h200_burst.json")
        self.assertEqual(len(self.table("ladder")[0]), 6)
        self.assertIn("An H100 has not been recorded yet", (self.root / "README.md").read_text("utf-8"))
        second = synthetic.run(8, scale=0.9)
        second["device"]["name"] = "NVIDIA H100 80GB HBM3"
        self.record(second, "h100_burst.json")
        head, *body = self.table("ladder")
        self.assertEqual(head[6:], ["H100 TFLOPS", "% of cuBLAS, H100"])
        self.assertEqual(body[7][6:], ["702", "98.7%"])
        self.assertEqual(body[8][6:], ["–", "–"])
        self.assertEqual(body[10][6], "711")

    def test_an_aside_s_row_leads_to_its_folder(self):
        self.record(synthetic.run(), "h200_burst.json")
        (self.root / "09_hilbert_schedule" / "every_shape").mkdir(parents=True)
        _, *body = self.table("ladder")
        self.assertEqual(body[9][0], "[Every shape](09_hilbert_schedule/every_shape/)")

    def test_the_headline_counts_the_sweep_s_shapes(self):
        data = synthetic.run()
        self.record(data, "h200_burst.json")
        data["rows"] = [
            synthetic.row("every_shape", 64 * i, 500 * share, cublas=500.0)
            for i, share in enumerate((0.5, 0.96, 1.02, 1.1), start=1)
        ]
        self.record(data, "h200_sweep.json")
        page = self.page(block("headline every_shape"))
        tables.update(self.root)
        text = page.read_text(encoding="utf-8")
        self.assertIn("Over [4 shapes](every_shape/README.md)", text)
        self.assertIn("faster at 2, at 95% of it or more at 3; ", text)
        self.assertIn("the lowest 50.0%", text)

    def test_ladder_with_a_chapter_left_out(self):
        self.record(synthetic.run(), "h200_burst.json")
        _, *body = self.table("ladder size=16384")
        self.assertEqual(body[0][2], f"left out: {synthetic.TOO_SLOW}")
        self.assertEqual(body[1][2:4], ["**22.0**", "–"])

    def test_links_lead_from_the_page_to_the_chapter(self):
        self.record(synthetic.run(3), "h200_burst.json")
        _, *body = self.table("ladder", "common/harness/README.md")
        self.assertEqual(body[0][0], "[01 Naive](../../01_naive/)")

    def test_chapter(self):
        self.record(synthetic.run(), "h200_burst.json")
        head, *body = self.table("chapter 02_smem_tiling sizes=2048,4096")
        self.assertEqual(head[0], "M = N = K")
        self.assertEqual(
            body,
            [
                ["2048", "main (default)", "19.8 [19.8, 19.9]", "2.8%", "31.1%", "1655", "640"],
                ["4096", "main (default)", "22.0 [22.0, 22.1]", "2.8%", "34.6%", "1655", "640"],
                ["4096", "scalar", "18.5 [18.5, 18.6]", "2.3%", "29.1%", "1655", "640"],
            ],
        )

    def test_chapter_on_cold_operands(self):
        data = synthetic.run()
        self.record(data, "h200_burst.json")
        _, *body = self.table("chapter 02_smem_tiling sizes=2048 inputs=cold")
        self.assertEqual(body[0][0], "not measured yet")
        data["method"]["cold"] = True
        data["rows"] = [row for row in data["rows"] if row["m"] == 2048]
        self.record(data, "h200_cold.json")
        _, *body = self.table("chapter 02_smem_tiling inputs=cold")
        self.assertEqual([row[0] for row in body], ["2048"])
        with self.assertRaisesRegex(results.ResultError, "inputs=warm: expected any or cold"):
            self.table("chapter 02_smem_tiling inputs=warm")

    def test_chapter_in_both_modes_with_other_shapes_and_gaps(self):
        data = synthetic.run(3)
        data["rows"].append(
            {**synthetic.row("01_naive", 128, 0.3, cublas=None), "n": 8192, "sm_mhz": None}
        )
        self.record(data, "h200_burst.json")
        self.record(synthetic.run(3, "sustained"), "h200_sustained.json")
        head, *body = self.table("chapter 01_naive")
        self.assertEqual(head[:3], ["M×N×K", "variant", "mode"])
        self.assertEqual(len(body), 5 + 1 + 5)
        self.assertEqual(body[4][0], "16384×16384×16384")
        self.assertEqual(body[4][3], f"left out: {synthetic.TOO_SLOW}")
        self.assertEqual(body[5][0], "128×8192×128")
        self.assertEqual(body[5][4:], ["–", "0.5%", "–", "640"])
        self.assertEqual([row[2] for row in body], 6 * ["burst"] + 5 * ["sustained"])

    def test_named_shapes_and_variants(self):
        data = synthetic.run(3)
        data["rows"].append({**synthetic.row("01_naive", 128, 0.3, cublas=None), "n": 8192})
        self.record(data, "h200_burst.json")
        _, *body = self.table("chapter 01_naive shapes=128x8192x128 sizes=2048")
        self.assertEqual([row[0] for row in body], ["2048×2048×2048", "128×8192×128"])
        _, *body = self.table("chapter 02_smem_tiling sizes=4096 variants=scalar")
        self.assertEqual([row[1] for row in body], ["scalar"])
        self.assertIn("MxNxK", self.refusal(block("chapter 01_naive shapes=128x8192")))
        _, *body = self.table("chapter 02_smem_tiling sizes=4096 variants=scalar,not_yet")
        self.assertEqual([row[1:3] for row in body][1], ["not_yet", "not measured yet"])

    def test_counters(self):
        self.record(synthetic.counters(), "cpu_counters.json")
        head, *body = self.table("counters 02_smem_tiling")
        self.assertEqual(head, ["variant", "global load sectors per request"])
        self.assertEqual(body, [["main (default)", "2.00"], ["scalar", "8.50"]])
        head, *body = self.table("counters 02_smem_tiling columns=global_load_requests")
        self.assertEqual(head, ["variant", "global load requests"])
        self.assertEqual(body, [["main (default)", "40,960"], ["scalar", "40,960"]])
        self.assertIn(
            "global_load_moods",
            self.refusal(block("counters 02_smem_tiling columns=global_load_moods")),
        )

    def test_counters_without_ratios(self):
        data = synthetic.counters()
        for row in data["rows"]:
            row["counters"] = {"tma_load_bytes": 4096, "fma_flops": 0, "stmatrix_requests": 0}
        data["rows"][0]["counters"]["stmatrix_requests"] = 7
        self.record(data, "cpu_counters.json")
        head, *body = self.table("counters 02_smem_tiling")
        self.assertEqual(head, ["variant", "tma load bytes", "stmatrix requests"])
        self.assertEqual(body, [["main (default)", "4,096", "0"], ["scalar", "4,096", "7"]])

    def test_ceilings(self):
        data = synthetic.run(3)
        data["ceilings"].update(mma_sync=None, wgmma=None)
        self.record(data, "h200_burst.json")
        _, *body = self.table("ceilings")
        names = "01 Naive, 02 Shared-memory tiling, 03 Warp tiling"
        self.assertEqual(
            body, [["FFMA", names, "63.6 TFLOPS"], ["copy, read + write", "", "4.27 TB/s"]]
        )

    def test_cpu_speed(self):
        self.record(synthetic.launches(), "cpu_speed.json")
        head, *body = self.table("cpu_speed")
        self.assertEqual(head, ["M = N = K", "one launch"])
        self.assertEqual(body, [["512", "120 ms"], ["1024", "1.04 s"]])
        text = (self.root / "README.md").read_text(encoding="utf-8")
        for word in ("Some CPU, 2 threads", "g++ 12", "median of 5 launches", "commit abc1234"):
            self.assertIn(word, text)

    def test_nothing_recorded_yet(self):
        for marker in (
            "ladder",
            "chapter 01_naive",
            "counters 01_naive",
            "ceilings",
            "hardware_counters",
            "hardware_counters of=asynchronous",
            "hardware_counters of=l2",
            "l2 01_naive",
            "cpu_speed",
        ):
            with self.subTest(marker=marker):
                _, *body = self.table(marker)
                self.assertEqual(len(body), 1)
                self.assertEqual(body[0][0], "not measured yet")
                self.assertEqual(set(body[0][1:]), {""})

    def test_a_chapter_that_the_recorded_run_does_not_know(self):
        self.record(synthetic.run(3), "h200_burst.json")
        _, *body = self.table("chapter 05_swizzle_pipeline")
        self.assertEqual(body[0][0], "not measured yet")


class Markers(Repository):
    def setUp(self):
        super().setUp()
        self.record(synthetic.run(3), "h200_burst.json")

    def test_only_what_lies_between_markers_changes(self):
        page = self.page("before\n" + block("ceilings", "outdated\nlines\n") + "after, no newline")
        tables.update(self.root)
        text = page.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("before\n<!-- table:ceilings -->\n\n| ceiling"), text)
        self.assertTrue(text.endswith("\n<!-- /table -->\nafter, no newline"), text)
        self.assertNotIn("outdated", text)

    def test_markers_in_code_blocks_are_shown_not_used(self):
        text = (
            "```\n" + block("ceilings", "example\n") + "```\n~~~ md\n" + block("nonsense") + "~~~\n"
        )
        page = self.page(text)
        self.assertEqual(tables.update(self.root), [])
        self.assertEqual(page.read_text(encoding="utf-8"), text)

    def test_build_folders_are_left_alone(self):
        for name in ("build/x/README.md", ".venv/README.md", "out/README.md"):
            self.page(block("nonsense"), name)
        self.page("", "out/CMakeCache.txt")
        self.assertEqual(tables.update(self.root), [])

    def test_what_cannot_be_understood(self):
        for text, line, words in (
            ("\n" + block("laddr"), 2, "unknown table 'laddr'"),
            ("<!-- table: -->\n<!-- /table -->\n", 1, "names no table"),
            ("a\nb\n<!-- table:ladder -->\n| x |\n", 3, "no <!-- /table -->"),
            ("<!-- table:ladder -->\n" + block("ceilings"), 1, "no <!-- /table --> before"),
            ("\n\n<!-- /table -->\n", 3, "without a table"),
            (block("chapter"), 1, "needs the name of one chapter"),
            (block("chapter 01_naive 02_smem_tiling"), 1, "needs the name of one chapter"),
            (block("ladder 4096"), 1, "does not know '4096'"),
            (block("ladder colour=red"), 1, "does not know 'colour'"),
            (block("ladder size=big"), 1, "'big'"),
            (block("chapter 01_naive sizes=1024,-1"), 1, "'-1'"),
            (block("ladder dtype=fp8"), 1, "bf16 or fp16"),
            (block("hardware_counters of=moods"), 1, "accesses, asynchronous, l2"),
        ):
            with self.subTest(text=text):
                message = self.refusal(text)
                self.assertTrue(message.startswith(f"README.md:{line}: "), message)
                self.assertIn(words, message)

    def test_nothing_is_written_when_one_page_is_broken(self):
        good = self.page(block("ceilings"), "01_naive/README.md")
        self.refusal(block("laddr"))
        self.assertEqual(good.read_text(encoding="utf-8"), block("ceilings"))


class Script(Repository):
    def test_check_names_what_is_out_of_date_and_writes_nothing(self):
        self.record(synthetic.run(3), "h200_burst.json")
        page = self.page(block("ceilings"), "03_warptiling/README.md")
        fresh = synthetic.script("tables.py", "--root", self.root)
        self.assertEqual((fresh.returncode, fresh.stderr), (0, ""))
        current = synthetic.script("tables.py", "--root", self.root, "--check")
        self.assertEqual((current.returncode, current.stdout, current.stderr), (0, "", ""))

        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("63.6", "99.9"), encoding="utf-8")
        stale = synthetic.script("tables.py", "--root", self.root, "--check")
        self.assertEqual(stale.returncode, 1)
        self.assertTrue(stale.stderr.startswith("03_warptiling/README.md: "), stale.stderr)
        self.assertIn("99.9", page.read_text(encoding="utf-8"))

        synthetic.script("tables.py", "--root", self.root)
        self.assertEqual(page.read_text(encoding="utf-8"), text)

    def test_the_gallery_table_comes_from_its_program(self):
        old = "\n| old |\n| --- |\n\n"
        page = self.page(block("gallery", old))
        self.assertEqual(synthetic.script("tables.py", "--root", self.root).returncode, 0)
        self.assertEqual(page.read_text(encoding="utf-8"), block("gallery", old))

        printed = self.root / "printed.md"
        printed.write_text("| new |\n| --- |\n", encoding="utf-8")
        given = ("--root", self.root, "--gallery", printed)
        self.assertEqual(synthetic.script("tables.py", *given, "--check").returncode, 1)
        self.assertEqual(synthetic.script("tables.py", *given).returncode, 0)
        self.assertEqual(
            page.read_text(encoding="utf-8"), block("gallery", "\n| new |\n| --- |\n\n")
        )
        self.assertEqual(synthetic.script("tables.py", *given, "--check").returncode, 0)

        printed.write_text("an error\n", encoding="utf-8")
        refused = synthetic.script("tables.py", *given)
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (2, 1))


class Committed(unittest.TestCase):
    def test_committed_tables_are_what_the_recorded_results_give(self):
        self.assertEqual(tables.update(results.ROOT, check=True), [], "run plots/tables.py")


if __name__ == "__main__":
    unittest.main()
