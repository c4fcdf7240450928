"""What the pages promise: links that lead somewhere, one form for all chapters, commands that exist.

And tests of what finds that out, on pages made up for it.
"""

from __future__ import annotations

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import commands
import pages
from pages import ROOT, Command, Page

SECTIONS = [
    "The idea",
    "What changed",
    "The kernel, walked through",
    "Prediction, then measurement",
    "What limits it now",
    "Try it",
    "Further reading",
]


def broken_links(all_pages: dict[str, Page], root: Path) -> list[str]:
    """Every link that leads nowhere, as page:line: why."""
    broken = []
    for page in all_pages.values():
        for line, target in page.links():
            if re.match(r"https?://", target):
                continue
            place = f"{page.name}:{line}: {target}"
            path, _, fragment = target.partition("#")
            full = (root / page.name).parent / path if path else root / page.name
            if not full.exists():
                broken.append(f"{place}: no such file")
                continue
            if full.resolve() != root and root not in full.resolve().parents:
                broken.append(f"{place}: outside of the repository")
                continue
            if full.is_dir() and fragment:
                full = full / "README.md"
            name = full.resolve().relative_to(root).as_posix()
            if fragment and (name not in all_pages or fragment not in all_pages[name].anchors()):
                broken.append(f"{place}: no such heading")
    return broken


def linked(all_pages: dict[str, Page]) -> dict[str, set[str]]:
    """What each page links to, as paths from the root."""
    out = {}
    for page in all_pages.values():
        targets = set()
        for _, target in page.links():
            path = target.partition("#")[0]
            if path and not re.match(r"https?://", target):
                full = ((ROOT / page.name).parent / path).resolve()
                full = full / "README.md" if full.is_dir() else full
                if ROOT in full.parents:
                    targets.add(full.relative_to(ROOT).as_posix())
        out[page.name] = targets
    return out


class Repository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = {page.name: page for page in pages.pages()}
        cls.chapters = [page.name for page in pages.lessons(list(cls.pages.values()))]

    def test_all_links_and_anchors_lead_somewhere(self):
        self.assertEqual(broken_links(self.pages, ROOT), [])

    def test_every_page_is_reached_from_the_front_page(self):
        links, reached, next_ones = linked(self.pages), set(), {"README.md"}
        while next_ones:
            reached |= next_ones
            found = set().union(*(links.get(name, set()) for name in next_ones))
            next_ones = {name for name in found if name in self.pages} - reached
        self.assertEqual(set(self.pages) - reached, set())

    def test_every_figure_is_shown_somewhere(self):
        shown = set().union(*linked(self.pages).values())
        figures = {
            path.relative_to(ROOT).as_posix() for path in (ROOT / "plots/figures").glob("*.svg")
        }
        self.assertEqual(figures - shown, set())

    def test_chapters_have_the_same_sections(self):
        self.assertTrue(self.chapters)
        for name in self.chapters:
            with self.subTest(name):
                headings = self.pages[name].headings()
                self.assertEqual([text for level, text in headings if level == 2], SECTIONS)
                titles = [text for level, text in headings if level == 1]
                self.assertEqual(len(titles), 1)
                self.assertRegex(titles[0], f"^{name[:2]} · ")

    def test_chapters_lead_to_their_neighbours(self):
        """The same line below the title and at the end."""
        lessons = [self.pages[name] for name in self.chapters]
        for page, line in zip(lessons, pages.navigation(lessons)):
            lines = page.text.rstrip("\n").split("\n")
            with self.subTest(page.name):
                self.assertEqual(lines[2], line, "run common/test/docs/pages.py --navigation")
                self.assertEqual(lines[-1], line)

    def test_every_chapter_has_a_picture_a_table_and_something_to_run(self):
        for name in self.chapters:
            page = self.pages[name]
            with self.subTest(name):
                self.assertRegex(page.text, r"!\[[^\]]+\]\(\.\./plots/figures/\w+\.svg\)")
                self.assertIn(f"<!-- table:chapter {name.split('/')[0]}", page.text)
                begin = next(line for line, text in page.prose if text == "## Try it")
                end = next(line for line, text in page.prose if text == "## Further reading")
                tried = [c for c in page.commands() if begin < c.line < end]
                self.assertGreaterEqual(len(tried), 3)

    def test_pictures_say_what_they_show(self):
        for page in self.pages.values():
            for alt in re.findall(r"!\[([^\]]*)\]\(", page.text):
                with self.subTest(page.name):
                    self.assertGreater(len(alt), 15)


class Pages(unittest.TestCase):
    def links(self, text: str, **files: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for name, content in {"README.md": text, **files}.items():
                path = root / name.replace("__", "/").replace("_md", ".md")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            found = {}
            for path in root.rglob("*.md"):
                name = path.relative_to(root).as_posix()
                found[name] = Page(name, path.read_text("utf-8"))
            return broken_links(found, root)

    def test_broken_links_are_found(self):
        other = {"a__b_md": "# One · two: `x`!\n\n## The ladder\n\n## The ladder\n"}
        good = (
            "[x](a/b.md) [y](a/b.md#one--two-x) [z](a/b.md#the-ladder-1) [w](https://example.org)\n"
            "`[no](link.md)`\n\n```\n[no](link.md)\n```\n\n# Here\n[self](#here)\n"
        )
        self.assertEqual(self.links(good, **other), [])
        for text, why in (
            ("[x](c.md)", "README.md:1: c.md: no such file"),
            ("\n![picture](p/q.svg)", "README.md:2: p/q.svg: no such file"),
            ("[x](a/b.md#three)", "README.md:1: a/b.md#three: no such heading"),
            ("[x](#nowhere)", "README.md:1: #nowhere: no such heading"),
            ("[x](../..)", "README.md:1: ../..: outside of the repository"),
        ):
            with self.subTest(text):
                self.assertEqual(self.links(text, **other), [why])

    def commands(self, text: str) -> list[tuple]:
        found = Page("p.md", text).commands()
        return [(c.line, c.text, c.needs_gpu, c.printed) for c in found]

    def test_commands_are_found(self):
        text = (
            'Run `make run CHAPTER=03\nARGS="--size 64"` and `build/bin/x --bench` (GPU), not `--check`.\n'
            "\n```\nmake bench   # all of it\nfor m in 0..M\n```\n"
            "\n```console\n$ layout '(2,3)'\n(2,3):(1,2)\n  0 2 4\n```\n"
            "\n```cpp\nmake nothing\n```\n<!-- table:x -->\n| `make table` |\n<!-- /table -->\n"
        )
        self.assertEqual(
            self.commands(text),
            [
                (1, 'make run CHAPTER=03 ARGS="--size 64"', False, None),
                (2, "build/bin/x --bench", True, None),
                (5, "make bench", False, None),
                (10, "layout '(2,3)'", False, ["(2,3):(1,2)", "  0 2 4"]),
            ],
        )

    def test_a_span_goes_no_further_than_its_paragraph(self):
        self.assertEqual(
            self.commands("a ` tick\n\n`make bench` b"), [(3, "make bench", False, None)]
        )


class Commands(unittest.TestCase):
    def test_smaller(self):
        for text, short in (
            ("x --size 1024,2048,64 --variant a", "x --size 256,64 --variant a"),
            ("x --shape 128x8192x72", "x --shape 128x256x72"),
            ("x --check", "x --check --size 64"),
            ("x --variant lab", "x --variant lab"),
        ):
            self.assertEqual(commands.smaller(text), short)

    def test_on_cpu(self):
        self.assertEqual(
            commands.on_cpu("build/bin/07_warp_specialized --bench --mode sustained --size 4096"),
            "build/bin/07_warp_specialized_cpu --check --size 4096",
        )
        self.assertEqual(commands.on_cpu("09_x_traced --ablation --bench"), "09_x_cpu --check")

    def test_on_gpu(self):
        self.assertEqual(
            commands.on_gpu('make run CHAPTER=03 ARGS="--bench --size 512"'),
            "build/bin/03_warptiling --bench --rounds 1 --size 512",
        )
        self.assertEqual(commands.on_gpu("build/bin/x --bench"), "build/bin/x --bench --rounds 1")

    def test_make_is_asked_and_the_program_run(self):
        command = Command("p.md", 1, 'make run CHAPTER=03 ARGS="--size 1024 --bench"', True, None)
        self.assertEqual(
            commands.made_quick(command),
            [
                'make -n run CHAPTER=03 ARGS="--size 1024 --bench"',
                "build/bin/03_warptiling_cpu --size 256 --check",
            ],
        )

    def test_console_blocks_are_compared(self):
        def said(printed, page="p.md"):
            return Command(page, 1, "x", False, printed)

        self.assertIsNone(commands.differs(said(["a", "b"]), "a\nb\n"))
        self.assertIsNone(commands.differs(said(["a", "..."]), "a\nb\nc\n"))
        self.assertIn("prints 'c'", commands.differs(said(["a", "b"]), "a\nc\n"))
        self.assertIn("prints 3 lines", commands.differs(said(["a", "b"]), "a\nb\nc\n"))
        self.assertIn("prints ''", commands.differs(said(["a", "b"]), "a\n"))

    def test_a_command_that_fails_is_named_with_its_page(self):
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder) / "build"
            (build / "bin").mkdir(parents=True)
            for name, text in (("good", "exit 0"), ("bad", "echo broken; exit 1")):
                (build / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
                (build / "bin" / name).chmod(0o755)
            wanted = [
                Command("p.md", i, f"build/bin/{n}", False, None)
                for i, n in enumerate(("good", "bad"))
            ]
            failed = commands.run_quick(build, wanted)
            self.assertEqual(failed, ["p.md:1: build/bin/bad: status 1, expected 0: broken"])


if __name__ == "__main__":
    unittest.main()
