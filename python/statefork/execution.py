"""Execution: a command that runs independently of its watchers."""

from __future__ import annotations

from typing import Iterator, Optional

from . import executions
from .events import Event
from .requests import Address
from .results import CommandResult, ExecutionInfo
from .runner import Runner


class Execution:
    """Returned by `start_command`. Iterates over the command's events, from the first one to its
    result; after a broken connection the iteration reconnects and continues. To stop iterating does
    not stop the command.

    A restarted daemon does not know earlier executions: `ExecutionLostError`.

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
        """Yields the events after number `after`: `OutputEvent`s, a `GapEvent` in place of events
        that are no longer kept, and last the `ResultEvent`. If the command failed to run, raises
        its error."""
        return self._runner.iterate(executions.follow(self._at, self._info, after))

    def __iter__(self) -> Iterator[Event]:
        return self.events()

    def wait(self, timeout: Optional[float] = None, *, check: bool = False) -> CommandResult:
        """Waits until the command ends. After `timeout` seconds: `TimedOutError`; the command keeps
        running."""
        return self._runner.run(executions.wait(self._at, self._info, timeout, check))

    def interrupt(self) -> str:
        """Types Ctrl-C if the command runs, which a program may ignore; removes the command if it
        is still queued. Returns the state it found: `"queued"`, `"running"` or `"over"`."""
        return self._runner.run(executions.interrupt(self._at, self.id))

    def info(self) -> ExecutionInfo:
        """Returns the execution's current state."""
        return self._runner.run(executions.find(self._at, self.id))

    def __repr__(self) -> str:
        return f"<Execution {self.id} in {self._at.session}/{self._at.branch}>"
