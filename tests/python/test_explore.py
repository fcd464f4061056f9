"""statefork.explore: real runs with functions as agents, and the example of a search loop."""

import json
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import List

from statefork import InvalidArgumentError, NotFoundError, StateForkError, explore
from statefork.agent import Action, Situation, Turn
from world import DaemonTest, environment

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "search_loop.py"
STEPS = ["mkdir -p /srv/task; cd /srv/task", "echo right >answer"]


def propose(situation: Situation) -> Action:
    """Proposes a wrong step first, then the solution."""
    if not situation.path:
        return Action("cd /" if situation.ordinal == 0 else STEPS[0])
    return Action(STEPS[1], thought="now", done=True)


def assess(situation: Situation, turn: Turn) -> float:
    return 0.9 if turn.command in STEPS else 0.1


class ExploreTest(DaemonTest):
    def setUp(self) -> None:
        variables = environment(**self.world.variables())
        variables.__enter__()
        self.addCleanup(variables.__exit__, None, None, None)
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)
        self.task = self.dir / "task"
        self.task.mkdir()
        (self.task / "task.yaml").write_text("instruction: write it\n")
        (self.task / "Dockerfile").write_text("FROM any\n")
        (self.task / "run-tests.sh").write_text("grep -qx right /srv/task/answer\n")

    def test_an_agent_may_be_a_function(self) -> None:
        run = explore(self.task, agent=propose, assess=assess, root="/", out=self.dir / "run", max_nodes=20)
        self.assertTrue(run.solved, run.why)
        self.assertEqual([step["command"] for step in run.path()], STEPS)
        self.assertEqual(run.path()[-1]["thought"], "now")
        self.assertEqual(run.directory, self.dir / "run")
        self.assertGreater(run.nodes, 2)

    def test_an_agent_is_called_by_several_threads(self) -> None:
        both = threading.Barrier(2)

        def slow(situation: Situation) -> Action:
            if not situation.path and situation.ordinal < 2:
                both.wait(30)
            return propose(situation)

        run = explore(self.task, agent=slow, assess=assess, root="/", out=self.dir / "run", jobs=2, max_nodes=20)
        self.assertTrue(run.solved, run.why)

    def test_a_run_is_resumed_with_its_agent_and_a_larger_budget(self) -> None:
        first = explore(self.task, agent=propose, assess=assess, root="/", out=self.dir / "run", max_nodes=1)
        self.assertFalse(first.solved)
        self.assertEqual(first.nodes, 1)
        run = explore(resume=first.directory, agent=propose, assess=assess, max_nodes=20)
        self.assertTrue(run.solved, run.why)
        self.assertEqual(run.session, first.session)

    def test_the_error_of_an_agent_that_always_raises_ends_the_run(self) -> None:
        asked: List[Situation] = []

        def broken(situation: Situation) -> Action:
            asked.append(situation)
            raise RuntimeError("no idea")

        with self.assertRaisesRegex(StateForkError, "no idea"):
            explore(self.task, agent=broken, root="/", out=self.dir / "run")
        self.assertLess(len(asked), 20)

    def test_invalid_arguments_raise_typed_errors(self) -> None:
        with self.assertRaisesRegex(InvalidArgumentError, "mcts"):
            explore(self.task, agent="oracle", policy="luck", root="/", out=self.dir / "run")
        with self.assertRaisesRegex(NotFoundError, "not the directory of a run"):
            explore(resume=self.dir / "nothing")
        with self.assertRaises(InvalidArgumentError):
            explore()
        self.assertFalse((self.dir / "run").exists())

    def test_the_example_of_a_search_loop_finds_its_goal(self) -> None:
        ran = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("solved after", ran.stdout)
        self.assertIn("http.server", ran.stdout)

    def test_training_data_is_json_lines(self) -> None:
        run = explore(self.task, agent=propose, assess=assess, root="/", out=self.dir / "run", policy="pass@k", max_nodes=20)
        for name in ("trajectories.jsonl", "sft.jsonl", "preferences.jsonl"):
            lines = (run.directory / name).read_text().splitlines()
            self.assertTrue(lines, name)
            for line in lines:
                self.assertIsInstance(json.loads(line), dict)


if __name__ == "__main__":
    unittest.main()
