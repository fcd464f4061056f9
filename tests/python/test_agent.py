"""Agents in Python, over the protocol of docs/agents.md."""

import contextlib
import io
import json
import subprocess
import sys
import threading
import unittest
from typing import Any, Dict, List

from statefork.agent import Action, Assessment, Situation, Turn, Usage, run

TURN = {"command": "make", "thought": "build", "done": False, "output": "no rule\n", "exit_code": 2, "timed_out": False,
        "value": 0.5, "reflection": "no Makefile"}
SITUATION = {"instruction": "build it", "path": [TURN], "siblings": [TURN, TURN], "ordinal": 2, "lane": 1}
PROPOSE = {"id": 1, "op": "propose", "situation": SITUATION}
ASSESS = {"id": 2, "op": "assess", "situation": SITUATION, "turn": TURN}
CHOOSE = {"id": 3, "op": "choose", "situation": SITUATION, "candidates": [TURN, TURN]}
FREE = {"model_calls": 0, "tokens_in": 0, "tokens_out": 0, "money": 0.0}


def answers_of(requests: List[Dict[str, Any]], *agent: Any, **options: Any) -> List[Dict[str, Any]]:
    output = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        run(*agent, input=io.StringIO("".join(json.dumps(request) + "\n" for request in requests)), output=output,
            **options)
    return [json.loads(line) for line in output.getvalue().splitlines()]


class AgentTest(unittest.TestCase):
    def test_a_situation_is_passed_as_typed_values(self) -> None:
        seen: List[Situation] = []

        def propose(situation: Situation) -> str:
            seen.append(situation)
            return "ls"

        self.assertEqual(answers_of([PROPOSE], propose),
                         [{"id": 1, "command": "ls", "thought": "", "done": False, **FREE}])
        turn = Turn("make", "build", False, "no rule\n", 2, False, 0.5, "no Makefile")
        self.assertEqual(seen, [Situation("build it", [turn], [turn, turn], 2, 1)])
        self.assertFalse(turn.ok)

    def test_answers_carry_thoughts_and_costs(self) -> None:
        answers = answers_of([PROPOSE, ASSESS, CHOOSE],
                             lambda situation: Action("ls", "look", True, Usage(1, 20, 3, 0.5)),
                             lambda situation, turn: Assessment(0.25, turn.output, Usage(tokens_in=7)),
                             lambda situation, candidates: len(candidates) - 1)
        self.assertEqual(answers, [
            {"id": 1, "command": "ls", "thought": "look", "done": True, "model_calls": 1, "tokens_in": 20, "tokens_out": 3,
             "money": 0.5},
            {"id": 2, "value": 0.25, "reflection": "no rule\n", **FREE, "tokens_in": 7},
            {"id": 3, "choice": 1}])

    def test_a_number_is_an_assessment(self) -> None:
        self.assertEqual(answers_of([ASSESS], lambda situation: "ls", lambda situation, turn: 1),
                         [{"id": 2, "value": 1.0, "reflection": "", **FREE}])

    def test_missing_functions_are_reported_as_unsupported(self) -> None:
        self.assertEqual(answers_of([ASSESS, CHOOSE, {**PROPOSE, "op": "new"}], lambda situation: "ls"),
                         [{"id": 2, "unsupported": True}, {"id": 3, "unsupported": True}, {"id": 1, "unsupported": True}])

    def test_an_exception_fails_one_request_only(self) -> None:
        def propose(situation: Situation) -> str:
            raise ValueError("no idea")

        self.assertEqual(answers_of([PROPOSE, ASSESS], propose),
                         [{"id": 1, "error": "ValueError: no idea"}, {"id": 2, "unsupported": True}])

    def test_several_threads_work_at_the_same_time(self) -> None:
        together = threading.Barrier(2)  # passes only if two threads wait at the same time

        def propose(situation: Situation) -> str:
            together.wait(60)
            return "ls"

        answers = answers_of([PROPOSE, {**PROPOSE, "id": 2}], propose, threads=2)
        self.assertEqual(sorted(answer["id"] for answer in answers), [1, 2])
        self.assertEqual({answer.get("command") for answer in answers}, {"ls"})

    def test_a_program_answers_at_once_and_may_print(self) -> None:
        program = "from statefork.agent import run\nrun(lambda situation: print('thinking') or 'l\\u00e9s')\n"
        with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, encoding="ascii") as agent:
            assert agent.stdin and agent.stdout and agent.stderr
            for number in (1, 2):  # sent after the reply to the first
                agent.stdin.write(json.dumps({**PROPOSE, "id": number}) + "\n")
                agent.stdin.flush()
                answer = json.loads(agent.stdout.readline())
                self.assertEqual((answer["id"], answer["command"]), (number, "l\u00e9s"))
            agent.stdin.close()
            self.assertEqual(agent.stdout.read(), "")
            self.assertEqual(agent.stderr.read(), "thinking\nthinking\n")
        self.assertEqual(agent.returncode, 0)


if __name__ == "__main__":
    unittest.main()
