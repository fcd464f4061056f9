#!/usr/bin/env python3
"""The macrobenchmark: searches every task with the same scripted agent and the same number of
actions on every backend that keeps states. Prints a line per run, then the comparison, as a page
with plots (--page).

Each outcome is appended to --results when its run ends. Recorded runs are not repeated: after
Ctrl-C, run the same command again to continue. Requires root, and a root file system with the
tasks' programs.
"""

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import List

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
for folder in ("python", "tests/python"):
    sys.path.insert(0, str(PROJECT / folder))

from engines import engines, inside, run_in_namespaces  # noqa: E402
from outcomes import Outcome, OutcomeFile, failed_outcome, left_to_do, outcome_from, state_share  # noqa: E402
from page import write_page  # noqa: E402
from trials import CONTENDERS, MATERIALIZATIONS, POLICIES, THINKING_TASKS, Trial, all_tasks, all_trials, search_options, thinking_trials  # noqa: E402
from world import World, program  # noqa: E402

NOT_SOLVED = 3  # exit status
USUAL_THINK_MS = 1000
QUICK_TASKS = ("config-layers", "inventory-report", "ticket-daemon", "redis-queue")


def words(text: str) -> List[str]:
    return [word for word in text.split(",") if word]


def parse_arguments(argv: List[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench_explore", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=words, default=[], metavar="A,B", help="only these tasks (default: all)")
    parser.add_argument("--backends", type=words, default=[each.name for each in CONTENDERS if each.is_usual],
                        metavar="A,B", help="of " + ",".join(each.name for each in CONTENDERS) +
                        " (default: all but " + ",".join(each.name for each in CONTENDERS if not each.is_usual) + ")")
    parser.add_argument("--materialize", type=words, default=list(MATERIALIZATIONS), metavar="A,B",
                        help="how states are kept: " + ",".join(MATERIALIZATIONS) + " (default: both)")
    parser.add_argument("--policies", type=words, default=list(POLICIES), metavar="A,B",
                        help="of " + ",".join(POLICIES) + " (default: both)")
    parser.add_argument("--think", type=int, metavar="MS",
                        help=f"repeat a part of the mcts runs with a model that takes MS per call: tasks {', '.join(THINKING_TASKS)} over "
                        f"{', '.join(each.name for each in CONTENDERS if each.meets_thinker)}; 0: none (default: 1000; with --quick: 0)")
    parser.add_argument("--nodes", type=int, default=60, help="actions per run (default: 60)")
    parser.add_argument("--rounds", type=int, default=1, help="repetitions of all runs (default: 1)")
    parser.add_argument("--seconds", type=int, default=300, help="time limit of a search (default: 300)")
    parser.add_argument("--quick", action="store_true", help="four tasks: " + ", ".join(QUICK_TASKS))
    parser.add_argument("--root", default=os.environ.get("STATEFORK_FULL_ROOT", ""), help="the directory that replaces the image of FROM")
    parser.add_argument("--bin", default=PROJECT / "build/release/bin", help="directory of the programs (default: build/release/bin)")
    parser.add_argument("--results", type=Path, default=PROJECT / "build/bench/explore.jsonl",
                        help="file of outcomes (default: build/bench/explore.jsonl)")
    parser.add_argument("--page", type=Path, metavar="FILE.md",
                        help="write the tables to this file, and plots and numbers to FILE.svg and FILE.json")
    parser.add_argument("--report", action="store_true", help="run nothing; print the tables of recorded outcomes")
    options = parser.parse_args(argv)
    if options.think is None:
        options.think = 0 if options.quick else USUAL_THINK_MS
    known = {task.name: task for task in all_tasks()}
    options.tasks = options.tasks or (list(QUICK_TASKS) if options.quick else list(known))
    for what, given, there in (("task", options.tasks, known), ("policy", options.policies, POLICIES),
                               ("backend", options.backends, [each.name for each in CONTENDERS]),
                               ("materialization", options.materialize, MATERIALIZATIONS)):
        if unknown := [name for name in given if name not in there]:
            parser.error(f"unknown {what} {unknown[0]}; choose from {', '.join(there)}")
    if not Path(options.root).is_dir() or not options.root:
        parser.error("--root must be a directory; `tools/dev bench explore` makes one")
    if not (Path(options.bin) / "statefork").exists():
        parser.error(f"no programs in {options.bin}: run `tools/dev build release`")
    options.tasks = [known[name] for name in options.tasks]
    options.contenders = [each for each in CONTENDERS if each.name in options.backends]
    return options


class Bench:
    """Runs trials with a private daemon."""

    def __init__(self, options: argparse.Namespace, world: World, directory: Path):
        self.options, self.world, self.directory = options, world, directory
        self.contenders = {each.name: each for each in CONTENDERS}

    def run(self, trial: Trial, number: int) -> Outcome:
        contender = self.contenders[trial.contender]
        out = self.directory / "runs" / str(number)
        began, load = time.strftime("%Y-%m-%d %H:%M", time.gmtime()), os.getloadavg()[0]
        ran = subprocess.run(
            [program(), "explore", str(HERE / "tasks" / trial.task), "--root", self.options.root, "--agent", "script",
             "--think", str(trial.think_ms),
             *search_options(trial.policy, self.options.nodes), "--max-time", str(self.options.seconds),
             "--backend", contender.backend, "--materialize", trial.materialization, *contender.options,
             "--out", str(out), "--no-diffs", "--json", "--socket", self.world.socket, "--state", self.world.state],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if ran.returncode not in (0, NOT_SOLVED):
            return failed_outcome(trial, self.options.nodes, (ran.stderr.strip() or ran.stdout)[-500:], began, load)
        return outcome_from(trial, self.options.nodes, json.loads((out / "tree.json").read_text()), began, load)

    def end_sessions(self) -> None:
        """Ends all sessions, so that a task does not affect the next one."""
        for info in self.world.client().list_sessions():
            self.world.client().connect(info.id).end()


def line_of(outcome: Outcome, done: int, of: int) -> str:
    ended = "solved    " if outcome.solved else "not solved"
    shown = (f"{outcome.nodes:3} nodes {outcome.wall_us / 1e6:6.1f} s  state {state_share([outcome]):4.0%}  "
             f"{outcome.bytes / 2**20:7.1f} MB" if outcome.nodes else outcome.why.splitlines()[-1])
    return f"[{done}/{of}] {str(outcome.trial):45} {ended} {shown}"


def run_all(options: argparse.Namespace, trials: List[Trial], results: OutcomeFile) -> None:
    directory = Path(inside())
    backends = {each.backend for each in options.contenders}
    with contextlib.ExitStack() as stack:
        for variable in stack.enter_context(engines(directory, sorted(backends))):
            name, _, value = variable.partition("=")
            os.environ[name] = value
        world = World(str(directory))
        stack.callback(world.close)
        bench = Bench(options, world, directory)
        for number, trial in enumerate(trials):
            is_new = number == 0 or (trial.task, trial.round) != (trials[number - 1].task, trials[number - 1].round)
            if is_new:
                bench.end_sessions()
            outcome = bench.run(trial, number)
            results.append(outcome)
            print(line_of(outcome, number + 1, len(trials)), flush=True)


def facts_of(options: argparse.Namespace, outcomes: List[Outcome]) -> List[str]:
    def version(*argv: str) -> str:
        ran = subprocess.run(argv, capture_output=True, text=True)
        return ran.stdout.splitlines()[0] if ran.stdout else f"no {argv[0]}"

    began = sorted(outcome.began for outcome in outcomes)
    loads = [outcome.load for outcome in outcomes]
    return [f"{began[0]} to {began[-1]} UTC, Linux {platform.release()}, {os.cpu_count()} CPUs, load {min(loads):.1f} to "
            f"{max(loads):.1f}", f"{version('podman', '--version')}; {version('dockerd', '--version')}",
            f"at most {options.nodes} actions and {options.seconds} s for a search; rounds: {options.rounds}; one branch at a time"]


def main(argv: List[str]) -> int:
    options = parse_arguments(argv)
    results = OutcomeFile(options.results)
    trials = list(all_trials(options.tasks, options.contenders, options.materialize, options.policies, options.rounds))
    trials += thinking_trials(trials, options.think)
    left = [] if options.report else left_to_do(trials, results.read(), options.nodes)
    if left and not inside():
        return run_in_namespaces([__file__, *argv])
    os.environ["STATEFORK_BIN_DIR"] = str(options.bin)
    if left:
        print(f"{len(trials)} runs, {len(trials) - len(left)} of them done: {options.results}", flush=True)
        run_all(options, left, results)
    wanted = set(trials)
    outcomes = [each for each in results.read() if each.trial in wanted and each.budget_nodes == options.nodes]
    if not outcomes:
        print(f"{options.results} contains none of these runs", file=sys.stderr)
        return 1
    text = write_page(options.page, outcomes, options.tasks, facts_of(options, outcomes))
    print(text)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("stopped; run the same command again to continue", file=sys.stderr)
        sys.exit(130)
