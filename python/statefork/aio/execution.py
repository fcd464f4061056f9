"""AsyncExecution: a command that runs independently of its watchers."""

from __future__ import annotations

from typing import AsyncIterator, Optional

from .. import executions
from ..events import Event
from ..requests import Address
from ..results import CommandResult, ExecutionInfo
from .runner import AsyncRunner


class AsyncExecution:
    """Like `statefork.Execution`, for `async for event in execution:`."""

    def __init__(self, runner: AsyncRunner, at: Address, info: ExecutionInfo) -> None:
        self._runner = runner
        self._at = at
        self._info = info
        self.id = info.id
        self.command = info.command

    def events(self, after: int = 0) -> AsyncIterator[Event]:
        return self._runner.iterate(executions.follow(self._at, self._info, after))

    def __aiter__(self) -> AsyncIterator[Event]:
        return self.events()

    async def wait(self, timeout: Optional[float] = None, *, check: bool = False) -> CommandResult:
        return await self._runner.run(executions.wait(self._at, self._info, timeout, check))

    async def interrupt(self) -> str:
        return await self._runner.run(executions.interrupt(self._at, self.id))

    async def info(self) -> ExecutionInfo:
        return await self._runner.run(executions.find(self._at, self.id))

    def __repr__(self) -> str:
        return f"<AsyncExecution {self.id} in {self._at.session}/{self._at.branch}>"
