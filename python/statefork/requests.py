"""Requests of the daemon's API: addresses, bodies, and checks before sending. Pure.

>>> Address("s1", "b2").ask("POST", "exec", {"command": "make"}).target
'/v1/sessions/s1/branches/b2/exec'
"""

from __future__ import annotations

import base64
import json
import math
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Union
from urllib.parse import quote

from .errors import InvalidArgumentError
from .plans import Request

MAX_REQUEST_BYTES = 24 << 20
MAX_FILE_BYTES = 16 << 20
DEFAULT_TIMEOUT = 120.0  # seconds, for a command

Fields = Mapping[str, Any]
Query = Mapping[str, str]


@dataclass(frozen=True)
class Address:
    """A branch of a session. Requests about the whole session leave out the branch."""

    session: str
    branch: str = "main"

    def ask(self, method: str, what: str = "", body: Optional[Fields] = None, query: Optional[Query] = None) -> Request:
        """Makes a request about the branch."""
        return self.ask_session(method, f"branches/{part(self.branch)}" + (what and f"/{what}"), body, query)

    def ask_session(self, method: str, what: str = "", body: Optional[Fields] = None,
                    query: Optional[Query] = None) -> Request:
        return ask(method, f"/v1/sessions/{part(self.session)}" + (what and f"/{what}"), body, query)


def part(name: str) -> str:
    """Encodes a name as one component of a path."""
    if not name:
        raise InvalidArgumentError("the name of a session, branch, node or execution is empty")
    return quote(name, safe="", errors="surrogateescape")


def ask(method: str, path: str, body: Optional[Fields] = None, query: Optional[Query] = None) -> Request:
    encoded = None
    if body is not None:
        try:
            encoded = json.dumps(body, ensure_ascii=False).encode()
        except (TypeError, UnicodeEncodeError) as error:
            raise InvalidArgumentError(f"the request cannot be encoded: {error}", hint="text must be UTF-8") from None
        check_size(encoded, MAX_REQUEST_BYTES, "the request", "write large data to a file in the session")
    return Request(method, path, tuple((query or {}).items()), encoded)


def check_size(data: bytes, most: int, what: str, hint: str) -> None:
    if len(data) > most:
        raise InvalidArgumentError(f"{what} has {len(data)} bytes; the limit is {most}", hint=hint)


def given(**fields: Any) -> Dict[str, Any]:
    """Leaves out the fields that are None.

    >>> given(name="x", labels=None)
    {'name': 'x'}
    """
    return {key: value for key, value in fields.items() if value is not None}


def text_or_base64(key: str, value: Union[str, bytes]) -> Dict[str, str]:
    """Encodes UTF-8 text unchanged and other bytes in base64.

    >>> text_or_base64("keys", b"ls"), text_or_base64("keys", b"\\xff")
    ({'keys': 'ls'}, {'keys_base64': '/w=='})
    """
    data = encode(value)
    try:
        return {key: data.decode()}
    except UnicodeDecodeError:
        return {key + "_base64": base64.b64encode(data).decode()}


def encode(text: Union[str, bytes]) -> bytes:
    """Encodes text; surrogate escapes in file names become their original bytes."""
    try:
        return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text)
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(f"the text cannot be encoded: {error}") from None


def milliseconds(timeout: Optional[float]) -> int:
    """Converts a time limit to milliseconds; 0 means no limit in the API.

    >>> milliseconds(1.5), milliseconds(0.0001), milliseconds(None)
    (1500, 1, 0)
    """
    if timeout is None or timeout == math.inf:
        return 0
    if not timeout > 0:
        raise InvalidArgumentError(f"invalid time limit: {timeout} seconds", hint="use more than 0, or None for no limit")
    return math.ceil(timeout * 1000)


def whole_seconds(value: Optional[float]) -> Optional[int]:
    if value is None or value == math.inf:
        return None
    if not value >= 0:
        raise InvalidArgumentError(f"invalid time: {value} seconds", hint="use 0 or more, or None for no limit")
    return math.ceil(value)


def command_body(command: Union[str, bytes], timeout: Optional[float], max_output: Optional[int],
                 raw: bool) -> Dict[str, Any]:
    return {**text_or_base64("command", command), "timeout_ms": milliseconds(timeout),
            **given(max_output=max_output, raw=True if raw else None)}


def shown(command: Union[str, bytes]) -> str:
    return command if isinstance(command, str) else bytes(command).decode("utf-8", "replace")
