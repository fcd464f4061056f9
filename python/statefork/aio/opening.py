"""Opening: creates a session or branch on `x = await opening` or `async with opening as x:`."""

from __future__ import annotations

from types import TracebackType
from typing import Any, AsyncContextManager, Coroutine, Generator, Generic, Optional, Type, TypeVar

Live = TypeVar("Live", bound=AsyncContextManager[Any])


class Opening(Generic[Live]):
    def __init__(self, making: Coroutine[Any, Any, Live]) -> None:
        self._making = making
        self._made: Optional[Live] = None

    def __await__(self) -> Generator[Any, None, Live]:
        return self._making.__await__()

    async def __aenter__(self) -> Live:
        self._made = await self._making
        await self._made.__aenter__()
        return self._made

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        assert self._made is not None
        await self._made.__aexit__(kind, error, trace)
