"""Harbor's environment interface. `Environment` is Harbor's base class if Harbor is installed, and
else `LocalEnvironment`, a short version of it, so that WaypointEnvironment works and is tested
without Harbor."""

from __future__ import annotations

import importlib
import logging
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

User = Union[str, int]


@dataclass(frozen=True)
class LocalExecResult:
    return_code: int
    stdout: Optional[str] = None
    stderr: Optional[str] = None


@dataclass(frozen=True)
class LocalCapabilities:
    gpus: bool = False
    disable_internet: bool = False
    network_allowlist: bool = False
    dynamic_network_policy: bool = False
    windows: bool = False
    mounted: bool = False
    docker_compose: bool = False


@dataclass(frozen=True)
class LocalResourceCapabilities:
    cpu_limit: bool = False
    cpu_request: bool = False
    memory_limit: bool = False
    memory_request: bool = False


class LocalEnvironment(ABC):
    """The part of Harbor's base class that WaypointEnvironment uses."""

    default_user: Optional[User]

    def __init__(self, environment_dir: Path, environment_name: str, session_id: str, trial_paths: Any,
                 task_env_config: Any, logger: Optional[logging.Logger] = None,
                 persistent_env: Optional[Mapping[str, str]] = None,
                 mounts: Optional[Sequence[Mapping[str, Any]]] = None, network_policy: Any = None,
                 **_: Any) -> None:
        self.environment_dir = Path(environment_dir)
        self.environment_name = environment_name
        self.session_id = session_id
        self.trial_paths = trial_paths
        self.task_env_config = task_env_config
        self.default_user = None
        self.logger = logger or logging.getLogger(__name__)
        self._mounts: List[Mapping[str, Any]] = list(mounts or [])
        self._persistent_env: Dict[str, str] = {**(getattr(task_env_config, "env", None) or {}),
                                                **(persistent_env or {})}
        self._validate_definition()

    @contextmanager
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

    @abstractmethod
    def _validate_definition(self) -> None: ...


if TYPE_CHECKING:
    Environment = LocalEnvironment
    ExecResult = LocalExecResult
    Capabilities = LocalCapabilities
    ResourceCapabilities = LocalResourceCapabilities
else:
    def harbors(module: str, name: str, otherwise: Any) -> Any:
        """Releases of Harbor differ in the names they define."""
        try:
            return getattr(importlib.import_module(f"harbor.environments.{module}"), name, otherwise)
        except ImportError:
            return otherwise

    Environment = harbors("base", "BaseEnvironment", LocalEnvironment)
    ExecResult = harbors("base", "ExecResult", LocalExecResult)
    Capabilities = harbors("capabilities", "EnvironmentCapabilities", LocalCapabilities)
    ResourceCapabilities = harbors("capabilities", "EnvironmentResourceCapabilities", LocalResourceCapabilities)


class EnvironmentType(str):
    """A type name that Harbor's enumeration lacks; older releases read its `value`."""

    @property
    def value(self) -> str:
        return str(self)


class OldCapabilities:
    """Older releases read these attributes; newer ones complain if the class itself defines
    them."""

    is_mounted = False
    supports_gpus = False
    can_disable_internet = True
