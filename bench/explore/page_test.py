"""The page and the plots."""

import unittest
from xml.etree import ElementTree

from outcomes_test import outcome
from page import MARK, to_markdown, with_measured
from plots import axis_over, paired, to_svg
from trials import Task

TASKS = [Task("count", ("files", "processes"), True)]


class ThePage(unittest.TestCase):
    def test_the_written_part_is_kept(self):
        once = with_measured("# Title\n\nProse.\n" + MARK + "old", "new\n")
        self.assertEqual(once, "# Title\n\nProse.\n" + MARK + "\nnew\n")
        self.assertEqual(with_measured(once, "newer\n"), "# Title\n\nProse.\n" + MARK + "\nnewer\n")

    def test_a_row_shows_solved_runs_and_the_cost_of_states(self):
        text = to_markdown([outcome(), outcome(round=2, solved=False)], TASKS, ["a fact"])
        row = next(line for line in text.splitlines() if line.startswith("| waypoint"))
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        self.assertEqual(cells[:7], ["waypoint", "eager", "mcts", "1/2", "-", "-", "1/2"])
        self.assertIn("5%", cells)
        self.assertIn("waypoint solves every task (runs: 2): **no**: count waypoint/eager mcts #2", text)
        self.assertIn("| waypoint, eager, mcts | count |\n", text)

    def test_smart_is_compared_with_eager(self):
        text = to_markdown([outcome(), outcome(materialization="smart", wall_us=750, bytes=1 << 19)], TASKS, [])
        self.assertIn("- waypoint, mcts: 75% of the time, 50% of the bytes (1 runs)", text)


    def test_others_are_compared_with_waypoint(self):
        text = to_markdown([outcome(), outcome(contender="replay", wall_us=2500)], TASKS, [])
        self.assertIn("- replay, mcts: 2.5 times as long (1 runs)", text)


    def test_runs_with_model_time_have_a_separate_table(self):
        slow = outcome(think_ms=1000, wall_us=10_000, model_us=9000, solved=False)
        text = to_markdown([outcome(), slow], TASKS, [])
        rows = [line for line in text.splitlines() if line.startswith("| waypoint")]
        cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
        self.assertEqual([row[3] for row in cells], ["1/1", "0/1"])
        self.assertEqual(cells[1][6:8], ["90.0%", "0.5%"])
        self.assertIn("waypoint: states take at most 5% of the time (runs: 1): yes", text)
        self.assertNotIn("**no**", text, "thinking runs do not count for claims")
        self.assertIn("(runs: 1): **no**", to_markdown([outcome(), outcome(think_ms=1000, snapshot_us=40)], TASKS, []))


class ThePlots(unittest.TestCase):
    def test_plots_are_valid_xml_with_a_line_per_contender_and_panel(self):
        runs = [outcome(), outcome(contender="a<b", solved=False), outcome(materialization="smart"),
                outcome(policy="pass@k"), outcome(contender="a<b", policy="pass@k")]
        root = ElementTree.fromstring(to_svg(runs))
        name = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(root.findall(f".//{name}polyline")), 2 * 2 * 3)
        self.assertEqual(len(root.findall(f".//{name}circle")), 1, "the task with both materializations")

    def test_outcomes_without_solutions_can_be_plotted(self):
        ElementTree.fromstring(to_svg([outcome(solved=False)]))

    def test_an_axis_covers_all_its_values(self):
        axis = axis_over("s", [0.0, 3.0, 70.0], 0.1)
        self.assertTrue(0 < axis.share(0.1) < axis.share(3.0) < axis.share(70.0) < 1)
        self.assertEqual(axis.marks(), [0.1, 1.0, 10.0])

    def test_pairs_have_the_same_task_and_contender(self):
        eager, smart = outcome(), outcome(materialization="smart")
        self.assertEqual(paired([smart, eager, outcome(task="other"), outcome(contender="docker", materialization="smart")]),
                         [(eager, smart)])


if __name__ == "__main__":
    unittest.main()
