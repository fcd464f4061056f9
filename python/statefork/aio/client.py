"""AsyncClient: the verbs of `statefork.Client`, with `await`."""

from __future__ import annotations

from functools import partial
from typing import List, Mapping, Optional

from .. import verbs
from ..branch import LocalPath
from ..nodes import SessionInfo
from ..location import find_location
from ..plans import Plan
from ..requests import Address
from ..results import BackendInfo, GarbageReport, Health
from .opening import Opening
from .runner import AsyncRunner
from .session import AsyncSession


class AsyncClient:
    """A daemon and its sessions."""

    def __init__(self, socket: Optional[str] = None, *, url: Optional[str] = None, token: Optional[str] = None,
                 state: Optional[str] = None, start: bool = True) -> None:
        self._find = partial(find_location, socket, url, token, state, start)

    @property
    def _runner(self) -> AsyncRunner:
        return AsyncRunner(self._find())  # the environment may have changed since

    def build_session(self, backend: str = "waypoint", *, root: LocalPath = "/", name: Optional[str] = None,
                      policy: Optional[str] = None, user: Optional[str] = None, cwd: Optional[str] = None,
                      env: Optional[Mapping[str, str]] = None, network: Optional[str] = None,
                      engine: Optional[str] = None,
                      memory_bytes: Optional[int] = None, pids: Optional[int] = None, cpus: Optional[float] = None,
                      labels: Optional[Mapping[str, str]] = None, ttl: Optional[float] = None,
                      idle: Optional[float] = None, max_bytes: Optional[int] = None,
                      max_branches: Optional[int] = None, keep: bool = False) -> Opening[AsyncSession]:
        """Use it as `async with build_session("waypoint", root="/") as s:`, or await it."""
        plan = verbs.build_session(
            backend, root, ttl, idle, name=name, policy=policy, user=user, cwd=cwd, env=env, network=network,
            engine=engine,
            memory_bytes=memory_bytes, pids=pids, cpus=cpus, labels=labels, max_bytes=max_bytes,
            max_branches=max_branches)
        return Opening(self._open(plan, keep))

    def connect(self, session: str, *, keep: bool = True) -> Opening[AsyncSession]:
        return Opening(self._open(verbs.session_info(Address(session)), keep))

    async def _open(self, plan: Plan[SessionInfo], keep: bool) -> AsyncSession:
        runner = self._runner
        return AsyncSession(runner, await runner.run(plan), keep)

    async def list_sessions(self) -> List[SessionInfo]:
        return await self._runner.run(verbs.list_sessions())

    async def health(self) -> Health:
        return await self._runner.run(verbs.health())

    async def backends(self) -> List[BackendInfo]:
        return await self._runner.run(verbs.backends())

    async def metrics(self) -> str:
        return await self._runner.run(verbs.metrics())

    async def collect_garbage(self) -> GarbageReport:
        return await self._runner.run(verbs.collect_garbage())

    def __repr__(self) -> str:
        return f"<AsyncClient of {self._find().describe()}>"
