"""Runner: carries out plans with blocking calls, over http.client. Thread-safe: one connection per
request."""

from __future__ import annotations

import http.client
import ssl
import time
from typing import Any, Generator, TypeVar, cast

from .errors import DaemonConnectionError, DaemonError
from .location import CONNECT_SECONDS, Location, watch_peer
from .plans import (Blocking, Course, Emit, Open, Pause, Plan, Read, Reply, Request, Send, StartDaemon, Step,
                    Stream, Tell)

T = TypeVar("T")
CHUNK = 64 << 10


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, location: Location) -> None:
        super().__init__("localhost")
        self._location = location

    def connect(self) -> None:
        self.sock = self._location.connect_unix()


class OpenAnswer(Stream):
    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self._connection = connection
        self._response = response

    def read(self, most: int = -1) -> bytes:
        """Returns the rest of the body, or with `most` the next bytes."""
        try:
            return self._response.read() if most < 0 else self._response.read1(most)
        except (OSError, http.client.HTTPException) as error:
            raise went_away(error) from error

    def close(self) -> None:
        self._response.close()
        self._connection.close()


class Runner:
    def __init__(self, location: Location) -> None:
        self.location = location

    def run(self, plan: Plan[T]) -> T:
        events = self.iterate(plan)
        while True:
            try:
                next(events)
            except StopIteration as end:
                return cast(T, end.value)

    def iterate(self, plan: Plan[T]) -> Generator[Any, None, T]:
        """Yields the plan's events. If the caller stops iterating, the connection is closed."""
        with Course(plan) as course:
            while course.step is not None:
                if isinstance(course.step, Emit):
                    yield course.step.event
                    course.resume()
                    continue
                try:
                    outcome = self._carry_out(course.step)
                except Exception as error:
                    course.fail(error)
                else:
                    course.resume(outcome)
            return cast(T, course.value)

    def _carry_out(self, step: Step) -> Any:
        if isinstance(step, Send):
            answer = self._open(step.request)
            try:
                return Reply(answer.status, answer.read())
            finally:
                answer.close()
        elif isinstance(step, Open):
            return self._open(step.request)
        elif isinstance(step, Read):
            return cast(OpenAnswer, step.stream).read(CHUNK)
        elif isinstance(step, Tell):
            step.function(step.text)
        elif isinstance(step, Blocking):
            return step.function()
        elif isinstance(step, Pause):
            time.sleep(step.seconds)
        elif isinstance(step, StartDaemon):
            self.location.start_daemon()
        return None

    def _connect(self) -> http.client.HTTPConnection:
        tcp = self.location.tcp()
        connection: http.client.HTTPConnection
        if tcp is None:
            connection = UnixConnection(self.location)
        elif tcp[2]:
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(tcp[0], tcp[1], timeout=CONNECT_SECONDS, context=context)
        else:
            connection = http.client.HTTPConnection(tcp[0], tcp[1], timeout=CONNECT_SECONDS)
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            raise self.location.unreachable(error) from error
        connection.sock.settimeout(None)  # the daemon enforces the command's time limit
        if tcp is not None:
            watch_peer(connection.sock)
        return connection

    def _open(self, request: Request) -> OpenAnswer:
        headers = self.location.headers()
        if request.body is not None:
            headers["Content-Type"] = request.content_type
        connection = self._connect()
        try:
            connection.request(request.method, request.target, request.body, headers)
            return OpenAnswer(connection, connection.getresponse())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise went_away(error) from error
        except BaseException:
            connection.close()
            raise


def went_away(error: Exception) -> DaemonError:
    return DaemonConnectionError(f"the daemon went away before it answered: {error}",
                                 hint="the request may have been carried out; check with tree()")
