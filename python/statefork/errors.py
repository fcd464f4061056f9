"""The exceptions of this package. All of them derive from `StateForkError`.

>>> error = error_from_problem(404, {"code": "not_found", "detail": "no such session: x", "hint": "sessions: a"})
>>> type(error).__name__, str(error), error.status
('NotFoundError', 'no such session: x (sessions: a)', 404)
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
    """The problem (`message`), its remedy (`hint`), and a code for programs (`code`)."""

    code = "os"

    def __init__(self, message: str, *, code: str = "", hint: str = "",
                 details: Optional[Mapping[str, Any]] = None, status: int = 0, output: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.hint = hint
        self.details: Dict[str, Any] = dict(details or {})
        self.status = status  # HTTP status; 0: the error is not from the daemon
        self.output = output  # what the command printed before the error, if one ran

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InvalidArgumentError(StateForkError, ValueError):
    """The request is wrong, and nothing was done."""

    code = "invalid_argument"


class AuthenticationError(StateForkError, PermissionError):
    """The daemon refused access: no token, a wrong token, or no permission for the socket."""

    code = "unauthorized"


class NotFoundError(StateForkError, LookupError):
    """No such session, branch, node, file or execution."""

    code = "not_found"


class BusyError(StateForkError):
    """Another operation or a limit prevents this for now. Try again later."""

    code = "busy"


class DivergenceError(StateForkError):
    """A replayed command diverged: another output or another state. The branch is unchanged."""

    code = "diverged"

    @property
    def divergence(self) -> Divergence:
        """The command, its first outcome (`expected`) and its replayed outcome (`observed`).

        If all outputs are equal, `state` names the difference, and `command` is empty.
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
    """The live branch was lost. Its nodes remain; `restore` puts it back to one of them."""

    code = "session_lost"


class UnsupportedError(StateForkError):
    """Not supported on this host, by this backend, or with the branch's running processes."""

    code = "unsupported"

    @property
    def blockers(self) -> List[Blocker]:
        """The objects that prevent a capture; empty if the error has another cause."""
        found = self.details.get("blockers", [])
        try:
            listed = json.loads(found) if isinstance(found, str) else found
            return [Blocker(pid=int(one["pid"]), process=one["process"], what=one["what"], why=one["why"],
                            advice=one["advice"]) for one in listed]
        except (KeyError, TypeError, ValueError):
            return []


class TimedOutError(StateForkError, TimeoutError):
    """An operation exceeded its time limit. For a command's own limit see `CommandTimeout`."""

    code = "timed_out"


class NoSpaceError(StateForkError):
    """A disk or a limit is full."""

    code = "no_space"


class DaemonError(StateForkError):
    """The daemon failed, or its reply is malformed."""


class DaemonConnectionError(DaemonError, ConnectionError):
    """The connection broke. The daemon may or may not have carried out the request."""


class NoDaemonError(DaemonConnectionError):
    """No daemon answers, so nothing was done."""


class CrowdedError(DaemonConnectionError):
    """Too many clients are waiting for the daemon. Nothing was done."""

    code = "busy"


class ExecutionLostError(StateForkError):
    """A command was started, but its result is lost. `output` has its output so far."""


class CommandError(StateForkError):
    """With `check=True`: a command failed. `result` has its output and exit code."""

    def __init__(self, result: Union[CommandResult, ProgramResult], message: str) -> None:
        super().__init__(message, output=result.output)
        self.args = (result, message)  # unpickling calls the constructor with these
        self.result = result

    @property
    def exit_code(self) -> int:
        return self.result.exit_code


class CommandFailed(CommandError):
    """The command ended with an exit code other than 0."""

    code = "command_failed"


class CommandTimeout(CommandError, TimeoutError):
    """The command exceeded its time limit and was interrupted. `result.output` has its output so
    far."""

    code = "command_timed_out"


Checked = TypeVar("Checked", CommandResult, ProgramResult)

_TYPES: Dict[str, Type[StateForkError]] = {
    kind.code: kind for kind in (InvalidArgumentError, AuthenticationError, NotFoundError, BusyError, DivergenceError,
                                 SessionLostError, UnsupportedError, TimedOutError, NoSpaceError)}


def error_from_problem(status: int, problem: Any) -> StateForkError:
    """Makes an error from an RFC 9457 problem, or from a proxy's answer in another format."""
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
    """Shortens a command for a message."""
    return command if len(command) <= 80 else command[:77] + "..."


def check_result(result: Checked) -> Checked:
    """Returns the result if the command succeeded; otherwise raises CommandFailed or
    CommandTimeout."""
    if result.timed_out:
        raise CommandTimeout(result, f"'{excerpt(result.command)}' exceeded its time limit")
    if result.exit_code != 0:
        raise CommandFailed(result, f"'{excerpt(result.command)}' exited {result.exit_code}")
    return result
