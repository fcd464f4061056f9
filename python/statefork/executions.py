"""Executions: the plans that start, follow and await them. Pure; see plans.py."""

from __future__ import annotations

import time
from typing import Any, Callable, Iterator, List, Optional, Union

from . import replies
from .errors import (DaemonConnectionError, ExecutionLostError, InvalidArgumentError, NotFoundError, StateForkError,
                     TimedOutError, check_result, excerpt)
from .events import Event, Message, OutputEvent, ResultEvent
from .plans import Emit, Plan, Step, Tell
from .requests import Address, command_body, part, shown
from .results import CommandResult, ExecutionInfo
from .subscription import Subscription, patience
from .verbs import call

KEPT_OUTPUT = 64 << 10  # the last output, for an error's `output`
WAIT_SECONDS = 30.0  # length of one long poll


def start(at: Address, command: Union[str, bytes], timeout: Optional[float], max_output: Optional[int],
          raw: bool) -> Plan[ExecutionInfo]:
    answer = yield from call(at.ask("POST", "executions", command_body(command, timeout, max_output, raw)))
    return replies.execution_info({**answer, "command": shown(command)})


def find(at: Address, execution: str) -> Plan[ExecutionInfo]:
    answer = yield from call(at.ask("GET", f"executions/{part(execution)}"))
    return replies.execution_info(answer)


def interrupt(at: Address, execution: str) -> Plan[str]:
    answer = yield from call(at.ask("POST", f"executions/{part(execution)}/interrupt", {}))
    return str(replies.need(answer, "was"))


def list_executions(at: Address) -> Plan[List[ExecutionInfo]]:
    answer = yield from call(at.ask("GET", "executions"))
    return [replies.execution_info(one) for one in replies.need(answer, "executions")]


def wait(at: Address, execution: ExecutionInfo, timeout: Optional[float], check: bool) -> Plan[CommandResult]:
    """Polls until the execution ends; `timeout` limits the waiting, not the command."""
    until = None if timeout is None else time.monotonic() + timeout
    pauses = patience()
    while True:
        left = WAIT_SECONDS if until is None else min(WAIT_SECONDS, max(0.0, until - time.monotonic()))
        request = at.ask("GET", f"executions/{part(execution.id)}", query={"wait_ms": str(int(left * 1000))})
        try:
            answer = yield from call(request)
        except (DaemonConnectionError, NotFoundError) as error:
            pause = next(pauses, None) if isinstance(error, DaemonConnectionError) else None
            if pause is None:
                raise lost(execution.command, "", error) from error
            yield pause
            continue
        pauses = patience()
        info = replies.execution_info({**answer, "command": execution.command})
        if info.problem is not None:
            raise info.problem
        if info.result is not None:
            return check_result(info.result) if check else info.result
        if until is not None and time.monotonic() >= until:
            raise TimedOutError(f"'{excerpt(execution.command)}' is still running",
                                hint="wait again, or interrupt it with send_keys('\\x03')")


def run_command(at: Address, command: Union[str, bytes], timeout: Optional[float], check: bool,
                max_output: Optional[int], raw: bool, on_output: Optional[Callable[[str], Any]]) -> Plan[CommandResult]:
    """Sends one request; with `on_output`, starts an execution and follows it to its end."""
    if on_output is None:
        answer = yield from call(at.ask("POST", "exec", command_body(command, timeout, max_output, raw)))
        result = replies.command_result(answer, shown(command))
    elif raw:
        raise InvalidArgumentError("on_output receives text, so it cannot be combined with raw=True",
                                   hint="for those, iterate over start_command(..., raw=True)")
    else:
        execution = yield from start(at, command, timeout, max_output, raw)
        result = yield from follow(at, execution, 0, teller(on_output))
    return check_result(result) if check else result


def teller(on_output: Callable[[str], Any]) -> Callable[[Event], Iterator[Step]]:
    def deliver(event: Event) -> Iterator[Step]:
        if isinstance(event, OutputEvent):
            yield Tell(on_output, event.text)
    return deliver


def emit(event: Event) -> Iterator[Step]:
    yield Emit(event)


def follow(at: Address, execution: ExecutionInfo, after: int,
           deliver: Callable[[Event], Iterator[Step]] = emit) -> Plan[CommandResult]:
    """Emits each event after number `after` once, up to the one with the result. Reconnects as
    needed."""
    path = f"executions/{part(execution.id)}/events"
    output = ""
    subscription = Subscription(lambda: at.ask("GET", path, query={"after": str(after)}))
    try:
        while True:
            try:
                messages = yield from subscription.receive()
            except (DaemonConnectionError, NotFoundError) as error:
                raise lost(execution.command, output, error) from error
            for message in messages:
                event = event_from(message, execution.command, output)
                if event is None or event.seq <= after:
                    continue
                after = event.seq
                if isinstance(event, OutputEvent):
                    output = (output + event.text)[-KEPT_OUTPUT:]
                yield from deliver(event)
                if isinstance(event, ResultEvent):
                    return event.result
    finally:
        subscription.hang_up()


def event_from(message: Message, command: str, output: str) -> Optional[Event]:
    """Reads an event. If it reports an error, raises that error with the command's output so
    far."""
    try:
        return replies.event(message, command)
    except StateForkError as error:
        error.output = output
        raise


def lost(command: str, output: str, error: Exception) -> ExecutionLostError:
    return ExecutionLostError(f"the result of '{excerpt(command)}' is lost: {error}", output=output,
                              hint="its effects are in the branch; the daemon may have been restarted")
