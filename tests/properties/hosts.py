"""Hosts: a private StateFork instance with its interfaces, which can be killed and checked for
leaks.

DaemonHost is a daemon with its clients. LibraryHost is the C++ library in a program of its own.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import tempfile
import threading
from pathlib import Path
from typing import Dict, List, Set

import statefork
from command_line_way import CommandLineWay
from http_way import HttpWay
from library_way import LibraryWay
from line_program import LineProgram
from mcp_way import McpWay
from python_way import PythonWay
from ways import Problem, Way
from world import end_process, eventually, program


class Host:
    """Common base of both hosts. Thread-safe."""

    name = ""

    def __init__(self) -> None:
        # Not in /tmp, which may be a tmpfs: the store keeps whole file systems.
        self.directory = Path(tempfile.mkdtemp(prefix="sf-properties-", dir="/var/tmp"))
        self.ways: List[Way] = []
        self._kills = 0  # incremented before and after each kill of any process
        self.may_kill = False  # this run kills processes
        self.killed_keepers: List[str] = []  # ids, in order
        self.known_keepers: Set[str] = set()  # ids of the keepers whose branch the players know
        self._kill_lock = threading.Lock()
        self._keepers: Set[str] = set()  # ids of all keepers, current and former

    def kills_before(self) -> int:
        """Take this before a call: if killed_since() of it is true afterwards, the call may
        fail."""
        return self._kills & ~1  # counts a kill in progress

    def killed_since(self, before: int) -> bool:
        return self._kills != before

    def ensure_running(self) -> None:
        raise NotImplementedError

    def _kill_manager(self) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        raise NotImplementedError

    def kill_manager(self) -> None:
        """Sends SIGKILL to the daemon, or to the program that uses the library."""
        with self._kill_lock:
            self._kills += 1
            self._kill_manager()
            self.ensure_running()  # until then, a call can still fail because of the kill
            self._kills += 1

    def kill_keeper(self, choice: random.Random) -> None:
        """Sends SIGKILL to one process that owns a live branch."""
        with self._kill_lock:
            found = sorted((pid, keeper) for pid, keeper in self._running_keepers() if self._has_branch(pid))
            if not found:
                return
            pid, keeper = choice.choice(found)
            self._kills += 1
            self.killed_keepers.append(keeper)
            with contextlib.suppress(OSError):
                end_process(pid, signal.SIGKILL)
            self._kills += 1

    def close(self) -> List[str]:
        """Ends everything. Returns the processes, mounts and files left on the host."""
        self._running_keepers()
        self.ensure_running()
        self._end()
        with contextlib.suppress(AssertionError):
            eventually(lambda: not self._leaks())
        left = self._leaks()
        if not left:
            shutil.rmtree(self.directory)
        return left

    def _processes(self) -> Dict[int, bytes]:
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                with contextlib.suppress(OSError):
                    words = (entry / "cmdline").read_bytes()
                    if str(self.directory).encode() in words:
                        found[int(entry.name)] = words
        return found

    def _running_keepers(self) -> List[tuple[int, str]]:
        found = []
        for pid, words in self._processes().items():
            parts = words.split(b"\0")
            if parts[0].endswith(b"waypoint-keeper") and len(parts) > 2:
                found.append((pid, parts[2].decode()))
        self._keepers |= {keeper for _, keeper in found}
        return found

    @staticmethod
    def _has_branch(pid: int) -> bool:
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            return any("waypoint-init" in Path(f"/proc/{child}/comm").read_text() for child in children)
        return False

    def _leaks(self) -> List[str]:
        mark = str(self.directory)
        found = [f"mount: {line}" for line in Path("/proc/self/mountinfo").read_text().splitlines() if mark in line]
        found += [f"process: {pid} {words!r}" for pid, words in self._processes().items()]
        for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
            with contextlib.suppress(OSError):
                if mark in backing.read_text():
                    found.append(f"loop device: {backing}")
        groups = [*Path("/sys/fs/cgroup").glob("statefork/*"), *Path("/sys/fs/cgroup").glob("*/statefork/*")]
        found += [f"cgroup: {group}" for group in groups if any(keeper in group.name for keeper in self._keepers)]
        return found


class DaemonHost(Host):
    name = "daemon"

    def __init__(self) -> None:
        super().__init__()
        os.environ["STATEFORK_PROGRAM"] = program()
        self._socket = str(self.directory / "s.sock")
        state = str(self.directory / "state")
        self._client = statefork.Client(self._socket, state=state)
        variables = {"STATEFORK_SOCKET": self._socket, "STATEFORK_STATE": state}
        self._mcp = LineProgram([program(), "mcp"], variables, self.directory / "mcp.log")
        self.ways = [HttpWay(self._socket, self.ensure_running), CommandLineWay(program(), variables),
                     PythonWay(self._client), McpWay(self._mcp)]

    def ensure_running(self) -> None:
        def answers() -> bool:
            try:
                return bool(self._client.health().status == "ok")
            except statefork.StateForkError:
                return False
        eventually(answers)

    def _daemon(self) -> int:
        return statefork.Client(self._socket, start=False).health().pid

    def _kill_manager(self) -> None:
        with contextlib.suppress(OSError, statefork.StateForkError):
            end_process(self._daemon(), signal.SIGKILL)

    def _end(self) -> None:
        self._mcp.close()
        for info in self._client.list_sessions():
            self._client.connect(info.id).end()
        end_process(self._daemon(), signal.SIGTERM)


class LibraryHost(Host):
    name = "library"

    def __init__(self) -> None:
        super().__init__()
        self._start_lock = threading.Lock()
        self._program = self._start()
        self._way = LibraryWay(lambda: self._program)
        self.ways = [self._way]

    def _start(self) -> LineProgram:
        return LineProgram([program("properties-library"), str(self.directory / "state")], {},
                           self.directory / "library.log")

    def ensure_running(self) -> None:
        with self._start_lock:
            if self._program.process.poll() is not None:
                self._program.close()
                self._program = self._start()

    def _kill_manager(self) -> None:
        self._program.process.kill()
        self._program.process.wait()

    def _end(self) -> None:
        for session in self._way.asked_for:  # also those whose start was not answered because of a kill
            with contextlib.suppress(Problem):
                self._way.destroy(session)
        self._program.close()
