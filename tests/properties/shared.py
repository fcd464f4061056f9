"""Two clients on the same branch, and their operations, which commute.

Each client writes its own files and variables, each of them once. Commands, files, programs and keys overlap each
other and snapshots. An effect that overlaps a snapshot may or may not be in the node. A restore or a probe of the
branch waits until the other client has no call in progress.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, field
from typing import Callable, Dict, Iterator, List, Optional, Tuple

from model import WORK, Entry, Node, State
from player import Failure, Player, Session
from states import KILLS


@dataclass
class Effect:
    """The effect of one call."""

    files: Dict[str, bytes] = field(default_factory=dict)
    variables: Dict[str, str] = field(default_factory=dict)
    is_atomic: bool = True  # no snapshot contains a part of it

    def done(self, state: State) -> None:
        state.files.update({name: Entry("f", 0o644, content) for name, content in self.files.items()})
        state.variables.update(self.variables)

    def left_open(self, state: State) -> None:
        """Adds the effect as uncertain. Its variables are not added, so no probe reads them."""
        if self.is_atomic:
            state.maybe.update({name: Entry("f", 0o644, content) for name, content in self.files.items()})
        else:
            state.open.update(self.files)


class SharedBranch:
    """The model of the branch, used by both clients. Thread-safe."""

    def __init__(self, name: str, node: Node) -> None:
        self.name = name
        self.node = node
        self.state = node.state.copy()
        self.nodes = {node}  # taken of this branch
        self._news = threading.Condition()
        self._acting = 0
        self._alone = 0  # clients inside alone(), or waiting for it
        self._effects: List[Effect] = []  # of the calls in progress
        self._overlapping: Optional[List[Effect]] = None  # of all calls since the current snapshot began
        self._one_snapshot = threading.Lock()
        self.history: List[str] = []  # of both clients, in order

    @contextlib.contextmanager
    def acting(self, effect: Optional[Effect] = None) -> Iterator[State]:
        """For a call that may overlap those of the other client."""
        effect = effect or Effect()
        with self._news:
            self._news.wait_for(lambda: self._alone == 0)
            self._acting += 1
            self._effects.append(effect)
            if self._overlapping is not None:
                self._overlapping.append(effect)
        try:
            yield self.state
            with self._news:
                effect.done(self.state)
        except BaseException:
            with self._news:
                self.state.open.update(effect.files)
            raise
        finally:
            with self._news:
                self._acting -= 1
                self._effects.remove(effect)
                self._news.notify_all()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Waits until the other client has no call in progress, and keeps it from starting one."""
        with self._news:
            self._alone += 1
            self._news.wait_for(lambda: self._acting == 0)
            self._acting += 1
        try:
            yield
        finally:
            with self._news:
                self._acting -= 1
                self._alone -= 1
                self._news.notify_all()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[State]:
        """Yields the expected state of a node that is taken inside the `with`."""
        with self._one_snapshot, self.acting():
            with self._news:
                state = self.state.copy()
                self._overlapping = list(self._effects)
            try:
                yield state
            finally:
                with self._news:
                    for effect in self._overlapping:
                        effect.left_open(state)
                    self._overlapping = None


class SharingPlayer(Player):
    """One of two clients on the same branch."""

    def __init__(self, session: Session, shared: SharedBranch, number: int) -> None:
        self.shared = shared
        super().__init__(session, shared.name, shared.node, number)

    @property
    def node(self) -> Node:
        return self.shared.node

    @node.setter
    def node(self, node: Node) -> None:
        self.shared.node = node
        self.shared.nodes.add(node)

    @property
    def state(self) -> State:
        return self.shared.state

    @state.setter
    def state(self, state: State) -> None:
        self.shared.state = state

    @contextlib.contextmanager
    def state_of_node(self) -> Iterator[State]:
        with self.shared.snapshot() as state:
            known = len(state.maybe) + len(state.open)
            yield state
        if len(state.maybe) + len(state.open) > known:
            self.session.seen["node that overlaps a call"] += 1

    def note(self, text: str) -> None:
        super().note(text)
        self.shared.history.append(self.history[-1])

    def forget_note(self) -> None:
        line = self.history.pop()
        with contextlib.suppress(ValueError):
            self.shared.history.remove(line)

    def told(self) -> List[str]:
        return list(self.shared.history)

    def own_files(self, state: State) -> Dict[str, bytes]:
        return {name: state.files[name].content for name in state.plain_files() if name.startswith(f"e{self.number}")}

    def recover(self, why: str) -> None:
        with self.shared.alone():
            super().recover(why)

    def some_node(self) -> Node:
        nodes = [node for node in self.session.tree.nodes() if node in self.shared.nodes]
        return self.random.choice(nodes[-3:] if self.random.random() < 0.7 else nodes)


Operation = Callable[..., None]
SHARED: Dict[str, Tuple[float, Operation]] = {}  # names with weights


def operation(weight: float) -> Callable[[Operation], Operation]:
    def register(function: Operation) -> Operation:
        SHARED[function.__name__] = (weight, function)
        return function
    return register


@operation(4)
def shared_command(p: SharingPlayer) -> None:
    """Runs a command that sets a variable and writes a file."""
    name, value = p.fresh_name("e"), str(p.random.randrange(10 ** 6))
    with p.shared.acting(Effect({name: f"{value}\n".encode()}, {f"{name}v": value})):
        p.shell(f"{name}v={value}; echo ${name}v >{WORK}/{name}")  # output may contain the other client's typing


@operation(2)
def shared_variables(p: SharingPlayer) -> None:
    """Checks all variables that this client has set."""
    with p.shared.acting() as state:
        own = {name: value for name, value in state.variables.items() if name.startswith(f"e{p.number}")}
        if own:
            p.shell(" && ".join(f"test ${name} = {value}" for name, value in own.items()))


@operation(3)
def shared_write(p: SharingPlayer) -> None:
    """Writes a file through the API."""
    name = p.fresh_name("e")
    content = f"{p.random.randrange(10 ** 9)}\n".encode() * p.random.choice([1, 1, 1000])
    with p.shared.acting(Effect({name: content})):
        p.call("write", f"{WORK}/{name}", content)


@operation(2)
def shared_read(p: SharingPlayer) -> None:
    """Reads all files that this client has written."""
    with p.shared.acting() as state:
        check_own_files(p, state)


def check_own_files(p: SharingPlayer, state: State) -> None:
    for name, content in p.own_files(state).items():
        actual = p.read(name)
        if actual != content:
            raise Failure(f"file {name} in the shared branch: expected {content!r}, actual {actual!r}")


@operation(2)
def shared_run(p: SharingPlayer) -> None:
    """Runs a program beside the shell that writes a file."""
    name = p.fresh_name("e")
    with p.shared.acting(Effect({name: name.encode()}, is_atomic=False)):
        done = p.call("run", ["sh", "-c", f"umask 022; printf {name} >{WORK}/{name}; echo said"])
        if done.exit_code != 0 or done.output != "said\n":
            raise Failure(f"the program beside the shell exited {done.exit_code} and said {done.output!r}")


@operation(2)
def shared_keys(p: SharingPlayer) -> None:
    """Types a command line."""
    name = p.fresh_name("e")
    with p.shared.acting(Effect({name: name.encode()}, {f"{name}v": name}, is_atomic=False)):
        p.call("keys", f"{name}v={name}; printf {name} >{WORK}/{name}")
        p.wait_for(name, p.branch, name.encode())


@operation(5)
def shared_snapshot(p: SharingPlayer) -> None:
    """Takes a node while the other client works."""
    p.snapshot(p.random.choices(["", "physical", "virtual"], [6, 1, 1])[0])


@operation(3)
def shared_fork(p: SharingPlayer) -> None:
    """Checks a fork of a node while the other client works."""
    branch = p.check_fork(p.some_node())
    if branch is not None:
        p.call("end", branch=branch)


@operation(1.5)
def shared_restore(p: SharingPlayer) -> None:
    """Restores a node and checks the branch."""
    with p.shared.alone():
        node = p.some_node()
        if p.restore(node):
            p.check(f"{p.branch} after restore of {node.id} ({node.kind})", p.state, p.branch, False)


@operation(1)
def shared_check(p: SharingPlayer) -> None:
    """Checks the effects of both clients."""
    with p.shared.alone():
        p.check(f"the shared branch {p.branch}", p.state, p.branch, False)


@operation(2)
def shared_pause(p: SharingPlayer) -> None:
    """Waits about as long as the keeper needs to capture an idle branch ahead of time."""
    p.pause(p.random.uniform(0.1, 0.6))


@operation(0)
def shared_kill_manager(p: SharingPlayer) -> None:
    """Kills the daemon, possibly during a call of the other client; checks the own files."""
    p.host.kill_manager()
    p.note("the daemon was killed")
    with p.shared.acting() as state:
        check_own_files(p, state)


@operation(0)
def shared_kill_keeper(p: SharingPlayer) -> None:
    """Kills a process that owns a live branch of any client."""
    p.host.kill_keeper(p.random)
    p.note("a keeper was killed")


SHARED_KILLS = {f"shared_{name}": weight for name, weight in KILLS.items() if f"shared_{name}" in SHARED}
