"""Agents: the oracle, an agent that does nothing, and an agent that restores the state after a
failed attempt."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, List

from .environments.base import BaseEnvironment


class BaseAgent(ABC):
    async def setup(self, environment: BaseEnvironment) -> None: ...

    @abstractmethod
    async def run(self, instruction: str, environment: BaseEnvironment, context: Any) -> None: ...


class NopAgent(BaseAgent):
    async def run(self, instruction: str, environment: BaseEnvironment, context: Any) -> None: ...


class OracleAgent(BaseAgent):
    def __init__(self, task_dir: Path, logs_dir: Path) -> None:
        self._task_dir = task_dir
        self._logs_dir = logs_dir

    async def run(self, instruction: str, environment: BaseEnvironment, context: Any) -> None:
        await environment.upload_dir(source_dir=self._task_dir / "solution", target_dir="/solution")
        await environment.exec("chmod +x /solution/solve.sh && /solution/solve.sh >/logs/agent/oracle.txt 2>&1",
                               env={"DEBIAN_FRONTEND": "noninteractive"})
        await environment.download_file("/logs/agent/oracle.txt", self._logs_dir / "oracle.txt")


class RetryingAgent(BaseAgent):
    """Runs commands until one succeeds, each from the same state if the environment supports
    that."""

    def __init__(self, attempts: List[str]) -> None:
        self._attempts = attempts

    async def run(self, instruction: str, environment: Any, context: Any) -> None:
        start = await environment.snapshot()
        for attempt in self._attempts:
            if (await environment.exec(attempt)).return_code == 0:
                return
            await environment.restore(start)
