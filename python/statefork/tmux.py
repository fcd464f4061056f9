"""Terminal and TmuxSession: Terminal-Bench's interface for agents, with a branch as the container.

    with spin_up_terminal(root="/srv/roots/task") as terminal:
        session = terminal.create_session("agent")
        agent.perform_task(instruction, session)
        here = terminal.snapshot()      # includes the tmux server and the programs in its panes
        terminal.restore(here)

tmux runs in the branch, so the root must have it installed. The manual is docs/harbor.md.
"""

from __future__ import annotations

import copy
import json
import math
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Protocol, Sequence, Tuple, Union

from .branch import Branch, LocalPath
from .client import Client
from .container import Container, Paths
from .errors import NotFoundError, UnsupportedError
from .nodes import NodeRef, Snapshot
from .results import ProgramResult, RestoreReport
from .session import Session

LOGS = "/logs"
AGENT_LOGS = "/agent-logs"
COLUMNS, ROWS, HISTORY = 160, 40, 50_000
ENTER = ("Enter", "C-m", "KPEnter", "C-j", "^M", "^J")
LONG_KEYS = 4000  # characters; tmux accepts at most 16 KiB per command
READY_SECONDS = 10.0
Keys = Union[str, Sequence[str]]


class CommandLike(Protocol):
    """Terminal-Bench's TerminalCommand has this interface."""

    command: str
    min_timeout_sec: float
    max_timeout_sec: float
    block: bool
    append_enter: bool


@dataclass
class TerminalCommand:
    command: str
    min_timeout_sec: float = 0.0
    max_timeout_sec: float = 180.0
    block: bool = False
    append_enter: bool = True


class TmuxSession:
    """One tmux session in a container. Keys are tmux's: `Enter`, `C-c`, or text."""

    def __init__(self, session_name: str, container: Container, commands_path: Optional[Path] = None,
                 disable_recording: bool = True, user: str = "") -> None:
        self.container = container
        self._session_name = session_name
        self._commands_path = commands_path
        self._disable_recording = disable_recording
        self._user = user
        self._previous_buffer: Optional[str] = None
        self._late = 0  # blocking commands that timed out; their signals may still come
        needed = ["tmux"] if disable_recording else ["tmux", "asciinema"]
        for program in needed:
            if container.exec_run(["sh", "-c", f"command -v {program}"]).exit_code != 0:
                raise RuntimeError(f"{program} is not installed in the root of {container.id}")

    @property
    def logging_path(self) -> Path:
        """The log's path in the container."""
        return Path(LOGS, f"{self._session_name}.log")

    @property
    def _recording_path(self) -> Optional[Path]:
        return None if self._disable_recording else Path(LOGS, f"{self._session_name}.cast")

    def start(self) -> None:
        """Starts the tmux session and waits for the shell's prompt."""
        self._run("sh", "-c", f"mkdir -p {LOGS} && chmod 777 {LOGS}", user="")
        # history-limit applies to new panes only, so set it first.
        self._tmux("start-server", ";", "set-option", "-g", "history-limit", str(HISTORY), ";",
                   "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "-s", self._session_name, ";",
                   "pipe-pane", "-t", self._pane, f"cat >{self.logging_path}")
        self._wait_until(lambda: bool(self.capture_pane().strip()))
        if self._recording_path:
            recording = str(self._recording_path)
            self.send_keys([f"asciinema rec --stdin {recording}", "Enter"])
            self._wait_until(lambda: self._read(recording).count(b"\n") > 1)
            self.send_keys(["clear", "Enter"])

    def stop(self) -> None:
        """Ends the recording, if there is one. The tmux session ends with its container."""
        if self._recording_path and self.is_session_alive():
            self.send_keys(["C-d"], min_timeout_sec=0.1)

    def send_keys(self, keys: Keys, block: bool = False, min_timeout_sec: float = 0.0,
                  max_timeout_sec: float = 180.0) -> None:
        """Types `keys`. With `block`, and if the keys end in Enter, waits until the command has
        ended, or raises `TimeoutError`. Otherwise waits at least `min_timeout_sec`."""
        if self._commands_path:
            with self._commands_path.open("a") as commands:
                commands.write(f"{keys!r}\n")
        typed = [keys] if isinstance(keys, str) else list(keys)
        if block and typed and ends_line(typed[-1]):
            channel = f"done{self._late or ''}"
            self._type([*with_signal(typed, channel), "Enter"])
            seconds = None if math.isinf(max_timeout_sec) else max_timeout_sec
            if self._run("tmux", "wait", channel, timeout=seconds).timed_out:
                self._late += 1
                raise TimeoutError(f"the command is still running after {max_timeout_sec} seconds")
            return
        began = time.monotonic()
        self._type(typed)
        time.sleep(max(0.0, min_timeout_sec - (time.monotonic() - began)))

    def send_command(self, command: CommandLike) -> None:
        self.send_keys([command.command, "Enter"] if command.append_enter else [command.command], block=command.block,
                       min_timeout_sec=command.min_timeout_sec, max_timeout_sec=command.max_timeout_sec)

    def capture_pane(self, capture_entire: bool = False) -> str:
        """Returns the screen, or with `capture_entire` the whole history of the pane."""
        back = ["-S", "-"] if capture_entire else []
        return self._tmux("capture-pane", "-p", *back, "-t", self._pane).stdout

    def get_incremental_output(self) -> str:
        """Returns the output since the last call, or else the screen."""
        seen, self._previous_buffer = self._previous_buffer, self.capture_pane(capture_entire=True)
        new = None if seen is None else new_content(seen, self._previous_buffer)
        if new and new.strip():
            return f"New Terminal Output:\n{new}"
        return f"Current Terminal Screen:\n{self.capture_pane()}"

    def is_session_alive(self) -> bool:
        return self._run("tmux", "has-session", "-t", f"={self._session_name}").ok

    def clear_history(self) -> None:
        self._tmux("clear-history", "-t", self._pane)

    def get_asciinema_timestamp(self) -> float:
        """Seconds into the recording; 0 without one."""
        return last_time(self._read(str(self._recording_path))) if self._recording_path else 0.0

    def copy_to_container(self, paths: Paths, container_dir: Optional[str] = None,
                          container_filename: Optional[str] = None) -> None:
        self.container.copy_in(paths, container_dir, container_filename)

    @property
    def _pane(self) -> str:
        return f"={self._session_name}:"

    def _type(self, keys: Sequence[str]) -> None:
        for batch, literally in batches(keys):
            self._tmux("send-keys", "-t", self._pane, *(["-l"] if literally else []), "--", *map(escape, batch))

    def _tmux(self, *words: str) -> ProgramResult:
        result = self._run("tmux", "-u", *words)
        if not result.ok:
            raise RuntimeError(f"tmux {words[0]}: {result.stderr.strip() or result.exit_code}")
        return result

    def _run(self, *argv: str, timeout: Optional[float] = READY_SECONDS * 6,
             user: Optional[str] = None) -> ProgramResult:
        container = self.container
        return container.branch.run(argv, env=container._env, cwd=container._workdir,
                                    user=(self._user if user is None else user) or None, timeout=timeout)

    def _read(self, path: str) -> bytes:
        try:
            return self.container.branch.read_file(path)
        except NotFoundError:
            return b""

    def _wait_until(self, question: Callable[[], bool]) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not question() and time.monotonic() < deadline:
            time.sleep(0.02)


class Terminal:
    """A session of StateFork in place of Terminal-Bench's container. The first arguments are
    Terminal-Bench's; its Docker arguments have no effect.

    `root` (or the variable STATEFORK_ROOT) is the session's root directory, `workdir` the initial
    working directory, and `network` is `none` or `host`.
    """

    def __init__(self, client_container_name: str = "client", client_image_name: str = "",
                 docker_compose_path: Optional[Path] = None, docker_image_name_prefix: Optional[str] = None,
                 sessions_logs_path: Optional[Path] = None, agent_logs_path: Optional[Path] = None,
                 commands_path: Optional[Path] = None, no_rebuild: bool = False, cleanup: bool = False,
                 livestream: bool = False, disable_recording: bool = True, *, root: Optional[LocalPath] = None,
                 backend: str = "waypoint", workdir: str = "/", env: Optional[Mapping[str, str]] = None,
                 network: str = "host", client: Optional[Client] = None) -> None:
        self._name = client_container_name
        self._logs = {LOGS: sessions_logs_path, AGENT_LOGS: agent_logs_path}
        self._commands_path = commands_path
        self._disable_recording = disable_recording
        self._root = root or os.environ.get("STATEFORK_ROOT")
        self._backend = backend
        self._workdir = workdir
        self._env: Dict[str, str] = {"TEST_DIR": "/tests", **(env or {})}
        self._network = network
        self._client = client or Client()
        self._sessions: Dict[str, TmuxSession] = {}
        self._seen: Dict[str, Seen] = {}  # by snapshot
        self.container: Optional[Container] = None

    def start(self) -> None:
        if self._root is None:
            raise UnsupportedError("a root directory is needed", hint="the argument `root`, or STATEFORK_ROOT")
        session = self._client.build_session(self._backend, root=self._root, env=self._env, network=self._network,
                                             labels={"terminal": self._name}, keep=True)
        self.container = Container(session, self._name, self._workdir, self._env)
        session.run(["mkdir", "-p", "--", self._workdir, LOGS, AGENT_LOGS], cwd="/", check=True)

    def stop(self) -> None:
        """Copies the logs to this machine and ends the session or branch."""
        container, self.container = self.container, None
        if container is None:
            return
        try:
            for session in self._sessions.values():
                session.stop()
            for directory, local in self._logs.items():
                if local is not None:
                    container.copy_out(directory, local)
        finally:
            self._sessions.clear()
            branch = container.branch
            assert isinstance(branch, (Session, Branch))
            branch.end()

    def create_session(self, session_name: str, is_active_stream: bool = False,
                       as_configured_user: bool = True) -> TmuxSession:
        """Makes a tmux session with a shell."""
        if session_name in self._sessions:
            raise ValueError(f"there is a session {session_name} already")
        session = TmuxSession(session_name, self._running(), self._commands_path, self._disable_recording)
        session.start()
        self._sessions[session_name] = session
        return session

    def get_session(self, session_name: str) -> TmuxSession:
        if session_name not in self._sessions:
            raise ValueError(f"there is no session {session_name}")
        return self._sessions[session_name]

    def copy_to_container(self, paths: Paths, container_dir: Optional[str] = None,
                          container_filename: Optional[str] = None) -> None:
        self._running().copy_in(paths, container_dir, container_filename)

    def snapshot(self, name: Optional[str] = None) -> Snapshot:
        """Saves the files, the tmux server, and the programs in its panes."""
        node = self._running().branch.snapshot(name, materialization="physical")
        self._seen[node.id] = {key: (one, one._previous_buffer) for key, one in self._sessions.items()}
        return node

    def restore(self, node: NodeRef) -> RestoreReport:
        """Puts everything back to a node. Tmux sessions made after it are gone."""
        report = self._running().branch.restore(node)
        self._sessions = {}
        for name, (session, seen) in self._seen.get(report.node, {}).items():
            session._previous_buffer = seen
            self._sessions[name] = session
        return report

    def fork(self, count: int = 1, *, node: Optional[NodeRef] = None) -> List[Terminal]:
        """Makes terminals from the current state or from `node`; `stop` ends one. Their logs are
        not copied."""
        branch = self._running().branch
        at = self.snapshot().id if node is None else branch.node(node).id
        return [self._forked(one, at) for one in branch.fork(at, count)]

    def _forked(self, branch: Branch, node: str) -> Terminal:
        child = copy.copy(self)
        child._logs = {}
        child.container = Container(branch, f"{self._name}-{branch.name}", self._workdir, self._env)
        child._sessions = {}
        for name, (session, seen) in self._seen.get(node, {}).items():
            child._sessions[name] = copy.copy(session)
            child._sessions[name].container = child.container
            child._sessions[name]._previous_buffer = seen
        child._seen = {node: {name: (one, one._previous_buffer) for name, one in child._sessions.items()}}
        return child

    def _running(self) -> Container:
        if self.container is None:
            raise ValueError("the container is not running: call start() first")
        return self.container


Seen = Dict[str, Tuple[TmuxSession, Optional[str]]]  # by name: a tmux session and the output it had read


@contextmanager
def spin_up_terminal(client_container_name: str = "client", **settings: Any) -> Iterator[Terminal]:
    """Makes a terminal that is ended when the `with` is left."""
    terminal = Terminal(client_container_name, **settings)
    try:
        terminal.start()
        yield terminal
    finally:
        terminal.stop()


# Pure functions.


def ends_line(key: str) -> bool:
    return key in ENTER or key.endswith(("\r", "\n"))


def with_signal(keys: Sequence[str], channel: str) -> List[str]:
    """Adds a tmux signal on `channel` to the typed line, sent when its command ends.

    >>> with_signal(["make", "Enter"], "done"), with_signal(["ls\\n"], "done"), with_signal(["Enter"], "done")
    (['make', '; tmux wait -S done'], ['ls', '; tmux wait -S done'], ['tmux wait -S done'])
    """
    left = list(keys)
    while left and ends_line(left[-1]):
        text = "" if left[-1] in ENTER else left[-1].rstrip("\r\n")
        left[-1:] = [text] if text else []
    return [*left, ("; " if left else "") + f"tmux wait -S {channel}"]


def batches(keys: Sequence[str]) -> Iterator[Tuple[List[str], bool]]:
    """Splits keys into tmux calls; true for literal text, which is too long to be a key's name.

    >>> list(batches(["ls", "Enter"]))
    [(['ls', 'Enter'], False)]
    >>> [(len(keys[0]), literally) for keys, literally in batches(["x" * 5000, "Enter"])]
    [(4000, True), (1000, True), (5, False)]
    """
    short: List[str] = []
    for key in keys:
        if len(key) <= LONG_KEYS and sum(map(len, short)) + len(key) <= 2 * LONG_KEYS:
            short.append(key)
            continue
        if short:
            yield short, False
        short = [key] if len(key) <= LONG_KEYS else []
        for begin in range(0, 0 if short else len(key), LONG_KEYS):
            yield [key[begin:begin + LONG_KEYS]], True
    if short:
        yield short, False


def escape(key: str) -> str:
    """Escapes a final semicolon, which would begin tmux's next command.

    >>> escape("ls;"), escape("a;b")
    ('ls\\\\;', 'a;b')
    """
    return key[:-1] + "\\;" if key.endswith(";") else key


def new_content(seen: str, now: str) -> Optional[str]:
    """Returns the text after `seen`, from the start of its last line; None if `seen` is no longer
    there.

    >>> new_content("$ ls\\na b\\n$ \\n\\n", "$ ls\\na b\\n$ pwd\\n/tmp\\n$ \\n")
    '$ pwd\\n/tmp\\n$ \\n'
    """
    before = seen.rstrip()
    at = now.find(before)
    return None if at < 0 else now[now.rfind("\n", 0, at + len(before)) + 1:]


def last_time(recording: bytes) -> float:
    """Returns an asciinema recording's length. Version 3 has intervals, earlier versions have
    times.

    >>> last_time(b'{"version": 2}\\n[0.5, "o", "a"]\\n[1.25, "o", "b"]\\n[2.0, "o", "unfin')
    1.25
    """
    lines = [json.loads(line) for line in recording[:recording.rfind(b"\n") + 1].splitlines() if line.strip()]
    times = [float(line[0]) for line in lines[1:]]
    if not times:
        return 0.0
    return sum(times) if lines[0].get("version", 2) >= 3 else times[-1]
