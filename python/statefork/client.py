"""Client: a daemon and its sessions."""

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
    """A daemon at a Unix `socket`, or at a `url` with its `token`. The default comes from the
    environment (STATEFORK_URL and STATEFORK_TOKEN, STATEFORK_SOCKET), or else is the default
    socket. If no daemon answers at a socket, the program `statefork` (STATEFORK_PROGRAM, or from
    the PATH) starts a daemon, unless `start` is False. The started daemon keeps its data in
    `state`.

    Keeps no connection open, so it needs no close. Thread-safe.

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
        """Starts a session over the directory `root`, which is never changed. docker and podman
        also accept an image (`root="image:debian:12"`).

        `backend` is waypoint (saves everything), overlay (files only), replay (commands only),
        another of `backends()`, or auto (the best one for this host). `policy` is eager, lazy,
        smart or every-N. `engine` is auto, native or criu (waypoint only). The daemon ends the
        session after `ttl` seconds, or after `idle` seconds without use. Leaving the `with` ends
        the session, unless `keep` is set.
        """
        info = self._runner.run(verbs.build_session(
            backend, root, ttl, idle, name=name, policy=policy, user=user, cwd=cwd, env=env, network=network,
            engine=engine,
            memory_bytes=memory_bytes, pids=pids, cpus=cpus, labels=labels, max_bytes=max_bytes,
            max_branches=max_branches))
        return Session(self._runner, info, keep)

    def connect(self, session: str, *, keep: bool = True) -> Session:
        """Returns an existing session, by id or name. Leaving the `with` ends it only if `keep` is
        False.

        >>> Client().connect(s.id).exec_command("echo hi").output
        'hi\\n'
        """
        return Session(self._runner, self._runner.run(verbs.session_info(Address(session))), keep)

    def list_sessions(self) -> List[SessionInfo]:
        """Lists all sessions, the oldest first."""
        return self._runner.run(verbs.list_sessions())

    def health(self) -> Health:
        """Checks that the daemon answers, and returns its version and process id."""
        return self._runner.run(verbs.health())

    def backends(self) -> List[BackendInfo]:
        """Lists the backends with what each one preserves."""
        return self._runner.run(verbs.backends())

    def metrics(self) -> str:
        """Returns the metrics in the Prometheus text format."""
        return self._runner.run(verbs.metrics())

    def collect_garbage(self) -> GarbageReport:
        """Retries removals that failed before."""
        return self._runner.run(verbs.collect_garbage())

    def __repr__(self) -> str:
        return f"<Client of {self._runner.location.describe()}>"
