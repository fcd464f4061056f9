"""What runs came to, and what that says of the contenders. Pure but for the file that outcomes are kept in."""

import json
import os
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from trials import Task, Trial


@dataclass(frozen=True)
class Outcome:
    """One run, with its trial's names. Times are those of the search: without building the task, without the report."""

    task: str
    contender: str
    materialization: str
    policy: str
    round: int
    budget_nodes: int
    solved: bool
    nodes: int  # actions that were tried
    lost_nodes: int  # of these, such whose state could not be reached or kept
    wall_us: int
    command_us: int
    snapshot_us: int
    restore_us: int  # forks and replays as well
    grade_us: int
    bytes: int  # that the search's states take
    why: str  # it ended
    began: str  # UTC
    load: float  # of the machine, when it began
    think_ms: int = 0  # that the model takes for a call
    model_us: int = 0

    @property
    def trial(self) -> Trial:
        return Trial(self.task, self.contender, self.materialization, self.policy, self.round, self.think_ms)

    @property
    def state_us(self) -> int:
        return self.snapshot_us + self.restore_us


def outcome_from(trial: Trial, budget_nodes: int, tree: Mapping[str, Any], began: str, load: float) -> Outcome:
    """From a run's tree.json."""
    numbers = {name: tree["summary"][name] for name in ("solved", "wall_us", "command_us", "snapshot_us", "restore_us",
                                                        "grade_us", "model_us", "bytes", "why")}
    # Where the script had nothing more to say, there is a node without a command.
    tried = [node for node in tree["nodes"] if node["command"]]
    return Outcome(**asdict(trial), budget_nodes=budget_nodes, nodes=len(tried),
                   lost_nodes=sum(node["failure"] != "" for node in tried), began=began, load=load, **numbers)


def failed_outcome(trial: Trial, budget_nodes: int, why: str, began: str, load: float) -> Outcome:
    """The run did not come to an end of its own."""
    return Outcome(**asdict(trial), budget_nodes=budget_nodes, solved=False, nodes=0, lost_nodes=0, wall_us=0, command_us=0,
                   snapshot_us=0, restore_us=0, grade_us=0, bytes=0, why=why, began=began, load=load)


class OutcomeFile:
    """One line of JSON for each outcome, durable before the next run begins. A line that was cut off is done again."""

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
                raise ValueError(f"{self.path} has other fields than this version writes: move it away")
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
    """How much of the time goes to keeping states and coming back to them."""
    wall = sum(outcome.wall_us for outcome in outcomes)
    return sum(outcome.state_us for outcome in outcomes) / wall if wall else 0.0


def share_solved(outcomes: Sequence[Outcome], measure: Callable[[Outcome], float]) -> List[Tuple[float, float]]:
    """Steps (x, share of all runs that were solved with at most x)."""
    reached = sorted(measure(outcome) for outcome in outcomes if outcome.solved)
    return [(x, (i + 1) / len(outcomes)) for i, x in enumerate(reached)]


Group = Tuple[str, str, str]  # contender, materialization, policy


def by_group(outcomes: Sequence[Outcome]) -> Dict[Group, List[Outcome]]:
    """In the order in which they first appear."""
    groups: Dict[Group, List[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.contender, outcome.materialization, outcome.policy), []).append(outcome)
    return groups


@dataclass(frozen=True)
class Row:
    """A group in numbers."""

    group: Group
    runs: int
    solved: int
    lost_nodes: int
    nodes: float  # median of a run
    wall_s: float  # median of a run
    command_share: float
    state_share: float
    grade_share: float
    model_share: float
    snapshot_ms: float  # mean, over all nodes
    restore_ms: float  # mean, over all nodes: where a branch stands there already it is 0
    megabytes: float  # median of a run


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
    """What the others are set against: Waypoint, with the first of its engines that was tried."""
    return next((each.contender for each in outcomes if each.contender.startswith("waypoint")), "")


def time_ratio(outcomes: Sequence[Outcome], base: Sequence[Outcome]) -> Tuple[float, int]:
    """How many times as long as the base they take, over the runs that both solved; and how many those are."""
    took = {(each.task, each.round): each.wall_us for each in base if each.solved}
    both = [each for each in outcomes if each.solved and (each.task, each.round) in took]
    there = sum(took[each.task, each.round] for each in both)
    return (sum(each.wall_us for each in both) / there if there else 0.0), len(both)


@dataclass(frozen=True)
class Claim:
    """Something that the benchmark is there to show, and whether it does."""

    text: str
    runs: int  # that say something of it
    exceptions: Tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.exceptions


def claims_of(outcomes: Sequence[Outcome], tasks: Sequence[Task]) -> List[Claim]:
    """Of tree search, which goes back to states; rollouts only ever go back to the task's beginning."""
    known = {task.name: task for task in tasks}
    searches = [outcome for outcome in outcomes if outcome.policy == "mcts"]

    def claim(text: str, of: Callable[[Outcome], bool], wrong: Callable[[Outcome], bool]) -> List[Claim]:
        meant = [outcome for outcome in searches if of(outcome)]
        return [Claim(text, len(meant), tuple(str(outcome.trial) for outcome in meant if wrong(outcome)))] if meant else []

    def files_alone(outcome: Outcome) -> bool:
        return known[outcome.task].needs_files_alone

    def is_repeatable(outcome: Outcome) -> bool:
        return known[outcome.task].is_deterministic

    def keeps_files(outcome: Outcome) -> bool:  # and nothing else; not by doing commands again
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
