"""The expected state of a session. Pure: uses no daemon, no files and no time.

A `State` defines what every probe of a branch may print; a `Node` is an acknowledged snapshot; a
`Tree` holds the nodes of one session. Operations change the state of a live branch, a snapshot
copies it into a node, and every restore and fork of that node is compared with the copy.
"""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Set, Tuple

WORK = "/root/work"  # all files of the model are below this directory


@dataclass(frozen=True)
class Entry:
    """One file, directory or link below WORK."""

    kind: str = "f"  # as find prints it: f, d, l, p (a FIFO), s (a socket)
    mode: int = 0o644
    content: bytes = b""  # of a file; the target of a link


@dataclass
class State:
    """The expected state of a branch."""

    files: Dict[str, Entry] = field(default_factory=dict)
    # Being written by a running process: absent, empty or complete, and complete in the end.
    coming: Dict[str, bytes] = field(default_factory=dict)
    # Written by a call that overlapped the snapshot: absent or complete. The first probe of the
    # node decides.
    maybe: Dict[str, Entry] = field(default_factory=dict)
    # Written by another client's call that overlapped the snapshot or failed: absent, empty or
    # whole at any time.
    open: Dict[str, bytes] = field(default_factory=dict)
    variables: Dict[str, str] = field(default_factory=dict)
    functions: Set[str] = field(default_factory=set)
    cwd: str = "/"
    may_hold_removed: bool = False  # a process's working directory may have been replaced
    umask: int = 0o022
    window: Optional[Tuple[int, int]] = (40, 160)  # None: unknown
    attributes: Dict[str, str] = field(default_factory=dict)  # name -> output of its probe
    queues: Set[str] = field(default_factory=set)  # POSIX message queues
    servers: Dict[str, Tuple[str, int]] = field(default_factory=dict)  # name -> kind, counter
    timers: int = 0  # background jobs of the shell that may have ended
    seed: Optional[int] = None  # what RANDOM was last set to

    def copy(self) -> State:
        return copy.deepcopy(self)

    def directories(self) -> List[str]:
        return sorted(name for name, entry in self.files.items() if entry.kind == "d")

    def plain_files(self) -> List[str]:
        return sorted(name for name, entry in self.files.items() if entry.kind == "f")

    def remove(self, name: str) -> None:
        """A file, or a directory with all files below it."""
        for known in [known for known in self.files if known == name or known.startswith(name + "/")]:
            del self.files[known]

    def has_arrived(self, name: str) -> None:
        """Marks a file that was being written as complete."""
        self.files[name] = Entry("f", 0o644, self.coming.pop(name))

    def shell_has_ended(self) -> None:
        """A new shell has replaced the old one."""
        self.variables.clear()
        self.functions.clear()
        self.attributes.clear()
        self.cwd, self.umask, self.seed, self.timers = "/", 0o022, None, 0


@dataclass(eq=False)
class Node:
    """An acknowledged snapshot."""

    id: str
    parent: Optional[Node]
    kind: str  # physical, virtual
    state: State
    drew: bool  # a command since the parent used randomness, so a replay may diverge
    by: str = ""  # the last operations before this node, for failure reports

    def may_diverge(self) -> bool:
        """False if a restore must succeed."""
        node: Optional[Node] = self
        while node is not None and node.kind == "virtual":
            if node.drew:
                return True
            node = node.parent
        return False

    def sure_ancestor(self) -> Node:
        """The nearest node, including this one, that must be restorable."""
        node = self
        while node.may_diverge() and node.parent is not None:
            node = node.parent
        return node


class Tree:
    """The nodes of one session, shared by all its clients."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._nodes: List[Node] = []

    def add(self, node: Node) -> None:
        with self._lock:
            self._nodes.append(node)

    def nodes(self) -> List[Node]:
        with self._lock:
            return list(self._nodes)

    def remove(self, node: Node) -> None:
        with self._lock:
            self._nodes.remove(node)

    def has_children(self, node: Node) -> bool:
        return any(other.parent is node for other in self.nodes())
