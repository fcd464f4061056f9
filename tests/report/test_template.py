"""The template, and the insertion of a run into it."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import build_report
import runs

SCRIPTS = sorted(build_report.TEMPLATE.glob("*.js"))
MARKERS = ("/*{{CSS}}*/", "/*{{JS}}*/", "{{RUN}}")


class Elements(HTMLParser):
    """The tags of a page and the text of its scripts, parsed as by a browser."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags = []
        self.scripts = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.tags and self.tags[-1][0] == "script":
            self.scripts[-1] += data


class TemplateTest(unittest.TestCase):
    def test_each_marker_occurs_once_and_never_in_its_replacement(self) -> None:
        page = (build_report.TEMPLATE / "report.html").read_text()
        for marker in MARKERS:
            self.assertEqual(page.count(marker), 1, marker)
        for path in [*SCRIPTS, build_report.TEMPLATE / "report.css"]:
            self.assertNotIn("{{", path.read_text(), path.name)

    def test_no_part_of_the_template_ends_its_own_element(self) -> None:
        for script in SCRIPTS:
            self.assertNotRegex(script.read_text(), re.compile("</script|<!--", re.IGNORECASE), script.name)
        self.assertNotIn("<", (build_report.TEMPLATE / "report.css").read_text())

    def test_the_template_fetches_nothing(self) -> None:
        for path in [*SCRIPTS, build_report.TEMPLATE / "report.css", build_report.TEMPLATE / "report.html"]:
            words = path.read_text().replace("http://www.w3.org/2000/svg", "")
            self.assertNotRegex(words, r"https?:|url\(|@import|\bfetch\(|XMLHttpRequest|WebSocket", path.name)

    def test_texts_are_never_parsed_as_markup(self) -> None:
        for script in SCRIPTS:
            self.assertNotRegex(script.read_text(), r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")

    def test_every_element_used_by_a_script_exists(self) -> None:
        words = "".join(script.read_text() for script in SCRIPTS)
        there = {attrs.get("id") for _, attrs in Elements((build_report.TEMPLATE / "report.html").read_text()).tags}
        # A script makes #chosen.
        self.assertLessEqual(set(re.findall(r'\$\("([\w-]+)"\)', words)) - {"chosen"}, there)


class EmbeddingTest(unittest.TestCase):
    def test_a_run_is_embedded_unchanged(self) -> None:
        for make in (runs.small, runs.empty, runs.hostile, runs.torn):
            run = make()
            self.assertEqual(json.loads(build_report.embed(json.dumps(run))), run)

    def test_no_text_of_a_run_can_leave_its_script(self) -> None:
        harmless, page = Elements(build_report.build(runs.empty())), Elements(build_report.build(runs.hostile()))
        self.assertEqual(page.tags, harmless.tags)
        self.assertEqual(json.loads(page.scripts[0]), runs.hostile())
        self.assertEqual(page.scripts[1:], harmless.scripts[1:])

    def test_a_marker_in_a_run_is_text(self) -> None:
        page = build_report.build(runs.hostile())
        self.assertIn("{{RUN}} /*{{JS}}*/", page)

    def test_the_program_writes_the_same_page(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tree, page = Path(folder) / "tree.json", Path(folder) / "report.html"
            tree.write_text(json.dumps(runs.small()))
            subprocess.run([sys.executable, "-B", build_report.__file__, str(tree), str(page)], check=True)
            self.assertEqual(page.read_text(), build_report.build(runs.small()))


if __name__ == "__main__":
    unittest.main()
