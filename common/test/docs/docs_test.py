"""What the pages must have: links that lead somewhere, and one form for all chapters. That quotations
and tables are what their sources give, and that figures are drawn from data, is tested in plots/."""

import re
import unittest
from pathlib import Path

import pages
from pages import ROOT, Page

SECTIONS = [
    "The idea",
    "The code",
    "Walk-through",
    "Prediction, then measurement",
    "What limits it now",
    "Exercises",
    "Further reading",
]


def links(all_pages: dict[str, Page]) -> tuple[dict[str, set[str]], list[str]]:
    """What each page links to, as paths from the root, and the links that lead nowhere."""
    linked: dict[str, set[str]] = {name: set() for name in all_pages}
    broken = []
    for page in all_pages.values():
        for line, target in page.links():
            if re.match(r"https?://", target):
                continue
            path, _, fragment = target.partition("#")
            full = ((ROOT / page.name).parent / path if path else ROOT / page.name).resolve()
            if not full.exists() or not full.is_relative_to(ROOT):
                broken.append(f"{page.name}:{line}: {target}: no such file here")
                continue
            name = (full / "README.md" if full.is_dir() else full).relative_to(ROOT).as_posix()
            linked[page.name].add(name)
            if fragment and (name not in all_pages or fragment not in all_pages[name].anchors()):
                broken.append(f"{page.name}:{line}: {target}: no such heading")
    return linked, broken


class Repository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = {page.name: page for page in pages.pages()}
        cls.lessons = pages.lessons(list(cls.pages.values()))
        cls.linked, cls.broken = links(cls.pages)

    def test_all_links_and_anchors_lead_somewhere(self):
        self.assertGreater(sum(map(len, self.linked.values())), 100)
        self.assertEqual(self.broken, [])

    def test_every_topic_of_the_sources_has_its_place(self):
        text = self.pages["SOURCES.md"].prose
        rows = re.findall(r"^\| (\d+) \|.*\| (.*) \|$", text, re.MULTILINE)
        topics = rows[: [number for number, _ in rows].index("131") + 1]
        self.assertEqual([int(number) for number, _ in topics], list(range(1, 132)))
        for number, place in topics:
            self.assertRegex(place, r"\]\([\w/.]+\.(md|hpp)", f"topic {number} is taught nowhere")

    def test_every_page_is_reached_from_the_front_page(self):
        reached, found = set(), {"README.md"}
        while found:
            reached |= found
            found = set().union(*(self.linked[name] for name in found)) & set(self.pages) - reached
        self.assertEqual(set(self.pages) - reached, set())

    def test_every_figure_is_shown_somewhere_and_said_in_words(self):
        found = Path(ROOT, "plots/figures").glob("*.svg")
        figures = {path.relative_to(ROOT).as_posix() for path in found}
        self.assertEqual(figures - set().union(*self.linked.values()), set())
        for page in self.pages.values():
            for alt, target in re.findall(r"!\[([^\]]*)\]\(([^()\s]+)\)", page.text):
                self.assertGreater(len(alt), 15, page.name)
                self.assertRegex(target, r"plots/figures/\w+\.svg$|^figures/|^https://", page.name)

    def test_every_variant_has_a_verdict(self):
        for page in self.pages.values():
            for table in re.findall(r"^<!-- table:verdicts.*?^<!-- /table", page.prose, re.M | re.S):
                for row in re.findall(r"^\| (.*) \|$", table, re.MULTILINE)[2:]:
                    name, *_, verdict = row.split(" | ")
                    if name != "not measured yet":
                        self.assertTrue(verdict.strip(), f"{page.name}: {name} has no verdict")

    def test_the_front_page_is_short(self):
        self.assertLessEqual(self.pages["README.md"].text.count("\n"), 130)

    def test_chapters_have_one_form(self):
        """A claim, the same sections, quoted code, a picture, verdicts, exercises with answers, and
        links to the neighbours."""
        self.assertTrue(self.lessons)
        for page, navigation in zip(self.lessons, pages.navigation(self.lessons)):
            with self.subTest(page.name):
                headings = page.headings()
                self.assertEqual([text for level, text in headings if level == 2], SECTIONS)
                titles = [text for level, text in headings if level == 1]
                self.assertRegex(" | ".join(titles), rf"^{page.name[:2]} · [^|]*$")
                lines = page.text.rstrip("\n").split("\n")
                wanted = "run common/test/docs/pages.py --navigation"
                self.assertEqual([lines[2], lines[-1]], [navigation] * 2, wanted)
                self.assertRegex(page.text, r"!\[[^\]]+\]\(\.\./plots/figures/\w+\.svg\)")
                self.assertLessEqual(len(lines), 200)
                chapter, claim = page.name.split("/")[0], "\n".join(lines[3 : lines.index("## The idea")])
                for wanted in ("**Claim", f"<!-- table:gain {chapter} ", "**Before this page:**"):
                    self.assertIn(wanted, claim)
                self.assertGreaterEqual(page.text.count("\n<!-- code:"), 3)
                self.assertIn(f"\n<!-- table:verdicts {chapter} ", page.text)
                begin, end = lines.index("## Exercises"), lines.index("## Further reading")
                tried = [command for command in page.commands() if begin < command.line <= end]
                self.assertGreaterEqual(len(tried), 3)
                self.assertGreaterEqual("\n".join(lines[begin:end]).count("<details>"), 4)
