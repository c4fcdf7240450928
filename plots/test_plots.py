"""The figures: what they say, that it can be read, and that they come out the same every time."""

from __future__ import annotations

import itertools
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cli
import results
import synthetic
from results import ResultError

MISSING = cli.matplotlib_missing()
if not MISSING:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    import speedup
    import style
    import tflops

SVG = "{http://www.w3.org/2000/svg}"
LABELS = [f"{name[:2]} {title}" for name, title, _, _ in synthetic.LADDER]


def load(data: dict) -> results.Results:
    with tempfile.TemporaryDirectory() as folder:
        return results.load(synthetic.save(data, Path(folder) / "h200_burst.json"))


def only_chapter_near_cublas() -> dict:
    """One chapter close to cuBLAS: the TFLOPS of a single line span little."""
    data = synthetic.run()
    data["chapters"] = data["chapters"][8:]
    data["rows"] = [row for row in data["rows"] if row["chapter"] == "09_hilbert_schedule"]
    return data


def drawn_texts(figure) -> list:
    """The texts that drawing the figure really puts on it, as (text, box in pixels)."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    drawn = []
    draw = Text.draw

    def record(text, *args, **kwargs):
        if text.get_visible() and text.get_text().strip():
            drawn.append((text.get_text(), text.get_window_extent(renderer)))
        return draw(text, *args, **kwargs)

    with mock.patch.object(Text, "draw", record):
        figure.draw(renderer)
    return drawn


def words(figure) -> list[str]:
    return [text for text, _ in drawn_texts(figure)]


def bars(axes) -> list[tuple]:
    """(row, right end) of the bars, of two on the same row the one drawn last."""
    ends = {}
    for bar in axes.patches:
        ends[round(bar.get_y() + bar.get_height() / 2)] = bar.get_x() + bar.get_width()
    return sorted(ends.items())


@unittest.skipIf(MISSING, MISSING)
class Readable(unittest.TestCase):
    """Text lies within the figure and never on top of other text."""

    def check(self, figure):
        texts = drawn_texts(figure)
        self.assertGreater(len(texts), 8)
        for text, box in texts:
            inside = box.x0 >= 0 and box.y0 >= 0
            inside = inside and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1
            self.assertTrue(inside, f"'{text}' reaches beyond the figure")
        for (one, a), (other, b) in itertools.combinations(texts, 2):
            wide = min(a.x1, b.x1) - max(a.x0, b.x0)
            high = min(a.y1, b.y1) - max(a.y0, b.y0)
            overlap = wide > 0.5 and high > 0.25 * min(a.height, b.height)
            self.assertFalse(overlap, f"'{one}' lies on '{other}'")

    def test_speedup_with_one_three_and_nine_chapters(self):
        for count in (1, 3, 9):
            for recorded in (False, True):
                with self.subTest(count=count, recorded=recorded):
                    run = load(synthetic.run(count))
                    self.check(speedup.draw(run, recorded=recorded))

    def test_speedup_with_gaps(self):
        run = load(synthetic.run())
        self.check(speedup.draw(run, size=16384))
        self.check(speedup.draw(load(synthetic.run(cublas=None))))

    def test_speedup_with_names_and_reasons_that_are_too_long(self):
        data = synthetic.run()
        for chapter in data["chapters"]:
            chapter["title"] = "a title that nobody could fit beside the bars of a chart"
        for row in data["rows"]:
            if "skipped" in row:
                row["skipped"] = "a reason " * 40
        self.check(speedup.draw(load(data), size=16384))
        self.check(tflops.draw(load(data)))

    def test_tflops(self):
        for count in (1, 3, 9):
            with self.subTest(count=count):
                self.check(tflops.draw(load(synthetic.run(count)), recorded=True))
        self.check(tflops.draw(load(synthetic.run(cublas=None))))
        self.check(tflops.draw(load(only_chapter_near_cublas())))

    def test_this_check_can_fail(self):
        figure = style.figure(2)
        for i in range(9):
            style.add_text(figure, 0.2, 0.2 * i, f"line {i}")
        self.check(figure)
        style.add_text(figure, 0.3, 0.21, "on top")
        with self.assertRaisesRegex(AssertionError, "lies on"):
            self.check(figure)
        outside = style.figure(2)
        for i in range(9):
            style.add_text(outside, 8.6, 0.2 * i, f"line {i}")
        with self.assertRaisesRegex(AssertionError, "beyond"):
            self.check(outside)


@unittest.skipIf(MISSING, MISSING)
class Speedup(unittest.TestCase):
    def test_every_bar_is_as_long_and_labelled_as_measured(self):
        for count in (3, 9):
            with self.subTest(count=count):
                figure = speedup.draw(load(synthetic.run(count)))
                ladder = synthetic.LADDER[:count]
                for (_, end), (_, _, _, rate) in zip(bars(figure.axes[0]), ladder):
                    self.assertAlmostEqual(end, rate, places=9)
                for (_, end), (_, _, _, rate) in zip(bars(figure.axes[1]), ladder):
                    self.assertAlmostEqual(end, rate / 790, places=9)
                said = words(figure)
                for label in LABELS[:count]:
                    self.assertIn(label, said)
                for text in ("0.50", "22.0", "47.0", "44×", "2.1×", "0.06%", "5.9%"):
                    self.assertIn(text, said)
                self.assertIn("cuBLAS 790", said)

    def test_the_tflops_axis_is_logarithmic_the_share_is_not(self):
        left, right = speedup.draw(load(synthetic.run())).axes
        self.assertEqual(left.get_xscale(), "log")
        self.assertEqual(right.get_xscale(), "linear")
        low, high = left.get_xlim()
        self.assertLess(low, 0.5)
        self.assertGreater(high, 950)

    def test_each_chapter_has_the_track_of_its_own_ceiling(self):
        axes = speedup.draw(load(synthetic.run())).axes[0]
        ends = [line.get_xdata()[0] for line in axes.lines][:9]
        self.assertEqual(ends, [63.6] * 3 + [620] * 2 + [950] * 4)

    def test_it_says_where_how_and_what(self):
        for mode in results.GPU_MODES:
            said = " ".join(words(speedup.draw(load(synthetic.run(mode=mode)))))
            for text in ("NVIDIA H200", f"{mode} mode", "M = N = K = 4096", "bf16"):
                self.assertIn(text, said)
            for text in ("2026-03-14", "commit abc1234", "driver 580.1, CUDA 13.0, cuBLAS 13.1.0"):
                self.assertIn(text, said)
            for text in ("FFMA  63.6 TFLOPS", "mma.sync  620 TFLOPS", "wgmma  950 TFLOPS"):
                self.assertIn(text, said)

    def test_a_chapter_left_out_has_a_reason_and_no_bar(self):
        figure = speedup.draw(load(synthetic.run()), size=16384)
        self.assertEqual([row for row, _ in bars(figure.axes[0])], list(range(1, 9)))
        said = words(figure)
        self.assertIn(f"left out: {synthetic.TOO_SLOW}", said)
        self.assertIn("01 Naive", said)
        self.assertIn("–", said)  # nothing for 02 to be compared with

    def test_a_chapter_without_a_row_is_named_too(self):
        data = synthetic.run(3)
        data["rows"] = [row for row in data["rows"] if row["chapter"] != "02_smem_tiling"]
        said = words(speedup.draw(load(data)))
        self.assertIn("02 Shared-memory tiling", said)
        self.assertIn("not measured at this size", said)

    def test_only_the_recorded_chart_says_that_there_is_no_gpu(self):
        run = load(synthetic.run(3))
        sentence = speedup.recorded_words(run)
        for part in ("No GPU on this machine", "recorded", "2026-03-14", "NVIDIA H200"):
            self.assertIn(part, sentence)
        self.assertIn(sentence, words(speedup.draw(run, recorded=True)))
        self.assertNotIn("No GPU", " ".join(words(speedup.draw(run))))
        self.assertIn(sentence, words(tflops.draw(run, recorded=True)))
        self.assertNotIn("No GPU", " ".join(words(tflops.draw(run))))

    def test_nothing_to_draw(self):
        with self.assertRaisesRegex(ResultError, "K = 512 in bf16 .sizes: 1024, 2048, 4096"):
            speedup.draw(load(synthetic.run(3)), size=512)
        with self.assertRaisesRegex(ResultError, "in fp16 .sizes: none"):
            speedup.draw(load(synthetic.run(3)), dtype="fp16")
        for draw in (speedup.draw, tflops.draw):
            with self.assertRaises(ResultError):
                draw(load(synthetic.counters()))


@unittest.skipIf(MISSING, MISSING)
class Tflops(unittest.TestCase):
    def test_lines_go_through_what_was_measured(self):
        axes = tflops.draw(load(synthetic.run())).axes[0]
        by_end = {line.get_ydata()[-1]: line for line in axes.lines if len(line.get_xdata()) > 2}
        self.assertEqual(list(by_end[825].get_xdata()), list(synthetic.SIZES))
        self.assertEqual(list(by_end[0.505].get_xdata()), [1024, 2048, 4096, 8192])
        self.assertIn(790, by_end)

    def test_logarithmic_only_where_needed(self):
        self.assertEqual(tflops.draw(load(synthetic.run())).axes[0].get_yscale(), "log")
        near = tflops.draw(load(only_chapter_near_cublas())).axes[0]
        self.assertEqual(near.get_yscale(), "linear")

    def test_the_second_panel_comes_with_a_chapter_near_cublas(self):
        self.assertEqual(len(tflops.draw(load(synthetic.run(4))).axes), 1)
        above, below = tflops.draw(load(synthetic.run(5))).axes
        self.assertEqual(below.get_yscale(), "linear")
        ends = [round(line.get_ydata()[-1], 3) for line in below.lines]
        self.assertEqual(ends, [0.342, 0.639, 1])  # 04, 05, cuBLAS

    def test_what_is_left_out_is_said(self):
        said = words(tflops.draw(load(synthetic.run(3))))
        self.assertIn(f"01 Naive is left out at 16384: {synthetic.TOO_SLOW}", said)

    def test_sizes_that_are_too_close_share_a_label(self):
        self.assertEqual(tflops._tick_sizes([1000, 1024, 4000, 4096, 6144]), [1024, 4096, 6144])


@unittest.skipIf(MISSING, MISSING)
class Style(unittest.TestCase):
    def test_labels_are_moved_apart_and_no_further(self):
        self.assertEqual(style.spread([0, 20, 40], 10), [0, 20, 40])
        self.assertEqual(style.spread([5, 5], 10), [0, 10])
        self.assertEqual(style.spread([30, 0, 31, 2], 10), [25.5, -4, 35.5, 6])
        self.assertEqual(style.spread([9, 10], 10, highest=12), [2, 12])
        crowd = style.spread([3, 1, 4, 1, 5, 9, 2, 6], 2)
        ordered = sorted(crowd)
        gaps = [b - a for a, b in zip(ordered, ordered[1:])]
        self.assertGreaterEqual(min(gaps), 2 - 1e-9)

    def test_colours_differ_in_lightness_too(self):
        luma = sorted(
            0.299 * red + 0.587 * green + 0.114 * blue
            for red, green, blue in map(style.to_rgb, style.CEILING_COLORS.values())
        )
        self.assertEqual(len(luma), len(results.CEILING_NAMES))
        for darker, lighter in zip(luma, luma[1:]):
            self.assertGreater(lighter - darker, 0.18)

    def test_fit(self):
        self.assertEqual(style.fit("short", 9, 2), "short")
        cut = style.fit("a text that is much too long for this", 9, 1)
        self.assertTrue(cut.endswith("…"))
        self.assertLessEqual(style.text_width(cut, 9), 1)


@unittest.skipIf(MISSING, MISSING)
class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.result = synthetic.save(synthetic.run(), self.folder / "h200_burst.json")

    def draw(self, script: str, name: str, *arguments, **environment) -> Path:
        output = self.folder / name
        done = synthetic.script(script, self.result, "-o", output, *arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return output

    def test_the_same_bytes_from_another_process_whatever_its_settings(self):
        rc = self.folder / "matplotlibrc"
        rc.write_text("font.size: 20\nsvg.fonttype: none\naxes.facecolor: red\n")
        for script in ("speedup.py", "tflops.py"):
            with self.subTest(script=script):
                one = self.draw(script, "1.svg")
                other = self.draw(
                    script, "2.svg", PYTHONHASHSEED="1", MATPLOTLIBRC=str(rc), LC_ALL="C",
                    SOURCE_DATE_EPOCH="1", TZ="Asia/Tokyo", MPLBACKEND="pdf",
                )  # fmt: skip
                self.assertEqual(one.read_bytes(), other.read_bytes())

    def test_no_date_but_the_versions_that_decide_the_bytes(self):
        text = self.draw("speedup.py", "1.svg").read_text(encoding="utf-8")
        self.assertNotIn("dc:date", text)
        self.assertIn(style.creator(), text)
        self.assertRegex(style.creator(), r"^Matplotlib v[\d.]+\S*, FreeType [\d.]+$")

    def test_text_is_paths_and_said_again_for_screen_readers(self):
        for script, title, last in (
            (
                "speedup.py",
                "Matrix multiplication, chapter by chapter: NVIDIA H200",
                "09 Hilbert schedule: 825 TFLOPS, 1.06× the chapter before, 104.4% of cuBLAS",
            ),
            (
                "tflops.py",
                "TFLOPS over size: NVIDIA H200",
                "09 Hilbert schedule, TFLOPS: 330 at 1024, 742 at 2048, 825 at 4096",
            ),
        ):
            with self.subTest(script=script):
                root = ElementTree.parse(self.draw(script, "1.svg", "--recorded")).getroot()
                self.assertEqual(root.find(f"{SVG}title").text, title)
                description = root.find(f"{SVG}desc").text
                self.assertIn("No GPU on this machine", description)
                self.assertIn(last, description)
                self.assertIn("burst mode", description)
                self.assertEqual(root.findall(f".//{SVG}text"), [])

    def test_the_width_of_a_readme(self):
        root = ElementTree.parse(self.draw("speedup.py", "1.svg")).getroot()
        self.assertAlmostEqual(float(root.get("width")[:-2]) * 96 / 72, 850, delta=1)

    def test_a_png_for_a_quick_look(self):
        self.assertEqual(self.draw("speedup.py", "1.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_other_sizes_and_types(self):
        text = self.draw("speedup.py", "1.svg", "--size", "2048").read_text(encoding="utf-8")
        self.assertIn("M = N = K = 2048", text)

    def test_trouble_is_one_line_and_status_2(self):
        broken = synthetic.save({**synthetic.run(), "schema": 7}, self.folder / "broken.json")
        out = self.folder / "x.svg"
        for arguments, complaint in (
            ((self.folder / "none.json",), "none.json: No such file"),
            ((self.folder,), "Is a directory"),
            ((broken,), "broken.json: schema: expected 1"),
            ((self.result, "--size", "-4"), "--size"),
            ((self.result, "--size", "banana"), "banana"),
            ((self.result, "--size", "513"), "K = 513"),
            ((self.result, "--dtype", "fp8"), "fp8"),
            ((self.result, "-o", "chart.gif"), "chart.gif"),
            ((self.result, "-o", self.folder / "no" / "x.svg"), "no/x.svg: No such file"),
            ((self.result, "--fast"), "--fast"),
        ):
            with self.subTest(arguments=arguments):
                done = synthetic.script("speedup.py", "-o", out, *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(complaint, done.stderr)
                self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
