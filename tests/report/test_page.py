"""The report in a real browser: mouse at real coordinates, keyboard, and hostile runs."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, List

import build_report
import runs
from browser import Browser, Page

CONTRAST = """((selectors) => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data; };
  const light = (color) => [...rgb(color)].slice(0, 3).map((one) => one / 255)
    .map((one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)).reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => { for (let at = element; at; at = at.parentElement) { const color = getComputedStyle(at).backgroundColor; if (rgb(color)[3] === 255) return color; } };
  return selectors.map((selector) => {
    const element = document.querySelector(selector), style = getComputedStyle(element);
    const [a, b] = [element instanceof SVGElement ? style.fill : style.color, behind(element)].map(light).sort((x, y) => y - x);
    return [selector, (a + 0.05) / (b + 0.05)];
  });
})"""
TEXTS = ["#task", "#status", "#why", "#origin", "#facts dt", "#facts dd + dd", "#search", "#fit", "#zoom", "#keys", "#legend li", ".label",
         ".meta", ".meta .bad", ".meta .good", "#time-note", "thead th", "button.link", "#timeline text", "#path pre", "#path .bad", "#panel h3",
         "#panel .badge", "#panel .badge.accent", ".patch .name", ".patch .add", ".patch .del", "#panel dt", "summary"]


class PageTest(unittest.TestCase):
    browser: Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="sf-report-")
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "report.html"
        self.page: Page

    def show(self, run: Any, address: str = "", dark: bool = False, width: int = 1440) -> Page:
        self.file.write_text(run if isinstance(run, str) else build_report.build(run))
        self.page = page = self.browser.page(width=width, dark=dark)
        self.addCleanup(self.check_quiet, page)
        page.open(self.file.as_uri() + address)
        return page

    def check_quiet(self, page: Page) -> None:
        """Checks that nothing was logged, nothing was fetched and no foreign element was
        added."""
        self.assertEqual(page.problems(), [])
        self.assertEqual({re.sub("#.*", "", url) for url in page.requests()} - {"data:,"}, {self.file.as_uri()})
        self.assertEqual(page.value("[document.images.length, document.scripts.length, document.querySelectorAll('iframe, object, embed').length]"), [0, 2, 0])
        page.close()

    def selected(self) -> int:
        chosen = self.page.value("[...document.querySelectorAll('#nodes [aria-selected=true]')].map((one) => one.id)")
        self.assertEqual([self.page.value("document.getElementById('tree').getAttribute('aria-activedescendant')")], chosen)
        self.assertEqual(self.page.text("#panel h2"), f"Node {chosen[0][1:]}")
        return int(chosen[0][1:])

    def click_node(self, node: int) -> None:
        self.page.click(f"#t{node} .shape")

    def is_drawn(self, node: int) -> bool:
        return self.page.value(f"document.getElementById('t{node}') !== null")

    def press(self, *keys: str) -> int:
        for key in keys:
            self.page.press(key)
        return self.selected()


class OneRunTest(PageTest):
    def test_the_header_shows_the_run_and_its_outcome(self) -> None:
        page = self.show(runs.small())
        head = page.text("#top")
        for words in ("restore-the-service", "✓ Solved", "the tests pass at node 21", "Make it answer on port 8000", "mcts", "width 3, depth 2",
                      "llm", "any-model-1", "waypoint", "24", "23", "in, ", "$0.123", "56.8 s", "3 jobs", "2026-11-16 18:00:00 UTC"):
            self.assertIn(words, head)
        self.assertEqual(page.value("document.title"), "restore-the-service: solved")

    def test_a_click_on_a_node_shows_everything_about_it(self) -> None:
        run = runs.small()
        page = self.show(run)
        self.assertEqual(self.selected(), 21)
        self.click_node(12)
        self.assertEqual(self.selected(), 12)
        node, panel = run["nodes"][12], page.text("#panel")
        for words in (node["thought"], node["command"], "no output", "exit 0", "0.81", "3 changes", "changed, 447 B", "/run/app.pid", "committed", "state n13"):
            self.assertIn(words, panel)
        self.assertEqual(page.text(".patch .del"), "-PORT = 8080")
        self.assertIn('+HOST = "127.0.0.1"', page.value("[...document.querySelectorAll('.patch .add')].map((one) => one.textContent)"))
        self.assertEqual(page.text(".crumbs"), "start › 1 › 6 › 12")
        page.click(".crumbs button:nth-of-type(3)")
        self.assertEqual(self.selected(), 6)
        for words in ("exit 7", "Address already in use", "Somebody else has port 8080", "not compared"):
            self.assertIn(words, page.text("#panel"))

    def test_a_label_can_be_clicked_too(self) -> None:
        page = self.show(runs.small())
        page.click("#t4 .label")
        self.assertEqual(self.selected(), 4)

    def test_grades_failures_and_timeouts_are_shown_as_text(self) -> None:
        page = self.show(runs.small(), "#node=21")
        self.assertIn("1 of 1, passed", page.text("#panel"))
        self.assertIn("3 passed in 0.84s", page.text("#panel"))
        self.click_node(22)
        self.assertIn("Dead end: the session's shell is gone", page.text("#panel"))
        self.click_node(11)
        self.assertIn("timed out, exit 124", page.text("#panel"))
        self.click_node(16)
        self.assertIn("0.33 of 1, not passed", page.text("#panel"))
        self.assertRegex(page.value("document.getElementById('t22').getAttribute('aria-label')"), "Node 22: reboot, dead end")

    def test_arrows_move_between_nodes_and_enter_opens(self) -> None:
        page = self.show(runs.small())
        self.click_node(0)
        self.assertEqual(self.press("ArrowRight"), 1)
        self.assertEqual(self.press("ArrowDown"), 2)
        self.assertEqual(self.press("ArrowUp", "ArrowRight"), 6)
        self.assertEqual(self.press("ArrowLeft"), 1)
        self.assertEqual(self.press("End"), 21)
        self.assertEqual(self.press("Home"), 0)
        self.assertEqual(self.press("ArrowLeft"), 0)
        page.press("Enter")
        self.assertEqual(page.value("document.activeElement.textContent"), "Node 0")
        page.press("Escape")
        self.assertEqual(page.value("document.activeElement.id"), "tree")

    def test_a_subtree_can_be_closed_and_opened(self) -> None:
        page = self.show(runs.small())
        self.click_node(14)
        before = page.middle("#t14 .shape")
        page.press(" ")
        self.assertFalse(self.is_drawn(17))
        self.assertEqual(page.text("[data-fold='14']"), "+7")
        self.assertEqual(page.middle("#t14 .shape"), before)
        page.click("[data-fold='14']")
        self.assertTrue(self.is_drawn(17))
        page.click("[data-fold='6']")
        self.assertFalse(self.is_drawn(14))
        self.assertEqual(self.selected(), 6)
        page.click("#expand")
        self.assertTrue(self.is_drawn(21))
        page.click("#collapse")
        self.assertFalse(self.is_drawn(10))
        self.assertTrue(self.is_drawn(21))

    def test_the_address_selects_a_node_and_follows_the_selection(self) -> None:
        page = self.show(runs.small(), "#node=9")
        self.assertEqual(self.selected(), 9)
        self.click_node(3)
        self.assertEqual(page.value("location.hash"), "#node=3")
        page.value("location.hash = '#node=17'")
        page.settle()
        self.assertEqual(self.selected(), 17)
        for nonsense in ("#node=99", "#node=x", "#top"):
            page.value(f"location.hash = '{nonsense}'")
            page.settle()
            self.assertEqual(self.selected(), 17)

    def test_the_search_marks_counts_and_steps_through_matches(self) -> None:
        page = self.show(runs.small())
        page.press("/")
        page.type("SERVICE.PY")
        self.assertEqual(page.text("#found"), "8 of 24 nodes")
        self.assertEqual(page.value("[...document.querySelectorAll('#nodes .hit')].map((one) => one.id).sort()"),
                         ["t1", "t11", "t14", "t15", "t18", "t20", "t6", "t7"])
        page.press("Enter")
        first = self.selected()
        page.press("Enter")
        second = self.selected()
        self.assertNotEqual(first, second)
        page.press("Enter", shift=True)
        self.assertEqual(self.selected(), first)
        page.press("Escape")
        self.assertEqual(page.value("document.querySelectorAll('#nodes .hit, #nodes .dim').length"), 0)
        page.click("#search")
        page.type("#13")
        page.press("Enter")
        self.assertEqual(self.selected(), 13)

    def test_a_match_in_a_closed_subtree_is_counted_and_found(self) -> None:
        page = self.show(runs.small())
        page.click("[data-fold='14']")
        page.click("#search")
        page.type("gone: the command ended it")  # of a failure
        self.assertEqual(page.text("[data-fold='14']"), "1/7")
        page.press("Enter")
        self.assertEqual(self.selected(), 22)

    def test_drag_pans_and_the_wheel_zooms_where_the_pointer_is(self) -> None:
        page = self.show(runs.small())
        x, y = page.middle("#t12 .shape")
        page.drag(x, y - 60, 70, 25)
        self.assertEqual(self.selected(), 21)
        moved = page.middle("#t12 .shape")
        self.assertAlmostEqual(moved[0], x + 70, delta=0.6)
        self.assertAlmostEqual(moved[1], y + 25, delta=0.6)
        before = page.text("#zoom")
        page.wheel(*moved, -240)
        self.assertGreater(int(page.text("#zoom").split()[0]), int(before.split()[0]))
        self.assertAlmostEqual(page.middle("#t12 .shape")[0], moved[0], delta=0.6)
        page.click("#fit")
        self.assertEqual(page.text("#zoom"), before)
        page.click("#in")
        self.assertNotEqual(page.text("#zoom"), before)

    def test_the_timeline_has_a_lane_for_each_job_and_can_be_clicked(self) -> None:
        page = self.show(runs.small())
        self.assertRegex(page.value("document.getElementById('timeline').getAttribute('aria-label')"), "23 nodes, at most 3 at once, 56.8 s")
        self.click_node(1)
        page.click("#chosen")
        self.assertEqual(self.selected(), 1)
        x, y = page.middle("#chosen")
        page.click_at(x, y + 20)  # the lane below, where the second node began at the same time
        self.assertEqual(self.selected(), 2)
        page.press("ArrowRight")
        self.assertEqual(self.selected(), 4)

    def test_the_times_add_up(self) -> None:
        run = runs.small()
        page = self.show(run)
        rows = page.value("[...document.querySelectorAll('#shares tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")
        self.assertEqual([row[0] for row in rows], ["Model", "Restores", "Commands", "Snapshots", "Grading"])
        self.assertAlmostEqual(sum(float(row[3].rstrip(" %")) for row in rows), 100, delta=0.3)
        slowest = max(run["nodes"], key=lambda node: node["usage"].get("model_us", 0))
        self.assertIn(f"#{slowest['id']}", rows[0][5])

    def test_the_winning_path_is_a_list_and_a_script(self) -> None:
        run = runs.small()
        page = self.show(run)
        path: List[int] = []
        at = run["summary"]["best"]
        while run["nodes"][at]["parent"] is not None:
            path.insert(0, at)
            at = run["nodes"][at]["parent"]
        self.assertEqual(page.value("[...document.querySelectorAll('#path li .link')].map((one) => one.textContent)"), [f"#{node}" for node in path])
        script = page.text("#script")
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)
        self.assertEqual([line for line in script.splitlines() if line and not line.startswith("#")], [run["nodes"][node]["command"] for node in path])
        self.browser.ask("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        page.ask("Page.bringToFront")
        page.click("#copy")
        self.assertEqual(page.value("navigator.clipboard.readText()"), script)
        self.assertEqual(page.text("#copied"), "Copied")

    def test_without_permission_the_script_is_selected(self) -> None:
        page = self.show(runs.small())
        page.value("navigator.clipboard.writeText = () => Promise.reject(new Error('not permitted'))")
        page.click("#copy")
        self.assertEqual(page.value("getSelection().toString()").strip(), page.text("#script").strip())

    def test_texts_can_be_read_in_light_and_dark(self) -> None:
        for dark in (False, True):
            page = self.show(runs.small(), "#node=12", dark=dark)
            for selector, ratio in page.value(f"{CONTRAST}({json.dumps(TEXTS)})"):
                self.assertGreaterEqual(ratio, 4.5, f"{selector}, {'dark' if dark else 'light'}")

    def test_a_narrow_window_is_not_scrolled_sideways(self) -> None:
        for width in (360, 700, 1100):
            page = self.show(runs.small(), width=width)
            self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)

    def test_printing_shows_the_whole_tree_and_restores_the_view(self) -> None:
        page = self.show(runs.small())
        page.click("#in")
        zoom, where = page.text("#zoom"), page.middle("#t12 .shape")
        page.value("addEventListener('beforeprint', () => { window.printed = document.querySelectorAll('#nodes [role=treeitem]').length; })")
        self.assertTrue(page.ask("Page.printToPDF")["data"])
        page.settle()
        self.assertEqual(page.value("window.printed"), 24)
        self.assertEqual((page.text("#zoom"), page.middle("#t12 .shape")), (zoom, where))


class OtherRunsTest(PageTest):
    def test_a_run_with_only_a_root(self) -> None:
        page = self.show(runs.empty())
        self.assertEqual(self.selected(), 0)
        self.assertIn("✗ Not solved", page.text("#top"))
        self.assertEqual(page.text("#path-note"), "0 steps")
        self.assertFalse(page.value("document.getElementById('copy').checkVisibility()"))
        self.click_node(0)
        self.assertEqual(self.press("ArrowRight", "ArrowDown", "ArrowLeft", " ", "End"), 0)

    def test_no_nodes_at_all(self) -> None:
        page = self.show({"version": 1, "run": {"task": "t"}, "summary": {}, "nodes": []})
        self.assertIn("no nodes", page.text("#panel"))

    def test_missing_and_mistyped_fields_are_tolerated(self) -> None:
        page = self.show(runs.torn())
        self.assertEqual(page.value("document.querySelectorAll('#nodes [role=treeitem]').length"), 5)
        for node in range(5):
            self.click_node(node)
            self.assertEqual(self.selected(), node)

    def test_an_unreadable_document_shows_a_notice(self) -> None:
        page = self.show(build_report.build_text('{"nodes": ['))
        self.assertIn("cannot be read", page.text(".notice"))

    def test_texts_are_never_markup(self) -> None:
        run = runs.hostile()
        page = self.show(run)
        self.assertEqual(self.selected(), 1)
        self.assertNotIn("owned", page.value("document.title").replace(runs.HARM, ""))
        tags = set(page.value("[...new Set([...document.body.querySelectorAll('*')].map((one) => one.localName))]"))
        self.assertFalse(tags & {"img", "b", "iframe", "a"})
        for where in ("#task", "#why", "#instruction", "#panel pre", "#panel .failure", "#panel .prose", ".patch .add", "#path pre", "#t1 .label"):
            self.assertIn("</script", page.text(where), where)
        self.assertIn("^[[31mred^[[0m ^@^G ⟨U+202E⟩txt.exe 😀 ⟨U+2028⟩", page.text("#panel pre"))

    def test_the_script_runs_only_the_commands(self) -> None:
        run = runs.hostile()
        lines = self.show(run).text("#script").splitlines()
        self.assertEqual([line for line in lines if line.startswith("rm -rf")], [])
        self.assertTrue(lines[1].startswith("# ") and "rm -rf /" in lines[1])

    def test_huge_outputs_are_truncated_until_requested(self) -> None:
        page = self.show(runs.hostile(), "#node=2")
        self.assertLess(page.value("document.querySelector('#panel').textContent.length"), 50_000)
        page.click("#panel .more")
        self.assertGreater(page.value("document.querySelector('#panel').textContent.length"), 3_000_000)


class ManyNodesTest(PageTest):
    def test_five_thousand_nodes_open_with_the_winning_path(self) -> None:
        page = self.show(runs.large())
        self.assertEqual(self.selected(), 30)
        self.assertIn("5,000", page.text("#facts"))
        self.assertLess(page.value("document.getElementsByTagName('*').length"), 6000)
        self.assertEqual(len(set(page.value("[...document.querySelectorAll('#nodes .best')].map((one) => one.transform.baseVal[0].matrix.f)"))), 1)

    def test_five_thousand_nodes_do_not_overlap_and_can_be_searched(self) -> None:
        page = self.show(runs.large())
        page.click("#expand")
        self.assertLess(page.value("document.getElementsByTagName('*').length"), 20000)
        page.click("#fit")
        dots = page.value("[...document.querySelectorAll('#dots path')].map((one) => one.getAttribute('d')).join('')")
        places = sorted((float(x), float(y)) for x, y in re.findall(r"M([-\d.e]+) ([-\d.e]+)h0", dots))
        self.assertEqual(len(places), 5000)
        for (x, y), (next_x, next_y) in zip(places, places[1:]):
            self.assertTrue(next_x > x or next_y - y >= 37.9, f"{x} {y} and {next_y} overlap")
        page.click("#search")
        page.type("variant 4321 ")
        page.press("Enter")
        self.assertEqual(self.selected(), 4321)
        page.click("#collapse")
        page.value("location.hash = '#node=4999'")
        page.settle()
        self.assertEqual(self.selected(), 4999)

    def test_a_chain_of_five_thousand(self) -> None:
        make = runs.RunMaker()
        for step in range(5000):
            make.add(step, f"step {step}")
        self.show(make.run("chain", "", 5000, ""), "#node=5000")
        self.assertEqual(self.selected(), 5000)
        self.page.click("#fit")
        self.page.click("#expand")
        self.assertEqual(self.selected(), 5000)


if __name__ == "__main__":
    unittest.main()
