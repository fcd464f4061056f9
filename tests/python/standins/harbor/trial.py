"""A trial: starts an environment, runs an agent in it, and runs the tests."""

import asyncio
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Optional

from .agents import BaseAgent
from .environments.base import BaseEnvironment, EnvironmentConfig, NetworkPolicy, User
from .environments.factory import create_environment_from_import_path


@dataclass
class TrialPaths:
    trial_dir: Path

    @property
    def agent_dir(self) -> Path:
        return self.trial_dir / "agent"

    @property
    def verifier_dir(self) -> Path:
        return self.trial_dir / "verifier"


@dataclass
class TrialConfig:
    task_dir: Path
    trial_dir: Path
    import_path: str
    environment_kwargs: Dict[str, Any] = field(default_factory=dict)
    environment: EnvironmentConfig = field(default_factory=EnvironmentConfig)
    network_policy: Optional[NetworkPolicy] = None
    agent_user: Optional[User] = None
    agent_timeout_sec: float = 60
    verifier_timeout_sec: float = 60


class Trial:
    def __init__(self, config: TrialConfig) -> None:
        self.config = config
        self.paths = TrialPaths(config.trial_dir)
        self.paths.agent_dir.mkdir(parents=True)
        self.paths.verifier_dir.mkdir()
        self.environment = create_environment_from_import_path(
            config.import_path, environment_dir=config.task_dir / "environment", environment_name=config.task_dir.name,
            session_id=f"{config.task_dir.name}__1", trial_paths=self.paths, task_env_config=config.environment,
            logger=logging.getLogger("harbor"), override_cpus=None, override_memory_mb=None, override_storage_mb=None,
            override_gpus=None, persistent_env={}, extra_docker_compose=[], network_policy=config.network_policy,
            mounts=[{"type": "bind", "source": str(path), "target": f"/logs/{path.name}"}
                    for path in (self.paths.agent_dir, self.paths.verifier_dir)], **config.environment_kwargs)

    async def run(self, agent: BaseAgent) -> float:
        try:
            await self.environment.start(force_build=False)
            await self.environment.run_healthcheck()
            await agent.setup(self.environment)
            with self.environment.with_default_user(self.config.agent_user):
                await asyncio.wait_for(agent.run("do it", self.environment, None), self.config.agent_timeout_sec)
            return await asyncio.wait_for(verify(self.environment, self.config.task_dir / "tests", self.paths),
                                          self.config.verifier_timeout_sec)
        finally:
            await asyncio.shield(self.environment.stop(delete=True))


async def verify(environment: BaseEnvironment, tests: Path, paths: TrialPaths) -> float:
    """Runs the tests and returns the content of /logs/verifier/reward.txt."""
    await environment.upload_dir(source_dir=tests, target_dir="/tests")
    await environment.exec("chmod +x /tests/test.sh", user="root")
    await environment.exec("/tests/test.sh >/logs/verifier/test-stdout.txt 2>&1")
    assert not environment.capabilities.mounted
    await environment.download_dir(source_dir="/logs/verifier", target_dir=paths.verifier_dir)
    return float((paths.verifier_dir / "reward.txt").read_text())
