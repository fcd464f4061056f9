"""Subscription: the messages of an event stream, over as many connections as it takes. Pure; see plans.py."""

from __future__ import annotations

from typing import Callable, Iterator, List, Optional

from . import replies
from .errors import DaemonConnectionError
from .events import EventReader, Message
from .plans import Emit, Open, Pause, Plan, Read, Reply, Request, Stream
from .requests import Address
from .verbs import reach


class Subscription:
    """`request` is asked for anew whenever the stream has to be opened again, so that it can say from where on."""

    def __init__(self, request: Callable[[], Request]) -> None:
        self._request = request
        self._stream: Optional[Stream] = None
        self._reader = EventReader()
        self._pauses = patience()

    def receive(self) -> Plan[List[Message]]:
        """The next messages, perhaps none yet. Raises what the daemon answers instead of a stream, and
        DaemonConnectionError when it cannot be reached any more."""
        try:
            if self._stream is None:
                self._stream = yield from self._open()
            chunk: bytes = yield Read(self._stream)
            if not chunk:  # a good end comes after the last message, and then nobody reads on
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
    """Emits what the terminal prints. After a broken connection it begins with a repaint, as in the beginning."""
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
    """The waits between attempts to reach a daemon that was there a moment ago."""
    return map(Pause, (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 1.6))
