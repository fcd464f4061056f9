"""Random operations through every interface, compared with a model.

    run.py [--seconds N] [--seed N] [--policies eager,lazy,...] [--engines auto,criu] [--hosts daemon,library]
           [--kills] [--lanes N] [--old]

The run is a series of rounds, N in parallel, until the time is over. The seed of round n is SEED +
n; it determines policy, engine, interfaces, clients and the steps of each. SF_SEED, SF_SECONDS and
SF_ROUNDS override the arguments. SF_STEPS=a,b allows only these operations and sequences,
SF_WAYS=http,mcp only these interfaces; SF_KEPT=3,7 plays only these steps of the round; SF_SHRINK=0
does not reduce a failing round to fewer steps.

A failure report has the seed and the smallest failing set of steps. Pauses and load differ between
runs, so a seed may need a few tries.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

import states  # importing it registers its operations
from hosts import DaemonHost, Host, LibraryHost
from model import WORK, Node, State
from operations import OPERATIONS
from player import Failure, Player, Session, Stopped
from sequences import SEQUENCES
from shared import SHARED, SHARED_KILLS, SharedBranch, SharingPlayer
from ways import OLD_LACKS, Problem, Settings

STEPS = 24  # per client and round
POLICIES = ["eager", "lazy", "smart", "every-3"]
SHRINK_SECONDS = 90.0
ALL_OPERATIONS = {**OPERATIONS, **SHARED}
OLD_LEFT_OUT = {"paste_line", "use_mouse", "refused_mouse"}  # no interface of version 0.1.0 has their verbs


@dataclass(frozen=True)
class Step:
    number: int
    client: int
    name: str
    options: Dict[str, Any]
    seed: int


@dataclass
class Choice:
    """The choices for a round."""

    policies: List[str]
    engines: List[str]
    hosts: List[str]
    kills: bool
    allowed: Set[str]  # names of operations and sequences; empty: all
    is_old: bool = False  # the programs under test are those of version 0.1.0

    def allows(self, name: str) -> bool:
        operations = {operation for operation, _ in SEQUENCES.get(name, [(name, {})])}
        if self.is_old and operations & OLD_LEFT_OUT:
            return False
        return not self.allowed or name in self.allowed

    def allows_shared(self) -> bool:
        return any(weight > 0 and self.allows(name) for name, (weight, _) in SHARED.items())


@dataclass
class Round:
    """A round as plain data, derived from its seed."""

    seed: int
    host: str
    settings: Settings
    clients: int
    shared: bool  # the first two clients use the same branch
    steps: List[Step]

    def describe(self) -> str:
        full = f", at most {self.settings.max_bytes} bytes" if self.settings.max_bytes else ""
        return (f"seed {self.seed}: {self.host}, policy {self.settings.policy}, engine {self.settings.engine}{full}, "
                f"{self.clients} client{'s' if self.clients > 1 else ''}"
                f"{', two of them on the same branch' if self.shared else ''}")


def plan(seed: int, choice: Choice) -> Round:
    chance = random.Random(seed)
    settings = Settings(chance.choice(choice.policies), chance.choice(choice.engines))
    if settings.policy == "eager" and chance.random() < 0.1:
        settings.max_bytes = 1  # exceeded by the first node: all others are virtual
    host = chance.choice(choice.hosts)
    clients = chance.choices([1, 2, 3], [6, 3, 1])[0]
    shared = clients > 1 and chance.random() < 0.5 and choice.allows_shared()
    return Round(seed, host, settings, clients, shared, plan_steps(chance, clients, choice, 2 if shared else 0))


def plan_steps(chance: random.Random, clients: int, choice: Choice, sharing: int = 0) -> List[Step]:
    """`sharing`: number of clients, from the first one, that use the same branch."""
    weights = {name: weight for name, (weight, _) in ALL_OPERATIONS.items()}
    if choice.kills:
        weights.update({**states.KILLS, **SHARED_KILLS})
    steps: List[Step] = []
    for client in range(clients):
        known = SHARED if client < sharing else OPERATIONS
        single = [name for name in known if weights[name] > 0 and choice.allows(name)]
        together = [name for name in SEQUENCES if choice.allows(name)] if known is OPERATIONS else []
        if not single and not together:
            continue
        planned = 0
        while planned < STEPS:
            if together and (not single or chance.random() < 0.25):
                chosen = SEQUENCES[chance.choice(together)]
            else:
                chosen = [(chance.choices(single, [weights[name] for name in single])[0], {})]
            for name, options in chosen:
                steps.append(Step(len(steps), client, name, options, chance.getrandbits(32)))
            planned += len(chosen)
    return steps


class Outcome:
    """The result of a round."""

    def __init__(self) -> None:
        self.failure: Optional[str] = None
        self.history: List[str] = []
        self.step: Optional[Step] = None


def unless_killed(host: Host, action: Callable[[], Any]) -> Any:
    """Retries a call during which a process was killed."""
    while True:
        kills = host.kills_before()
        try:
            host.ensure_running()
            return action()
        except Problem as problem:
            if not host.killed_since(kills) or problem.code == "not_found":
                raise


def play_round(host: Host, planned: Round, stop: threading.Event, seen: Dict[str, int]) -> Outcome:
    outcome = Outcome()
    session = unless_killed(host, lambda: begin(host, planned))
    root = session.tree.nodes()[0]
    branch_of_two = SharedBranch("main", root)
    players = [SharingPlayer(session, branch_of_two, number) for number in range(2)] if planned.shared else \
        [Player(session, "main", root, 0)]
    try:
        for number in range(len(players), planned.clients):
            branch = unless_killed(host, lambda: players[0].fork(root))
            players.append(Player(session, branch, root, number))
        threads = [threading.Thread(target=play_client, args=(player, planned, outcome, stop)) for player in players]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for player in players:
            player.close()
        for name, count in session.seen.items():
            seen[name] = seen.get(name, 0) + count
        with contextlib.suppress(Problem):  # a kill may precede the reply
            unless_killed(host, lambda: host.ways[0].destroy(session.id))
    return outcome


def begin(host: Host, planned: Round) -> Session:
    chance = random.Random(planned.seed)
    killed = len(host.killed_keepers)
    session = Session(host, chance.choice(host.ways).create(planned.settings), planned.settings,
                      planned.clients)
    session.born("main", killed)
    host.ways[0].exec(session.id, "main", f"mkdir {WORK}; cd {WORK}; umask 022")
    taken = host.ways[0].snapshot(session.id, "main", "" if planned.settings.max_bytes else "physical")
    session.tree.add(Node(taken.node, None, taken.kind, State(cwd=WORK), False))
    return session


def play_client(player: Player, planned: Round, outcome: Outcome, stop: threading.Event) -> None:
    step: Optional[Step] = None
    try:
        for step in planned.steps:
            if step.client != player.number:
                continue
            if stop.is_set():
                raise Stopped
            _, operation = ALL_OPERATIONS[step.name]
            options = step.options
            player.play(f"step {step.number}: {step.name}", lambda p: operation(p, **options), step.seed)
        for index, node in enumerate(player.session.tree.nodes()[-6:]):
            player.play(f"at the end: {node.id}", lambda p: check_at_end(p, node), planned.seed + index)
    except Stopped:
        pass
    except Exception as error:  # the report needs the history after any exception
        if outcome.failure is None:
            text = str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"
            outcome.failure, outcome.history, outcome.step = text, player.told(), step
        player.session.stop.set()


def check_at_end(player: Player, node: Node) -> None:
    player.join()
    branch = player.check_fork(node)
    if branch is not None:
        player.call("end", branch=branch)


def still_fails(host: Host, planned: Round, kept: List[Step], stop: threading.Event) -> bool:
    smaller = Round(planned.seed, planned.host, planned.settings, planned.clients, planned.shared, kept)
    try:
        return play_round(host, smaller, stop, {}).failure is not None
    except Problem:
        return False


def shrink(host: Host, planned: Round, failed: Step) -> List[Step]:
    """The smallest failing set of steps found within the time; not every failure is reproducible
    at once."""
    deadline = time.monotonic() + SHRINK_SECONDS
    stop = threading.Event()
    kept = [step for step in planned.steps if step.number <= failed.number or step.client != failed.client]
    own = [step for step in kept if step.client == failed.client]
    for count in (3, 5, 8, 12):
        if time.monotonic() < deadline and count < len(own) and still_fails(host, planned, own[-count:], stop):
            kept = own[-count:]
            break
    for step in list(kept):
        fewer = [other for other in kept if other is not step]
        if time.monotonic() < deadline and fewer and still_fails(host, planned, fewer, stop):
            kept = fewer
    return kept


class Run:
    """Runs all rounds, on one host of each kind."""

    def __init__(self, choice: Choice, seed: int, seconds: float, rounds: int, lanes: int) -> None:
        self._choice = choice
        self._seed = seed
        self._begun = time.monotonic()
        self._seconds = seconds
        self._rounds = rounds
        self._lanes = min(lanes, rounds)
        self._lock = threading.Lock()
        self._played = 0
        self._failed: Optional[Tuple[Host, Round, Optional[Step]]] = None
        self._over = threading.Event()
        self._hosts: Dict[str, Host] = {}
        self._seen: Dict[str, int] = {}

    def _host(self, name: str) -> Host:
        if name not in self._hosts:
            host = DaemonHost() if name == "daemon" else LibraryHost()
            ways = words(os.environ.get("SF_WAYS", ""))
            host.ways = [way for way in host.ways if not ways or way.name in (*ways, "library")]
            host.may_kill = self._choice.kills
            if self._choice.is_old:
                for way in host.ways:
                    way.lacks = OLD_LACKS.get(way.name, frozenset())
            self._hosts[name] = host
        return self._hosts[name]

    def _elapsed(self) -> float:
        return time.monotonic() - self._begun

    def run(self) -> int:
        lanes = [threading.Thread(target=self._play_rounds) for _ in range(self._lanes)]
        try:
            for lane in lanes:
                lane.start()
            for lane in lanes:
                lane.join()
            if self._failed is not None:
                self._tell_how_to_repeat(*self._failed)
        finally:
            self._over.set()
            for lane in lanes:
                lane.join()
            leaks = [f"{name}: {leak}" for name, host in self._hosts.items() for leak in host.close()]
        print(f"{self._played} rounds in {self._elapsed():.0f} s: "
              + ", ".join(f"{name} {count}" for name, count in sorted(self._seen.items())))
        for leak in leaks:
            print(f"FAILED: left behind on the host: {leak}")
        return 1 if self._failed is not None or leaks else 0

    def _play_rounds(self) -> None:
        while self._elapsed() < self._seconds and not self._over.is_set():
            with self._lock:
                if self._played >= self._rounds:
                    return
                planned = plan(self._seed + self._played, self._choice)
                self._played += 1
                kept = os.environ.get("SF_KEPT")
                if kept:
                    numbers = {int(number) for number in kept.split(",")}
                    planned.steps = [step for step in planned.steps if step.number in numbers]
                print(f"{self._elapsed():6.1f} s  {planned.describe()}", flush=True)
                host = self._host(planned.host)
            ender = threading.Timer(max(self._seconds - self._elapsed(), 1.0), self._over.set)
            ender.start()
            try:
                outcome = play_round(host, planned, self._over, self._seen)
            except Exception as error:  # outside of the steps
                outcome = Outcome()
                outcome.failure = f"{type(error).__name__}: {error}"
            ender.cancel()
            if outcome.failure is not None:
                self._over.set()
                self._tell(planned, outcome)
                self._failed = (host, planned, outcome.step)

    def _tell(self, planned: Round, outcome: Outcome) -> None:
        print(f"FAILED after {self._elapsed():.1f} s in {planned.describe()}\n  {outcome.failure}\nlast operations:\n"
              + "\n".join("  " + line for line in outcome.history[-60:]), flush=True)

    def _tell_how_to_repeat(self, host: Host, planned: Round, failed: Optional[Step]) -> None:
        choice = self._choice
        options = (f"--policies {','.join(choice.policies)} --engines {','.join(choice.engines)} "
                   f"--hosts {','.join(choice.hosts)}{' --kills' if choice.kills else ''}"
                   f"{' --old' if choice.is_old else ''}")
        variables = f"SF_SEED={planned.seed} SF_ROUNDS=1"
        if choice.allowed:
            variables += f" SF_STEPS={','.join(sorted(choice.allowed))}"
        if failed is not None and not os.environ.get("SF_KEPT") and os.environ.get("SF_SHRINK") != "0":
            steps = shrink(host, planned, failed)
            variables += " SF_KEPT=" + ",".join(str(step.number) for step in steps)
            print("fewest steps found: " + "; ".join(f"{step.name} {step.options or ''}".strip() for step in steps))
        print(f"to repeat it: {variables} python3 run.py {options}")


def end_once(number: int, _: Any) -> None:
    """Ends the run with a full cleanup; further signals are ignored."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit("ended by SIGTERM")


def words(text: str) -> List[str]:
    return [word for word in text.split(",") if word]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--policies", type=words, default=POLICIES)
    parser.add_argument("--engines", type=words, default=["auto", "auto", "criu"])
    parser.add_argument("--hosts", type=words, default=["daemon", "daemon", "library"])
    parser.add_argument("--kills", action="store_true")
    parser.add_argument("--lanes", type=int, default=2, help="rounds that are played side by side")
    parser.add_argument("--old", action="store_true", help="test the programs of version 0.1.0")
    given = parser.parse_args(arguments)
    allowed = set(words(os.environ.get("SF_STEPS", "")))
    unknown = allowed - set(ALL_OPERATIONS) - set(SEQUENCES)
    if unknown:
        parser.error(f"no such steps: {', '.join(sorted(unknown))}; there are "
                     + ", ".join([*ALL_OPERATIONS, *SEQUENCES]))
    signal.signal(signal.SIGTERM, end_once)
    choice = Choice(given.policies, given.engines, given.hosts, given.kills, allowed, given.old)
    seconds = float(os.environ.get("SF_SECONDS", given.seconds))
    seed = int(os.environ.get("SF_SEED", given.seed))
    return Run(choice, seed, seconds, int(os.environ.get("SF_ROUNDS", 10 ** 9)), given.lanes).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
