"""Location: the address of a daemon. Starts a daemon if none answers.

>>> Location(url="http://build-host:7070", token="secret").describe()
'http://build-host:7070'
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from dataclasses import dataclass
from typing import Dict, Optional, Tuple
from urllib.parse import urlsplit

from .errors import (AuthenticationError, CrowdedError, DaemonConnectionError, DaemonError, InvalidArgumentError,
                     NoDaemonError, StateForkError)

DEFAULT_SOCKET = "/run/statefork/statefork.sock"
CONNECT_SECONDS = 30.0
START_SECONDS = 120.0


@dataclass(frozen=True)
class Location:
    """A Unix socket, or a `url` with its `token`."""

    path: str = DEFAULT_SOCKET
    url: str = ""
    token: str = ""
    state: str = ""  # data directory of a started daemon; empty: its default
    start: bool = True  # start a daemon if none answers

    def describe(self) -> str:
        return self.url or self.path

    def tcp(self) -> Optional[Tuple[str, int, bool]]:
        """Returns host, port, and whether to use TLS; None for a Unix socket."""
        if not self.url:
            return None
        wrong = InvalidArgumentError(f"'{self.url}' is not a daemon's address", hint="use http://HOST:PORT")
        try:
            parts = urlsplit(self.url)
            port = parts.port
        except ValueError:
            raise wrong from None
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
            raise wrong
        encrypted = parts.scheme == "https"
        return parts.hostname, port or (443 if encrypted else 80), encrypted

    def headers(self) -> Dict[str, str]:
        """The headers of every request. Each request has its own connection. With a reused
        connection, a stale one could force a request to be sent twice, and an idle one would occupy
        a daemon thread."""
        headers = {"Host": urlsplit(self.url).netloc.rpartition("@")[2] or "localhost", "Connection": "close"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        return headers

    def unreachable(self, error: OSError) -> StateForkError:
        """Translates a failed connect."""
        if isinstance(error, PermissionError):
            return AuthenticationError(f"permission denied for {self.describe()}",
                                       hint="only root and the socket's group may use it")
        if isinstance(error, (FileNotFoundError, ConnectionRefusedError)):
            return NoDaemonError(f"no daemon answers at {self.describe()}", hint="start one: `statefork serve`")
        if isinstance(error, BlockingIOError):
            return CrowdedError(f"too many clients are waiting for the daemon at {self.describe()}", hint="try again")
        return DaemonConnectionError(f"the daemon at {self.describe()} cannot be reached: {error}")

    def connect_unix(self) -> socket.socket:
        """Connects without waiting; BlockingIOError if the daemon's queue is full."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.setblocking(False)
            connection.connect(self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def start_daemon(self) -> None:
        """Runs a `statefork` command, which starts a daemon if none answers, and waits for it."""
        if self.url or not self.start:
            raise self.unreachable(ConnectionRefusedError())
        command = [find_program(), "ls", "--socket", self.path, *(["--state", self.state] if self.state else [])]
        try:
            ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 timeout=START_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DaemonError(f"no daemon could be started: {error}", hint="run `statefork doctor`") from error
        if ran.returncode != 0:
            said = ran.stderr.decode("utf-8", "replace").strip() or f"{command[0]} exited {ran.returncode}"
            raise DaemonError(f"no daemon could be started: {said}", hint="run `statefork doctor`")


def find_location(socket_path: Optional[str] = None, url: Optional[str] = None, token: Optional[str] = None,
               state: Optional[str] = None, start: bool = True) -> Location:
    """Defaults come from STATEFORK_URL and STATEFORK_TOKEN, or from STATEFORK_SOCKET."""
    if socket_path and url:
        raise InvalidArgumentError("give either a socket or a url, not both")
    if url is None and socket_path is None:
        url = os.environ.get("STATEFORK_URL")
    token = (token or os.environ.get("STATEFORK_TOKEN") or "").strip() if url else ""
    if not token.isascii() or not token.isprintable():
        raise InvalidArgumentError("a token must consist of printable ASCII characters")
    location = Location(path=socket_path or os.environ.get("STATEFORK_SOCKET") or DEFAULT_SOCKET, url=url or "", token=token,
                  state=state or os.environ.get("STATEFORK_STATE") or "", start=start)
    location.tcp()  # raises if the url is malformed
    return location


def watch_peer(connection: socket.socket) -> None:
    """Detects a lost host within minutes, even while a command prints nothing for hours."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4)):
        if hasattr(socket, option):  # not on every system
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


def find_program() -> str:
    named = os.environ.get("STATEFORK_PROGRAM")
    found = shutil.which(named or "statefork")
    if found is None:
        raise NoDaemonError(f"no daemon is running, and {named or 'the program `statefork`'} was not found to start one",
                            hint="add it to PATH, or set STATEFORK_PROGRAM to its path")
    return found
