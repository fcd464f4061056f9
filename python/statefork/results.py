"""The results of the verbs: plain values, compared by content. Durations are in seconds.

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
    """The output and exit code of a command."""

    command: str
    output: str  # without control sequences; invalid UTF-8 is replaced
    exit_code: int
    duration: float
    timed_out: bool = False  # the command was interrupted; `output` ends there
    truncated: bool = False  # `output` has only the beginning and the end
    background: str = ""  # printed by jobs since the last command; not in `output`
    output_bytes: int = 0  # total number of output bytes, kept or not
    shell_restarted: bool = False  # the shell ended at or before this command; a new one runs
    left_background: bool = False  # processes that the command started are still running
    data: bytes = field(default=b"", repr=False)  # `output` as bytes
    raw: bytes = field(default=b"", repr=False)  # the terminal's bytes, with raw=True

    @property
    def ok(self) -> bool:
        """True if it ended by itself with exit code 0."""
        return self.exit_code == 0 and not self.timed_out


@dataclass(frozen=True)
class ProgramResult:
    """The outputs and exit code of a program that ran beside the shell."""

    argv: List[str]
    stdout: str  # invalid UTF-8 is replaced
    stderr: str
    exit_code: int
    duration: float
    timed_out: bool = False  # it was killed; both outputs end there
    truncated: bool = False  # an output that is too long keeps its beginning and end
    stdout_data: bytes = field(default=b"", repr=False)  # `stdout` as bytes
    stderr_data: bytes = field(default=b"", repr=False)

    @property
    def ok(self) -> bool:
        """True if it ended by itself with exit code 0."""
        return self.exit_code == 0 and not self.timed_out

    @property
    def command(self) -> str:
        return " ".join(self.argv)

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


@dataclass(frozen=True)
class Outcome:
    """The part of a command's result that a replay compares."""

    exit_code: int
    timed_out: bool
    output: str  # its beginning and its end, when long


@dataclass(frozen=True)
class Divergence:
    """A replayed command with another outcome than the first time."""

    node: str
    index: int  # its index in the node's log
    command: str  # empty if `state` is not
    expected: Outcome
    observed: Outcome
    state: str = ""  # how files or shell differ if all outputs are equal


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
    unproven: str = ""  # why the state may differ from the node's; empty: it is equal


@dataclass(frozen=True)
class Forked:
    """A branch made from a node."""

    name: str
    accepted: List[Divergence]  # with on_divergence="accept"
    unproven: str = ""  # see RestoreReport


@dataclass(frozen=True)
class CleanupReport:
    nodes: List[str]
    branches: List[str]  # ended, because they used a removed node
    physical_refs: int  # removed checkpoints that no node uses
    bytes: int  # freed by removing them
    leftovers: List[str]  # not removed yet; `Client.collect_garbage` retries


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
    """The differences between two states. Iterable; false if there are none."""

    differences: List[Difference]
    truncated: bool  # the list is not complete
    unproven: str = ""  # why a state may differ from its node's; empty: both are equal

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)


@dataclass(frozen=True)
class Screen:
    """The screen of a branch's terminal."""

    rows: List[str]
    scrollback: List[str]  # the last lines that scrolled off the top, if requested
    cursor_row: int
    cursor_col: int
    cursor_visible: bool
    alternate_screen: bool  # a full-screen program is running
    title: str

    @property
    def text(self) -> str:
        """The rows as one text, without trailing spaces and empty rows."""
        return "\n".join(row.rstrip() for row in self.rows).rstrip("\n")


@dataclass(frozen=True)
class TypedKeys:
    """The result of typing keys. All of them were accepted; otherwise an error is raised."""

    accepted_bytes: int
    waiting_bytes: int  # not yet read by the program, earlier keys included


@dataclass(frozen=True)
class ExecutionInfo:
    """The state of an execution: see `start_command`."""

    id: str
    state: str  # queued, running, done or failed
    command: str
    next_seq: int  # number of its next event
    result: Optional[CommandResult] = None  # when done; lists leave it out
    problem: Optional[StateForkError] = None  # when failed

    @property
    def running(self) -> bool:
        return self.state in ("queued", "running")


@dataclass(frozen=True)
class Health:
    """The state of the daemon."""

    status: str
    version: str
    pid: int


@dataclass(frozen=True)
class BackendInfo:
    name: str
    preserves: List[str]  # files, shell, processes, memory, local_services
    summary: str = ""
    usable: bool = True  # usable on this host
    why_not: str = ""


@dataclass(frozen=True)
class EndedSession:
    id: str
    name: str
    why: str  # ttl or idle


@dataclass(frozen=True)
class GarbageReport:
    ended: List[EndedSession] = field(default_factory=list)  # sessions that exceeded a time limit
    leftovers: List[str] = field(default_factory=list)  # not removed yet
    operations: int = 0  # removed records of finished operations


@dataclass(frozen=True)
class SessionStats:
    """A session's counters since the daemon opened it, and its current size."""

    commands: int
    physical_snapshots: int
    virtual_snapshots: int
    unchanged_snapshots: int  # physical snapshots that share their parent's checkpoint
    fallbacks: int  # snapshots that became virtual because a capture failed
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
    physical_refs: int  # distinct checkpoints; nodes may share one
    ready_refs: int  # checkpoints with a prerestored process tree
    physical_bytes: int
    live_branches: int
