"""Plans: what a verb does, written once and without any input or output.

A plan is a generator. It yields steps; somebody carries each one out and sends back what came of it: `Runner` of
runner.py with blocking calls, `AsyncRunner` of aio/runner.py with awaits. So each verb exists once, for both.

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
    """An answer that is read as it comes."""

    status: int

    def close(self) -> None:
        """Hangs up; never waits."""
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
    """Answered with the next bytes; none: it has ended as it should."""

    stream: Stream


@dataclass(frozen=True)
class StartDaemon:
    pass


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Emit:
    """Hands an event to whoever iterates."""

    event: Any


@dataclass(frozen=True)
class Tell:
    """Calls a function of the user's, who may have made it a coroutine where all is asynchronous."""

    function: Callable[[str], Any]
    text: str


@dataclass(frozen=True)
class Blocking:
    """Work on this machine that may take a moment; answered with what the function returns."""

    function: Callable[[], Any]


Step = Union[Send, Open, Read, StartDaemon, Pause, Emit, Tell, Blocking]
Plan = Generator[Step, Any, T]


class Course(Generic[T]):
    """A plan under way. `step` is what to do next; when it is None, the plan has ended with `value`."""

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
        """Tells the plan, which may know what to do about it."""
        self._advance(lambda: self._plan.throw(error))

    def _advance(self, move: Callable[[], Step]) -> None:
        try:
            self.step = move()
        except StopIteration as end:
            self.step, self.value = None, end.value
