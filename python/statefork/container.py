"""Container: a branch behind the part of docker-py's Container interface that agents use."""

from __future__ import annotations

import shlex
import secrets
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import transfer
from .branch import Terminal
from .errors import UnsupportedError
from .side_script import side_argv, side_script

MAX_OUTPUT = 16 << 20  # per stream; longer output keeps its beginning and its end
Command = Union[str, Sequence[str]]
Output = Union[bytes, Tuple[Optional[bytes], Optional[bytes]]]
Paths = Union[Path, Sequence[Path]]


class ExecResult(NamedTuple):
    exit_code: Optional[int]  # None: detached
    output: Any  # bytes; with `demux`, a pair of stdout and stderr


class Container:
    """
    >>> c = Container(s)
    >>> c.exec_run("echo hi").output, c.exec_run(["sh", "-c", "echo no >&2; exit 3"])
    (b'hi\\n', ExecResult(exit_code=3, output=b'no\\n'))
    """

    status = "running"

    def __init__(self, branch: Terminal, name: str = "client", workdir: str = "/",
                 env: Optional[Mapping[str, str]] = None) -> None:
        self.branch = branch
        self.name = name
        self.id = f"{branch._at.session}/{branch._at.branch}"
        self._workdir = workdir
        self._env: Dict[str, str] = dict(env or {})

    @property
    def attrs(self) -> Dict[str, Any]:
        return {"Id": self.id, "Name": self.name, "Config": {"WorkingDir": self._workdir}}

    def exec_run(self, cmd: Command, stdout: bool = True, stderr: bool = True, stdin: bool = False, tty: bool = False,
                 privileged: bool = False, user: str = "", detach: bool = False, stream: bool = False,
                 socket: bool = False, environment: Union[Mapping[str, str], Sequence[str], None] = None,
                 workdir: Optional[str] = None, demux: bool = False) -> ExecResult:
        """Runs a new process without a terminal. Its background processes keep running."""
        if stdin or tty or privileged or stream or socket:
            raise UnsupportedError("exec_run does not support stdin, tty, privileged, stream or socket",
                                   hint="for a terminal, use send_keys and capture_pane")
        command = "exec " + shlex.join(shlex.split(cmd) if isinstance(cmd, str) else cmd)
        if detach:
            command = f"{command} </dev/null >/dev/null 2>&1 &"
        elif not demux:  # in the order in which they were printed
            command += {(True, True): " 2>&1", (True, False): " 2>/dev/null",
                        (False, True): " 2>&1 >/dev/null", (False, False): " >/dev/null 2>&1"}[stdout, stderr]
        result = self.branch.run(side_argv(secrets.token_hex(8)), stdin=side_script(command, workdir or self._workdir),
                                 env={**self._env, **pairs(environment)}, cwd="/", user=user or None, timeout=None,
                                 max_output=MAX_OUTPUT)
        if detach:
            return ExecResult(None, b"")
        if demux:
            return ExecResult(result.exit_code, ((result.stdout_data or None) if stdout else None,
                                                 (result.stderr_data or None) if stderr else None))
        return ExecResult(result.exit_code, result.stdout_data + result.stderr_data)

    def put_archive(self, path: str, data: bytes) -> bool:
        """Unpacks a tar archive into a directory."""
        self.branch._runner.run(transfer.put_tree(self.branch._at, data, path))
        return True

    def copy_in(self, paths: Paths, directory: Optional[str] = None, filename: Optional[str] = None) -> None:
        """Copies files under their names or as `filename`, and the contents of directories."""
        entries: List[Tuple[Path, str]] = []
        for path in [paths] if isinstance(paths, (str, Path)) else paths:
            path = Path(path)
            entries += [(path, ".")] if path.is_dir() else [(path, filename or path.name)]
        self.put_archive(directory or self._workdir, transfer.pack(entries))

    def copy_out(self, directory: str, local: Path) -> None:
        """Copies a directory's contents into a directory of this machine."""
        transfer.unpack(self.branch._runner.run(transfer.get_tree(self.branch._at, directory)), local)


def pairs(environment: Union[Mapping[str, str], Sequence[str], None]) -> Dict[str, str]:
    """
    >>> pairs(["A=1", "B=x=y"])
    {'A': '1', 'B': 'x=y'}
    """
    if environment is None or isinstance(environment, Mapping):
        return dict(environment or {})
    return dict((name, value) for name, _, value in (pair.partition("=") for pair in environment))
