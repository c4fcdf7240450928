"""Result files and the tables that are made of them."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import results
import synthetic
import tables
from cli import ROOT, ResultError
from synthetic import Repository, counters, row

RESULTS = ROOT / "plots" / "results"


class Recorded(unittest.TestCase):
    def test_every_result_file_is_read_as_it_stands(self):
        read = 0
        for path in RESULTS.glob("*.json"):
            data = json.loads(path.read_text(encoding="utf-8"))
            if "chapters" not in data:
                continue  # pytorch's, and what demonstrations printed: drawn in test_figures.py
            with self.subTest(path.name):
                run = results.load(path)
                self.assertEqual(len(run.rows), len(data["rows"]))
                for theirs, ours in zip(data["rows"], run.rows.to_dict("records")):
                    for name in ("chapter", "m", "k", "gflops_median", "sm_mhz", "ms_median"):
                        if theirs.get(name) is not None:
                            self.assertEqual(ours[name], theirs[name])
                read += 1
        self.assertGreater(read, 15)

    def test_the_pages_hold_what_was_recorded(self):
        self.assertEqual(tables.update(ROOT, check=True), [], "run plots/tables.py")
        data = json.loads((RESULTS / "h200_burst.json").read_text(encoding="utf-8"))
        lines = tables.chapter(tables.Page(ROOT), "01_naive", sizes="4096")
        wanted = ("01_naive", "default", 4096, 4096, 4096)
        (found,) = [r for r in data["rows"] if tuple(r[k] for k in results.KEY[:5]) == wanted]
        self.assertIn(f"| {found['gflops_median'] / 1000:.2f} [", lines[2])
        self.assertIn(f"| {100 * found['gflops_median'] / found['cublas_gflops']:.2f}% |", lines[2])

    def test_what_is_no_result_is_refused_in_one_line(self):
        for change in ({"schema": 2}, {"rows": [{}]}, {"method": {"mode": "sustained"}},
                       {"rows": [row("10_next", 8, 1)]}, {"rows": 2 * [row("01_naive", 8, 1)]}):  # fmt: skip
            with self.subTest(change), self.assertRaises(ResultError) as caught:
                test = Repository()
                test.setUp()
                results.load(test.record("x", {**synthetic.run(), **change}))
            self.assertRegex(str(caught.exception), r"\A\S+x.json: [^\n]+\Z")
            test.doCleanups()

    def test_numbers_in_words(self):
        rates = (521, 994, 995, 47123, 99940, 99960, 824600, float("nan"))
        said = ["0.52", "0.99", "1.0", "47.1", "99.9", "100", "825", "–"]
        self.assertEqual([results.tflops(rate) for rate in rates], said)
        ratios = (float("nan"), 0.97, 1.994, 1.996, 9.96, 44.2)
        said = ["–", "0.97×", "1.99×", "2.0×", "10×", "44×"]
        self.assertEqual([results.times(ratio) for ratio in ratios], said)
        shares = [results.percent(share) for share in (0.0006, 0.0094, 1.0443)]
        self.assertEqual(shares, ["0.06%", "0.9%", "104.4%"])


class Tables(Repository):
    def table(self, marker: str) -> list[list[str]]:
        """The cells of a marker's table, its head first."""
        self.page.write_text(f"<!-- table:{marker} -->\n<!-- /table -->\n", encoding="utf-8")
        tables.update(self.root)
        self.text = self.page.read_text(encoding="utf-8")
        lines = [line for line in self.text.splitlines() if line.startswith("|")]
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
        return [*cells[:1], *cells[2:]]

    def test_ladder(self):
        self.record("h200_burst", synthetic.run())
        self.assertEqual(len(self.table("ladder")[0]), 6)
        self.record("h200_sustained", synthetic.run("sustained", 0.8))
        second = {**synthetic.run(scale=0.9), "device": {"name": "NVIDIA H100 80GB HBM3"}}
        self.record("h100_burst", second)
        (self.root / "09_hilbert_schedule" / "every_shape").mkdir(parents=True)
        head, naive, tiled, _, every_shape, cublas = self.table("ladder")
        self.assertEqual(head[6:], ["sustained TFLOPS", "% of cuBLAS, sustained",
                                    "H100 TFLOPS", "% of cuBLAS, H100"])  # fmt: skip
        self.assertEqual(naive[2:4], ["**0.50**", ""])
        self.assertEqual(tiled[:2], ["[02 Shared-memory tiling](02_smem_tiling/)", "idea of Shared-memory tiling"])
        self.assertEqual(tiled[2:], ["**22.0**", "44×", "2.8%", "34.6% FFMA", "17.6", "2.2%", "19.8", "2.5%"])
        self.assertEqual(every_shape[0], "[Every shape](09_hilbert_schedule/every_shape/)")
        self.assertEqual(cublas[2:], ["**790**", "", "", "", "632", "", "711", ""])
        naive, tiled = self.table("ladder size=8192")[1:3]
        self.assertEqual([naive[2], tiled[3]], [f"left out: {synthetic.TOO_SLOW}", "–"])

    def test_chapter_headline_and_ceilings(self):
        self.record("h200_burst", synthetic.run())
        body = self.table("chapter 02_smem_tiling sizes=4096 variants=default,scalar,gone")[1:]
        self.assertEqual(body[0], ["4096", "main (default)", "22.0 [22.0, 22.1]", "2.8%", "34.6%", "1655", "640"])
        self.assertEqual(body[1][1:3], ["scalar", "18.5 [18.5, 18.6]"])
        self.assertEqual(body[2][:3], ["–", "gone", "not measured yet"])
        self.assertEqual(self.table("chapter 02_smem_tiling inputs=cold")[1][0], "not measured yet")
        self.record("h200_cold", synthetic.file([row("02_smem_tiling", 128, 7, None, n=512)]))
        body = self.table("chapter 02_smem_tiling inputs=cold shapes=128x512x128")[1:]
        self.assertEqual([cells[0] for cells in body], ["128×512×128"])
        self.assertEqual(body[0][3], "–")
        self.assertEqual(self.table("ceilings")[1][1:], ["01 Naive, 02 Shared-memory tiling", "63.6 TFLOPS"])
        self.record("h200_sweep", synthetic.file([row("every_shape", n, 800) for n in (8, 16)]))
        self.table("headline every_shape")
        self.assertIn("ahead of cuBLAS at 2 of the 2 square sizes recorded, by up to 5.1%**", self.text)
        self.assertIn("Over [2 shapes](every_shape/README.md)", self.text)

    def test_counters_of_both_sides(self):
        first = {"global_load_sectors": 4096, "shared_load_wavefronts": 64, "ldmatrix_wavefronts": 32}
        second = {"global_load_sectors": 8, "ratio_per_request": 2.5, "tma_load_bytes": 6400}
        self.record("cpu_counters", counters("CPU backend", first, second))
        table = self.table("counters 02_smem_tiling")
        self.assertEqual(table, [["variant", "ratio per request"], ["main (default)", "–"], ["scalar", "2.50"]])
        table = self.table("counters 02_smem_tiling columns=global_load_sectors")
        self.assertEqual([cells[1] for cells in table[1:]], ["4,096", "8"])
        # What the CPU backend keeps apart, ncu adds up; bytes from the L2 are sectors there.
        theirs = {"global_load_sectors": 4096, "shared_load_wavefronts": 96}
        more = {"global_load_sectors": 10, "l2_read_sectors": 250, "other": 1}
        self.record("h200_counters", counters("NVIDIA H200", theirs, more))
        head, *body = self.table("hardware_counters")
        self.assertEqual(head[2:], ["sectors loaded", "wavefronts, shared loads", "largest difference"])
        self.assertEqual([cells[2:] for cells in body], [["4,096", "96", "none"], ["8 / 10", "–", "20%"]])
        _, body = self.table("hardware_counters of=l2 chapter=02_smem_tiling")
        self.assertEqual(body[1:], ["scalar", "6,400 / 8,000", "20%"])
        _, body = self.table("hardware_counters of=chapters")
        self.assertEqual(body[1], "main (default)")
        self.record("h200_counters", counters("NVIDIA H200", theirs, more, commit="other"))
        self.assertEqual([cells[1] for cells in self.table("hardware_counters")[1:]], ["scalar"])

    def test_l2(self):
        mib = 2**20
        counted = {"l2_model_lines": 100 * mib / 128, "l2_model_hits": 75 * mib / 128}
        self.record("l2_cpu_counters", counters("CPU backend", counted))
        counted = {"l2_read_sectors": 110 * mib / 32, "dram_read_bytes": 30 * mib, "sm_cycles": 400}
        counted |= {"smem_bank_reads": 7000, "smem_bank_writes": 5000, "tensor_flops": 300 * 4096}
        self.record("l2_h200_counters", counters("NVIDIA H200", counted))
        body = self.table("l2 02_smem_tiling")[1:]
        cells = ["100", "75.0%", "25", "110", "30", "–", "120", "75.0%"]
        self.assertEqual(body, [["256", "main (default)", *cells]])
        body = self.table("l2 02_smem_tiling scale=2")[1:]
        self.assertEqual(body[0][:5], ["256×256×512", "main (default)", "200", "75.0%", "50"])
        self.assertEqual(body[1][2:], ["–", "–", "–", *cells[3:]])

    def test_cpu_speed_and_pytorch(self):
        rows = [{"chapter": "01_naive", "variant": "default", **dict.fromkeys("mnk", n), "ms_median": ms}
                for n, ms in ((512, 119.6), (1024, 1040.0))]  # fmt: skip
        self.record("cpu_speed", synthetic.file(rows, "launch"))
        self.assertEqual(self.table("cpu_speed")[1:], [["512", "120 ms"], ["1024", "1.04 s"]])
        rates = {"linear_bias_relu": 800, "torch_bias_relu": 600, "linear": 810, "torch": 805}
        rows = [{"name": name, **dict.fromkeys("mnk", 64), "mode": "burst", "tflops": rate, "host_us": 12.4}
                for name, rate in rates.items()]  # fmt: skip
        software, method = {"torch": "2.11.0", "driver": "580.1"}, {"burst": {"rounds": 15}}
        self.record("pytorch_h200", {**synthetic.run(), "software": software, "method": method, "rows": rows})
        self.assertEqual(self.table("pytorch")[1], ["64", "800", "600", "–", "1.33×", "12 µs"])
        self.assertEqual(self.table("pytorch kind=plain")[1], ["64", "810", "805", "1.01×", "12 µs"])

    def test_nothing_recorded_yet(self):
        for marker in ("ladder", "chapter 01_naive", "counters 01_naive", "ceilings", "hardware_counters",
                       "l2 01_naive", "cpu_speed", "pytorch"):  # fmt: skip
            with self.subTest(marker):
                (cells,) = self.table(marker)[1:]
                self.assertEqual((cells[0], set(cells[1:])), ("not measured yet", {""}))

    def test_markers_that_cannot_be_understood(self):
        for marker, words in (
            ("laddr", "unknown table"), ("", "unknown table"), ("chapter", "name"),
            ("chapter 01_naive 02_x", "too many"), ("ladder colour=red", "colour"),
            ("ladder size=big", "'big'"), ("ladder dtype=fp8", "bf16 or fp16"),
            ("hardware_counters of=moods", "accesses or"), ("ladder -->\n<!-- table:x", "other half"),
        ):  # fmt: skip
            with self.subTest(marker), self.assertRaisesRegex(ResultError, rf"README.md:1: .*{words}"):
                self.table(marker)
        text = "```\n<!-- table:x -->\n<!-- /table -->\n```\n"
        self.page.write_text(text, encoding="utf-8")
        self.assertEqual(tables.update(self.root), [])

    def test_check_names_an_edited_number_and_writes_nothing(self):
        self.record("h200_burst", synthetic.run())
        self.table("ceilings")
        script, given = synthetic.PLOTS / "tables.py", ("--root", self.root)
        self.assertEqual(self.script(script, *given, "--check").returncode, 0)
        self.page.write_text(self.text.replace("63.6", "99.9"), encoding="utf-8")
        done = self.script(script, *given, "--check")
        self.assertEqual((done.returncode, done.stderr.split(":")[0]), (1, "README.md"))
        self.assertIn("99.9", self.page.read_text(encoding="utf-8"))
        self.assertEqual(self.script(script, *given).returncode, 0)
        self.assertEqual(self.page.read_text(encoding="utf-8"), self.text)

    def test_the_gallery_table_comes_from_its_program(self):
        self.page.write_text("<!-- table:gallery -->\n\n| old |\n\n<!-- /table -->\n", encoding="utf-8")
        self.assertEqual(tables.update(self.root), [])
        tables.update(self.root, gallery=["| new |"])
        self.assertIn("\n\n| new |\n\n", self.page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
