"""Converts the daemon's JSON to the values of results.py and nodes.py. Pure.

A missing field is an error; unknown fields of a later daemon are ignored:

>>> read(Outcome, {"exit_code": 2, "timed_out": False, "output": "x", "of a later version": 1})
Outcome(exit_code=2, timed_out=False, output='x')
>>> read(Outcome, {"exit_code": 2})
Traceback (most recent call last):
statefork.errors.DaemonError: the daemon's answer has no 'timed_out' (check that client and daemon have the same version)
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any, Dict, List, Optional, Type, TypeVar, Union, cast

from .errors import DaemonError, StateForkError, error_from_problem
from .events import Event, GapEvent, Message, OutputEvent, ResultEvent, TerminalEvent
from .nodes import BranchInfo, LogEntry, SessionInfo, Snapshot, Tree, TreeNode
from .plans import Reply
from .results import (CleanupReport, CommandResult, Diff, Difference, Divergence, EndedSession, ExecutionInfo, Forked,
                      GarbageReport, Outcome, ProgramResult, RestoreReport, Screen, SessionStats, TypedKeys)

Json = Dict[str, Any]
T = TypeVar("T")


def senseless(what: str) -> DaemonError:
    return DaemonError(f"the daemon's answer {what}", code="corrupt",
                       hint="check that client and daemon have the same version")


def need(answer: Json, key: str) -> Any:
    if not isinstance(answer, dict) or key not in answer:
        raise senseless(f"has no '{key}'")
    return answer[key]


def read(kind: Type[T], answer: Json, **given: Any) -> T:
    """Fills a dataclass from fields of the same names; durations also from `NAME_us` or
    `NAME_s`."""
    if not isinstance(answer, dict):
        raise senseless("has another value where a JSON object belongs")
    values = dict(given)
    for field in fields(cast(Any, kind)):  # every T here is a dataclass
        name = field.name
        if name in values:
            continue
        if name in answer:
            values[name] = answer[name]
        elif name + "_us" in answer:
            values[name] = answer[name + "_us"] / 1e6
        elif name + "_s" in answer:
            values[name] = answer[name + "_s"]
        elif field.default is MISSING and field.default_factory is MISSING:
            need(answer, name)
    return kind(**values)


def body_of(reply: Reply) -> bytes:
    """Returns the body; raises the error if the answer is one."""
    if reply.status >= 400:
        raise error_of(reply)
    return reply.body


def error_of(reply: Reply) -> StateForkError:
    try:
        said = json.loads(reply.body)
    except ValueError:
        said = None
    return error_from_problem(reply.status, said)


def json_of(reply: Reply) -> Json:
    body = body_of(reply)
    try:
        answer = json.loads(body)
    except ValueError:
        raise senseless("is not JSON") from None
    if not isinstance(answer, dict):
        raise senseless("is not a JSON object")
    return answer


def bytes_of(answer: Json, key: str) -> bytes:
    try:
        return base64.b64decode(answer.get(key, ""), validate=True)
    except (binascii.Error, TypeError):
        raise senseless(f"has invalid base64 in '{key}'") from None


def time_of(answer: Json) -> datetime:
    text = str(need(answer, "created_at"))
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise senseless(f"has an invalid time: {text}") from None


def command_result(answer: Json, command: str) -> CommandResult:
    output = need(answer, "output")
    data = bytes_of(answer, "output_base64") if "output_base64" in answer else output.encode()
    return read(CommandResult, answer, command=command, data=data, raw=bytes_of(answer, "raw_base64"))


def program_result(answer: Json, argv: List[str]) -> ProgramResult:
    def data(key: str) -> bytes:
        text: str = need(answer, key)
        return bytes_of(answer, key + "_base64") if key + "_base64" in answer else text.encode()

    return read(ProgramResult, answer, argv=argv, stdout_data=data("stdout"), stderr_data=data("stderr"))


def problem(answer: Optional[Json]) -> Optional[StateForkError]:
    """Reads an error that is part of an answer; None if there is none."""
    return error_from_problem(answer.get("status", 0), answer) if answer else None


def snapshot(answer: Json, name: str, notes: Dict[str, str]) -> Snapshot:
    return read(Snapshot, answer, id=need(answer, "node"), name=name, notes=notes,
                fallback=problem(answer.get("fallback")))


def log_entries(entries: List[Json]) -> List[LogEntry]:
    return [read(LogEntry, entry) for entry in entries]


def tree_node(answer: Json) -> TreeNode:
    return read(TreeNode, answer, created_at=time_of(answer), log=log_entries(need(answer, "log")))


def branch_info(answer: Json) -> BranchInfo:
    return read(BranchInfo, answer, created_at=time_of(answer) if "created_at" in answer else None,
                pending=log_entries(answer.get("pending", [])))


def session_info(answer: Json) -> SessionInfo:
    return read(SessionInfo, answer, created_at=time_of(answer),
                branches=[branch_info(one) for one in answer.get("branches", [])])


def session_infos(answer: Json) -> List[SessionInfo]:
    return [session_info(one) for one in need(answer, "sessions")]


def tree(answer: Json) -> Tree:
    return Tree(session=session_info(need(answer, "session")), nodes=[tree_node(one) for one in need(answer, "nodes")],
                branches=[branch_info(one) for one in need(answer, "branches")])


def divergence(answer: Json) -> Divergence:
    return read(Divergence, answer, expected=read(Outcome, need(answer, "expected")),
                observed=read(Outcome, need(answer, "observed")))


def restore_report(answer: Json) -> RestoreReport:
    return read(RestoreReport, answer, accepted=[divergence(one) for one in need(answer, "accepted")])


def cleanup_report(answer: Json) -> CleanupReport:
    return read(CleanupReport, answer)


def forked(answer: Json) -> List[Union[Forked, StateForkError]]:
    """Returns the branch or the error for each requested branch."""
    def made(one: Json) -> Forked:
        return Forked(str(need(one, "branch")), [divergence(each) for each in one.get("accepted", [])],
                      str(answer.get("unproven", "")))
    return [problem(one.get("error")) or made(one) for one in need(answer, "branches")]


def diff(answer: Json) -> Diff:
    return read(Diff, answer, differences=[read(Difference, one) for one in need(answer, "differences")])


def garbage_report(answer: Json) -> GarbageReport:
    return read(GarbageReport, answer, ended=[read(EndedSession, one) for one in answer.get("ended", [])])


def session_stats(answer: Json) -> SessionStats:
    times = {f"{of}_time": need(answer, f"{of}_us") / 1e6 for of in ("command", "checkpoint", "stopped", "replay")}
    return read(SessionStats, answer, **times)


def typed_keys(answer: Json) -> TypedKeys:
    return read(TypedKeys, answer)


def screen(answer: Json) -> Screen:
    return read(Screen, answer)


def execution_info(answer: Json) -> ExecutionInfo:
    command = str(need(answer, "command"))
    result = answer.get("result")
    return read(ExecutionInfo, answer, id=need(answer, "execution"), command=command,
                result=command_result(result, command) if result else None, problem=problem(answer.get("problem")))


def data_of(message: Message) -> Json:
    """Reads an event's data; raises the error if the event is one."""
    try:
        answer = json.loads(message.data)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise senseless("has an event without a JSON object")
    if message.kind == "problem":
        raise error_from_problem(answer.get("status", 0), answer)
    return answer


def event(message: Message, command: str) -> Optional[Event]:
    """Reads an event of an execution; None if its kind is unknown."""
    answer = data_of(message)
    seq = need(answer, "seq")
    if message.kind == "output":
        return OutputEvent(seq, answer.get("text", ""), bytes_of(answer, "raw_base64"))
    if message.kind == "gap":
        return GapEvent(seq)
    if message.kind == "result":
        return ResultEvent(seq, command_result(answer, command))
    return None


def terminal_event(message: Message) -> Optional[TerminalEvent]:
    answer = data_of(message)
    return read(TerminalEvent, answer, raw=bytes_of(answer, "raw_base64")) if message.kind == "terminal" else None
