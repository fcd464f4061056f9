"""WaypointEnvironment: an environment for Harbor, with the import path
`statefork.harbor:WaypointEnvironment`.

It implements Harbor's interface: file transfer, and `exec`, which starts a process without a
terminal. It can also be snapshotted, restored and forked with its running processes. The manual is
docs/harbor.md.
"""

from __future__ import annotations

import asyncio
import copy
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, TypeVar, Union

from . import transfer
from .aio import AsyncBranch, AsyncClient, AsyncSession, AsyncTerminal
from .client import Client
from .container import MAX_OUTPUT
from .errors import NotFoundError, StateForkError, UnsupportedError, excerpt
from .harbor_base import (Capabilities, Environment, EnvironmentType, ExecResult, OldCapabilities,
                          ResourceCapabilities, User)
from .nodes import NodeRef, Snapshot
from .location import find_program
from .plans import Plan
from .results import ProgramResult, RestoreReport
from .side_script import side_argv, side_killer, side_script

LOGS = ("/logs/agent", "/logs/verifier", "/logs/artifacts")
COMPOSE = ("docker-compose.yaml", "docker-compose.yml", "compose.yaml", "compose.yml")
MIB = 1 << 20

T = TypeVar("T")

# Users other than root must be able to write logs.
PREPARE = r"""
mkdir -p -- "$@" && shift && chmod 777 -- "$@"
"""


class ExecTimeout(RuntimeError):
    """A command exceeded its `timeout_sec` and was ended; `result` has its output so far. Not a
    `TimeoutError`, because Harbor takes that for the end of the agent's own time limit."""

    def __init__(self, command: str, seconds: float, result: ProgramResult) -> None:
        super().__init__(f"'{excerpt(command)}' was ended after {seconds} seconds")
        self.result = result


class WaypointEnvironment(OldCapabilities, Environment):
    """A task's environment in a session of StateFork.

    `root` is the session's root: a directory or, for the backends docker and podman, `image:NAME`.
    `{name}` in it is replaced by the environment's name. The default is the task's `docker_image`,
    if it is a directory or the backend accepts images, or else the variable STATEFORK_ROOT.
    `network` is `none` or `host`; the default is the task's setting. `socket`, or `url` and
    `token`, select a daemon other than the default one. `ttl` is a session's longest lifetime in
    seconds.
    """

    def __init__(self, environment_dir: Path, environment_name: str, session_id: str, trial_paths: Any,
                 task_env_config: Any, *, root: Optional[str] = None, backend: str = "waypoint",
                 network: Optional[str] = None, socket: Optional[str] = None, url: Optional[str] = None,
                 token: Optional[str] = None, ttl: Optional[float] = None, **others: Any) -> None:
        self._backend = backend
        self._root = (root or root_of_task(task_env_config, backend) or os.environ.get("STATEFORK_ROOT", "")).replace(
            "{name}", environment_name)
        self._allowed_network = network_of(others.get("network_policy"), task_env_config)
        self._network = network or self._allowed_network
        self._ttl = None if ttl is None else float(ttl)
        self._client = AsyncClient(socket, url=url, token=token)
        self._socket = socket
        self._remote = bool(url)
        self._workdir = working_directory(Path(environment_dir), task_env_config)
        self._terminal: Optional[AsyncTerminal] = None
        super().__init__(environment_dir=environment_dir, environment_name=environment_name, session_id=session_id,
                         trial_paths=trial_paths, task_env_config=task_env_config, **others)

    # Called by Harbor before the environment starts.

    @staticmethod
    def type() -> str:
        return EnvironmentType("statefork")

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(disable_internet=True)

    @classmethod
    def resource_capabilities(cls) -> ResourceCapabilities:
        return ResourceCapabilities(cpu_limit=True, memory_limit=True)

    @classmethod
    def preflight(cls) -> None:
        """Exits with a message if no daemon answers and none can be started."""
        try:
            Client().health()
        except StateForkError as error:
            raise SystemExit(str(error)) from error

    def _validate_definition(self) -> None:
        for name in COMPOSE:
            if (self.environment_dir / name).exists():
                raise UnsupportedError(f"{self.environment_dir / name}: several containers are not supported",
                                       hint="only tasks with one container can run here")
        for what in ("gpus", "tpu"):
            if getattr(self.task_env_config, what, None):
                raise UnsupportedError(f"the task {self.environment_name} needs {what}, which StateFork does not provide")
        for network in (self._allowed_network, self._network):
            if network not in ("none", "host"):
                raise UnsupportedError(f"network '{network}' is not supported", hint="use none or host")
        if self._allowed_network == "none" != self._network:
            raise UnsupportedError(f"the task {self.environment_name} must run without a network")
        if not self._root:
            raise UnsupportedError(f"the task {self.environment_name} has no root directory",
                                   hint="give the argument `root`, or set STATEFORK_ROOT")
        if not self._remote and not self._root.startswith("image:") and not Path(self._root).is_dir():
            raise FileNotFoundError(f"the root {self._root} is not a directory")

    # Start and stop.

    async def start(self, force_build: bool) -> None:
        """Starts a session. Builds nothing: the root is used unchanged."""
        if force_build:
            self.logger.debug("force_build has no effect: the root %s is used unchanged", self._root)
        making = asyncio.ensure_future(self._make_session())
        try:
            self._terminal = await asyncio.shield(making)
        except asyncio.CancelledError:
            with suppress(StateForkError):  # the caller has no handle to end it
                await (await making).end()
            raise
        try:
            await self._prepare()
        except BaseException:
            await asyncio.shield(self.stop(delete=True))
            raise

    async def _make_session(self) -> AsyncSession:
        config = self.task_env_config
        cpus = getattr(self, "_effective_cpus", getattr(config, "cpus", None))
        memory = getattr(self, "_effective_memory_mb", getattr(config, "memory_mb", None))
        return await self._client.build_session(
            self._backend, root=self._root, env=self._merge_env(None), network=self._network, ttl=self._ttl,
            cpus=cpus or None, memory_bytes=memory * MIB if memory else None,
            labels={"harbor": self.session_id, "task": self.environment_name}, keep=True)

    async def _prepare(self) -> None:
        targets = [str(mount["target"]) for mount in getattr(self, "_mounts", []) if mount.get("target")]
        argv = transfer.shell(PREPARE, self._workdir, *LOGS, *targets)
        await self._carry_out(transfer.run(self.terminal._at, argv, "making the directories of the task"))
        upload = getattr(self, "_upload_environment_dir_after_start", None)  # set for tasks that only name an image
        if upload is not None:
            await upload()

    async def stop(self, delete: bool) -> None:
        """Ends the session, or only the branch of a fork. Without `delete`, keeps it for `statefork
        shell`."""
        terminal, self._terminal = self._terminal, None
        if isinstance(terminal, (AsyncSession, AsyncBranch)) and delete:
            with suppress(NotFoundError):
                await terminal.end()
        elif terminal is not None:
            self.logger.info("kept: statefork shell %s", address(terminal))

    async def attach(self) -> None:
        """Replaces this process by `statefork shell`."""
        program = find_program()
        where = ["--socket", self._socket] if self._socket else []
        os.execvp(program, [program, "shell", *where, address(self.terminal)])

    # Commands and files.

    async def exec(self, command: str, cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None,
                   timeout_sec: Optional[float] = None, user: Optional[User] = None) -> ExecResult:
        """Runs a new process without a terminal, with separate outputs and without the directory
        and variables of earlier ones. Its background processes keep running and are not waited for.
        A command that exceeds its time limit is ended and raises `ExecTimeout`. If the caller is
        cancelled, the command is ended."""
        as_user = self._resolve_user(user)
        name = secrets.token_hex(8)
        terminal = self.terminal
        try:
            result = await terminal.run(
                side_argv(name), stdin=side_script(command, cwd or self._workdir), env=self._merge_env(dict(env or {})),
                cwd="/", user=None if as_user is None else str(as_user), timeout=timeout_sec or None,
                max_output=MAX_OUTPUT)
        except asyncio.CancelledError:
            with suppress(StateForkError):
                await asyncio.shield(terminal.run(side_killer(name)))
            raise
        if result.timed_out:
            raise ExecTimeout(command, timeout_sec or 0, result)
        return ExecResult(return_code=result.exit_code, stdout=result.stdout, stderr=result.stderr)

    async def upload_file(self, source_path: Union[Path, str], target_path: str) -> None:
        source = Path(source_path)
        data = await asyncio.to_thread(source.read_bytes)
        await self._carry_out(transfer.put_file(self.terminal._at, data, source.stat().st_mode, source.name,
                                                self._absolute(target_path)))

    async def upload_dir(self, source_dir: Union[Path, str], target_dir: str) -> None:
        """Copies the directory's contents, not the directory itself."""
        archive = await asyncio.to_thread(transfer.pack, [(Path(source_dir), ".")])
        await self._carry_out(transfer.put_tree(self.terminal._at, archive, self._absolute(target_dir)))

    async def download_file(self, source_path: str, target_path: Union[Path, str]) -> None:
        data = await self._carry_out(transfer.get_file(self.terminal._at, self._absolute(source_path)))
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        await asyncio.to_thread(Path(target_path).write_bytes, data)

    async def download_dir(self, source_dir: str, target_dir: Union[Path, str]) -> None:
        archive = await self._carry_out(transfer.get_tree(self.terminal._at, self._absolute(source_dir)))
        await asyncio.to_thread(transfer.unpack, archive, Path(target_dir))

    async def _carry_out(self, plan: Plan[T]) -> T:
        return await self.terminal._runner.run(plan)

    def _absolute(self, path: str) -> str:
        return os.path.join(self._workdir, path)

    # Beyond Harbor's interface.

    @property
    def terminal(self) -> AsyncTerminal:
        """The branch, with all verbs of `statefork.aio`: a persistent shell, keys, a screen."""
        if self._terminal is None:
            raise StateForkError("the environment is not running", hint="call start() first")
        return self._terminal

    async def snapshot(self, name: Optional[str] = None, *, notes: Optional[Mapping[str, str]] = None) -> Snapshot:
        """Saves files, processes with their memory, and terminals. Commands may be running."""
        return await self.terminal.snapshot(name, notes=notes, materialization="physical")

    async def restore(self, node: NodeRef) -> RestoreReport:
        """Puts the environment back to a node. Callers waiting for a command get a
        `SessionLostError`."""
        return await self.terminal.restore(node)

    async def fork(self, count: int = 1, *, node: Optional[NodeRef] = None) -> List[WaypointEnvironment]:
        """Makes environments from the current state or from `node`; `stop` ends one. Their results
        go to the same `trial_paths` unless the caller sets others."""
        at = await self.snapshot() if node is None else node
        return [self._forked(branch) for branch in await self.terminal.fork(at, count)]

    def _forked(self, branch: AsyncBranch) -> WaypointEnvironment:
        child = copy.copy(self)
        child._terminal = branch
        child._persistent_env = dict(self._persistent_env)
        child.session_id = f"{self.session_id}__{branch.name}"
        return child


def address(terminal: AsyncTerminal) -> str:
    return f"{terminal._at.session}/{terminal._at.branch}"


def root_of_task(config: Any, backend: str) -> str:
    """Returns the task's image if it can be a root, or else an empty string."""
    image = getattr(config, "docker_image", None) or ""
    if os.path.isabs(image):
        return str(image)
    return f"image:{image}" if image and backend in ("docker", "podman", "podman-commit") else ""


def network_of(policy: Any, config: Any) -> str:
    """Translates Harbor's network mode. Unknown modes are returned unchanged, for the error
    message.

    >>> from types import SimpleNamespace as Some
    >>> network_of(None, Some(network_mode="no-network")), network_of(Some(network_mode="public"), Some())
    ('none', 'host')
    """
    mode = getattr(policy, "network_mode", None) or getattr(config, "network_mode", None)
    if mode is None:
        mode = "public" if getattr(config, "allow_internet", True) else "no-network"
    words: Dict[str, str] = {"public": "host", "no-network": "none"}
    name = str(getattr(mode, "value", mode))
    return words.get(name, name)


def working_directory(environment_dir: Path, config: Any) -> str:
    """Returns the task's `workdir`, or else the last one of its Dockerfile."""
    if getattr(config, "workdir", None):
        return str(config.workdir)
    dockerfile = environment_dir / "Dockerfile"
    return last_workdir(dockerfile.read_text(errors="replace").splitlines()) if dockerfile.is_file() else "/"


def last_workdir(lines: Sequence[str]) -> str:
    """
    >>> last_workdir(["FROM a", "WORKDIR /x", "FROM b", "WORKDIR /app", "workdir src  "])
    '/app/src'
    """
    found = "/"
    for line in lines:
        match = re.match(r"\s*(FROM|WORKDIR)\s+(.*?)\s*$", line, re.IGNORECASE)
        if match:
            found = "/" if match[1].upper() == "FROM" else os.path.join(found, match[2].strip("\"'"))
    return found
