"""Terminal: the verbs of one branch. Branch: a Terminal that was forked from a node."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Callable, Iterator, List, Literal, Mapping, Optional, Sequence, Type, Union, overload

from . import executions, verbs
from .errors import StateForkError
from .events import TerminalEvent
from .execution import Execution
from .nodes import NodeRef, Snapshot, TreeNode
from .requests import DEFAULT_TIMEOUT, Address
from .results import (CleanupReport, CommandResult, Diff, Divergence, ExecutionInfo, Forked, ProgramResult,
                      RestoreReport, Screen, TypedKeys)
from .runner import Runner
from .subscription import watch_terminal

Materialization = Literal["physical", "virtual"]
OnDivergence = Literal["fail", "accept"]
LocalPath = Union[str, "os.PathLike[str]"]


class Terminal:
    """A live shell with its files and processes. Thread-safe: calls on one branch run one after the
    other, except keys, the screen and reading files, which do not wait. Branches run in parallel.

    A node is given as a `Node`, an id, a name, "HEAD" (this branch's current node) or "HEAD~2".

    In the examples below, `s` is a session.
    """

    def __init__(self, runner: Runner, at: Address) -> None:
        self._runner = runner
        self._at = at

    # Commands.

    def exec_command(self, command: Union[str, bytes], *, timeout: Optional[float] = DEFAULT_TIMEOUT,
                     check: bool = False, max_output: Optional[int] = None, raw: bool = False,
                     on_output: Optional[Callable[[str], Any]] = None) -> CommandResult:
        """Runs a command in the branch's shell; it may change the shell's directory, variables and
        jobs.

        After `timeout` seconds (None: no limit) the command is interrupted and the result has
        `timed_out` set. With `check`, a failed command raises `CommandFailed` or `CommandTimeout`.
        `on_output` is called with each piece of output. If the output exceeds `max_output` bytes
        (default 1 MiB), the result keeps its beginning and its end. `raw` adds the terminal's
        bytes.

        >>> r = s.exec_command("cd /usr; pwd; (exit 3)", timeout=60)
        >>> r.output, r.exit_code, r.timed_out, r.truncated
        ('/usr\\n', 3, False, False)
        >>> s.exec_command("(exit 3)", check=True)
        Traceback (most recent call last):
        statefork.errors.CommandFailed: '(exit 3)' exited 3
        """
        return self._runner.run(
            executions.run_command(self._at, command, timeout, check, max_output, raw, on_output))

    exec = exec_command

    def run(self, argv: Union[str, Sequence[str]], *, env: Optional[Mapping[str, str]] = None,
            cwd: Optional[str] = None, user: Optional[str] = None, stdin: Union[str, bytes, None] = None,
            timeout: Optional[float] = DEFAULT_TIMEOUT, check: bool = False,
            max_output: Optional[int] = None) -> ProgramResult:
        """Runs a program beside the branch's shell, as `docker exec` does: without a terminal, with
        separate outputs, and without disturbing the shell. A string is a command line for /bin/sh.
        The program cannot be replayed, so the next snapshot has to be physical.

        >>> _ = s.exec_command("x=1; cd /tmp")
        >>> r = s.run(["sh", "-c", "pwd; echo $K; cat; echo oops >&2; exit 3"], env={"K": "v"}, cwd="/usr", stdin="in")
        >>> r.stdout, r.stderr, r.exit_code
        ('/usr\\nv\\nin', 'oops\\n', 3)
        """
        return self._runner.run(
            verbs.run(self._at, argv, env, cwd, user, stdin, timeout, check, max_output))

    def start_command(self, command: Union[str, bytes], *, timeout: Optional[float] = DEFAULT_TIMEOUT,
                      max_output: Optional[int] = None, raw: bool = False) -> Execution:
        """Starts a command and returns. `for event in ...` follows it; `wait()` waits for its end.

        >>> from statefork import OutputEvent
        >>> for event in s.start_command("echo hi"):
        ...     print(event.text if isinstance(event, OutputEvent) else event.result.exit_code)
        hi
        <BLANKLINE>
        0
        """
        info = self._runner.run(executions.start(self._at, command, timeout, max_output, raw))
        return Execution(self._runner, self._at, info)

    def execution(self, execution: str) -> Execution:
        """Returns an execution that was started before, by its id."""
        return Execution(self._runner, self._at, self._runner.run(executions.find(self._at, execution)))

    def executions(self) -> List[ExecutionInfo]:
        """Lists the running executions and the last ones that ended."""
        return self._runner.run(executions.list_executions(self._at))

    # States.

    def snapshot(self, name: Optional[str] = None, *, notes: Optional[Mapping[str, str]] = None,
                 materialization: Optional[Materialization] = None) -> Snapshot:
        """Saves the state of the branch as a new node. `materialization` overrides the session's
        policy. If the node must be physical and the branch cannot be captured, raises
        `UnsupportedError` with the blockers.

        >>> n = s.snapshot("clean", notes={"score": "0.5"})
        >>> n.id, n.name, n.kind
        ('n1', 'clean', 'physical')
        """
        return self._runner.run(verbs.snapshot(self._at, name, notes, materialization))

    def restore(self, node: NodeRef, *, on_divergence: OnDivergence = "fail") -> RestoreReport:
        """Puts the branch back to a node. If a replayed command diverges, raises `DivergenceError`
        and leaves the branch unchanged; with "accept", the report lists the divergence instead.

        >>> n = s.snapshot()
        >>> _ = s.exec_command("rm -r /etc; cd /; x=1")
        >>> _ = s.restore(n)
        >>> s.exec_command("test -d /etc && echo $x here").output
        'here\\n'
        """
        return self._runner.run(verbs.restore(self._at, node, on_divergence))

    @overload
    def fork(self, node: NodeRef = ..., count: Optional[int] = ..., *, names: Sequence[str] = ...,
             on_divergence: OnDivergence = ..., return_errors: Literal[False] = ...) -> List[Branch]: ...

    @overload
    def fork(self, node: NodeRef = ..., count: Optional[int] = ..., *, names: Sequence[str] = ...,
             on_divergence: OnDivergence = ...,
             return_errors: Literal[True]) -> List[Union[Branch, StateForkError]]: ...

    def fork(self, node: NodeRef = "HEAD", count: Optional[int] = None, *, names: Sequence[str] = (),
             on_divergence: OnDivergence = "fail", return_errors: bool = False) -> Any:
        """Makes live branches from a node: `count` of them, or one for each of `names`, or one.

        All or none: if one branch cannot be made, the others are ended and its error is raised.
        With `return_errors`, the list has a branch or an error for each requested branch.

        >>> for i, b in enumerate(s.fork("HEAD", 2)):
        ...     print(b.name, b.exec_command(f"x={i}; echo $x").output, end="")
        b1 0
        b2 1
        """
        made = self._runner.run(verbs.fork(self._at, node, count, names, on_divergence, return_errors))
        return [self._forked(one) if isinstance(one, Forked) else one for one in made]

    def branch(self, node: NodeRef = "HEAD", name: Optional[str] = None, *,
               on_divergence: OnDivergence = "fail") -> Branch:
        """Makes one live branch from a node. `with s.branch(n) as b:` ends it on exit.

        >>> with s.branch("HEAD", name="attempt") as b:
        ...     b.name
        'attempt'
        >>> [b.name for b in s.branches()]
        ['main']
        """
        return self._forked(self._runner.run(verbs.branch(self._at, node, name, on_divergence)))

    def node(self, node: NodeRef = "HEAD") -> TreeNode:
        """Returns the node with its notes and its place in the tree."""
        return self._runner.run(verbs.node(self._at, node))

    def set_notes(self, node: NodeRef, notes: verbs.Notes) -> TreeNode:
        """Adds, changes or, if the value is None, removes notes of a node. Other notes stay.

        >>> n = s.snapshot(notes={"score": "0.5", "draft": "yes"})
        >>> s.set_notes(n, {"score": "0.9", "draft": None}).notes
        {'score': '0.9'}
        """
        return self._runner.run(verbs.change_node(self._at, node, notes=notes))

    def rename_node(self, node: NodeRef, name: str) -> TreeNode:
        """Renames a node. An empty name removes its name."""
        return self._runner.run(verbs.change_node(self._at, node, name=name))

    def diff(self, base: NodeRef = "HEAD", to: Optional[NodeRef] = None) -> Diff:
        """Compares `base` with another node, or with the branch's current state.

        >>> _ = s.exec_command("echo 1 >/root/new; export K=v")
        >>> [(d.subject, d.kind, d.name) for d in s.diff() if d.name in ("/root/new", "K")]
        [('file', 'added', '/root/new'), ('environment', 'added', 'K')]
        """
        return self._runner.run(verbs.diff(self._at, base, to))

    def cleanup(self, node: NodeRef, *, force: bool = False) -> CleanupReport:
        """Removes a node and its subtree. If branches use them: `BusyError`, or with `force` they
        are ended."""
        return self._runner.run(verbs.cleanup(self._at, node, force))

    # The terminal, as a person uses it.

    def send_keys(self, keys: Union[str, bytes]) -> TypedKeys:
        """Types `keys` into the running program; "\\r" is the enter key, "\\x03" control-C.

        Accepts all of `keys` or nothing. Up to 4 MiB wait until the program reads them; above that,
        `BusyError` says how much room is left. Control-C does not wait: it discards waiting input.

        >>> execution = s.start_command("echo 'Your name?'; read x; echo hello $x")
        >>> next(execution.events()).text  # now it is running
        'Your name?\\n'
        >>> s.send_keys("you\\r").accepted_bytes
        4
        >>> execution.wait().output.splitlines()[-1]
        'hello you'
        """
        return self._runner.run(verbs.send_keys(self._at, keys))

    def press(self, *names: str) -> TypedKeys:
        """Presses keys by their tmux names: `Enter`, `Down`, `F5`, `C-Left`, `M-x`, `S-Up`. They
        are encoded for the running program's terminal modes. An unknown name raises
        `InvalidArgumentError`, and nothing is typed.

        >>> s.press("C-c", "Enter").accepted_bytes
        2
        """
        return self._runner.run(verbs.press(self._at, names))

    def paste(self, text: str) -> TypedKeys:
        """Pastes text, bracketed if the program enabled bracketed paste."""
        return self._runner.run(verbs.paste(self._at, text))

    def mouse(self, action: str, row: int, col: int, *, button: Optional[str] = None, control: bool = False,
              alt: bool = False, shift: bool = False) -> TypedKeys:
        """Sends a mouse event. `action` is click, press, release, move, wheel_up or wheel_down; row
        and column count from 0; `button` is left (the default), middle or right. If the program did
        not enable mouse reports, raises `InvalidArgumentError`."""
        return self._runner.run(verbs.mouse(self._at, action, row, col, button, control, alt, shift))

    def screen(self, scrollback: int = 0) -> Screen:
        """Returns the screen, with up to `scrollback` lines that scrolled off the top."""
        return self._runner.run(verbs.screen(self._at, scrollback))

    def watch_terminal(self) -> Iterator[TerminalEvent]:
        """Yields the current screen, then the terminal's output, until the caller stops iterating
        or the branch ends.

        >>> first = next(s.watch_terminal())
        >>> first.repaint, first.rows == len(s.screen().rows)
        (True, True)
        """
        return self._runner.iterate(watch_terminal(self._at))

    def resize(self, rows: int, cols: int) -> None:
        self._runner.run(verbs.resize(self._at, rows, cols))

    # Files in the branch, by absolute path.

    def read_file(self, path: str) -> bytes:
        """
        >>> s.write_file("/root/data", b"\\x00\\x01")
        >>> s.read_file("/root/data")
        b'\\x00\\x01'
        """
        return self._runner.run(verbs.read_file(self._at, path))

    def read_text(self, path: str, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self._runner.run(verbs.read_text(self._at, path, encoding, errors))

    def write_file(self, path: str, content: Union[str, bytes]) -> None:
        """Text is written as UTF-8."""
        self._runner.run(verbs.write_file(self._at, path, content))

    def upload(self, local: LocalPath, path: str) -> None:
        """Copies a file of this machine into the branch."""
        self._runner.run(verbs.upload(self._at, local, path))

    def download(self, path: str, local: LocalPath) -> None:
        """Copies a file of the branch to this machine."""
        self._runner.run(verbs.download(self._at, path, local))

    def _branch(self, name: str) -> Branch:
        return Branch(self._runner, Address(self._at.session, name))

    def _forked(self, made: Forked) -> Branch:
        branch = self._branch(made.name)
        branch.accepted, branch.unproven = made.accepted, made.unproven
        return branch


class Branch(Terminal):
    """A branch forked from a node. It ends with its `with`, by `end()`, or with its session.

    `accepted` and `unproven` come from the fork, as in a `RestoreReport`. They are empty if the
    branch was looked up by its name.
    """

    accepted: Sequence[Divergence] = ()
    unproven: str = ""

    @property
    def name(self) -> str:
        return self._at.branch

    def end(self) -> CleanupReport:
        """Ends the branch with its processes. Its nodes stay."""
        return self._runner.run(verbs.end_branch(self._at))

    def __enter__(self) -> Branch:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], _: Optional[BaseException],
                 __: Optional[TracebackType]) -> None:
        self._runner.run(verbs.leave(verbs.end_branch(self._at), failing=kind is not None))

    def __repr__(self) -> str:
        return f"<Branch {self._at.session}/{self._at.branch}>"
