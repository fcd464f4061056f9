"""What a session must show. Pure: knows no daemon, no files and no time.

A `State` says what every probe of a branch may print; a `Node` is a state that was acknowledged; a `Tree` holds the
nodes of one session. Operations change the state of a live branch, a snapshot copies it into a node, and each restore
and fork of that node is compared with the copy.
"""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Set, Tuple

WORK = "/root/work"  # all files of the model are below this directory


@dataclass(frozen=True)
class Entry:
    """One name below WORK."""

    kind: str = "f"  # as find prints it: f, d, l, p (a FIFO), s (a socket)
    mode: int = 0o644
    content: bytes = b""  # of a file; of a link, where it leads to


@dataclass
class State:
    """What a branch must show."""

    files: Dict[str, Entry] = field(default_factory=dict)
    # Written by a process that runs now: absent, empty or whole, and whole in the end.
    coming: Dict[str, bytes] = field(default_factory=dict)
    # Written by a call that overlapped the snapshot: absent or whole. The first probe of the node decides.
    maybe: Dict[str, Entry] = field(default_factory=dict)
    # Written by another client's call that overlapped the snapshot or failed: absent, empty or whole at any time.
    open: Dict[str, bytes] = field(default_factory=dict)
    variables: Dict[str, str] = field(default_factory=dict)
    functions: Set[str] = field(default_factory=set)
    cwd: str = "/"
    may_hold_removed: bool = False  # a process may stand in a directory whose name something else has now
    umask: int = 0o022
    window: Optional[Tuple[int, int]] = (40, 160)  # None: unknown
    attributes: Dict[str, str] = field(default_factory=dict)  # of the shell's process: name -> what the probe prints
    queues: Set[str] = field(default_factory=set)  # POSIX message queues
    servers: Dict[str, Tuple[str, int]] = field(default_factory=dict)  # name -> kind, the counter in its memory
    timers: int = 0  # jobs of the shell that end by themselves; they may have ended
    seed: Optional[int] = None  # what RANDOM was last set to

    def copy(self) -> State:
        return copy.deepcopy(self)

    def directories(self) -> List[str]:
        return sorted(name for name, entry in self.files.items() if entry.kind == "d")

    def plain_files(self) -> List[str]:
        return sorted(name for name, entry in self.files.items() if entry.kind == "f")

    def remove(self, name: str) -> None:
        """A file, or a directory with all below it."""
        for known in [known for known in self.files if known == name or known.startswith(name + "/")]:
            del self.files[known]

    def has_arrived(self, name: str) -> None:
        """A file that was coming is whole."""
        self.files[name] = Entry("f", 0o644, self.coming.pop(name))

    def shell_has_ended(self) -> None:
        """A new shell has taken the place of the old one."""
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
    drew: bool  # a command since the parent drew by chance, so that a replay may legally diverge
    by: str = ""  # the last operations that led here, for people

    def may_diverge(self) -> bool:
        """If not, a restore must succeed."""
        node: Optional[Node] = self
        while node is not None and node.kind == "virtual":
            if node.drew:
                return True
            node = node.parent
        return False

    def sure_ancestor(self) -> Node:
        """The nearest node, this one included, that must be restorable."""
        node = self
        while node.may_diverge() and node.parent is not None:
            node = node.parent
        return node


class Tree:
    """The nodes of one session, for all its clients."""

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
