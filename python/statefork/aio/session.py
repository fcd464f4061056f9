"""AsyncSession: the verbs of `statefork.Session`, with `await`."""

from __future__ import annotations

from types import TracebackType
from typing import List, Optional, Type

from .. import verbs
from ..nodes import SessionInfo, Tree
from ..requests import Address
from ..results import CleanupReport, SessionStats
from .branch import AsyncBranch, AsyncTerminal
from .runner import AsyncRunner


class AsyncSession(AsyncTerminal):
    """A live terminal over a root directory, and the tree of its nodes.

    >>> import asyncio
    >>> from statefork import aio
    >>> async def hello() -> str:
    ...     async with aio.build_session("waypoint", root="/") as s:
    ...         return (await s.exec_command("echo hi")).output
    >>> asyncio.run(hello())
    'hi\\n'
    """

    def __init__(self, runner: AsyncRunner, info: SessionInfo, keep: bool) -> None:
        super().__init__(runner, Address(info.id))
        self.id = info.id
        self.name = info.name
        self.keep = keep

    async def info(self) -> SessionInfo:
        return await self._runner.run(verbs.session_info(self._at))

    async def tree(self) -> Tree:
        return await self._runner.run(verbs.tree(self._at))

    async def stats(self) -> SessionStats:
        return await self._runner.run(verbs.stats(self._at))

    async def rename(self, name: str) -> None:
        self.name = (await self._runner.run(verbs.rename_session(self._at, name))).name

    async def branches(self) -> List[AsyncBranch]:
        return [self._branch(name) for name in await self._runner.run(verbs.branch_names(self._at))]

    async def get_branch(self, name: str) -> AsyncBranch:
        return self._branch(await self._runner.run(verbs.get_branch(self._at, name)))

    async def end(self) -> CleanupReport:
        return await self._runner.run(verbs.end_session(self._at))

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], _: Optional[BaseException],
                        __: Optional[TracebackType]) -> None:
        if not self.keep:
            await self._runner.run(verbs.leave(verbs.end_session(self._at), failing=kind is not None))

    def __repr__(self) -> str:
        return f"<AsyncSession {self.id}{' ' + self.name if self.name else ''} at {self._runner.location.describe()}>"
