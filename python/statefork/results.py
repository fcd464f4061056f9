"""What the verbs answer: plain values, compared by content. Durations are seconds.

>>> CommandResult("echo hi", output="hi\\n", exit_code=0, duration=0.01).ok
True
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Iterator, List, Optional

if TYPE_CHECKING:
    from .errors import StateForkError

__all__ = ["BackendInfo", "Blocker", "CleanupReport", "CommandResult", "Diff", "Difference", "Divergence",
           "EndedSession", "ExecutionInfo", "GarbageReport", "Health", "Outcome", "ProgramResult", "RestoreReport", "Screen", "SessionStats", "TypedKeys"]


@dataclass(frozen=True)
class CommandResult:
    """What was seen of a command."""

    command: str
    output: str  # as a person would read it; bytes that are no UTF-8 are replaced
    exit_code: int
    duration: float
    timed_out: bool = False  # the command was interrupted; `output` has what came until then
    truncated: bool = False  # `output` has the beginning and the end of what came
    background: str = ""  # what jobs printed since the last command; no part of `output`
    output_bytes: int = 0  # all that came, kept or not
    shell_restarted: bool = False  # its shell ended, or ended since the last command; a fresh one waits
    left_background: bool = False  # processes that it started are still running
    data: bytes = field(default=b"", repr=False)  # `output` as the bytes it was
    raw: bytes = field(default=b"", repr=False)  # the terminal's own bytes, when asked for

    @property
    def ok(self) -> bool:
        """It ended by itself, with exit code 0."""
        return self.exit_code == 0 and not self.timed_out


@dataclass(frozen=True)
class ProgramResult:
    """What a program printed that ran beside the shell, and how it ended."""

    argv: List[str]
    stdout: str  # bytes that are no UTF-8 are replaced
    stderr: str
    exit_code: int
    duration: float
    timed_out: bool = False  # it was killed; both outputs have what came until then
    truncated: bool = False  # of an output that was too long there is the beginning and the end
    stdout_data: bytes = field(default=b"", repr=False)  # `stdout` as the bytes it was
    stderr_data: bytes = field(default=b"", repr=False)

    @property
    def ok(self) -> bool:
        """It ended by itself, with exit code 0."""
        return self.exit_code == 0 and not self.timed_out

    @property
    def command(self) -> str:
        return " ".join(self.argv)

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


@dataclass(frozen=True)
class Outcome:
    """How a command ended, as far as a replay compares it."""

    exit_code: int
    timed_out: bool
    output: str  # its beginning and its end, when long


@dataclass(frozen=True)
class Divergence:
    """A command that was done again on the way to a node, and did something else than the first time."""

    node: str
    index: int  # it is number `index` of the node's log
    command: str  # empty if `state` is not
    expected: Outcome
    observed: Outcome
    state: str = ""  # how files or shell of the node differ although every output was the same


@dataclass(frozen=True)
class Blocker:
    """Something in a branch that cannot be captured."""

    pid: int  # in the branch
    process: str
    what: str  # "descriptor 5 (io_uring)"
    why: str
    advice: str


@dataclass(frozen=True)
class RestoreReport:
    node: str
    replayed: int  # commands
    accepted: List[Divergence]  # with on_divergence="accept"
    promoted: bool  # the node was virtual and is physical now
    took: float
    unproven: str = ""  # why the state is not proven to be the node's; empty: it is


@dataclass(frozen=True)
class Forked:
    """A branch that was made at a node."""

    name: str
    accepted: List[Divergence]  # with on_divergence="accept"
    unproven: str = ""  # as RestoreReport's


@dataclass(frozen=True)
class CleanupReport:
    nodes: List[str]
    branches: List[str]  # ended, because they stood there
    physical_refs: int  # snapshots that nobody needs any more
    bytes: int  # of those
    leftovers: List[str]  # what could not be removed yet; `Client.collect_garbage` tries again


@dataclass(frozen=True)
class Difference:
    subject: str  # file, process, port, environment or cwd
    kind: str  # added, removed or changed
    name: str
    before: str
    after: str
    patch: str  # of a text file, as `diff -u` writes it


@dataclass(frozen=True)
class Diff:
    """What differs between two states. Iterates over the differences; false when there are none."""

    differences: List[Difference]
    truncated: bool  # there are more than are listed
    unproven: str = ""  # why a compared state is not proven to be its node's; empty: both are

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)


@dataclass(frozen=True)
class Screen:
    """A branch's terminal as a person in front of it sees it."""

    rows: List[str]
    scrollback: List[str]  # the last lines that went out at the top, when asked for
    cursor_row: int
    cursor_col: int
    cursor_visible: bool
    alternate_screen: bool  # a full-screen program is running
    title: str

    @property
    def text(self) -> str:
        """The rows as one text, without the empty space to the right and at the end."""
        return "\n".join(row.rstrip() for row in self.rows).rstrip("\n")


@dataclass(frozen=True)
class TypedKeys:
    """What became of typed keys. All of them were accepted; otherwise there was an error."""

    accepted_bytes: int
    waiting_bytes: int  # earlier ones included: until the program in the terminal reads them


@dataclass(frozen=True)
class ExecutionInfo:
    """A command that runs, or ran, by itself: see `start_command`."""

    id: str
    state: str  # queued, running, done or failed
    command: str
    next_seq: int  # the number its next event will have
    result: Optional[CommandResult] = None  # when done; lists leave it out
    problem: Optional[StateForkError] = None  # when failed

    @property
    def running(self) -> bool:
        return self.state in ("queued", "running")


@dataclass(frozen=True)
class Health:
    """Of the daemon."""

    status: str
    version: str
    pid: int


@dataclass(frozen=True)
class BackendInfo:
    name: str
    preserves: List[str]  # files, shell, processes, memory, local_services
    summary: str = ""
    usable: bool = True  # on this host
    why_not: str = ""


@dataclass(frozen=True)
class EndedSession:
    id: str
    name: str
    why: str  # ttl or idle


@dataclass(frozen=True)
class GarbageReport:
    ended: List[EndedSession] = field(default_factory=list)  # sessions whose time was over
    leftovers: List[str] = field(default_factory=list)  # what could still not be removed
    operations: int = 0  # records of finished operations that were put away


@dataclass(frozen=True)
class SessionStats:
    """What a session did since its daemon opened it, and what it has now."""

    commands: int
    physical_snapshots: int
    virtual_snapshots: int
    unchanged_snapshots: int  # physical ones that share the one before
    fallbacks: int  # could not be captured and became virtual
    promotions: int  # virtual nodes made physical after a replay
    restores: int
    forked_branches: int
    replayed_commands: int
    divergences: int
    removed_nodes: int
    command_time: float
    checkpoint_time: float
    stopped_time: float
    replay_time: float
    nodes: int
    physical_refs: int  # distinct; nodes may share one
    ready_refs: int  # among them, those whose processes stand ready before anybody goes back there
    physical_bytes: int
    live_branches: int
