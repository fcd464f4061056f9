"""Results of runs, and statistics of the contenders. Pure, except for the file of outcomes."""

import json
import os
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from trials import Task, Trial


@dataclass(frozen=True)
class Outcome:
    """The result of one run. Times cover the search only, not the build and the report."""

    task: str
    contender: str
    materialization: str
    policy: str
    round: int
    budget_nodes: int
    solved: bool
    nodes: int  # actions tried
    lost_nodes: int  # actions that could not start from their state or keep the new one
    wall_us: int
    command_us: int
    snapshot_us: int
    restore_us: int  # includes forks and replays
    grade_us: int
    bytes: int  # size of the search's states
    why: str  # why the search ended
    began: str  # UTC
    load: float  # of the machine when the run began
    think_ms: int = 0  # simulated duration of a model call
    model_us: int = 0

    @property
    def trial(self) -> Trial:
        return Trial(self.task, self.contender, self.materialization, self.policy, self.round, self.think_ms)

    @property
    def state_us(self) -> int:
        return self.snapshot_us + self.restore_us


def outcome_from(trial: Trial, budget_nodes: int, tree: Mapping[str, Any], began: str, load: float) -> Outcome:
    """Reads the outcome from a run's tree.json."""
    numbers = {name: tree["summary"][name] for name in ("solved", "wall_us", "command_us", "snapshot_us", "restore_us",
                                                        "grade_us", "model_us", "bytes", "why")}
    # A node without a command means that the script had no proposal.
    tried = [node for node in tree["nodes"] if node["command"]]
    return Outcome(**asdict(trial), budget_nodes=budget_nodes, nodes=len(tried),
                   lost_nodes=sum(node["failure"] != "" for node in tried), began=began, load=load, **numbers)


def failed_outcome(trial: Trial, budget_nodes: int, why: str, began: str, load: float) -> Outcome:
    """The outcome of a run that was aborted or failed."""
    return Outcome(**asdict(trial), budget_nodes=budget_nodes, solved=False, nodes=0, lost_nodes=0, wall_us=0, command_us=0,
                   snapshot_us=0, restore_us=0, grade_us=0, bytes=0, why=why, began=began, load=load)


class OutcomeFile:
    """One line of JSON per outcome, synced after each run. An incomplete line is ignored."""

    def __init__(self, path: Path):
        self.path = path

    def read(self) -> List[Outcome]:
        if not self.path.exists():
            return []
        names = {field.name for field in fields(Outcome)}
        needed = {field.name for field in fields(Outcome) if field.default is MISSING}
        found = []
        whole, _, _ = self.path.read_text().rpartition("\n")
        for line in whole.splitlines():
            record = json.loads(line)
            if not needed <= set(record) <= names:
                raise ValueError(f"{self.path} was written by another version: move it away")
            found.append(Outcome(**record))
        return found

    def append(self, outcome: Outcome) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a+b") as file:
            file.seek(0)
            text = file.read()
            file.truncate(text.rfind(b"\n") + 1)
            file.write(json.dumps(asdict(outcome)).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def left_to_do(trials: Sequence[Trial], done: Sequence[Outcome], budget_nodes: int) -> List[Trial]:
    there = {outcome.trial for outcome in done if outcome.budget_nodes == budget_nodes}
    return [trial for trial in trials if trial not in there]


def state_share(outcomes: Sequence[Outcome]) -> float:
    """The share of the time that snapshots and restores take."""
    wall = sum(outcome.wall_us for outcome in outcomes)
    return sum(outcome.state_us for outcome in outcomes) / wall if wall else 0.0


def share_solved(outcomes: Sequence[Outcome], measure: Callable[[Outcome], float]) -> List[Tuple[float, float]]:
    """Points (x, share of all runs that were solved with at most x)."""
    reached = sorted(measure(outcome) for outcome in outcomes if outcome.solved)
    return [(x, (i + 1) / len(outcomes)) for i, x in enumerate(reached)]


Group = Tuple[str, str, str]  # contender, materialization, policy


def by_group(outcomes: Sequence[Outcome]) -> Dict[Group, List[Outcome]]:
    """Groups the outcomes, in the order of their first appearance."""
    groups: Dict[Group, List[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.contender, outcome.materialization, outcome.policy), []).append(outcome)
    return groups


@dataclass(frozen=True)
class Row:
    """The statistics of a group."""

    group: Group
    runs: int
    solved: int
    lost_nodes: int
    nodes: float  # median per run
    wall_s: float  # median per run
    command_share: float
    state_share: float
    grade_share: float
    model_share: float
    snapshot_ms: float  # mean per node
    restore_ms: float  # mean per node; a branch that is already at the state takes 0
    megabytes: float  # median per run


def row_of(group: Group, outcomes: Sequence[Outcome]) -> Row:
    wall = sum(outcome.wall_us for outcome in outcomes) or 1
    nodes = sum(outcome.nodes for outcome in outcomes) or 1
    return Row(group=group, runs=len(outcomes), solved=sum(outcome.solved for outcome in outcomes),
               lost_nodes=sum(outcome.lost_nodes for outcome in outcomes),
               nodes=median(outcome.nodes for outcome in outcomes),
               wall_s=median(outcome.wall_us for outcome in outcomes) / 1e6,
               command_share=sum(outcome.command_us for outcome in outcomes) / wall,
               state_share=state_share(outcomes),
               grade_share=sum(outcome.grade_us for outcome in outcomes) / wall,
               model_share=sum(outcome.model_us for outcome in outcomes) / wall,
               snapshot_ms=sum(outcome.snapshot_us for outcome in outcomes) / nodes / 1e3,
               restore_ms=sum(outcome.restore_us for outcome in outcomes) / nodes / 1e3,
               megabytes=median(outcome.bytes for outcome in outcomes) / 2**20)


def base_of(outcomes: Sequence[Outcome]) -> str:
    """The contender to compare with: Waypoint with the first engine that was tried."""
    return next((each.contender for each in outcomes if each.contender.startswith("waypoint")), "")


def time_ratio(outcomes: Sequence[Outcome], base: Sequence[Outcome]) -> Tuple[float, int]:
    """(time relative to the base over the runs that both solved, number of these runs)"""
    took = {(each.task, each.round): each.wall_us for each in base if each.solved}
    both = [each for each in outcomes if each.solved and (each.task, each.round) in took]
    there = sum(took[each.task, each.round] for each in both)
    return (sum(each.wall_us for each in both) / there if there else 0.0), len(both)


@dataclass(frozen=True)
class Claim:
    """A claim that the benchmark checks, and its exceptions."""

    text: str
    runs: int  # number of relevant runs
    exceptions: Tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.exceptions


def claims_of(outcomes: Sequence[Outcome], tasks: Sequence[Task]) -> List[Claim]:
    """Claims about tree search only: rollouts restore nothing but the first state of the task."""
    known = {task.name: task for task in tasks}
    searches = [outcome for outcome in outcomes if outcome.policy == "mcts"]

    def claim(text: str, of: Callable[[Outcome], bool], wrong: Callable[[Outcome], bool]) -> List[Claim]:
        meant = [outcome for outcome in searches if of(outcome)]
        return [Claim(text, len(meant), tuple(str(outcome.trial) for outcome in meant if wrong(outcome)))] if meant else []

    def files_alone(outcome: Outcome) -> bool:
        return known[outcome.task].needs_files_alone

    def is_repeatable(outcome: Outcome) -> bool:
        return known[outcome.task].is_deterministic

    def keeps_files(outcome: Outcome) -> bool:  # keeps files only, and does not replay
        return outcome.contender in ("overlay", "docker") and outcome.materialization == "eager"

    def brings_back_all(outcome: Outcome) -> bool:
        return outcome.contender.startswith("waypoint") and outcome.contender != "waypoint-native"

    return [
        *claim("waypoint solves every task", brings_back_all, lambda each: not each.solved),
        *claim("replay solves every deterministic task", lambda each: each.contender == "replay" and is_repeatable(each),
               lambda each: not each.solved),
        *claim("replay solves no other task", lambda each: each.contender == "replay" and not is_repeatable(each),
               lambda each: each.solved),
        *claim("files alone solve every task that needs nothing else",
               lambda each: keeps_files(each) and files_alone(each), lambda each: not each.solved),
        *claim("files alone solve no other task", lambda each: keeps_files(each) and not files_alone(each),
               lambda each: each.solved),
    ]
