"""A short run of the exploration benchmark: one task that needs a live process and one that needs
only files, with complete and with files-only states."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

THINK_MS = 30
TASKS = ("config-layers", "ticket-daemon")  # needs only files; needs a daemon's memory


class Benchmark(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.results, self.page = self.directory / "outcomes.jsonl", self.directory / "page.md"

    def bench(self, *more):
        command = [os.environ["BENCH_EXPLORE"], "--root", "/", "--results", str(self.results), "--page", str(self.page),
                   "--tasks", ",".join(TASKS), "--backends", "waypoint-auto,overlay", "--materialize", "eager", "--policies", "mcts",
                   "--think", str(THINK_MS)]
        ran = subprocess.run([*command, *more], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return ran.stdout

    def check_solved(self, outcomes, shown):
        solved = {(each["contender"], each["task"]): each["solved"] for each in outcomes}
        self.assertEqual(solved, {("waypoint-auto", "config-layers"): True, ("waypoint-auto", "ticket-daemon"): True,
                                  ("overlay", "config-layers"): True, ("overlay", "ticket-daemon"): False}, shown)

    def test_files_alone_fail_a_task_that_needs_a_process(self):
        before = set(Path("/var/tmp").glob("sf-bench-*"))
        shown = self.bench()
        outcomes = [json.loads(line) for line in self.results.read_text().splitlines()]
        at_once, thinking = ([each for each in outcomes if each["think_ms"] == think] for think in (0, THINK_MS))
        for some in (at_once, thinking):
            self.check_solved(some, shown)
        for each in thinking:
            self.assertGreaterEqual(each["model_us"], 2 * THINK_MS * 1000 * each["nodes"], "it proposes and judges each")
        for each in outcomes:
            spent = each["command_us"] + each["snapshot_us"] + each["restore_us"] + each["grade_us"] + each["model_us"]
            self.assertLessEqual(spent, each["wall_us"], each)
            self.assertGreater(min(each["snapshot_us"], each["restore_us"], each["nodes"]), 0, each)
        _, _, shown_claims = self.page.read_text().partition("Claims about `mcts`")
        self.assertIn(": yes", shown_claims)
        self.assertNotIn("**no**", shown_claims)
        self.assertEqual(json.loads(self.page.with_suffix(".json").read_text())["outcomes"], outcomes)
        self.assertIn("</svg>", self.page.with_suffix(".svg").read_text())
        self.assertEqual(set(Path("/var/tmp").glob("sf-bench-*")), before, "nothing is left")

        # Existing results are kept; a missing one is measured again.
        lines = self.results.read_text().splitlines(keepends=True)
        self.results.write_text("".join(lines[:-1]))
        self.bench()
        again = self.results.read_text().splitlines(keepends=True)
        self.assertEqual((again[:-1], len(again)), (lines[:-1], len(lines)))

    def test_names_that_do_not_exist_are_refused(self):
        ran = subprocess.run([os.environ["BENCH_EXPLORE"], "--root", "/", "--backends", "teleport"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("unknown backend teleport", ran.stderr)


if __name__ == "__main__":
    unittest.main()
