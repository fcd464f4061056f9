"""Typing into a program that does not read: waiting bytes are reported, and input that does not fit is refused.

Through HTTP, the command line, Python and MCP.
"""

import http.client
import json
import socket
import subprocess
from typing import Any, Callable, Dict, List, Optional, Tuple

from statefork import BusyError
from world import LiveTest, program

KIB = 1 << 10
MIB = 1 << 20
QUEUE = 4 * MIB  # limit of waiting bytes
IN_TERMINAL = 4 * KIB  # limit of the bytes in the terminal itself

# (accepted_bytes, waiting_bytes), or (None, room_bytes) if refused.
Typed = Tuple[Optional[int], int]
Type = Callable[[str], Typed]


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=60)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def numbered_lines(first: int, size: int) -> str:
    """`size` bytes: numbered lines of 1 KiB, and a shorter one at the end."""
    lines = [f"{number:07d} ".ljust(KIB - 1, "x") + "\r" for number in range(first, first + size // KIB)]
    rest = size % KIB
    return "".join(lines) + ("e" * (rest - 1) + "\r" if rest else "")


class TypingTest(LiveTest):
    def test_through_http_waiting_bytes_are_reported_and_a_full_queue_refuses_keys(self) -> None:
        def type_text(text: str) -> Typed:
            connection = UnixConnection(self.world.socket)
            self.addCleanup(connection.close)
            connection.request("POST", f"/v1/sessions/{self.s.id}/branches/main/keys", json.dumps({"keys": text}),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            body = json.loads(answer.read())
            if answer.status == 200:
                return body["accepted_bytes"], body["waiting_bytes"]
            self.assertEqual((answer.status, body["code"]), (409, "busy"), body)
            return None, int(body["details"]["room_bytes"])

        self.fill_queue(type_text)

    def test_through_the_command_line_waiting_bytes_are_reported_and_a_full_queue_refuses_keys(self) -> None:
        def type_text(text: str) -> Typed:
            done = subprocess.run([program(), "keys", "--json", "--socket", self.world.socket, self.s.id, "--stdin"],
                                  input=text.encode(), capture_output=True, timeout=60)
            if done.returncode == 0:
                answer = json.loads(done.stdout)
                self.assertIn(f"{answer['waiting_bytes']} typed bytes wait", done.stderr.decode())
                return answer["accepted_bytes"], answer["waiting_bytes"]
            problem = json.loads(done.stderr)
            self.assertEqual(problem["code"], "busy", done)
            return None, int(problem["details"]["room_bytes"])

        self.fill_queue(type_text)

    def test_through_python_waiting_bytes_are_reported_and_a_full_queue_refuses_keys(self) -> None:
        def type_text(text: str) -> Typed:
            try:
                typed = self.s.send_keys(text)
            except BusyError as error:
                return None, int(error.details["room_bytes"])
            return typed.accepted_bytes, typed.waiting_bytes

        self.fill_queue(type_text)

    def test_through_mcp_waiting_bytes_are_reported_and_a_full_queue_refuses_keys(self) -> None:
        def type_text(text: str) -> Typed:
            result = self.ask_mcp("send_keys", {"session": self.s.id, "keys": [text], "literal": True})
            if not result.get("isError"):
                answer = result["structuredContent"]
                self.assertIn(f"{answer['waiting_bytes']} bytes wait", result["content"][0]["text"])
                return answer["accepted_bytes"], answer["waiting_bytes"]
            problem = result["_meta"]["statefork/problem"]
            self.assertEqual(problem["code"], "busy", result)
            self.assertIn(f"room_bytes: {problem['details']['room_bytes']}", result["content"][0]["text"])
            return None, int(problem["details"]["room_bytes"])

        self.fill_queue(type_text)

    def ask_mcp(self, tool: str, arguments: Dict[str, Any]) -> Dict[str, Any]:
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                 "params": {"name": tool, "arguments": arguments, "_meta": meta}}
        done = subprocess.run([program(), "mcp", "--socket", self.world.socket], input=json.dumps(asked) + "\n",
                              capture_output=True, text=True, timeout=60)
        result: Dict[str, Any] = json.loads(done.stdout)["result"]
        return result

    def fill_queue(self, type_text: Type) -> None:
        """Types 1 MiB into a program that does not read; then 4 MiB, which do not fit; then what fits."""
        execution = self.s.start_command(
            "stty -echo; echo ready; until test -e /tmp/go; do sleep 0.02; done; "
            "sed '/^end$/Q' >/tmp/typed; stty echo", timeout=None)
        next(execution.events())
        expected: List[str] = [numbered_lines(0, MIB)]
        accepted, waiting = type_text(expected[0])
        self.assertEqual(accepted, MIB)
        self.assertGreaterEqual(waiting, MIB - IN_TERMINAL)
        self.assertLessEqual(waiting, MIB)

        refused, room = type_text(numbered_lines(9000, QUEUE))
        self.assertIsNone(refused)
        self.assertEqual(room, QUEUE - waiting)

        room -= len("end\r")
        expected.append(numbered_lines(KIB, room))
        self.assertEqual(type_text(expected[1]), (room, QUEUE - len("end\r")))
        self.assertEqual(type_text("end\r"), (len("end\r"), QUEUE))

        self.s.run(["touch", "/tmp/go"])
        self.assertEqual(execution.wait(timeout=200).exit_code, 0)
        read = self.s.read_file("/tmp/typed").decode()
        self.assertEqual(len(read), MIB + room)
        self.assertTrue(read == "".join(expected).replace("\r", "\n"), "lost, doubled or in another order")
