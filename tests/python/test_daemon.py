"""The daemon: finding it, starting it, and errors if there is none."""

import asyncio
import os
import socket
import subprocess
import threading
import unittest
from pathlib import Path

from statefork import AuthenticationError, Client, DaemonError, NoDaemonError
from statefork.aio import AsyncClient
from world import World, environment, eventually, program


class StartTest(unittest.TestCase):
    def setUp(self) -> None:
        self.world = World()
        self.addCleanup(self.world.close)

    def test_the_first_call_starts_the_daemon_that_all_calls_use(self) -> None:
        pids = []
        threads = [threading.Thread(target=lambda: pids.append(self.world.client().health().pid)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(pids), 4)
        self.assertEqual(len(set(pids)), 1)

    def test_async_calls_start_it_too(self) -> None:
        self.assertEqual(asyncio.run(self.world.async_client().health()).status, "ok")

    def test_many_concurrent_calls_reach_one_daemon(self) -> None:
        async def crowd() -> int:
            answers = await asyncio.gather(*(self.world.async_client().health() for _ in range(400)))
            return len({answer.pid for answer in answers})

        self.assertEqual(asyncio.run(crowd()), 1)

    def test_the_program_is_found_in_the_path(self) -> None:
        with environment(PATH=f"{Path(program()).parent}:{os.environ['PATH']}"):
            self.assertEqual(self.world.client().health().status, "ok")

    def test_the_host_is_described(self) -> None:
        client = self.world.client()
        names = {backend.name for backend in client.backends()}
        self.assertLessEqual({"waypoint", "overlay", "replay"}, names)
        self.assertIn("statefork_", client.metrics())
        self.assertEqual(client.collect_garbage().leftovers, [])

    def test_tcp_requires_the_token(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        token = "a-token-of-sixteen-or-more"
        daemon = subprocess.Popen(
            [program(), "serve", "--socket", self.world.socket, "--state", self.world.state, "--listen",
             f"127.0.0.1:{port}"], env={**os.environ, "STATEFORK_TOKEN": token}, stderr=subprocess.DEVNULL)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.terminate)
        url = f"http://127.0.0.1:{port}"

        def answers() -> bool:
            try:
                return bool(Client(url=url, token=token).health())
            except NoDaemonError:
                return False

        eventually(answers)
        with Client(url=url, token=token).build_session("waypoint", root="/") as s:
            self.assertEqual(s.exec_command("echo hi").output, "hi\n")
        with environment(STATEFORK_URL=url, STATEFORK_TOKEN=token):
            self.assertEqual(asyncio.run(AsyncClient().list_sessions()), [])
        for wrong in ("", "wrong"):
            with environment(), self.assertRaises(AuthenticationError):
                Client(url=url, token=wrong).list_sessions()


class NoDaemonTest(unittest.TestCase):
    def test_without_the_program_the_error_says_what_to_do(self) -> None:
        for variables in ({"PATH": "/nowhere"}, {"STATEFORK_PROGRAM": "/nowhere/statefork"}):
            with environment(**variables):
                with self.assertRaisesRegex(NoDaemonError, "STATEFORK_PROGRAM"):
                    Client("/nowhere/s.sock").health()
                with self.assertRaisesRegex(NoDaemonError, "STATEFORK_PROGRAM"):
                    asyncio.run(AsyncClient("/nowhere/s.sock").health())

    def test_no_daemon_is_started_without_start(self) -> None:
        with self.assertRaises(NoDaemonError):
            Client("/nowhere/s.sock", start=False).health()
        with self.assertRaises(NoDaemonError):
            Client(url="http://127.0.0.1:1", token="t").health()

    def test_the_programs_error_output_is_in_the_exception(self) -> None:
        with environment(STATEFORK_PROGRAM=program()):
            with self.assertRaisesRegex(DaemonError, "no daemon could be started: .*/proc/nowhere"):
                Client("/proc/nowhere/s.sock").health()


if __name__ == "__main__":
    unittest.main()
