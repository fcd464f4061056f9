"""An agent for `statefork explore` in a few lines of Python: a program that answers on standard
output.

    from statefork.agent import Action, Situation, run

    def propose(situation: Situation) -> Action:
        tried = [turn.command for turn in situation.siblings]
        return Action("make" if "make" not in tried else "cmake . && make")

    run(propose)

While `run` runs, `print` writes to standard error. docs/agents.md describes the protocol.

>>> situation = Situation.from_json({"instruction": "build it", "path": [], "siblings": [], "ordinal": 0, "lane": 0})
>>> situation.instruction
'build it'
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, TextIO, Union

__all__ = ["Action", "Assessment", "Assess", "Choose", "Propose", "Situation", "Turn", "Usage", "run"]


@dataclass(frozen=True)
class Usage:
    """The cost of one answer."""

    model_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0  # in dollars


@dataclass(frozen=True)
class Action:
    command: str  # may be empty if `done`: no command is run
    thought: str = ""  # why
    done: bool = False  # the task is solved after it
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Assessment:
    value: float  # how promising, from 0 to 1
    reflection: str = ""  # advice for later attempts from the same state
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Turn:
    """One action and its result."""

    command: str
    thought: str
    done: bool
    output: str
    exit_code: int
    timed_out: bool
    value: float
    reflection: str

    @property
    def ok(self) -> bool:
        """True if the command ended by itself with exit code 0."""
        return self.exit_code == 0 and not self.timed_out

    @classmethod
    def from_json(cls, json_object: Mapping[str, Any]) -> Turn:
        return cls(**{name: json_object[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class Situation:
    """The actions that led to a state, and the actions tried from it so far."""

    instruction: str
    path: List[Turn]  # from the root
    siblings: List[Turn]  # other actions from the same state
    ordinal: int  # number of earlier proposals from this state, unfinished ones included
    lane: int  # number of the rollout, if the policy runs several

    @classmethod
    def from_json(cls, json_object: Mapping[str, Any]) -> Situation:
        return cls(json_object["instruction"],
                   [Turn.from_json(turn) for turn in json_object["path"]],
                   [Turn.from_json(turn) for turn in json_object["siblings"]],
                   json_object["ordinal"], json_object["lane"])


Propose = Callable[[Situation], Union[Action, str]]  # an action, or a command alone
Assess = Callable[[Situation, Turn], Union[Assessment, float]]
Choose = Callable[[Situation, List[Turn]], int]  # index of the chosen turn


def run(propose: Propose, assess: Optional[Assess] = None, choose: Optional[Choose] = None, *,
        threads: int = 1, input: Optional[TextIO] = None, output: Optional[TextIO] = None) -> None:
    """Answers requests until the input ends.

    Without `assess`, a state's value depends on whether its command succeeded. Without `choose`,
    the highest value wins. An exception fails one request; its traceback goes to standard error.
    `threads` is the number of requests that are answered at the same time.
    """
    answerer = _Answerer(propose, assess, choose)
    lines = input or sys.stdin
    answers = output or sys.stdout
    writing = threading.Lock()

    def answer(line: str) -> None:
        text = json.dumps(answerer.answer(json.loads(line)))
        with writing:
            print(text, file=answers, flush=True)

    requests = (line for line in lines if line.strip())
    with contextlib.redirect_stdout(sys.stderr):
        if threads == 1:
            for request in requests:
                answer(request)
            return
        with ThreadPoolExecutor(max_workers=threads) as pool:
            for task in [pool.submit(answer, request) for request in requests]:
                task.result()  # raises protocol errors


class _Answerer:
    def __init__(self, propose: Propose, assess: Optional[Assess], choose: Optional[Choose]) -> None:
        self._propose = propose
        self._assess = assess
        self._choose = choose

    def answer(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        try:
            return {"id": request["id"], **self._carry_out(request)}
        except Exception as error:  # noqa: BLE001: an agent's failure must not end the search
            traceback.print_exc()
            return {"id": request["id"], "error": f"{type(error).__name__}: {error}"}

    def _carry_out(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        situation = Situation.from_json(request["situation"])
        operation = request["op"]
        if operation == "propose":
            return _action_json(self._propose(situation))
        if operation == "assess" and self._assess is not None:
            return _assessment_json(self._assess(situation, Turn.from_json(request["turn"])))
        if operation == "choose" and self._choose is not None:
            return {"choice": self._choose(situation, [Turn.from_json(turn) for turn in request["candidates"]])}
        return {"unsupported": True}


def _action_json(action: Union[Action, str]) -> Dict[str, Any]:
    if isinstance(action, str):
        action = Action(action)
    return {"command": action.command, "thought": action.thought, "done": action.done, **asdict(action.usage)}


def _assessment_json(assessment: Union[Assessment, float]) -> Dict[str, Any]:
    if not isinstance(assessment, Assessment):
        assessment = Assessment(float(assessment))
    return {"value": assessment.value, "reflection": assessment.reflection, **asdict(assessment.usage)}
