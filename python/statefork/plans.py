"""Plans: the steps of each verb, without any input or output.

A plan is a generator that yields steps. A runner carries out each step and sends its result back:
`Runner` of runner.py with blocking calls, `AsyncRunner` of aio/runner.py with `await`. Both runners
share the same plans.

>>> def greeting():
...     reply = yield Send(Request("GET", "/hello"))
...     return reply.body.decode()
>>> with Course(greeting()) as course:
...     print(course.step.request.path)
...     course.resume(Reply(200, b"good morning"))
...     print(course.step, course.value)
/hello
None good morning
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Generator, Generic, Optional, Sequence, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Sequence[Tuple[str, str]] = ()
    body: Optional[bytes] = None
    content_type: str = "application/json"

    @property
    def target(self) -> str:
        query = urlencode(self.query, errors="surrogateescape", quote_via=quote)
        return f"{self.path}?{query}" if query else self.path


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes


class Stream:
    """An answer; the plan reads its body in pieces."""

    status: int

    def close(self) -> None:
        """Closes the connection; never waits."""
        raise NotImplementedError


@dataclass(frozen=True)
class Send:
    """Answered with a `Reply`."""

    request: Request


@dataclass(frozen=True)
class Open:
    """Answered with a `Stream`; the plan closes it."""

    request: Request


@dataclass(frozen=True)
class Read:
    """Answered with the next bytes; empty at a proper end."""

    stream: Stream


@dataclass(frozen=True)
class StartDaemon:
    pass


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Emit:
    """Yields an event to the caller of `iterate`."""

    event: Any


@dataclass(frozen=True)
class Tell:
    """Calls a function of the user. AsyncRunner also accepts a coroutine function."""

    function: Callable[[str], Any]
    text: str


@dataclass(frozen=True)
class Blocking:
    """A blocking call on this machine; answered with the function's return value."""

    function: Callable[[], Any]


Step = Union[Send, Open, Read, StartDaemon, Pause, Emit, Tell, Blocking]
Plan = Generator[Step, Any, T]


class Course(Generic[T]):
    """A running plan. `step` is its next step; if None, the plan ended with `value`."""

    def __init__(self, plan: Plan[T]) -> None:
        self._plan = plan
        self.step: Optional[Step] = None
        self.value: Optional[T] = None
        self._advance(lambda: next(plan))

    def __enter__(self) -> Course[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self._plan.close()

    def resume(self, outcome: Any = None) -> None:
        self._advance(lambda: self._plan.send(outcome))

    def fail(self, error: Exception) -> None:
        """Raises `error` in the plan, which may handle it."""
        self._advance(lambda: self._plan.throw(error))

    def _advance(self, move: Callable[[], Step]) -> None:
        try:
            self.step = move()
        except StopIteration as end:
            self.step, self.value = None, end.value
