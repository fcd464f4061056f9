"""Loads environments by their import path."""

import importlib
from typing import Any

from .base import BaseEnvironment


def create_environment_from_import_path(import_path: str, **arguments: Any) -> BaseEnvironment:
    module, _, name = import_path.partition(":")
    made = getattr(importlib.import_module(module), name)(**arguments)
    assert isinstance(made, BaseEnvironment)
    return made
