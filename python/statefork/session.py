"""Session: a live terminal over a root directory, and the tree of its nodes."""

from __future__ import annotations

from types import TracebackType
from typing import List, Optional, Type

from . import verbs
from .branch import Branch, Terminal
from .nodes import SessionInfo, Tree
from .requests import Address
from .results import CleanupReport, SessionStats
from .runner import Runner


class Session(Terminal):
    """Returned by `build_session` and `connect`. Its terminal verbs work on the branch `main`.

    Leaving its `with` ends it, unless `keep` is set.

    >>> with build_session("waypoint", root="/") as s:
    ...     n = s.snapshot()
    ...     _ = s.exec_command("touch /root/astray")
    ...     _ = s.restore(n)
    ...     s.exec_command("ls /root/astray").ok
    False
    """

    def __init__(self, runner: Runner, info: SessionInfo, keep: bool) -> None:
        super().__init__(runner, Address(info.id))
        self.id = info.id
        self.name = info.name
        self.keep = keep

    def info(self) -> SessionInfo:
        """Returns the session's settings and branches."""
        return self._runner.run(verbs.session_info(self._at))

    def tree(self) -> Tree:
        """Returns all nodes with their commands, and all branches.

        >>> _ = s.exec_command("x=1")
        >>> n = s.snapshot()
        >>> tree = s.tree()
        >>> tree[n].parent, [entry.text for entry in tree[n].log]
        ('n0', ['x=1'])
        """
        return self._runner.run(verbs.tree(self._at))

    def stats(self) -> SessionStats:
        """
        >>> _ = s.exec_command("true")
        >>> s.stats().commands
        1
        """
        return self._runner.run(verbs.stats(self._at))

    def rename(self, name: str) -> None:
        self.name = self._runner.run(verbs.rename_session(self._at, name)).name

    def branches(self) -> List[Branch]:
        """Lists all branches, `main` included."""
        return [self._branch(name) for name in self._runner.run(verbs.branch_names(self._at))]

    def get_branch(self, name: str) -> Branch:
        """Returns an existing branch."""
        return self._branch(self._runner.run(verbs.get_branch(self._at, name)))

    def end(self) -> CleanupReport:
        """Ends the session with all its branches and nodes."""
        return self._runner.run(verbs.end_session(self._at))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], _: Optional[BaseException],
                 __: Optional[TracebackType]) -> None:
        if not self.keep:
            self._runner.run(verbs.leave(verbs.end_session(self._at), failing=kind is not None))

    def __repr__(self) -> str:
        return f"<Session {self.id}{' ' + self.name if self.name else ''} at {self._runner.location.describe()}>"
