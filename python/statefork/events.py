"""The events of an execution, and the reader of the stream that carries them (server-sent events).

>>> reader = EventReader()
>>> reader.feed(b'id: 1\\nevent: output\\nda')
[]
>>> reader.feed(b'ta: {"seq":1,"text":"hi"}\\n\\n')
[Message(kind='output', data='{"seq":1,"text":"hi"}')]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Optional, Union

from .results import CommandResult

__all__ = ["Event", "EventReader", "GapEvent", "Message", "OutputEvent", "ResultEvent", "TerminalEvent"]


@dataclass(frozen=True)
class OutputEvent:
    """The command printed something."""

    seq: int
    text: str
    raw: bytes = field(default=b"", repr=False)  # with raw=True: the terminal's bytes, and `text` is empty


@dataclass(frozen=True)
class GapEvent:
    """The daemon no longer keeps the events up to this number."""

    seq: int


@dataclass(frozen=True)
class ResultEvent:
    """The command ended. This is the last event."""

    seq: int
    result: CommandResult


@dataclass(frozen=True)
class TerminalEvent:
    """Output of a terminal."""

    raw: bytes
    repaint: bool = False  # `raw` repaints a cleared terminal of this size
    rows: int = 0
    cols: int = 0


Event = Union[OutputEvent, GapEvent, ResultEvent]


@dataclass(frozen=True)
class Message:
    kind: str
    data: str


class EventReader:
    """Takes bytes in chunks of any size and returns whole messages. Pure."""

    def __init__(self) -> None:
        self._pieces: List[bytes] = []  # of an unfinished line
        self._kind = ""
        self._data: List[str] = []

    def feed(self, chunk: bytes) -> List[Message]:
        messages = []
        first, *others = chunk.split(b"\n")
        self._pieces.append(first)
        for part in others:
            line = b"".join(self._pieces).rstrip(b"\r").decode("utf-8", "replace")
            self._pieces = [part]
            message = self._take(line)
            if message is not None:
                messages.append(message)
        return messages

    def _take(self, line: str) -> Optional[Message]:
        if not line:
            return self._finish()
        name, _, value = line.partition(":")  # a line that begins with a colon is a keep-alive comment
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            self._kind = value
        elif name == "data":
            self._data.append(value)
        return None

    def _finish(self) -> Optional[Message]:
        message = Message(self._kind, "\n".join(self._data)) if self._data else None
        self._kind, self._data = "", []
        return message
