"""Client: one daemon, and the sessions it has."""

from __future__ import annotations

from functools import partial
from typing import List, Mapping, Optional

from . import verbs
from .branch import LocalPath
from .nodes import SessionInfo
from .location import find_location
from .requests import Address
from .results import BackendInfo, GarbageReport, Health
from .runner import Runner
from .session import Session


class Client:
    """A daemon at a Unix `socket`, or at a `url` with its `token`; by default where the environment says
    (STATEFORK_URL and STATEFORK_TOKEN, STATEFORK_SOCKET), or else at the usual socket. When none answers at a socket,
    the program `statefork` (STATEFORK_PROGRAM, or from the PATH) starts one, unless `start` is False; `state` is
    where that one keeps everything.

    Holds no connection, so there is nothing to close. Thread-safe.

    >>> Client().health().status
    'ok'
    """

    def __init__(self, socket: Optional[str] = None, *, url: Optional[str] = None, token: Optional[str] = None,
                 state: Optional[str] = None, start: bool = True) -> None:
        self._find = partial(find_location, socket, url, token, state, start)

    @property
    def _runner(self) -> Runner:
        return Runner(self._find())  # the environment may have changed since

    def build_session(self, backend: str = "waypoint", *, root: LocalPath = "/", name: Optional[str] = None,
                      policy: Optional[str] = None, user: Optional[str] = None, cwd: Optional[str] = None,
                      env: Optional[Mapping[str, str]] = None, network: Optional[str] = None,
                      engine: Optional[str] = None,
                      memory_bytes: Optional[int] = None, pids: Optional[int] = None, cpus: Optional[float] = None,
                      labels: Optional[Mapping[str, str]] = None, ttl: Optional[float] = None,
                      idle: Optional[float] = None, max_bytes: Optional[int] = None,
                      max_branches: Optional[int] = None, keep: bool = False) -> Session:
        """Starts a live terminal over the directory `root`, which itself stays as it is; docker and podman take an
        image, too (`root="image:debian:12"`).

        `backend` is waypoint (everything), overlay (files only), replay (nothing but commands), another of `backends()`,
        or auto (the best this host can run); `policy` eager,
        lazy, smart or every-N; `engine` auto, native or criu (waypoint alone). `ttl` and `idle` are seconds after which the daemon ends it by itself. Leaving its
        `with` ends it, unless `keep` is set.
        """
        info = self._runner.run(verbs.build_session(
            backend, root, ttl, idle, name=name, policy=policy, user=user, cwd=cwd, env=env, network=network,
            engine=engine,
            memory_bytes=memory_bytes, pids=pids, cpus=cpus, labels=labels, max_bytes=max_bytes,
            max_branches=max_branches))
        return Session(self._runner, info, keep)

    def connect(self, session: str, *, keep: bool = True) -> Session:
        """A session that is there already, by id or name. Leaving its `with` does not end it, unless `keep` is
        False.

        >>> Client().connect(s.id).exec_command("echo hi").output
        'hi\\n'
        """
        return Session(self._runner, self._runner.run(verbs.session_info(Address(session))), keep)

    def list_sessions(self) -> List[SessionInfo]:
        """The oldest first."""
        return self._runner.run(verbs.list_sessions())

    def health(self) -> Health:
        """Is it there, and which one is it?"""
        return self._runner.run(verbs.health())

    def backends(self) -> List[BackendInfo]:
        """What each backend preserves and can do."""
        return self._runner.run(verbs.backends())

    def metrics(self) -> str:
        """As Prometheus reads them."""
        return self._runner.run(verbs.metrics())

    def collect_garbage(self) -> GarbageReport:
        """Tries again to remove what could not be removed before."""
        return self._runner.run(verbs.collect_garbage())

    def __repr__(self) -> str:
        return f"<Client of {self._runner.location.describe()}>"
