"""The runs of the benchmark and their options. Pure."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterable, Iterator, List, Tuple

TASKS = Path(__file__).resolve().parent / "tasks"
STATES = ("files", "shell", "processes", "services")
POLICIES = ("mcts", "pass@k")
MATERIALIZATIONS = ("eager", "smart")
# About the same mix of kinds as all tasks. All tasks with a model that takes time would take hours.
THINKING_TASKS = ("config-layers", "inventory-report", "env-activate", "ticket-daemon", "coproc-ledger", "redis-queue", "pg-migrate",
                  "nginx-blue-green", "flag-service")


@dataclass(frozen=True)
class Contender:
    """A backend and its options of `statefork explore`."""

    name: str
    backend: str
    materializations: Tuple[str, ...] = MATERIALIZATIONS
    options: Tuple[str, ...] = ()
    is_usual: bool = True  # False: run only if named with --backends
    meets_thinker: bool = False  # also run with a model that takes time


# Each engine of a backend is a contender of its own.
CONTENDERS = (
    Contender("waypoint-auto", "waypoint", options=("--engine", "auto"), meets_thinker=True),
    # Replays the commands if it declines a state, for example with Unix sockets, so it says little.
    Contender("waypoint-native", "waypoint", options=("--engine", "native"), is_usual=False),
    Contender("waypoint-criu", "waypoint", options=("--engine", "criu"), meets_thinker=True),
    Contender("replay", "replay", ("eager",), meets_thinker=True),  # has no states to keep
    Contender("podman", "podman"),
    Contender("docker", "docker"),
    Contender("overlay", "overlay", meets_thinker=True),
)


@dataclass(frozen=True)
class Task:
    name: str
    states: Tuple[str, ...]  # kinds of state that the task needs
    is_deterministic: bool

    @property
    def directory(self) -> Path:
        return TASKS / self.name

    @property
    def needs_files_alone(self) -> bool:
        return self.states == ("files",)


def read_task(name: str) -> Task:
    tags = re.findall(r"^  - (\S+)$", (TASKS / name / "task.yaml").read_text(), re.MULTILINE)
    return Task(name, tuple(state for state in STATES if state in tags), "nondeterministic" not in tags)


def all_tasks() -> List[Task]:
    return [read_task(path.name) for path in sorted(TASKS.iterdir()) if path.is_dir()]


@dataclass(frozen=True)
class Trial:
    """One run: task, contender, materialization, policy, round, and time of a model call."""

    task: str
    contender: str
    materialization: str
    policy: str
    round: int
    think_ms: int = 0

    def __str__(self) -> str:
        thinking = f", {self.think_ms} ms a call" if self.think_ms else ""
        return f"{self.task} {self.contender}/{self.materialization} {self.policy} #{self.round}{thinking}"


def all_trials(tasks: Iterable[Task], contenders: Iterable[Contender], materializations: Iterable[str],
               policies: Iterable[str], rounds: int) -> Iterator[Trial]:
    """The runs in their order: task by task, with all contenders in turns. Other load on the machine
    affects all contenders, and a benchmark that is stopped early has complete tasks."""
    contenders, materializations, policies = list(contenders), list(materializations), list(policies)
    for number in range(1, rounds + 1):
        for task in tasks:
            for contender in contenders:
                for materialization in contender.materializations:
                    if materialization in materializations or len(contender.materializations) == 1:
                        for policy in policies:
                            yield Trial(task.name, contender.name, materialization, policy, number)


def thinking_trials(trials: Iterable[Trial], think_ms: int) -> List[Trial]:
    """The trials to repeat with a model that takes `think_ms` per call, in their order."""
    meeting = {each.name for each in CONTENDERS if each.meets_thinker}
    return [replace(trial, think_ms=think_ms) for trial in trials
            if trial.task in THINKING_TASKS and trial.contender in meeting and trial.materialization == "eager" and
            trial.policy == "mcts" and think_ms]


def search_options(policy: str, nodes: int) -> List[str]:
    """Allows the same number of actions for every policy: pass@k gets as many attempts as actions."""
    budget = ["--policy", policy, "--max-nodes", str(nodes)]
    return budget + ["--attempts", str(nodes)] if policy == "pass@k" else budget
