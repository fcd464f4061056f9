"""Both readers of HTTP, http.client and our own over asyncio, against a server that sends
prepared bytes."""

import asyncio
import contextlib
import socket
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Callable, Iterator, List

from statefork import Client, DaemonConnectionError, DaemonError, InvalidArgumentError, NotFoundError
from statefork.aio import AsyncClient

LENGTH = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"sessions\":[]}"
CHUNKED = (b"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n"
           b"5;note=x\r\n{\"ses\r\nA\r\nsions\":[]}\r\n0\r\nTrailer: x\r\n\r\n")
UNTIL_END = b"HTTP/1.0 200 OK\r\n\r\n{\"sessions\":[]}"


@contextlib.contextmanager
def server(pieces: List[bytes]) -> Iterator[str]:
    """Answers every request with these pieces, one packet each, and closes the connection."""
    with tempfile.TemporaryDirectory(prefix="sf-answers-") as directory:
        path = str(Path(directory, "a.sock"))
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(path)
        listener.listen()

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection, contextlib.suppress(OSError):
                    request = b""
                    while b"\r\n\r\n" not in request:
                        request += connection.recv(65536)
                    for piece in pieces:
                        connection.sendall(piece)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield path
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            thread.join()


class AnswerTest(unittest.TestCase):
    def both(self, path: str) -> Iterator[object]:
        """The results of both clients: a value or an error."""
        asks: List[Callable[[], object]] = [
            lambda: Client(path, start=False).list_sessions(),
            lambda: asyncio.run(AsyncClient(path, start=False).list_sessions())]
        for ask in asks:
            try:
                yield ask()
            except DaemonError as error:
                yield error

    def test_every_form_of_a_reply_is_read_in_any_split(self) -> None:
        for answer in (LENGTH, CHUNKED, UNTIL_END):
            for cut in (len(answer), 1, 7, len(answer) - 3):
                with server([answer[at:at + cut] for at in range(0, len(answer), cut)]) as path:
                    for seen in self.both(path):
                        self.assertEqual(seen, [])

    def test_a_reply_truncated_anywhere_is_an_error(self) -> None:
        for answer in (LENGTH, CHUNKED[:CHUNKED.index(b"0\r\nTrailer") + 1]):
            for length in range(len(answer)):
                in_body = length >= answer.index(b"\r\n\r\n") + 4
                with server([answer[:length]]) as path:
                    for seen in self.both(path):
                        self.assertIsInstance(seen, DaemonConnectionError if in_body else DaemonError, answer[:length])

    def test_a_malformed_reply_is_a_daemon_error(self) -> None:
        for answer in (b"220 mail.example ESMTP\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1]",
                       b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{", b"\x00" * 300_000,
                       b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
                       b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>"):
            with server([answer]) as path:
                for seen in self.both(path):
                    self.assertIsInstance(seen, DaemonError, answer[:60])

    def test_errors_of_a_proxy_are_typed_by_their_status(self) -> None:
        for status, kind in ((404, NotFoundError), (418, InvalidArgumentError)):
            with server([b"HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n" % status]) as path:
                with self.assertRaises(kind) as refused:
                    Client(path, start=False).list_sessions()
                self.assertEqual(refused.exception.status, status)
                with self.assertRaises(kind):
                    asyncio.run(AsyncClient(path, start=False).list_sessions())


if __name__ == "__main__":
    unittest.main()
