"""A stand-in for Terminal-Bench: an agent that knows the solution, and a trial that runs an agent
and then the tests.

Follows the harness: tmux session `agent` for the agent, files in /tests, tmux session `tests` for
the tests; its pane is read at the end.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional

from statefork.tmux import Terminal, TerminalCommand, TmuxSession


@dataclass
class AgentResult:
    total_input_tokens: int = 0
    total_output_tokens: int = 0
    failure_mode: Optional[str] = None


class BaseAgent(ABC):
    @abstractmethod
    def perform_task(self, instruction: str, session: TmuxSession, logging_dir: Optional[Path] = None) -> AgentResult:
        ...


class OracleAgent(BaseAgent):
    """Runs the task's own solution: a script, or a list of commands."""

    def __init__(self, task_dir: Path, commands: Optional[List[TerminalCommand]] = None) -> None:
        self._task_dir = task_dir
        self._commands = commands

    def perform_task(self, instruction: str, session: TmuxSession, logging_dir: Optional[Path] = None) -> AgentResult:
        if self._commands is not None:
            for command in self._commands:
                session.send_command(command)
            return AgentResult()
        session.copy_to_container(self._task_dir / "solution.sh", container_dir="/oracle")
        session.send_keys(["bash /oracle/solution.sh", "Enter"], block=True, max_timeout_sec=float("inf"))
        return AgentResult()


def run_trial(terminal: Terminal, agent: BaseAgent, task_dir: Path) -> Dict[str, bool]:
    """The tests that passed."""
    agent.perform_task("do it", terminal.create_session("agent"))
    assert terminal.container is not None
    terminal.copy_to_container([task_dir / "run-tests.sh", task_dir / "tests"], container_dir="/tests")
    session = terminal.create_session("tests")
    session.send_keys(["bash /tests/run-tests.sh", "Enter"], block=True, max_timeout_sec=60)
    pane = session.capture_pane(capture_entire=True)
    return {name: word == "PASSED" for word, name in re.findall(r"^(PASSED|FAILED) (\S+)$", pane, re.MULTILINE)}
