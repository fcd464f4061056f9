"""Everything that can go wrong, as types. All of them are `StateForkError`.

>>> error = error_from_problem(404, {"code": "not_found", "detail": "no session 'x'", "hint": "list them"})
>>> type(error).__name__, str(error), error.status
('NotFoundError', "no session 'x' (list them)", 404)
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Type, TypeVar, Union

from .results import Blocker, CommandResult, Divergence, Outcome, ProgramResult

__all__ = ["AuthenticationError", "BusyError", "CommandError", "CommandFailed", "CommandTimeout", "CrowdedError",
           "DaemonConnectionError", "DaemonError", "DivergenceError", "ExecutionLostError", "InvalidArgumentError",
           "NoDaemonError", "NoSpaceError", "NotFoundError", "SessionLostError", "StateForkError", "TimedOutError",
           "UnsupportedError"]


class StateForkError(Exception):
    """What went wrong (`message`), what to do about it (`hint`), and what a program can tell it by (`code`)."""

    code = "os"

    def __init__(self, message: str, *, code: str = "", hint: str = "",
                 details: Optional[Mapping[str, Any]] = None, status: int = 0, output: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.hint = hint
        self.details: Dict[str, Any] = dict(details or {})
        self.status = status  # of HTTP; 0: it did not come from the daemon
        self.output = output  # what a command had printed until then, when one was running

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InvalidArgumentError(StateForkError, ValueError):
    """The request is wrong, and nothing was done."""

    code = "invalid_argument"


class AuthenticationError(StateForkError, PermissionError):
    """The daemon is there, but not for us: no token, a wrong one, or a socket of others."""

    code = "unauthorized"


class NotFoundError(StateForkError, LookupError):
    """No such session, branch, node, file or execution."""

    code = "not_found"


class BusyError(StateForkError):
    """Something else is in the way for now."""

    code = "busy"


class DivergenceError(StateForkError):
    """A command that was replayed did something else, or led to another state; the branch is as it was before."""

    code = "diverged"

    @property
    def divergence(self) -> Divergence:
        """Which command of which node, what it did the first time (`expected`), and now (`observed`).

        If all outputs are the same, `state` says what of the node differs, and `command` is empty.
        """
        return Divergence(node=str(self.details.get("node", "")), index=self._number("index"),
                          command=str(self.details.get("command", "")),
                          expected=self._outcome("expected"), observed=self._outcome("observed"),
                          state=str(self.details.get("state", "")))

    def _outcome(self, side: str) -> Outcome:
        return Outcome(exit_code=self._number(side + "_exit_code"),
                       timed_out=self.details.get(side + "_timed_out") == "true",
                       output=str(self.details.get(side + "_output", "")))

    def _number(self, key: str) -> int:
        try:
            return int(self.details.get(key, 0))
        except (TypeError, ValueError):
            return 0


class SessionLostError(StateForkError):
    """The live branch is gone. Its nodes are not: `restore` brings it back to one of them."""

    code = "session_lost"


class UnsupportedError(StateForkError):
    """Not possible here, or not with what is running in the branch."""

    code = "unsupported"

    @property
    def blockers(self) -> List[Blocker]:
        """What could not be captured, when that is the reason."""
        found = self.details.get("blockers", [])
        try:
            listed = json.loads(found) if isinstance(found, str) else found
            return [Blocker(pid=int(one["pid"]), process=one["process"], what=one["what"], why=one["why"],
                            advice=one["advice"]) for one in listed]
        except (KeyError, TypeError, ValueError):
            return []


class TimedOutError(StateForkError, TimeoutError):
    """Something took longer than it may. For a command's own time limit see `CommandTimeout`."""

    code = "timed_out"


class NoSpaceError(StateForkError):
    """A disk or a limit is full."""

    code = "no_space"


class DaemonError(StateForkError):
    """The daemon failed, or its answer makes no sense."""


class DaemonConnectionError(DaemonError, ConnectionError):
    """The connection broke. What was asked may or may not have been done."""


class NoDaemonError(DaemonConnectionError):
    """No daemon answers, so nothing was done."""


class CrowdedError(DaemonConnectionError):
    """Too many want to talk to the daemon right now. Nothing was done."""

    code = "busy"


class ExecutionLostError(StateForkError):
    """A command was started, and how it ends can no longer be found out; `output` has what came until then."""


class CommandError(StateForkError):
    """With `check=True`: a command did not succeed. `result` has everything that was seen of it."""

    def __init__(self, result: Union[CommandResult, ProgramResult], message: str) -> None:
        super().__init__(message, output=result.output)
        self.args = (result, message)  # what it is made from again after pickling
        self.result = result

    @property
    def exit_code(self) -> int:
        return self.result.exit_code


class CommandFailed(CommandError):
    """The command ended with an exit code other than 0."""

    code = "command_failed"


class CommandTimeout(CommandError, TimeoutError):
    """The command took longer than its time-out and was interrupted; `result.output` has what came until then."""

    code = "command_timed_out"


Checked = TypeVar("Checked", CommandResult, ProgramResult)

_TYPES: Dict[str, Type[StateForkError]] = {
    kind.code: kind for kind in (InvalidArgumentError, AuthenticationError, NotFoundError, BusyError, DivergenceError,
                                 SessionLostError, UnsupportedError, TimedOutError, NoSpaceError)}


def error_from_problem(status: int, problem: Any) -> StateForkError:
    """From an RFC 9457 problem, or from whatever else somebody between us and the daemon answered."""
    fields: Dict[str, Any] = problem if isinstance(problem, dict) else {}
    details = fields.get("details")
    code = fields.get("code")
    if not isinstance(code, str):
        code = {401: "unauthorized", 403: "unauthorized", 404: "not_found"}.get(
            status, "invalid_argument" if 400 <= status < 500 else "corrupt")
    return _TYPES.get(code, DaemonError)(
        str(fields.get("detail") or f"the daemon answered {status}"), code=code, hint=str(fields.get("hint") or ""),
        details=details if isinstance(details, dict) else {}, status=status)


def excerpt(command: str) -> str:
    """As much of a command as a message needs."""
    return command if len(command) <= 80 else command[:77] + "..."


def check_result(result: Checked) -> Checked:
    """The result, if the command succeeded; raises what it deserves otherwise."""
    if result.timed_out:
        raise CommandTimeout(result, f"'{excerpt(result.command)}' took longer than its time-out")
    if result.exit_code != 0:
        raise CommandFailed(result, f"'{excerpt(result.command)}' exited {result.exit_code}")
    return result
