"""The ways in: what every client of StateFork can ask for.

Each way is a file of its own: http_way.py, command_line_way.py, python_way.py, mcp_way.py, library_way.py. All raise
`Problem` with the API's code. Every way has every verb.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, List, Optional, Sequence

PATIENCE = 180.0  # seconds for one call; the answer comes much earlier
COMMAND_SECONDS = 60  # for one command, which needs far less


class Problem(Exception):
    """A call that failed, by the API's code; "connection" if the connection broke, so that it may have been done."""

    birth: Optional[Birth] = None  # of the branch that was called, if it is known

    def __init__(self, code: str, message: str, details: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.details = details or {}


@dataclass(frozen=True)
class Birth:
    """How a branch came into being, by a start, a restore or a fork."""

    kills: int  # of keepers, before that call
    keeper: str  # the id of its keeper; empty if the test does not know it


@dataclass
class Done:
    """How a command or a program ended."""

    output: str
    exit_code: int
    timed_out: bool = False


@dataclass
class Taken:
    """A snapshot."""

    node: str
    kind: str
    unchanged: bool = False
    why: str = ""


@dataclass
class Settings:
    """Of a new session."""

    policy: str = "eager"
    engine: str = "auto"
    max_bytes: int = 0


# What version 0.1.0 lacks, by way in.
OLD_LACKS = {"http": frozenset({"paste", "mouse"}), "cli": frozenset({"paste", "mouse", "resize"}),
             "python": frozenset({"paste", "mouse"}),
             "mcp": frozenset({"run", "keys", "paste", "mouse", "resize"})}


class Way:
    """One way in. Thread-safe."""

    name = ""
    lacks: FrozenSet[str] = frozenset()  # verbs that the programs under test do not have (--old)

    def create(self, settings: Settings) -> str:
        raise NotImplementedError

    def exec(self, session: str, branch: str, command: str) -> Done:
        raise NotImplementedError

    def run(self, session: str, branch: str, argv: Sequence[str]) -> Done:
        raise NotImplementedError

    def write(self, session: str, branch: str, path: str, content: bytes) -> None:
        raise NotImplementedError

    def read(self, session: str, branch: str, path: str) -> bytes:
        raise NotImplementedError

    def keys(self, session: str, branch: str, text: str) -> None:
        """The text, which may be empty, and the enter key."""
        raise NotImplementedError

    def paste(self, session: str, branch: str, text: str) -> None:
        raise NotImplementedError

    def mouse(self, session: str, branch: str, row: int, col: int) -> None:
        """A click with the left button."""
        raise NotImplementedError

    def resize(self, session: str, branch: str, rows: int, cols: int) -> None:
        raise NotImplementedError

    def snapshot(self, session: str, branch: str, materialization: str) -> Taken:
        raise NotImplementedError

    def restore(self, session: str, branch: str, node: str, accept: bool) -> int:
        """How many divergences were accepted."""
        raise NotImplementedError

    def fork(self, session: str, branch: str, node: str) -> str:
        raise NotImplementedError

    def end(self, session: str, branch: str) -> None:
        raise NotImplementedError

    def diff(self, session: str, branch: str, node: str) -> List[str]:
        """Names of the files that differ from the node in the branch as it is now."""
        raise NotImplementedError

    def cleanup(self, session: str, branch: str, node: str) -> None:
        raise NotImplementedError

    def destroy(self, session: str) -> None:
        raise NotImplementedError


def given(settings: Settings) -> Dict[str, Any]:
    fields: Dict[str, Any] = {"policy": settings.policy, "engine": settings.engine}
    return {**fields, "max_bytes": settings.max_bytes} if settings.max_bytes else fields


def changed_files(differences: Sequence[Dict[str, Any]]) -> List[str]:
    return [one["name"] for one in differences if one["subject"] == "file"]


def proven(answer: Dict[str, Any]) -> Dict[str, Any]:
    """The answer, of which no state may be in doubt: all nodes are intact."""
    if answer.get("unproven"):  # version 0.1.0 has no such answer
        raise Problem("unproven", answer["unproven"])
    return answer


def forked(answer: Dict[str, Any]) -> str:
    one = answer["branches"][0]
    proven(answer)
    if "error" in one:
        error = one["error"]
        raise Problem(error.get("code", "os"), error.get("detail", str(error)), error.get("details"))
    return str(one["branch"])
