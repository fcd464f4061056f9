#!/usr/bin/env python3
"""Checks the benchmark's tasks: plays each one in live sessions over --root and prints a table:

  before      the tests fail before the first command
  oracle      the tests pass after solution.sh
  leaves      the tests fail at every end of the script except the solution
  walk        the tests pass after the whole script with a restore after each wrong turn
  leaky       the tests fail after the same walk without restores
  noticed     number of wrong turns that the tests notice if they are not restored
  files-only  with a backend that restores only files, the walk passes if and only if the task
              needs only files

Requires root. Starts a daemon from the programs in --bin; uses the Python package of this tree.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in ("python", "tests/python"):
    sys.path.insert(0, str(HERE.parents[1] / folder))

from statefork import StateForkError  # noqa: E402
from world import World  # noqa: E402

STATES = {"files", "shell", "processes", "services"}
COMMAND_SECONDS = 20.0


@dataclass
class Node:
    """One candidate of a script; `next` has its successors."""
    command: str
    next: list
    is_last: bool
    solves: bool

    def leads_to_solution(self):
        return self.solves or any(node.leads_to_solution() for node in self.next)


def nodes_from(candidates):
    return [Node(each["command"], nodes_from(each.get("next", [])), each.get("last", False), each.get("solves", False))
            for each in candidates]


def size(nodes):
    return sum(1 + size(node.next) for node in nodes)


def right_path(nodes):
    for node in nodes:
        if node.leads_to_solution():
            return [node, *right_path(node.next)]
    return []


def steps_of(script):
    """Splits a script into chunks that bash accepts as complete commands."""
    steps, chunk = [], ""
    for line in script.splitlines(keepends=True):
        if not chunk and (not line.strip() or line.startswith("#")):
            continue
        chunk += line
        complete = subprocess.run(["bash", "-n"], input=chunk, capture_output=True, text=True)
        if complete.returncode == 0 and not complete.stderr and not chunk.endswith("\\\n"):
            steps.append(chunk.rstrip("\n"))
            chunk = ""
    assert not chunk, f"incomplete command: {chunk}"
    return steps


class Task:
    def __init__(self, directory):
        self.directory, self.id = directory, directory.name
        description = (directory / "task.yaml").read_text()
        self.states = STATES & set(re.findall(r"^  - (\S+)$", description, re.MULTILINE))
        self.candidates = nodes_from(json.loads((directory / "script.json").read_text())["candidates"])
        self.solution = steps_of((directory / "solution.sh").read_text())
        self.path = right_path(self.candidates)

    def complaints(self):
        """Problems that are visible without running the task."""
        for name in ("Dockerfile", "run-tests.sh", "tests/test_outputs.py"):
            if not (self.directory / name).is_file():
                yield f"{name} is missing"
        if not self.path or not self.path[-1].is_last or size(self.candidates) > 40:
            yield "the script has no solution or more than 40 candidates"
        if "files" not in self.states:
            yield "the tag `files` is missing"
        yield from self.open_ends(self.candidates)

    def open_ends(self, nodes):
        for node in nodes:
            if bool(node.next) == node.is_last:
                yield f"`last` must be set exactly for the ends of the script: {node.command}"
            yield from self.open_ends(node.next)

    def instructions(self):
        """The Dockerfile's lines as (keyword, text), with continuation lines joined."""
        text = (self.directory / "Dockerfile").read_text().replace("\\\n", "")
        return [tuple(line.split(None, 1)) for line in text.splitlines() if line and not line.startswith("#")]


def quoted(text):
    return shlex.quote(text)


def upload(terminal, source, target):
    for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
        if path.is_file() and "__pycache__" not in path.parts:
            where = f"{target}/{path.relative_to(source)}" if source.is_dir() else target
            terminal.exec_command(f"mkdir -p {quoted(str(Path(where).parent))}", check=True)
            terminal.upload(path, where)


def prepare(terminal, task):
    """Runs the Dockerfile's instructions in a session's shell."""
    workdir = "/"
    for keyword, text in task.instructions():
        if keyword == "RUN":
            terminal.exec_command(f"(cd {quoted(workdir)} && exec /bin/sh -c {quoted(text)})", check=True, timeout=120)
        elif keyword == "COPY":
            source, target = text.split()
            upload(terminal, task.directory / source, target.rstrip("/"))
        elif keyword == "WORKDIR":
            workdir = text
            terminal.exec_command(f"mkdir -p {quoted(workdir)}", check=True)
        elif keyword == "ENV":
            terminal.exec_command(f"export {text}", check=True)
        else:
            assert keyword == "FROM", f"{task.id}: {keyword} is not supported"
    terminal.exec_command(f"cd {quoted(workdir)}", check=True)


@dataclass
class Verdict:
    passed: bool
    log: str


class Play:
    """A session that plays a task, starting from the state that its Dockerfile makes."""

    def __init__(self, session, task, verbose):
        self.session, self.task, self.verbose = session, task, verbose
        prepare(session, task)
        self.ready = session.snapshot("ready")

    @contextmanager
    def branch(self, node=None):
        with self.session.branch(node or self.ready) as branch:
            yield branch

    def do(self, terminal, command):
        result = terminal.exec_command(command, timeout=COMMAND_SECONDS)
        if self.verbose:
            print(f"    $ {command}\n{result.output[-4000:]}    [{result.exit_code}{' timed out' if result.timed_out else ''}]")

    def grade(self, terminal):
        """Runs the tests in a fork, so that they do not change the terminal."""
        with self.session.branch(terminal.snapshot()) as branch:
            upload(branch, self.task.directory / "tests", "/tests")
            upload(branch, self.task.directory / "run-tests.sh", "/tests/run-tests.sh")
            seen = branch.run(["bash", "/tests/run-tests.sh"], env={"TEST_DIR": "/tests"}, cwd="/", timeout=60)
        if self.verbose:
            print(seen.output)
        return Verdict(seen.ok, seen.output)


@dataclass
class Findings:
    task: Task
    before: str = "-"
    oracle: str = "-"
    leaves: str = "-"
    walk: str = "-"
    leaky: str = "-"
    noticed: str = "-"
    files_only: str = "-"
    seconds: float = 0
    wrong: list = field(default_factory=list)

    def note(self, column, good, shown, log=""):
        setattr(self, column, shown if good else f"{shown} !")
        if not good:
            self.wrong.append(f"{self.task.id}: {column}: {shown}\n{log}")

    def row(self):
        states = "".join(name[0].upper() if name in self.task.states else "." for name in ("files", "shell", "processes"))
        states += "V" if "services" in self.task.states else "."
        return [self.task.id, states, str(len(self.task.path)), str(size(self.task.candidates)), self.before, self.oracle, self.leaves,
                self.walk, self.leaky, self.noticed, self.files_only, f"{self.seconds:.0f}"]


HEAD = ["task", "state", "steps", "nodes", "before", "oracle", "leaves", "walk", "leaky", "noticed", "files-only", "s"]


def word(passed):
    return "passes" if passed else "fails"


def walk_script(play, terminal, nodes, restores, on_leaf):
    """Plays the wrong candidates with their successors, then the right one; `on_leaf` gets each end."""
    here = terminal.snapshot() if restores else None
    for node in sorted(nodes, key=Node.leads_to_solution):
        play.do(terminal, node.command)
        if node.is_last:
            on_leaf(node)
        else:
            walk_script(play, terminal, node.next, restores, on_leaf)
        if restores and not node.leads_to_solution():
            terminal.restore(here)


def check_ends(play, findings):
    """The columns leaves and walk, which share one pass through the script."""
    failing, passing = [], []

    def on_leaf(node):
        verdict = play.grade(terminal)
        if node.solves:
            findings.note("walk", verdict.passed, word(verdict.passed), verdict.log)
        else:
            (passing if verdict.passed else failing).append(node.command)

    with play.branch() as terminal:
        walk_script(play, terminal, play.task.candidates, True, on_leaf)
    findings.note("leaves", not passing, f"{len(failing)} fail", "\n".join(f"passes: {command}" for command in passing))


def check_leaky(play, findings):
    def on_leaf(node):
        if node.solves:
            verdict = play.grade(terminal)
            findings.note("leaky", not verdict.passed, word(verdict.passed))

    with play.branch() as terminal:
        walk_script(play, terminal, play.task.candidates, False, on_leaf)


def check_single_leaks(play, findings):
    """For each wrong turn: plays the solution after it without a restore."""
    unnoticed, tried, nodes = [], 0, play.task.candidates
    with play.branch() as main:
        for depth, right in enumerate(play.task.path):
            here = main.snapshot()
            for wrong in (node for node in nodes if node is not right):
                tried += 1
                with play.branch(here) as terminal:
                    for node in (wrong, *play.task.path[depth:]):
                        play.do(terminal, node.command)
                    if play.grade(terminal).passed:
                        unnoticed.append(wrong.command)
            play.do(main, right.command)
            nodes = right.next
    findings.note("noticed", not unnoticed, f"{tried - len(unnoticed)} of {tried}",
                  "\n".join(f"not noticed: {command}" for command in unnoticed))


def check_oracle(play, findings):
    with play.branch() as terminal:
        verdict = play.grade(terminal)
        findings.note("before", not verdict.passed, word(verdict.passed), verdict.log)
    with play.branch() as terminal:
        for command in play.task.solution:
            play.do(terminal, command)
        verdict = play.grade(terminal)
        findings.note("oracle", verdict.passed, word(verdict.passed), verdict.log)


def check_files_only(play, findings):
    seen = []

    def on_leaf(node):
        if node.solves:
            seen.append(play.grade(terminal))

    with play.branch() as terminal:
        try:
            walk_script(play, terminal, play.task.candidates, True, on_leaf)
            passed, log = seen[-1].passed, seen[-1].log
        except StateForkError as error:
            passed, log = False, str(error)
    findings.note("files_only", passed == (play.task.states == {"files"}), word(passed), log)


CHECKS = {"oracle": check_oracle, "ends": check_ends, "leaky": check_leaky, "noticed": check_single_leaks}


def check(world, task, options):
    findings = Findings(task, wrong=[f"{task.id}: {complaint}" for complaint in task.complaints()])
    began = time.monotonic()
    try:
        with world.client().build_session("waypoint", root=str(Path(options.root).resolve()), network="none") as session:
            play = Play(session, task, options.verbose)
            for name, part in CHECKS.items():
                if name in options.only:
                    part(play, findings)
        if "files-only" in options.only:
            with world.client().build_session("overlay", root=str(Path(options.root).resolve()), network="none") as session:
                check_files_only(Play(session, task, options.verbose), findings)
    except StateForkError as error:
        findings.wrong.append(f"{task.id}: {error}")
    findings.seconds = time.monotonic() - began
    return findings


def print_row(row):
    widths = [17, 5, 5, 5, 7, 8, 9, 8, 7, 9, 10, 4]
    print(" ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", help="ids of tasks (default: all)")
    parser.add_argument("--root", required=True, help="a root file system with the programs that the tasks use")
    parser.add_argument("--bin", default="build/dev/bin", help="directory of statefork and its daemon (default: build/dev/bin)")
    parser.add_argument("--only", action="append", choices=[*CHECKS, "files-only"], help="run only this part; may be repeated")
    parser.add_argument("--verbose", action="store_true", help="show every command and its output")
    options = parser.parse_args()
    options.only = options.only or [*CHECKS, "files-only"]
    wanted = options.tasks or sorted(path.name for path in (HERE / "tasks").iterdir() if path.is_dir())
    wrong = []
    os.environ["STATEFORK_BIN_DIR"] = options.bin
    world = World()
    try:
        print_row(HEAD)
        for name in wanted:
            findings = check(world, Task(HERE / "tasks" / name), options)
            print_row(findings.row())
            wrong += findings.wrong
    finally:
        world.close()
    print("\n".join(wrong) or f"{len(wanted)} tasks without problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
