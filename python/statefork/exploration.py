"""explore: searches for a solution of a task with `statefork explore`; the agent may be a Python
function.

The program `statefork explore` keeps the tree, the policies and the budgets.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import agent as agents
from .errors import InvalidArgumentError, StateForkError, error_from_problem
from .location import find_location, find_program

__all__ = ["Exploration", "explore"]

LocalPath = Union[str, "os.PathLike[str]"]
NOT_SOLVED = 3  # the program's exit status


@dataclass(frozen=True)
class Exploration:
    """A finished run. Its directory has the rest: report.html, tree.json, trajectories.jsonl,
    ..."""

    directory: Path
    solved: bool
    why: str  # why it ended
    best: int  # number of its best node
    session: str
    node: str  # the session's node with the best state
    nodes: int
    model_calls: int
    tokens: int
    money: float
    wall: float  # seconds

    @property
    def tree(self) -> Dict[str, Any]:
        """tree.json: every node with its command, observation, value, grade and difference."""
        loaded: Dict[str, Any] = json.loads((self.directory / "tree.json").read_text())
        return loaded

    def path(self, node: Optional[int] = None) -> List[Dict[str, Any]]:
        """Returns the nodes from the root to `node`, by default to the best one."""
        nodes = self.tree["nodes"]
        found = []
        at = self.best if node is None else node
        while nodes[at]["parent"] is not None:
            found.append(nodes[at])
            at = nodes[at]["parent"]
        return found[::-1]


def explore(task: Optional[LocalPath] = None, *, agent: Union[str, agents.Propose, None] = None,
            assess: Optional[agents.Assess] = None, choose: Optional[agents.Choose] = None,
            policy: Optional[str] = None, root: Optional[LocalPath] = None, images: Optional[Mapping[str, str]] = None,
            backend: Optional[str] = None, jobs: Optional[int] = None, out: Optional[LocalPath] = None,
            resume: Optional[LocalPath] = None, max_nodes: Optional[int] = None, max_time: Optional[int] = None,
            max_cost: Optional[float] = None, options: Sequence[str] = (), socket: Optional[str] = None,
            state: Optional[str] = None) -> Exploration:
    """Runs a search and waits for its end. Defaults are those of `statefork explore`.

    `agent` is a value of the option `--agent` ("llm:MODEL", "script:FILE", "exec:COMMAND",
    "oracle"), or a function from a `statefork.agent.Situation` to an `Action`. The function is
    called in this process, by several threads if `jobs` is more than 1. `options` are further words
    of the command line. A resumed run accepts `jobs`, budgets and `agent`; if its agent was a
    function, `agent` is required.
    """
    if (task is None) == (resume is None):
        raise InvalidArgumentError("give either a task or a run to resume")
    location = find_location(socket, state=state)
    command = [find_program(), "explore", "--json", "--socket", location.path]
    command += ["--state", location.state] if location.state else []
    command += [os.fspath(task)] if task is not None else ["--resume", os.fspath(resume or "")]
    named: List[Tuple[str, Any]] = [("--policy", policy), ("--root", root), ("--backend", backend), ("--jobs", jobs),
                                    ("--out", out), ("--max-nodes", max_nodes), ("--max-time", max_time),
                                    ("--max-cost", max_cost)]
    for option, value in named:
        command += [option, str(value)] if value is not None else []
    for image, source in (images or {}).items():
        command += ["--from", f"{image}={source}"]
    with served(agent, assess, choose) as words:
        command += ["--agent", words] if words is not None else []
        return finished(subprocess.run([*command, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, check=False))


def finished(ran: "subprocess.CompletedProcess[str]") -> Exploration:
    if ran.returncode not in (0, NOT_SOLVED):
        raise failure_of(ran)
    answer = json.loads(ran.stdout)
    return Exploration(directory=Path(answer["run"]), solved=answer["solved"], why=answer["why"], best=answer["best"],
                       session=answer["session"], node=answer["node"], nodes=answer["nodes"],
                       model_calls=answer["model_calls"], tokens=answer["tokens_in"] + answer["tokens_out"],
                       money=answer["money"], wall=answer["wall_us"] / 1e6)


def failure_of(ran: "subprocess.CompletedProcess[str]") -> StateForkError:
    """Reads the problem, which follows the progress lines on standard error."""
    lines = ran.stderr.splitlines()
    begin = max((number for number, line in enumerate(lines) if line == "{"), default=len(lines))
    try:
        return error_from_problem(0, json.loads("\n".join(lines[begin:])))
    except ValueError:  # the command line was wrong, or the program was killed
        return StateForkError(f"statefork explore exited {ran.returncode}: {ran.stderr.strip()[-2000:]}")


@contextmanager
def served(agent: Union[str, agents.Propose, None], assess: Optional[agents.Assess],
           choose: Optional[agents.Choose]) -> Iterator[Optional[str]]:
    """Yields the value of `--agent`. A function is served over two named pipes."""
    if agent is None or isinstance(agent, str):
        yield agent
        return
    propose: agents.Propose = agent
    with tempfile.TemporaryDirectory(prefix="statefork-agent-") as directory:
        requests, answers = os.path.join(directory, "requests"), os.path.join(directory, "answers")
        os.mkfifo(requests)
        os.mkfifo(answers)
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():  # the program may start its agent a second time
                with open(requests) as lines, open(answers, "w") as output:
                    agents.run(propose, assess, choose, threads=8, input=lines, output=output)

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        try:
            # A shell gives background commands no standard input, so pass it as descriptor 3.
            yield f"exec:exec 3<&0; cat <&3 >{quote(requests)} & exec cat {quote(answers)}"
        finally:
            over.set()
            end(server, requests, answers)


def end(server: threading.Thread, requests: str, answers: str) -> None:
    """Ends the server thread. Opens both pipes, since it may block in open() until the other end is
    open."""
    reader = os.open(answers, os.O_RDWR | os.O_NONBLOCK)
    try:
        while server.is_alive():
            os.close(os.open(requests, os.O_RDWR | os.O_NONBLOCK))
            server.join(0.02)
    finally:
        os.close(reader)
