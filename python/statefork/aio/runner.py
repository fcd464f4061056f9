"""AsyncRunner: carries out plans with `await`."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, AsyncIterator, TypeVar, cast

from ..location import Location
from ..plans import Blocking, Course, Emit, Open, Pause, Plan, Read, Reply, Send, StartDaemon, Step, Tell
from .http import AsyncAnswer, open_answer

T = TypeVar("T")


class AsyncRunner:
    def __init__(self, location: Location) -> None:
        self.location = location

    async def run(self, plan: Plan[T]) -> T:
        with Course(plan) as course:
            while course.step is not None:
                await self._advance(course)
            return cast(T, course.value)

    async def iterate(self, plan: Plan[Any]) -> AsyncIterator[Any]:
        """Yields the plan's events. If the caller stops iterating, the connection is closed."""
        with Course(plan) as course:
            while course.step is not None:
                if isinstance(course.step, Emit):
                    yield course.step.event
                await self._advance(course)

    async def _advance(self, course: Course[Any]) -> None:
        assert course.step is not None
        try:
            outcome = await self._carry_out(course.step)
        except Exception as error:
            course.fail(error)
        else:
            course.resume(outcome)

    async def _carry_out(self, step: Step) -> Any:
        if isinstance(step, Send):
            answer = await open_answer(self.location, step.request)
            try:
                return Reply(answer.status, await answer.read_all())
            finally:
                answer.close()
        elif isinstance(step, Open):
            return await open_answer(self.location, step.request)
        elif isinstance(step, Read):
            return await cast(AsyncAnswer, step.stream).read()
        elif isinstance(step, Tell):
            told = step.function(step.text)
            if inspect.isawaitable(told):
                await told
        elif isinstance(step, Blocking):
            return await asyncio.get_running_loop().run_in_executor(None, step.function)
        elif isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
        elif isinstance(step, StartDaemon):
            await asyncio.get_running_loop().run_in_executor(None, self.location.start_daemon)
        return None
