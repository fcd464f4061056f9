"""Requests of the daemon's API: addresses, bodies, and what can be refused before anything is sent. Pure.

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
    """A branch of a session; what concerns the whole session leaves the branch out."""

    session: str
    branch: str = "main"

    def ask(self, method: str, what: str = "", body: Optional[Fields] = None, query: Optional[Query] = None) -> Request:
        """Something of the branch."""
        return self.ask_session(method, f"branches/{part(self.branch)}" + (what and f"/{what}"), body, query)

    def ask_session(self, method: str, what: str = "", body: Optional[Fields] = None,
                    query: Optional[Query] = None) -> Request:
        return ask(method, f"/v1/sessions/{part(self.session)}" + (what and f"/{what}"), body, query)


def part(name: str) -> str:
    """A name as one part of a path."""
    if not name:
        raise InvalidArgumentError("a session, branch, node or execution has no empty name")
    return quote(name, safe="", errors="surrogateescape")


def ask(method: str, path: str, body: Optional[Fields] = None, query: Optional[Query] = None) -> Request:
    encoded = None
    if body is not None:
        try:
            encoded = json.dumps(body, ensure_ascii=False).encode()
        except (TypeError, UnicodeEncodeError) as error:
            raise InvalidArgumentError(f"this cannot be sent: {error}", hint="text must be UTF-8") from None
        check_size(encoded, MAX_REQUEST_BYTES, "the request", "write what is large to a file in the session")
    return Request(method, path, tuple((query or {}).items()), encoded)


def check_size(data: bytes, most: int, what: str, hint: str) -> None:
    if len(data) > most:
        raise InvalidArgumentError(f"{what} has {len(data)} bytes, {most} are possible", hint=hint)


def given(**fields: Any) -> Dict[str, Any]:
    """The fields that say something.

    >>> given(name="x", labels=None)
    {'name': 'x'}
    """
    return {key: value for key, value in fields.items() if value is not None}


def text_or_base64(key: str, value: Union[str, bytes]) -> Dict[str, str]:
    """Text as it is, anything else in base64.

    >>> text_or_base64("keys", b"ls"), text_or_base64("keys", b"\\xff")
    ({'keys': 'ls'}, {'keys_base64': '/w=='})
    """
    data = encode(value)
    try:
        return {key: data.decode()}
    except UnicodeDecodeError:
        return {key + "_base64": base64.b64encode(data).decode()}


def encode(text: Union[str, bytes]) -> bytes:
    """Also what Python makes of file names that are no UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text)
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(f"this cannot be sent: {error}") from None


def milliseconds(timeout: Optional[float]) -> int:
    """0 is the API's word for no limit.

    >>> milliseconds(1.5), milliseconds(0.0001), milliseconds(None)
    (1500, 1, 0)
    """
    if timeout is None or timeout == math.inf:
        return 0
    if not timeout > 0:
        raise InvalidArgumentError(f"a time-out of {timeout} seconds", hint="more than 0, or None for no limit")
    return math.ceil(timeout * 1000)


def whole_seconds(value: Optional[float]) -> Optional[int]:
    if value is None or value == math.inf:
        return None
    if not value >= 0:
        raise InvalidArgumentError(f"a time of {value} seconds", hint="0 or more, or None for no limit")
    return math.ceil(value)


def command_body(command: Union[str, bytes], timeout: Optional[float], max_output: Optional[int],
                 raw: bool) -> Dict[str, Any]:
    return {**text_or_base64("command", command), "timeout_ms": milliseconds(timeout),
            **given(max_output=max_output, raw=True if raw else None)}


def shown(command: Union[str, bytes]) -> str:
    return command if isinstance(command, str) else bytes(command).decode("utf-8", "replace")
