"""Execution: a command that runs by itself, whoever watches."""

from __future__ import annotations

from typing import Iterator, Optional

from . import executions
from .events import Event
from .requests import Address
from .results import CommandResult, ExecutionInfo
from .runner import Runner


class Execution:
    """What `start_command` returns. Iterates over the command's events, from the first one to its result; when the
    connection breaks, it goes on where it was. Whoever stops iterating does not stop the command.

    A daemon that is started anew remembers no executions: `ExecutionLostError`.

    >>> execution = s.start_command("echo one; echo two")
    >>> execution.wait().output
    'one\\ntwo\\n'
    >>> [event.seq for event in execution.events(after=1)][0]
    2
    """

    def __init__(self, runner: Runner, at: Address, info: ExecutionInfo) -> None:
        self._runner = runner
        self._at = at
        self._info = info
        self.id = info.id
        self.command = info.command

    def events(self, after: int = 0) -> Iterator[Event]:
        """The events after number `after`: `OutputEvent`s (and a `GapEvent` where old ones are no longer kept), at
        last the `ResultEvent`. Raises what the command could not be run for."""
        return self._runner.iterate(executions.follow(self._at, self._info, after))

    def __iter__(self) -> Iterator[Event]:
        return self.events()

    def wait(self, timeout: Optional[float] = None, *, check: bool = False) -> CommandResult:
        """Returns when the command has ended. `TimedOutError` when it has not within `timeout` seconds; it runs on."""
        return self._runner.run(executions.wait(self._at, self._info, timeout, check))

    def interrupt(self) -> str:
        """Types Ctrl-C when the command runs; one that still waits for its turn never begins. Says where it met
        the command: `"queued"`, `"running"` or `"over"`. A program may ignore it."""
        return self._runner.run(executions.interrupt(self._at, self.id))

    def info(self) -> ExecutionInfo:
        """How it is now."""
        return self._runner.run(executions.find(self._at, self.id))

    def __repr__(self) -> str:
        return f"<Execution {self.id} in {self._at.session}/{self._at.branch}>"
