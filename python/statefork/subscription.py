"""Subscription: the messages of an event stream; reconnects as needed. Pure; see plans.py."""

from __future__ import annotations

from typing import Callable, Iterator, List, Optional

from . import replies
from .errors import DaemonConnectionError
from .events import EventReader, Message
from .plans import Emit, Open, Pause, Plan, Read, Reply, Request, Stream
from .requests import Address
from .verbs import reach


class Subscription:
    """Calls `request` for each connection, so that a new one continues after the last message."""

    def __init__(self, request: Callable[[], Request]) -> None:
        self._request = request
        self._stream: Optional[Stream] = None
        self._reader = EventReader()
        self._pauses = patience()

    def receive(self) -> Plan[List[Message]]:
        """Returns the next messages, perhaps none. Raises the daemon's error if it refuses the
        stream, and DaemonConnectionError if the daemon stays unreachable."""
        try:
            if self._stream is None:
                self._stream = yield from self._open()
            chunk: bytes = yield Read(self._stream)
            if not chunk:  # after the last message the caller stops reading, so this is early
                raise DaemonConnectionError("the events ended before their last one")
        except DaemonConnectionError:
            self.hang_up()
            pause = next(self._pauses, None)
            if pause is None:
                raise
            yield pause
            return []
        messages = self._reader.feed(chunk)
        if messages:
            self._pauses = patience()
        return messages

    def hang_up(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._stream, self._reader = None, EventReader()

    def _open(self) -> Plan[Stream]:
        stream: Stream = yield from reach(Open(self._request()))
        if stream.status < 400:
            return stream
        body = b""
        try:
            while True:
                chunk: bytes = yield Read(stream)
                if not chunk:
                    break
                body += chunk
        finally:
            stream.close()
        raise replies.error_of(Reply(stream.status, body))


def watch_terminal(at: Address) -> Plan[None]:
    """Emits the terminal's output. Each connection, also after a broken one, begins with a
    repaint."""
    subscription = Subscription(lambda: at.ask("GET", "terminal"))
    try:
        while True:
            for message in (yield from subscription.receive()):
                event = replies.terminal_event(message)
                if event is not None:
                    yield Emit(event)
    finally:
        subscription.hang_up()


def patience() -> Iterator[Pause]:
    """The waits between attempts to reach a daemon that answered before."""
    return map(Pause, (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 1.6))
