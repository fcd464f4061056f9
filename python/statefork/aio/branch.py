"""AsyncTerminal and AsyncBranch: the verbs of `statefork.Terminal` and `statefork.Branch`, with
`await`.

The verbs are documented in `statefork.branch`.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, AsyncIterator, Callable, List, Literal, Mapping, Optional, Sequence, Type, Union, overload

from .. import executions, verbs
from ..branch import LocalPath, Materialization, OnDivergence
from ..errors import StateForkError
from ..events import TerminalEvent
from ..nodes import NodeRef, Snapshot, TreeNode
from ..requests import DEFAULT_TIMEOUT, Address
from ..results import (CleanupReport, CommandResult, Diff, Divergence, ExecutionInfo, Forked, ProgramResult,
                       RestoreReport, Screen, TypedKeys)
from ..subscription import watch_terminal
from .execution import AsyncExecution
from .opening import Opening
from .runner import AsyncRunner


class AsyncTerminal:
    """A live shell with its files and processes."""

    def __init__(self, runner: AsyncRunner, at: Address) -> None:
        self._runner = runner
        self._at = at

    async def exec_command(self, command: Union[str, bytes], *, timeout: Optional[float] = DEFAULT_TIMEOUT,
                           check: bool = False, max_output: Optional[int] = None, raw: bool = False,
                           on_output: Optional[Callable[[str], Any]] = None) -> CommandResult:
        """`on_output` may be a coroutine function; it is awaited."""
        return await self._runner.run(
            executions.run_command(self._at, command, timeout, check, max_output, raw, on_output))

    exec = exec_command

    async def run(self, argv: Union[str, Sequence[str]], *, env: Optional[Mapping[str, str]] = None,
                  cwd: Optional[str] = None, user: Optional[str] = None, stdin: Union[str, bytes, None] = None,
                  timeout: Optional[float] = DEFAULT_TIMEOUT, check: bool = False,
                  max_output: Optional[int] = None) -> ProgramResult:
        """Runs a program beside the branch's shell."""
        return await self._runner.run(
            verbs.run(self._at, argv, env, cwd, user, stdin, timeout, check, max_output))

    async def start_command(self, command: Union[str, bytes], *, timeout: Optional[float] = DEFAULT_TIMEOUT,
                            max_output: Optional[int] = None, raw: bool = False) -> AsyncExecution:
        info = await self._runner.run(executions.start(self._at, command, timeout, max_output, raw))
        return AsyncExecution(self._runner, self._at, info)

    async def execution(self, execution: str) -> AsyncExecution:
        info = await self._runner.run(executions.find(self._at, execution))
        return AsyncExecution(self._runner, self._at, info)

    async def executions(self) -> List[ExecutionInfo]:
        return await self._runner.run(executions.list_executions(self._at))

    async def snapshot(self, name: Optional[str] = None, *, notes: Optional[Mapping[str, str]] = None,
                       materialization: Optional[Materialization] = None) -> Snapshot:
        return await self._runner.run(verbs.snapshot(self._at, name, notes, materialization))

    async def restore(self, node: NodeRef, *, on_divergence: OnDivergence = "fail") -> RestoreReport:
        return await self._runner.run(verbs.restore(self._at, node, on_divergence))

    @overload
    async def fork(self, node: NodeRef = ..., count: Optional[int] = ..., *, names: Sequence[str] = ...,
                   on_divergence: OnDivergence = ..., return_errors: Literal[False] = ...) -> List[AsyncBranch]: ...

    @overload
    async def fork(self, node: NodeRef = ..., count: Optional[int] = ..., *, names: Sequence[str] = ...,
                   on_divergence: OnDivergence = ...,
                   return_errors: Literal[True]) -> List[Union[AsyncBranch, StateForkError]]: ...

    async def fork(self, node: NodeRef = "HEAD", count: Optional[int] = None, *, names: Sequence[str] = (),
                   on_divergence: OnDivergence = "fail", return_errors: bool = False) -> Any:
        made = await self._runner.run(verbs.fork(self._at, node, count, names, on_divergence, return_errors))
        return [self._forked(one) if isinstance(one, Forked) else one for one in made]

    def branch(self, node: NodeRef = "HEAD", name: Optional[str] = None, *,
               on_divergence: OnDivergence = "fail") -> Opening[AsyncBranch]:
        """Use it as `async with s.branch(n) as b:`, or await it."""
        async def make() -> AsyncBranch:
            return self._forked(await self._runner.run(verbs.branch(self._at, node, name, on_divergence)))
        return Opening(make())

    async def node(self, node: NodeRef = "HEAD") -> TreeNode:
        return await self._runner.run(verbs.node(self._at, node))

    async def set_notes(self, node: NodeRef, notes: verbs.Notes) -> TreeNode:
        return await self._runner.run(verbs.change_node(self._at, node, notes=notes))

    async def rename_node(self, node: NodeRef, name: str) -> TreeNode:
        return await self._runner.run(verbs.change_node(self._at, node, name=name))

    async def diff(self, base: NodeRef = "HEAD", to: Optional[NodeRef] = None) -> Diff:
        return await self._runner.run(verbs.diff(self._at, base, to))

    async def cleanup(self, node: NodeRef, *, force: bool = False) -> CleanupReport:
        return await self._runner.run(verbs.cleanup(self._at, node, force))

    async def send_keys(self, keys: Union[str, bytes]) -> TypedKeys:
        return await self._runner.run(verbs.send_keys(self._at, keys))

    async def press(self, *names: str) -> TypedKeys:
        return await self._runner.run(verbs.press(self._at, names))

    async def paste(self, text: str) -> TypedKeys:
        return await self._runner.run(verbs.paste(self._at, text))

    async def mouse(self, action: str, row: int, col: int, *, button: Optional[str] = None, control: bool = False,
                    alt: bool = False, shift: bool = False) -> TypedKeys:
        return await self._runner.run(verbs.mouse(self._at, action, row, col, button, control, alt, shift))

    async def screen(self, scrollback: int = 0) -> Screen:
        return await self._runner.run(verbs.screen(self._at, scrollback))

    def watch_terminal(self) -> AsyncIterator[TerminalEvent]:
        return self._runner.iterate(watch_terminal(self._at))

    async def resize(self, rows: int, cols: int) -> None:
        await self._runner.run(verbs.resize(self._at, rows, cols))

    async def read_file(self, path: str) -> bytes:
        return await self._runner.run(verbs.read_file(self._at, path))

    async def read_text(self, path: str, encoding: str = "utf-8", errors: str = "strict") -> str:
        return await self._runner.run(verbs.read_text(self._at, path, encoding, errors))

    async def write_file(self, path: str, content: Union[str, bytes]) -> None:
        await self._runner.run(verbs.write_file(self._at, path, content))

    async def upload(self, local: LocalPath, path: str) -> None:
        await self._runner.run(verbs.upload(self._at, local, path))

    async def download(self, path: str, local: LocalPath) -> None:
        await self._runner.run(verbs.download(self._at, path, local))

    def _branch(self, name: str) -> AsyncBranch:
        return AsyncBranch(self._runner, Address(self._at.session, name))

    def _forked(self, made: Forked) -> AsyncBranch:
        branch = self._branch(made.name)
        branch.accepted, branch.unproven = made.accepted, made.unproven
        return branch


class AsyncBranch(AsyncTerminal):
    """A branch forked from a node. For `accepted` and `unproven` see `statefork.Branch`."""

    accepted: Sequence[Divergence] = ()
    unproven: str = ""

    @property
    def name(self) -> str:
        return self._at.branch

    async def end(self) -> CleanupReport:
        return await self._runner.run(verbs.end_branch(self._at))

    async def __aenter__(self) -> AsyncBranch:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], _: Optional[BaseException],
                        __: Optional[TracebackType]) -> None:
        await self._runner.run(verbs.leave(verbs.end_branch(self._at), failing=kind is not None))

    def __repr__(self) -> str:
        return f"<AsyncBranch {self._at.session}/{self._at.branch}>"
