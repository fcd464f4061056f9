"""The directories, files and variables of programs, the same in a session and in tmux."""

from __future__ import annotations

import shlex
from pathlib import Path

from row import Row, Size

PLACE = "/mnt"  # exists on every Linux system and is not used by any program
HOST_NAME = "waypoint"  # that of a session
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "TERM": "xterm-256color",
    "SHELL": "/bin/bash",
    "TZ": "UTC",
    "PS1": "$ ",
    "HISTFILE": "",
    "PAGER": "less",
    "GIT_PAGER": "less",
}


def directory_of(row: Row, size: Size, engine: str) -> str:
    """Programs show its name, so it is the same in both. tmux gets a fresh one for each play."""
    return f"{PLACE}/{row.name}-{size[0]}x{size[1]}" + ("" if engine == "auto" else f"-{engine}")


def write_files(row: Row, base: Path) -> None:
    """A directory below `base` on the host, readable from both sides."""
    files = base / row.name
    files.mkdir(parents=True, exist_ok=True)
    for name, content in row.files.items():
        path = files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def prepare_script(row: Row, directory: str, base: str) -> str:
    """A script for `bash -c` that makes the row's directory and its files, with fixed times."""
    variables = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in ENVIRONMENT.items())
    return (f"{variables}export HOME={directory}\n"
            f"umask 022; mkdir -p {directory} && cp -r {base}/{row.name}/. {directory} && cd {directory} || exit\n"
            f"{row.prepare}\n"
            f"find . -exec touch -h -d 2024-05-06T07:08:09Z {{}} +\n"
            f"stty sane 2>/dev/null\nclear 2>/dev/null\n")
