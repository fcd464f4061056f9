"""Nodes, branches and sessions as the daemon describes them.

A node compares, hashes and prints as its id, so it can be used wherever an id can:

>>> here = Node("n3", kind="physical")
>>> here == "n3", str(here), {here: "best"}["n3"]
(True, 'n3', 'best')
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Dict, List, Optional, Union

if TYPE_CHECKING:
    from .errors import StateForkError

__all__ = ["BranchInfo", "LogEntry", "Node", "NodeRef", "SessionInfo", "Snapshot", "Tree", "TreeNode"]


@dataclass(frozen=True, eq=False)
class Node:
    """A state that can be restored and forked. Ids are unique within a session."""

    id: str
    name: str = ""
    kind: str = "physical"  # or virtual, restored by replaying its commands
    unchanged: bool = False  # shares its parent's checkpoint
    notes: Dict[str, str] = field(default_factory=dict)
    bytes: int = 0  # on disk, not shared with its parent
    memory_bytes: int = 0  # captured memory of the processes
    took: float = 0.0  # duration of the snapshot
    stopped: float = 0.0  # how long the branch was stopped for it

    def __str__(self) -> str:
        return self.id

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Node, str)):
            return self.id == str(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)


@dataclass(frozen=True, eq=False)
class Snapshot(Node):
    """The node that `snapshot` made, with the reason for its kind."""

    why: str = ""  # the rule that chose the kind
    fallback: Optional[StateForkError] = None  # why it could not be physical


@dataclass(frozen=True)
class LogEntry:
    """One operation on a branch."""

    kind: str  # command, keys, write_file, resize, side or unproven
    text: str  # shortened, when long
    exit_code: int
    duration: float
    timed_out: bool
    output_bytes: int
    output_hash: str
    shell_restarted: bool
    left_background: bool
    diverged_before: bool  # an earlier replay of it diverged
    outcome_unknown: bool  # it is still running, or its end was not observed


@dataclass(frozen=True, eq=False)
class TreeNode(Node):
    """A node with its place in the tree."""

    parent: Optional[str] = None  # None: the root
    origin: str = "main"  # the branch that made it
    created_at: datetime = datetime.min
    log: List[LogEntry] = field(default_factory=list)  # operations since the parent


@dataclass(frozen=True)
class BranchInfo:
    id: str
    node: str  # its current node
    alive: bool
    created_at: Optional[datetime] = None
    pending: List[LogEntry] = field(default_factory=list)  # operations since that node


NodeRef = Union[str, Node]  # an id, a name, "HEAD", "HEAD~2", or a node


@dataclass(frozen=True)
class SessionInfo:
    id: str
    name: str
    backend: str
    policy: str
    created_at: datetime
    labels: Dict[str, str]
    root: str
    user: str
    cwd: str
    network: str
    env: Dict[str, str]
    memory_bytes: int
    pids: int
    cpus: float
    ttl: float = 0  # seconds from its start to its end; 0: no limit
    idle: float = 0  # seconds without use until its end; 0: no limit
    max_bytes: int = 0  # of its snapshots; 0: no limit
    max_branches: int = 0
    branches: List[BranchInfo] = field(default_factory=list)
    nodes: int = 0
    live_branches: int = 0
    physical_bytes: int = 0
    problem: str = ""  # why it is unusable or limited; empty: it is usable


@dataclass(frozen=True)
class Tree:
    """All nodes of a session, parents before their children, and its branches."""

    session: SessionInfo
    nodes: List[TreeNode]
    branches: List[BranchInfo]

    @property
    def root(self) -> TreeNode:
        return self.nodes[0]

    def __getitem__(self, ref: NodeRef) -> TreeNode:
        """The node of this id or name."""
        for node in self.nodes:
            if node == ref or (node.name and node.name == ref):
                return node
        raise KeyError(str(ref))

    def __contains__(self, ref: object) -> bool:
        return any(node == ref or (node.name and node.name == ref) for node in self.nodes)

    def children(self, ref: NodeRef) -> List[TreeNode]:
        parent = self[ref].id
        return [node for node in self.nodes if node.parent == parent]
