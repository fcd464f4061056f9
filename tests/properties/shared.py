"""One branch that two clients use at the same time, and their operations, which any order leads to the same state.

Each client has files and variables of its own, every one written once. Commands, files, programs and keys overlap each
other and snapshots: what overlaps a snapshot may or may not be in the node. Restores and probes of the branch wait
until the other client is between two calls.
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
    """What a call does."""

    files: Dict[str, bytes] = field(default_factory=dict)
    variables: Dict[str, str] = field(default_factory=dict)
    is_atomic: bool = True  # no snapshot shows a part of it, or is followed by the rest

    def done(self, state: State) -> None:
        state.files.update({name: Entry("f", 0o644, content) for name, content in self.files.items()})
        state.variables.update(self.variables)

    def left_open(self, state: State) -> None:
        """Nobody knows whether it was done. A variable is not asked for: the model does not know it."""
        if self.is_atomic:
            state.maybe.update({name: Entry("f", 0o644, content) for name, content in self.files.items()})
        else:
            state.open.update(self.files)


class SharedBranch:
    """The model of the branch, for both clients. Thread-safe."""

    def __init__(self, name: str, node: Node) -> None:
        self.name = name
        self.node = node
        self.state = node.state.copy()
        self.nodes = {node}  # that were taken of it
        self._news = threading.Condition()
        self._acting = 0
        self._alone = 0  # clients that are alone, or wait for it
        self._effects: List[Effect] = []  # of the calls under way
        self._overlapping: Optional[List[Effect]] = None  # of all calls since the snapshot began that is under way
        self._one_snapshot = threading.Lock()
        self.history: List[str] = []  # of both clients

    @contextlib.contextmanager
    def acting(self, effect: Optional[Effect] = None) -> Iterator[State]:
        """A call that may overlap those of the other client."""
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
        """No call of the other client is under way."""
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
        """What a node that is taken inside must show."""
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
    """A client of a branch that another one uses, too."""

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
    """A command that sets a variable and writes a file."""
    name, value = p.fresh_name("e"), str(p.random.randrange(10 ** 6))
    with p.shared.acting(Effect({name: f"{value}\n".encode()}, {f"{name}v": value})):
        p.shell(f"{name}v={value}; echo ${name}v >{WORK}/{name}")  # may print what the other client types


@operation(2)
def shared_variables(p: SharingPlayer) -> None:
    """All variables that this client set are there."""
    with p.shared.acting() as state:
        own = {name: value for name, value in state.variables.items() if name.startswith(f"e{p.number}")}
        if own:
            p.shell(" && ".join(f"test ${name} = {value}" for name, value in own.items()))


@operation(3)
def shared_write(p: SharingPlayer) -> None:
    """A file through the API."""
    name = p.fresh_name("e")
    content = f"{p.random.randrange(10 ** 9)}\n".encode() * p.random.choice([1, 1, 1000])
    with p.shared.acting(Effect({name: content})):
        p.call("write", f"{WORK}/{name}", content)


@operation(2)
def shared_read(p: SharingPlayer) -> None:
    """All files that this client wrote, through the API."""
    with p.shared.acting() as state:
        check_own_files(p, state)


def check_own_files(p: SharingPlayer, state: State) -> None:
    for name, content in p.own_files(state).items():
        actual = p.read(name)
        if actual != content:
            raise Failure(f"file {name} in the shared branch: expected {content!r}, actual {actual!r}")


@operation(2)
def shared_run(p: SharingPlayer) -> None:
    """A program beside the shell writes a file."""
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
    """A node, while the other client goes on."""
    p.snapshot(p.random.choices(["", "physical", "virtual"], [6, 1, 1])[0])


@operation(3)
def shared_fork(p: SharingPlayer) -> None:
    """A fork shows what its node must show, while the other client goes on."""
    branch = p.check_fork(p.some_node())
    if branch is not None:
        p.call("end", branch=branch)


@operation(1.5)
def shared_restore(p: SharingPlayer) -> None:
    """The branch goes back to a node and shows what that must show."""
    with p.shared.alone():
        node = p.some_node()
        if p.restore(node):
            p.check(f"{p.branch} after restore of {node.id} ({node.kind})", p.state, p.branch, False)


@operation(1)
def shared_check(p: SharingPlayer) -> None:
    """The branch shows what both clients did."""
    with p.shared.alone():
        p.check(f"the shared branch {p.branch}", p.state, p.branch, False)


@operation(2)
def shared_pause(p: SharingPlayer) -> None:
    """As long as the keeper needs to capture an idle branch ahead of time."""
    p.pause(p.random.uniform(0.1, 0.6))


@operation(0)
def shared_kill_manager(p: SharingPlayer) -> None:
    """Kills the daemon, perhaps while it serves the other client; what this one did is there."""
    p.host.kill_manager()
    p.note("the daemon was killed")
    with p.shared.acting() as state:
        check_own_files(p, state)


@operation(0)
def shared_kill_keeper(p: SharingPlayer) -> None:
    """Kills a process that holds a live branch, of whichever client."""
    p.host.kill_keeper(p.random)
    p.note("a keeper was killed")


SHARED_KILLS = {f"shared_{name}": weight for name, weight in KILLS.items() if f"shared_{name}" in SHARED}
