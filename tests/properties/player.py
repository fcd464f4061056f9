"""Player: one client of one branch, which compares everything it sees with the model.

An unexpected error of a call, or any output that differs from the model, is a `Failure`.
If a process was killed during a call, the player restores an acknowledged node, which must exist.
"""

from __future__ import annotations

import contextlib
import random
import re
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional

import probe
from hosts import Host
from model import WORK, Node, State, Tree
from ways import Birth, Done, Problem, Settings, Taken, Way

PATIENCE = 60.0
KEEPER = re.compile(rb"/live-(k-[0-9a-f]+)/upper")  # in the mount options of a branch's root
JOB_NOTICE = re.compile(r"(?:\[\d+\][+-]? +Done .*|\(wd now: .*\))\n")  # may appear at any time


class Failure(Exception):
    """StateFork broke its guarantee."""


class Stopped(Exception):
    """Another client has failed, or the time is over."""


class Session:
    """One session with its tree, shared by all its clients."""

    def __init__(self, host: Host, id: str, settings: Settings, clients: int) -> None:
        self.host = host
        self.id = id
        self.settings = settings
        self.clients = clients
        self.tree = Tree()
        self.stop = threading.Event()
        self.seen: Counter[str] = Counter()  # number of each event, for the summary
        self.births: Dict[str, Birth] = {}  # of each branch
        self.deciding = threading.Lock()  # guards the uncertain parts of the nodes' states

    def born(self, branch: str, kills: int) -> None:
        """Records the keeper of a new branch. `kills`: number of killed keepers before the call that
        made it."""
        self.births[branch] = Birth(kills, "")
        while self.host.may_kill:
            before = self.host.kills_before()
            try:
                found = KEEPER.search(self.host.ways[0].read(self.id, branch, "/proc/1/mountinfo"))
                if found is None:
                    raise Failure(f"the mounts of {branch} do not name its keeper")
                self.births[branch] = Birth(kills, found[1].decode())
                self.host.known_keepers.add(found[1].decode())
                return
            except Problem as problem:
                problem.birth = self.births[branch]
                if problem.code == "session_lost" or not self.host.killed_since(before):
                    raise
                self.host.ensure_running()

    def excuses(self, problem: Problem, kills: int, killed_keepers: int) -> bool:
        """Returns whether a kill explains the failure of a call. Both numbers are from before the
        call."""
        if problem.code != "session_lost":
            return self.host.killed_since(kills)
        if problem.birth is not None and self.may_be_dead(problem.birth):
            return True
        # A branch without a name yet, or a temporary one of this call.
        killed = self.host.killed_keepers[killed_keepers:]
        return any(keeper not in self.host.known_keepers for keeper in killed)

    def may_be_dead(self, birth: Birth) -> bool:
        """Returns whether the branch's keeper was killed; any keeper, if its own is unknown."""
        killed = self.host.killed_keepers
        return birth.keeper in killed if birth.keeper else len(killed) > birth.kills


def first_draw(seed: int) -> str:
    """The value of RANDOM right after it was seeded."""
    return subprocess.run(["bash", "-c", f"RANDOM={seed}; echo $RANDOM"], capture_output=True, check=True,
                          text=True).stdout.strip()


@dataclass
class Running:
    """A call in progress."""

    name: str  # of the file that it will write
    call: "Future[Any]"
    kills: int  # Host.kills_before() it


class Player:
    def __init__(self, session: Session, branch: str, node: Node, number: int) -> None:
        self.session = session
        self.host = session.host
        self.branch = branch
        self.node = node  # the last node of the branch
        self.number = number
        self.state = node.state.copy()
        self.random = random.Random(0)  # seeded for each step
        self.drew = False  # a command since the node used randomness
        self.diverged = False  # a divergence was accepted: the next node must be physical
        self.history: List[str] = []
        self.running: List[Running] = []
        self._pool = ThreadPoolExecutor(max_workers=8)
        self._names = 0

    # Calls.

    def way(self, verb: str) -> Way:
        return self.random.choice([way for way in self.host.ways if verb not in way.lacks])

    def note(self, text: str) -> None:
        self.history.append(f"[client {self.number}, {self.branch}] {text}")

    def forget_note(self) -> None:
        """Removes the last one."""
        del self.history[-1]

    def told(self) -> List[str]:
        """Returns the operations that led to the current state, for messages."""
        return list(self.history)

    def call(self, verb: str, *arguments: Any, branch: str = "") -> Any:
        """Calls `verb` through a random interface."""
        way = self.way(verb)
        self.note(f"{way.name} {verb} {branch or self.branch} " + " ".join(short(one) for one in arguments))
        self.session.seen[f"{way.name} {verb}"] += 1
        return self._ask(way, verb, branch or self.branch, *arguments)

    def _ask(self, way: Way, verb: str, branch: str, *arguments: Any) -> Any:
        birth = self.session.births.get(branch)
        try:
            return getattr(way, verb)(self.session.id, branch, *arguments)
        except Problem as problem:
            problem.birth = birth
            raise

    def write_later(self, name: str, verb: str, *arguments: Any) -> "Future[Any]":
        """Starts a call that writes a file during other calls."""
        kills = self.host.kills_before()
        call = self.later(verb, *arguments)
        self.running.append(Running(name, call, kills))
        return call

    def later(self, verb: str, *arguments: Any) -> "Future[Any]":
        """Starts a call that runs concurrently with all later ones."""
        way = self.way(verb)
        self.note(f"{way.name} {verb} {self.branch} " + " ".join(short(one) for one in arguments) + " (goes on)")
        return self._pool.submit(self._ask, way, verb, self.branch, *arguments)

    def shell(self, command: str, expected: Optional[str] = None, branch: str = "") -> str:
        """Runs a command that must succeed. Returns its output."""
        done: Done = self.call("exec", command, branch=branch)
        output = done.output.replace("\r", "")
        if done.timed_out or done.exit_code != 0:
            raise Failure(f"{short(command)} exited {done.exit_code}{', timed out' if done.timed_out else ''}: "
                          + short(output))
        output = JOB_NOTICE.sub("", output)
        if expected is not None and output != expected:
            raise Failure(f"output of {short(command)}: expected {short(expected)}, actual {short(output)}")
        return output

    def read(self, name: str, branch: str = "") -> Optional[bytes]:
        """Reads a file below the work directory; None if it does not exist. Leaves no entry in
        the log."""
        try:
            content: bytes = self.call("read", f"{WORK}/{name}", branch=branch)
        except Problem as problem:
            if problem.code != "not_found":
                raise
            return None
        return content

    def pause(self, seconds: float) -> None:
        self.note(f"pause {seconds:.2f} s")
        if self.session.stop.wait(seconds):
            raise Stopped

    def fresh_name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self.number}{self._names}"

    # Building blocks of operations.

    def learn(self, name: str) -> None:
        """Adopts the file's current content, which a command chose at random."""
        content = self.read(name)
        if content is None:
            raise Failure(f"file {name}: expected, actual absent")
        known = self.state.files.get(name)
        self.state.files[name] = probe.Entry("f", known.mode if known else 0o666 & ~self.state.umask, content)

    def wait_for(self, name: str, branch: str, content: bytes, writer: Optional["Future[Any]"] = None) -> None:
        """Waits until a file is complete. `writer`: a call in progress; if it fails, the wait
        fails."""
        deadline = time.monotonic() + PATIENCE
        while self.read(name, branch) != content:
            if writer is not None and writer.done():
                writer.result()
            if time.monotonic() > deadline:
                raise Failure(f"file {name} in {branch}: expected {content!r} in the end, "
                              f"actual {self.read(name, branch)!r} after {PATIENCE:.0f} s: its writer is gone")
            if self.session.stop.wait(0.05):
                raise Stopped
            self.forget_note()  # one line is enough

    def decide(self, node: Node, branch: str) -> None:
        """Resolves uncertain files of a node by its first copy."""
        for name, entry in list(node.state.maybe.items()):
            content = self.read(name, branch)
            with self.session.deciding:
                if content is not None:
                    node.state.files[name] = entry
                node.state.maybe.pop(name, None)

    @contextlib.contextmanager
    def state_of_node(self) -> Iterator[State]:
        """Yields the expected state of a node that is taken inside the `with`."""
        state = self.state.copy()
        for name in (running.name for running in self.running):
            if name not in state.coming and name not in state.files:
                state.maybe[name] = probe.Entry("f", 0o644, name.encode())
        yield state

    def snapshot(self, materialization: str = "") -> Optional[Node]:
        try:
            with self.state_of_node() as state:
                taken: Taken = self.call("snapshot", materialization)
                node = Node(taken.node, self.node, taken.kind, state, self.drew)
                self.node = node
        except Problem as problem:
            if self._may_refuse(problem, materialization):
                self.session.seen["snapshot refused"] += 1
                return None
            raise
        self.note(f"-> {taken.node} {taken.kind}{' unchanged' if taken.unchanged else ''} ({taken.why})")
        self.session.seen[f"{taken.kind} node{' unchanged' if taken.unchanged else ''}"] += 1
        if self.diverged and taken.kind != "physical":
            raise Failure(f"node {taken.node} after an accepted divergence: expected physical, actual {taken.kind}")
        if self.session.settings.max_bytes and taken.kind == "physical":
            raise Failure(f"node {taken.node} of a session that uses all its bytes: expected virtual, actual physical")
        node.by = self.history[-1]
        self.session.tree.add(node)
        self.drew = self.diverged = False
        return node

    def _may_refuse(self, problem: Problem, materialization: str) -> bool:
        if problem.code == "no_space":
            return self.session.settings.max_bytes > 0
        declined = self.session.settings.engine == "criu" and (self.state.may_hold_removed or bool(self.state.queues))
        return problem.code == "unsupported" and (materialization == "virtual" or declined)

    def restore(self, node: Node, accept: bool = False) -> bool:
        """Returns False if the replay diverged, which the model must allow; the branch is
        unchanged then."""
        killed = len(self.host.killed_keepers)
        old = self.session.births[self.branch]
        try:
            accepted: int = self.call("restore", node.id, accept)
        except Problem as problem:
            if problem.code == "diverged" and node.may_diverge():
                self.session.seen["divergence"] += 1
                return False
            raise
        if accepted and not node.may_diverge():
            raise Failure(f"restore of {node.id}, which is deterministic: {accepted} divergences")
        self.session.born(self.branch, killed)
        # The window belongs to the branch, not to the node. It is unknown after the keeper was
        # killed.
        window = None if self.session.may_be_dead(old) else self.state.window
        self.decide(node, self.branch)
        with self.session.deciding:
            self.node, self.state = node, node.state.copy()
        self.state.window = window
        self.drew, self.diverged = False, accepted > 0
        if self.diverged:
            self.session.seen["accepted divergence"] += 1
            for name in self.state.plain_files():
                self.learn(name)
        return True

    def fork(self, node: Node) -> Optional[str]:
        killed = len(self.host.killed_keepers)
        try:
            branch: str = self.call("fork", node.id)
        except Problem as problem:
            if problem.code == "diverged" and node.may_diverge():
                self.session.seen["divergence"] += 1
                return None
            raise
        self.note(f"-> {branch}")
        self.session.born(branch, killed)
        return branch

    def move_to(self, branch: str, node: Node) -> None:
        """Continues in a fork of the node."""
        left = self.branch
        self.branch, self.node, self.state = branch, node, node.state.copy()
        self.drew = self.diverged = False
        if left != "main":
            self.call("end", branch=left)  # last: if it is killed, its outcome is unknown

    def check(self, where: str, state: State, branch: str, draw: bool) -> None:
        """Compares the whole state of the branch with `state`."""
        self.session.seen["probe"] += 1
        output = self.shell(probe.probe_command(state, draw), branch=branch)
        seen = probe.parse(output)
        drawn = first_draw(state.seed) if draw and state.seed is not None else None
        with self.session.deciding:
            found = probe.differences(state, seen, drawn)
            if found:
                raise Failure(where + ":\n    " + "\n    ".join(found))
            probe.decide(state, seen)

    def check_fork(self, node: Node) -> Optional[str]:
        """Forks the node and checks the fork; the caller ends it."""
        branch = self.fork(node)
        if branch is not None:
            self.check(f"fork {branch} of {node.id} ({node.kind})", node.state, branch, True)
        return branch

    def check_files(self) -> None:
        """Reads all files of the live branch through the API, which leaves no entry in the
        log."""
        for name in self.state.plain_files():
            content = self.read(name)
            if content != self.state.files[name].content:
                raise Failure(f"file {name} in the live branch: expected {self.state.files[name].content!r}, "
                              f"actual {content!r}")

    def join(self) -> None:
        """Waits for the calls in progress; afterwards their files exist."""
        while self.running:
            name, done = self.running[0].name, self.running[0].call.result()
            del self.running[0]
            if isinstance(done, Done) and done.exit_code != 0:
                raise Failure(f"the program that writes {name} exited {done.exit_code}: {done.output!r}")
            self.note(f"the call that writes {name} has ended")
            self.state.coming.pop(name, None)
            self.state.files[name] = probe.Entry("f", 0o644, name.encode())

    # Steps.

    def play(self, name: str, operation: Callable[["Player"], None], seed: int) -> None:
        """Plays one step and recovers if a process was killed during it."""
        if self.session.stop.is_set():
            raise Stopped
        self.random = random.Random(seed)
        self.note(f"* {name}")
        kills = min([self.host.kills_before(), *(running.kills for running in self.running)])
        killed_keepers = len(self.host.killed_keepers)
        try:
            operation(self)
        except Problem as problem:
            if not self.session.excuses(problem, kills, killed_keepers):
                raise Failure(f"{problem} {problem.details or ''}") from problem
            self.recover(str(problem))

    def recover(self, why: str) -> None:
        """After a kill the outcome of the call is unknown, so restore an acknowledged node."""
        self.note(f"recovering from {why}")
        self.session.seen["recovery"] += 1
        for running in self.running:
            running.call.exception()  # waits; the outcome is irrelevant
        self.running.clear()
        self.state.window = None  # a resize may or may not have happened
        deadline = time.monotonic() + PATIENCE
        while True:
            kills = self.host.kills_before()
            self.host.ensure_running()
            node = self.node.sure_ancestor()
            try:
                self.restore(node)
                return
            except Problem as problem:
                if not self.host.killed_since(kills) or time.monotonic() > deadline:
                    raise Failure(f"after a kill: restore of the acknowledged node {node.id}: {problem}") from problem
                time.sleep(0.05)

    def close(self) -> None:
        self._pool.shutdown(wait=True)


def short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    text = "(the probe)" if text.startswith(probe.BEGINNING) else text.replace("\n", "\\n")
    return text if len(text) <= 300 else text[:150] + " ... " + text[-150:]
