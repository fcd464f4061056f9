"""World: a daemon with its own socket and state. As for a user, the first call that needs the
daemon starts it.

The programs under test are those in STATEFORK_BIN_DIR. close() ends everything and checks that
nothing is left.
"""

import contextlib
import os
import select
import shutil
import signal
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

from statefork import Client, Session
from statefork.aio import AsyncClient

PATIENCE = 60.0


def program(name: str = "statefork") -> str:
    return str(Path(os.environ["STATEFORK_BIN_DIR"]).resolve() / name)


@contextlib.contextmanager
def environment(**values: str) -> Iterator[None]:
    """Sets these variables and unsets all others of StateFork."""
    before = dict(os.environ)
    for key in [key for key in os.environ if key.startswith("STATEFORK_") and key != "STATEFORK_BIN_DIR"]:
        del os.environ[key]
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def eventually(question: Callable[[], Any]) -> Any:
    """Calls `question` until its result is true, and returns that."""
    deadline = time.monotonic() + PATIENCE
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"timed out waiting for {question}")
        time.sleep(0.02)


def end_process(pid: int, number: int) -> None:
    process = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(process, number)
        assert select.select([process], [], [], PATIENCE)[0], f"process {pid} does not end"
    finally:
        os.close(process)


class World:
    def __init__(self, parent: str = "/var/tmp") -> None:
        # Not in /tmp, which may be a tmpfs: the store keeps whole file systems.
        self.dir = Path(tempfile.mkdtemp(prefix="sf-python-", dir=parent))
        self.socket = str(self.dir / "s.sock")
        self.state = str(self.dir / "state")
        os.environ["STATEFORK_PROGRAM"] = program()

    def variables(self) -> Dict[str, str]:
        """Environment variables that make this daemon the default one."""
        return {"STATEFORK_SOCKET": self.socket, "STATEFORK_STATE": self.state, "STATEFORK_PROGRAM": program()}

    def client(self, **options: Any) -> Client:
        return Client(self.socket, state=self.state, **options)

    def async_client(self, **options: Any) -> AsyncClient:
        return AsyncClient(self.socket, state=self.state, **options)

    def session(self, **settings: Any) -> Session:
        return self.client().build_session("waypoint", root="/", **settings)

    def end_daemon(self, number: int = signal.SIGTERM) -> None:
        """Sends the signal and waits until the daemon has ended."""
        end_process(self.client(start=False).health().pid, number)

    def kill_branches(self) -> None:
        """Kills the keepers of live branches."""
        for keeper in [line.split()[0] for line in self.leftovers() if "waypoint-keeper" in line]:
            with contextlib.suppress(OSError):
                children = Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()
                if any("waypoint-init" in Path(f"/proc/{child}/comm").read_text() for child in children):
                    end_process(int(keeper), signal.SIGKILL)

    def close(self) -> None:
        for info in self.client().list_sessions():
            self.client().connect(info.id).end()
        self.end_daemon()
        eventually(lambda: not self.leftovers())
        shutil.rmtree(self.dir)

    def leftovers(self) -> List[str]:
        """Mounts of this world, and processes with its directory on their command line."""
        found = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if str(self.dir) in line]
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes()
                if str(self.dir).encode() in words:
                    found.append(f"{entry.name} {words!r}")
        return found


class DaemonTest(unittest.TestCase):
    """Tests that share one daemon."""

    world: World

    @classmethod
    def setUpClass(cls) -> None:
        cls.world = World()
        cls.addClassCleanup(cls.world.close)


class LiveTest(DaemonTest):
    """Each test has its own session, `self.s`."""

    def setUp(self) -> None:
        self.s = self.world.session()
        self.addCleanup(self.s.__exit__, None, None, None)


class AsyncLiveTest(unittest.IsolatedAsyncioTestCase):
    """The same for coroutines."""

    world: World

    @classmethod
    def setUpClass(cls) -> None:
        cls.world = World()
        cls.addClassCleanup(cls.world.close)

    async def asyncSetUp(self) -> None:
        self.s = await self.world.async_client().build_session("waypoint", root="/")
        self.addAsyncCleanup(self.s.__aexit__, None, None, None)
