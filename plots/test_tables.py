"""Result files and the tables that are made of them."""

import unittest

import results
import synthetic
import tables
from cli import ROOT, ResultError
from synthetic import Repository, counters, row

MIB = 2**20


class Recorded(unittest.TestCase):
    def test_the_pages_hold_what_was_recorded(self):
        self.assertEqual(tables.update(ROOT, check=True), [], "run plots/tables.py")


class Tables(Repository):
    def table(self, marker: str) -> list[list[str]]:
        """The cells of a marker's table, its head first."""
        self.write("README.md", f"<!-- table:{marker} -->\n<!-- /table -->\n")
        tables.update(self.root)
        self.text = self.page.read_text(encoding="utf-8")
        lines = [line for line in self.text.splitlines() if line.startswith("|")]
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
        return [*cells[:1], *cells[2:]]

    def test_ladder(self):
        self.record("h200_burst", synthetic.run())
        self.assertEqual(len(self.table("ladder")[0]), 6)
        self.record("h200_sustained", synthetic.run("sustained", 0.8))
        second = {"name": "NVIDIA H100 80GB HBM3"}
        self.record("h100_burst", {**synthetic.run(scale=0.9), "device": second})
        (self.root / "09_hilbert_schedule" / "every_shape").mkdir(parents=True)
        head, naive, tiled, _, every_shape, cublas = self.table("ladder")
        self.assertEqual(head[7:9], ["% of cuBLAS, sustained", "H100 TFLOPS"])
        self.assertEqual(naive[2:4], ["**0.50**", ""])
        self.assertEqual(tiled[:2], ["[02 Shared-memory tiling](02_smem_tiling/)", "an idea"])
        self.assertEqual(tiled[2:6], ["**22.0**", "44×", "2.8%", "34.6% FFMA"])
        self.assertEqual(tiled[6:], ["17.6", "2.2%", "19.8", "2.5%"])
        self.assertEqual(every_shape[0], "[Every shape](09_hilbert_schedule/every_shape/)")
        self.assertEqual(cublas[2:], ["**790**", "", "", "", "632", "", "711", ""])
        naive, tiled = self.table("ladder size=8192")[1:3]
        self.assertEqual([naive[2], tiled[3]], [f"left out: {synthetic.TOO_SLOW}", "–"])

    def test_chapter_headline_and_ceilings(self):
        self.record("h200_burst", synthetic.run())
        asked = "chapter 02_smem_tiling sizes=4096 variants=default,scalar,gone"
        first, second, third = self.table(asked)[1:]
        cells = ["4096", "main (default)", "22.0 [22.0, 22.1]", "2.8%", "34.6%"]
        self.assertEqual(first, cells)
        self.assertEqual(second[1:3], ["scalar", "18.5 [18.5, 18.6]"])
        self.assertEqual(third[:3], ["–", "gone", "not measured yet"])
        self.record("h200_cold", synthetic.file([row("02_smem_tiling", 128, 7, None, n=512)]))
        (cells,) = self.table("chapter 02_smem_tiling run=cold shapes=128x512x128")[1:]
        self.assertEqual((cells[0], cells[3]), ("128×512×128", "–"))
        second = {"name": "NVIDIA H100 80GB HBM3"}
        self.record("h100_cold", {**synthetic.file([row("02_smem_tiling", 64, 5, 10)]), "device": second})
        (cells,) = self.table("chapter 02_smem_tiling run=cold device=h100")[1:]
        self.assertEqual((cells[0], cells[3]), ("64", "50.0%"))
        self.assertIn("H100", self.text)
        with self.assertRaisesRegex(ResultError, "device=h300"):
            self.table("chapter 02_smem_tiling device=h300")
        ceiling = ["FFMA", "01 Naive, 02 Shared-memory tiling", "63.6 TFLOPS"]
        self.assertEqual(self.table("ceilings")[1], ceiling)
        self.table("headline every_shape")
        self.assertIn("at 2 of the 2 square sizes recorded, by up to 5.1%**", self.text)

    def test_sweeps(self):
        for seed in (11, 12, 13):
            for device in ("H100", "H200"):
                rows = [row("every_shape", size, seed, 12) for size in (64, 72)]
                rows.append(row("every_shape", 64, 2 * seed, 12, variant="overlapped"))
                slow = {"dram_bytes_per_second": 1.0} if device == "H100" else {}
                run = synthetic.file(rows, device={"name": device, **slow})
                run["method"]["sweep_seed"] = seed
                self.record(f"{device.lower()}_sweep_{seed}", run)
        every, last = self.table("sweeps"), self.table("sweeps last=2")
        self.assertEqual([cells[:2] for cells in last[1:]], [[d, s] for d in ("H100", "H200") for s in ("12", "13")])
        self.assertEqual((len(every), every[1][2:4], every[1][-3:]), (7, ["2", "0.917"], ["0.00%", "0.00%", "1.833"]))
        self.assertEqual(last[-1], every[-1][:-1])
        begins = [cells[1:3] for cells in self.table("aligned last=2")[1:]]
        self.assertEqual(begins, 2 * [["128 bytes", "2"], ["16 bytes", "2"]])
        self.assertIn("few tiles", self.table("worst")[1][-1])
        self.assertEqual(self.table("worst device=h100")[1][0::4], ["64", "A, B and C take DRAM most of the time"])
        self.record("h200_known", synthetic.run())
        self.table("headline every_shape run=known")
        self.assertRegex(self.text, "for.* 104.1% of cuBLAS on an H200 .at 4 shapes of 2 seeds, 100.0% .* on an H100 ")

    def test_gain(self):
        self.record("h200_burst", synthetic.run())
        self.table("gain 02_smem_tiling")
        self.assertIn("at **22.0 TFLOPS**, 2.8% of cuBLAS. Chapter 01 runs at 0.50 TFLOPS", self.text)
        self.assertIn("this chapter is 44 times as fast.\n", self.text)
        self.record("h100_burst", {**synthetic.run(scale=0.9), "device": {"name": "NVIDIA H100"}})
        self.table("gain 01_naive")
        self.assertIn("\nOn an NVIDIA H100 this chapter runs at **0.45 TFLOPS**, 0.06% of", self.text)
        self.assertNotIn("as fast", self.text)
        self.table("gain 01_naive size=8192")
        self.assertIn("Not measured yet.", self.text)

    def test_verdicts_are_kept(self):
        asked = "verdicts 02_smem_tiling sizes=4096,8192"
        rows = "-->\n| variant | verdict |\n|---|---|\n| `scalar` | | slow \\| plain |\n| gone | | so |\n<!--"
        text = f"<!-- table:{asked} {rows} /table -->\n"
        by_hand, recorded = self.write("README.md", text), ["main (default)", "22.0", "100.0%"]
        tables.update(self.root)
        self.assertIn("| scalar | not measured yet |  |  |  | slow \\| plain |", by_hand.read_text())
        self.record("h200_burst", synthetic.run())
        tables.update(self.root)
        lines = by_hand.read_text().splitlines()
        self.assertEqual(lines[4:7], [
            f"| {' | '.join([*recorded, *recorded[1:], ''])} |",
            "| scalar | 18.5 | 84.1% | not measured |  | slow \\| plain |",
            "| gone | not measured yet |  |  |  | so |",
        ])  # fmt: skip
        self.assertEqual(tables.update(self.root, check=True), [])

    def test_code_is_quoted(self):
        self.write("01_naive/kernel.cuh", "void f() {\n  if (a)\n    b = \"c\";\n\n}\n")
        page = self.write("01_naive/README.md", "")

        def quoted(asked: str) -> list[str]:
            page.write_text(f"<!-- code:{asked} -->\n```cpp\nold\n```\n<!-- /code -->\n")
            tables.update(self.root)
            return page.read_text().splitlines()[2:-2]

        block = ["```cpp", "if (a)", '  b = "c";', "```"]
        self.assertEqual(quoted('kernel.cuh first="if (a" lines=2'), block)
        self.assertEqual(tables.update(self.root, check=True), [])
        for asked, words in (
            ("gone.cuh first=a lines=1", "no such file"), ("kernel.cuh first=x lines=1", "no line"),
            ("kernel.cuh first=f lines=1", "lines 1, 2"), ("kernel.cuh first=void lines=6", "5 lines"),
            ("kernel.cuh lines=1", "first"), ('kernel.cuh first="', "quotation"), ("", "file"),
        ):  # fmt: skip
            line = rf"\A01_naive/README.md:1: code '[^\n]*{words}[^\n]*\Z"
            with self.assertRaisesRegex(ResultError, line):
                quoted(asked)

    def test_counters_of_both_sides(self):
        first = {"global_load_sectors": 96, "shared_load_wavefronts": 64, "ldmatrix_wavefronts": 32}
        second = {"global_load_sectors": 8, "ratio_per_request": 2.5, "tma_load_bytes": 6400}
        self.record("cpu_counters", counters("CPU backend", first, second))
        body = self.table("counters 02_smem_tiling columns=ratio_per_request")[1:]
        self.assertEqual(body, [["main (default)", "–"], ["scalar", "2.50"]])
        # What the CPU backend keeps apart, ncu adds up; bytes from the L2 are sectors there.
        first = {"global_load_sectors": 96, "shared_load_wavefronts": 96}
        second = {"global_load_sectors": 10, "l2_read_sectors": 250, "other": 1}
        self.record("h200_counters", counters("NVIDIA H200", first, second))
        body = [cells[2:] for cells in self.table("hardware_counters")[1:]]
        self.assertEqual(body, [["96", "96", "none"], ["8 / 10", "–", "20%"]])
        (body,) = self.table("hardware_counters of=l2 chapter=02_smem_tiling")[1:]
        self.assertEqual(body[1:], ["scalar", "6,400 / 8,000", "20%"])
        for device in ("cpu", "h200"):
            same = (self.root / f"plots/results/{device}_counters.json").read_text()
            self.write(f"plots/results/large_{device}_counters.json", same)
        (body,) = self.table("hardware_counters of=chapters")[1:]
        self.assertEqual(body[1], "main (default)")
        self.record("h200_counters", counters("NVIDIA H200", first, second, commit="other"))
        self.assertEqual([cells[1] for cells in self.table("hardware_counters")[1:]], ["scalar"])

    def test_l2(self):
        counted = {"l2_model_lines": 100 * MIB / 128, "l2_model_hits": 75 * MIB / 128}
        self.record("l2_cpu_counters", counters("CPU backend", counted))
        counted = {"l2_read_sectors": 110 * MIB / 32, "dram_read_bytes": 30 * MIB, "sm_cycles": 400}
        counted |= {"smem_bank_reads": 7000, "smem_bank_writes": 5000, "tensor_flops": 300 * 4096}
        self.record("l2_h200_counters", counters("NVIDIA H200", counted))
        cells = ["100", "75.0%", "25", "110", "30", "–", "120", "75.0%"]
        self.assertEqual(self.table("l2 02_smem_tiling")[1], ["256", "main (default)", *cells])
        model, ncu = self.table("l2 02_smem_tiling scale=2")[1:]
        self.assertEqual(model[:5], ["256×256×512", "main (default)", "200", "75.0%", "50"])
        self.assertEqual(ncu[2:], ["–", "–", "–", *cells[3:]])

    def test_what_cannot_be_used_is_refused_in_one_line(self):
        for marker in ("ladder", "chapter 01_naive", "counters 01_naive columns=x", "ceilings"):
            self.assertEqual(self.table(marker)[1][0], "not measured yet")
        for marker, words in (
            ("laddr", "unknown table"), ("chapter", "name"), ("ladder colour=red", "colour"),
            ("ladder size=big", "'big'"), ("hardware_counters of=moods", "accesses or"),
            ("verdicts 01_naive", "sizes="),
            ("ladder -->\n<!-- table:x", "other half"),
        ):  # fmt: skip
            with self.assertRaisesRegex(ResultError, rf"README.md:1: .*{words}"):
                self.table(marker)
        for change in ({"schema": 2}, {"rows": [{}]}, {"rows": 2 * [row("01_naive", 8, 1)]}):
            path = self.record("x", {**synthetic.run(), **change})
            with self.assertRaisesRegex(ResultError, rf"\A{path}: [^\n]+\Z"):
                results.load(path)

    def test_check_names_an_edited_number_and_writes_nothing(self):
        self.record("h200_burst", synthetic.run())
        self.table("ceilings")
        text = f"{self.text}```\n<!-- table:shown in code -->\n```\n"
        self.write("README.md", text.replace("63.6", "99.9"))
        script, given = synthetic.PLOTS / "tables.py", ("--root", self.root)
        done = self.script(script, *given, "--check")
        self.assertEqual((done.returncode, done.stderr.split(":")[0]), (1, "README.md"))
        self.assertIn("99.9", self.page.read_text(encoding="utf-8"))
        self.assertEqual(self.script(script, *given).returncode, 0)
        self.assertEqual(self.page.read_text(encoding="utf-8"), text)
        self.assertEqual(self.script(script, *given, "--check").returncode, 0)

    def test_the_gallery_table_comes_from_its_program(self):
        self.write("README.md", "<!-- table:gallery -->\n\n| old |\n\n<!-- /table -->\n")
        self.assertEqual(tables.update(self.root), [])
        tables.update(self.root, gallery=["| new |"])
        self.assertIn("\n\n| new |\n\n", self.page.read_text(encoding="utf-8"))
