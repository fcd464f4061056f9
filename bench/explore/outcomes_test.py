"""The statistics of the benchmark."""

import json
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from outcomes import Outcome, OutcomeFile, by_group, claims_of, failed_outcome, left_to_do, outcome_from, row_of, share_solved, state_share, time_ratio
from trials import Task, Trial

TRIAL = Trial("count", "waypoint", "eager", "mcts", 1)


def outcome(**changes) -> Outcome:
    base = Outcome(task="count", contender="waypoint", materialization="eager", policy="mcts", round=1, budget_nodes=60,
                   solved=True, nodes=20, lost_nodes=0, wall_us=1000, command_us=500, snapshot_us=30, restore_us=20,
                   grade_us=400, bytes=1 << 20, why="", began="2026-01-01 00:00", load=0.0)
    return replace(base, **changes)


class ShareOfStates(unittest.TestCase):
    def test_the_share_is_relative_to_the_total_time(self):
        short = outcome(wall_us=100, snapshot_us=50, restore_us=50)
        long = outcome(wall_us=900, snapshot_us=0, restore_us=0)
        self.assertEqual(state_share([short, long]), 0.1)

    def test_snapshots_and_restores_count_and_tests_do_not(self):
        self.assertEqual(state_share([outcome()]), 0.05)

    def test_the_share_of_failed_runs_is_zero(self):
        self.assertEqual(state_share([failed_outcome(TRIAL, 60, "no such backend", "", 0.0)]), 0.0)


class ShareSolved(unittest.TestCase):
    def test_failed_runs_keep_the_curve_below_one(self):
        runs = [outcome(nodes=30), outcome(nodes=10), outcome(nodes=5, solved=False), outcome(nodes=20)]
        self.assertEqual(share_solved(runs, lambda each: each.nodes), [(10, 0.25), (20, 0.5), (30, 0.75)])


class Rows(unittest.TestCase):
    def test_a_row_has_medians_of_runs_and_means_of_nodes(self):
        runs = [outcome(wall_us=1_000_000, nodes=10, snapshot_us=100_000), outcome(wall_us=3_000_000, nodes=30, snapshot_us=100_000),
                outcome(wall_us=9_000_000, nodes=60, snapshot_us=300_000, solved=False, lost_nodes=4)]
        (group, some), = by_group(runs).items()
        row = row_of(group, some)
        self.assertEqual((row.runs, row.solved, row.lost_nodes, row.nodes, row.wall_s), (3, 2, 4, 30, 3.0))
        self.assertEqual(row.snapshot_ms, 5.0)


class TimeAgainstAnother(unittest.TestCase):
    def test_only_runs_that_both_solved_are_compared(self):
        base = [outcome(wall_us=100), outcome(task="draw", wall_us=100), outcome(task="edit", wall_us=5, solved=False)]
        slow = [outcome(wall_us=300), outcome(task="draw", wall_us=1, solved=False), outcome(task="edit", wall_us=500)]
        self.assertEqual(time_ratio(slow, base), (3.0, 1))
        self.assertEqual(time_ratio(slow, []), (0.0, 0))


class WhatATreeSays(unittest.TestCase):
    def test_only_tried_actions_count_as_nodes(self):
        summary = {"solved": False, "wall_us": 9, "command_us": 1, "snapshot_us": 2, "restore_us": 3, "grade_us": 0, "model_us": 4, "bytes": 7, "why": "w"}
        nodes = [{"command": "", "failure": ""},  # the root
                 {"command": "make", "failure": ""}, {"command": "rm x", "failure": "the state is gone"},
                 {"command": "", "failure": "the script has no other candidate for this state"}]
        seen = outcome_from(TRIAL, 60, {"summary": summary, "nodes": nodes}, "", 0.0)
        self.assertEqual((seen.nodes, seen.lost_nodes, seen.state_us, seen.trial), (2, 1, 5, TRIAL))
        self.assertEqual(seen.model_us, 4)


class TheFile(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = OutcomeFile(Path(directory.name) / "deep" / "outcomes.jsonl")

    def test_recorded_runs_are_not_repeated(self):
        self.assertEqual(self.file.read(), [])
        self.file.append(outcome())
        other = replace(TRIAL, round=2)
        self.assertEqual(left_to_do([TRIAL, other], self.file.read(), 60), [other])
        self.assertEqual(left_to_do([TRIAL], self.file.read(), 30), [TRIAL], "another budget is another run")

    def test_a_run_with_an_incomplete_line_is_repeated(self):
        self.file.append(outcome())
        self.file.append(outcome(round=2))
        whole = self.file.path.read_bytes()
        self.file.path.write_bytes(whole[:-10])
        self.assertEqual(self.file.read(), [outcome()])
        self.file.append(outcome(round=2))
        self.assertEqual(self.file.path.read_bytes(), whole)

    def test_old_records_are_runs_without_thinking_time(self):
        self.file.append(outcome(think_ms=5, model_us=6))
        record = json.loads(self.file.path.read_text())
        del record["think_ms"], record["model_us"]
        self.file.path.write_text(json.dumps(record) + "\n")
        self.assertEqual(self.file.read(), [outcome()])
        self.assertEqual(left_to_do([replace(TRIAL, think_ms=5)], self.file.read(), 60), [replace(TRIAL, think_ms=5)])

    def test_a_file_of_another_version_is_rejected(self):
        self.file.append(outcome())
        self.file.path.write_text(json.dumps({"task": "count"}) + "\n")
        self.assertRaises(ValueError, self.file.read)


class Claims(unittest.TestCase):
    TASKS = [Task("edit", ("files",), True), Task("count", ("files", "processes"), True), Task("draw", ("files", "processes"), False)]

    def failing(self, *outcomes):
        return [claim.text for claim in claims_of(outcomes, self.TASKS) if not claim.holds]

    def test_claims_hold_for_expected_outcomes(self):
        self.assertEqual(self.failing(
            outcome(), outcome(task="draw"),
            outcome(contender="replay"), outcome(contender="replay", task="draw", solved=False),
            outcome(contender="overlay", task="edit"), outcome(contender="overlay", solved=False)), [])

    def test_each_claim_can_fail(self):
        self.assertEqual(self.failing(outcome(solved=False)), ["waypoint solves every task"])
        self.assertEqual(self.failing(outcome(contender="replay", solved=False)), ["replay solves every deterministic task"])
        self.assertEqual(self.failing(outcome(contender="replay", task="draw")), ["replay solves no other task"])
        self.assertEqual(self.failing(outcome(contender="overlay", task="edit", solved=False)),
                         ["files alone solve every task that needs nothing else"])
        self.assertEqual(self.failing(outcome(contender="docker")), ["files alone solve no other task"])

    def test_rollouts_do_not_affect_claims(self):
        self.assertEqual(self.failing(outcome(contender="overlay", policy="pass@k")), [])


if __name__ == "__main__":
    unittest.main()
