"""The interfaces: the verbs that every client of StateFork can call.

Each interface has its own file: http_way.py, command_line_way.py, python_way.py, mcp_way.py,
library_way.py. All raise `Problem` with the API's code. Every way has every verb.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, List, Optional, Sequence

PATIENCE = 180.0  # seconds for one call; far more than it needs
COMMAND_SECONDS = 60  # for one command; far more than it needs


class Problem(Exception):
    """A failed call with the API's error code; "connection" if the connection broke, so the call
    may have been executed."""

    birth: Optional[Birth] = None  # of the branch that was called, if known

    def __init__(self, code: str, message: str, details: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.details = details or {}


@dataclass(frozen=True)
class Birth:
    """The start, restore or fork that made a branch."""

    kills: int  # number of killed keepers before that call
    keeper: str  # id of its keeper; empty if unknown


@dataclass
class Done:
    """The result of a command or a program."""

    output: str
    exit_code: int
    timed_out: bool = False


@dataclass
class Taken:
    """A new snapshot."""

    node: str
    kind: str
    unchanged: bool = False
    why: str = ""


@dataclass
class Settings:
    """Settings of a new session."""

    policy: str = "eager"
    engine: str = "auto"
    max_bytes: int = 0


# Verbs that version 0.1.0 does not have, by interface.
OLD_LACKS = {"http": frozenset({"paste", "mouse"}), "cli": frozenset({"paste", "mouse", "resize"}),
             "python": frozenset({"paste", "mouse"}),
             "mcp": frozenset({"run", "keys", "paste", "mouse", "resize"})}


class Way:
    """One interface. Thread-safe."""

    name = ""
    lacks: FrozenSet[str] = frozenset()  # missing verbs of the programs under test (--old)

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
        """Types the text, which may be empty, and Enter."""
        raise NotImplementedError

    def paste(self, session: str, branch: str, text: str) -> None:
        raise NotImplementedError

    def mouse(self, session: str, branch: str, row: int, col: int) -> None:
        """Clicks with the left button."""
        raise NotImplementedError

    def resize(self, session: str, branch: str, rows: int, cols: int) -> None:
        raise NotImplementedError

    def snapshot(self, session: str, branch: str, materialization: str) -> Taken:
        raise NotImplementedError

    def restore(self, session: str, branch: str, node: str, accept: bool) -> int:
        """Returns the number of accepted divergences."""
        raise NotImplementedError

    def fork(self, session: str, branch: str, node: str) -> str:
        raise NotImplementedError

    def end(self, session: str, branch: str) -> None:
        raise NotImplementedError

    def diff(self, session: str, branch: str, node: str) -> List[str]:
        """Names of the files that differ between the node and the live branch."""
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
    """Raises if the reply reports that a restored state is unproven."""
    if answer.get("unproven"):  # version 0.1.0 does not report it
        raise Problem("unproven", answer["unproven"])
    return answer


def forked(answer: Dict[str, Any]) -> str:
    one = answer["branches"][0]
    proven(answer)
    if "error" in one:
        error = one["error"]
        raise Problem(error.get("code", "os"), error.get("detail", str(error)), error.get("details"))
    return str(one["branch"])
