"""The base class of environments: the required methods, and helpers built on them."""

import contextlib
import logging
import os
import re
import shlex
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from .capabilities import EnvironmentCapabilities, EnvironmentResourceCapabilities

User = Union[str, int]


@dataclass
class ExecResult:
    return_code: int
    stdout: Optional[str] = None
    stderr: Optional[str] = None


@dataclass
class NetworkPolicy:
    network_mode: str = "public"  # or no-network, allowlist
    allowed_hosts: List[str] = field(default_factory=list)


@dataclass
class EnvironmentConfig:
    """The section [environment] of a task."""

    docker_image: Optional[str] = None
    os: str = "linux"
    cpus: Optional[int] = None
    memory_mb: Optional[int] = None
    gpus: int = 0
    env: Dict[str, str] = field(default_factory=dict)
    workdir: Optional[str] = None
    healthcheck: Optional[str] = None


class BaseEnvironment(ABC):
    default_user: Optional[User]

    def __init__(self, environment_dir: Path, environment_name: str, session_id: str, trial_paths: Any,
                 task_env_config: EnvironmentConfig, logger: Optional[logging.Logger] = None,
                 override_cpus: Optional[int] = None, override_memory_mb: Optional[int] = None,
                 override_storage_mb: Optional[int] = None, override_gpus: Optional[int] = None,
                 persistent_env: Optional[Dict[str, str]] = None, mounts: Optional[List[Dict[str, Any]]] = None,
                 network_policy: Optional[NetworkPolicy] = None,
                 extra_docker_compose: Optional[Sequence[Path]] = None, *args: Any, **kwargs: Any) -> None:
        self.environment_dir = environment_dir
        self.environment_name = environment_name
        self.session_id = session_id
        self.trial_paths = trial_paths
        self.task_env_config = task_env_config
        self.default_user = None
        self.logger = (logger or logging.getLogger("harbor")).getChild(__name__)
        self._mounts = list(mounts or [])
        self._network_policy = network_policy or NetworkPolicy()
        self._persistent_env = {**resolve(task_env_config.env), **(persistent_env or {})}
        if override_cpus is not None:
            task_env_config.cpus = override_cpus
        if override_memory_mb is not None:
            task_env_config.memory_mb = override_memory_mb
        if extra_docker_compose and not self.capabilities.docker_compose:
            raise ValueError(f"{self.type()} takes no compose files")
        self._validate_definition()
        if task_env_config.gpus and not self.capabilities.gpus:
            raise RuntimeError(f"{self.type()} has no GPUs")
        self.validate_network_policy_support(self._network_policy)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if {"is_mounted", "supports_gpus", "can_disable_internet"} & set(cls.__dict__):
            warnings.warn(f"{cls.__name__}: override `capabilities`", DeprecationWarning, stacklevel=2)

    @property
    def _effective_cpus(self) -> Optional[int]:
        return self.task_env_config.cpus

    @property
    def _effective_memory_mb(self) -> Optional[int]:
        return self.task_env_config.memory_mb

    def validate_network_policy_support(self, policy: NetworkPolicy) -> None:
        able = {"public": True, "no-network": self.capabilities.disable_internet,
                "allowlist": self.capabilities.network_allowlist}[policy.network_mode]
        if not able:
            raise ValueError(f"{policy.network_mode} is not supported by {self.type()}")

    @contextlib.contextmanager
    def with_default_user(self, user: Optional[User]) -> Iterator[None]:
        previous, self.default_user = self.default_user, user
        try:
            yield
        finally:
            self.default_user = previous

    def _resolve_user(self, user: Optional[User]) -> Optional[User]:
        return self.default_user if user is None else user

    def _merge_env(self, env: Optional[Mapping[str, str]]) -> Optional[Dict[str, str]]:
        return {**self._persistent_env, **(env or {})} or None

    @staticmethod
    @abstractmethod
    def type() -> str: ...

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities()

    @classmethod
    def resource_capabilities(cls) -> Optional[EnvironmentResourceCapabilities]:
        return None

    @classmethod
    def preflight(cls) -> None: ...

    @abstractmethod
    def _validate_definition(self) -> None: ...

    @abstractmethod
    async def start(self, force_build: bool) -> None: ...

    @abstractmethod
    async def stop(self, delete: bool) -> None: ...

    @abstractmethod
    async def upload_file(self, source_path: Union[Path, str], target_path: str) -> None: ...

    @abstractmethod
    async def upload_dir(self, source_dir: Union[Path, str], target_dir: str) -> None: ...

    @abstractmethod
    async def download_file(self, source_path: str, target_path: Union[Path, str]) -> None: ...

    @abstractmethod
    async def download_dir(self, source_dir: str, target_dir: Union[Path, str]) -> None: ...

    @abstractmethod
    async def exec(self, command: str, cwd: Optional[str] = None, env: Optional[Dict[str, str]] = None,
                   timeout_sec: Optional[int] = None, user: Optional[User] = None) -> ExecResult: ...

    async def attach(self) -> None:
        raise NotImplementedError

    async def is_dir(self, path: str, user: Optional[User] = None) -> bool:
        return (await self.exec(f"test -d {shlex.quote(path)}", timeout_sec=10, user=user)).return_code == 0

    async def run_healthcheck(self) -> None:
        check = self.task_env_config.healthcheck
        if check and (await self.exec(check, timeout_sec=30)).return_code != 0:
            raise RuntimeError("the environment is not healthy")


def resolve(env: Mapping[str, str]) -> Dict[str, str]:
    """Replaces ${NAME} with the host's variable."""
    def value_of(name: "re.Match[str]") -> str:
        return os.environ[name[1]]

    return {key: re.sub(r"\$\{(\w+)\}", value_of, value) for key, value in env.items()}
