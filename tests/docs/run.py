#!/usr/bin/env python3
"""Runs the code blocks of documents (see blocks.py) against a daemon of their own.

    run.py BIN_DIR PAGE...     runs the blocks of these pages
    run.py --check             checks the blocks of all pages without running any
    run.py --record BIN_DIR    draws docs/images/session.svg from a real run (picture.py)
    run.py --list              prints the blocks that no test runs, with the reason

Commands find the project's folders in their working directory, which is a temporary one.
"""

import contextlib
import doctest
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import error_catalogue
import header_examples
import numbers_in_docs
from blocks import Block, blocks, complaints, fits, steps
from picture import picture_complaints, record

ROOT = Path(__file__).resolve().parents[2]
STEP_SECONDS = 120
DONE = "--- step done ---"
LINKED = ("bench", "docs", "examples", "python", "tests", "tools")


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def all_blocks() -> Iterator[tuple[str, Block]]:
    for page in pages():
        for block in blocks(page.read_text(encoding="utf-8")):
            yield str(page.relative_to(ROOT)), block


def check() -> int:
    found = []
    for page in pages():
        found += complaints(str(page.relative_to(ROOT)), page.read_text(encoding="utf-8"), ROOT)
    listed = (Path(__file__).parent / "CMakeLists.txt").read_text()
    for page in sorted({page for page, block in all_blocks() if block.is_run()}):
        if f" {page}" not in listed.replace("\n", " "):
            found.append(f"{page}: no test runs it; list it in tests/docs/CMakeLists.txt")
    found += numbers_in_docs.complaints(ROOT)
    found += error_catalogue.complaints(ROOT)
    found += header_examples.complaints(ROOT)
    found += picture_complaints(ROOT)
    print("\n".join(found) or f"{len(list(all_blocks()))} blocks, no complaints")
    return 1 if found else 0


def print_list() -> int:
    for page, block in all_blocks():
        if block.not_run:
            print(f"{page}:{block.line}: {block.language}: {block.not_run}")
    return 0


class Shell:
    """One bash process for all commands of a page."""

    def __init__(self, environment: dict[str, str], directory: Path) -> None:
        self._bash = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, env=environment, cwd=directory)

    def run(self, command: str) -> str:
        """The output of `command`, standard output and standard error together."""
        watchdog = threading.Timer(STEP_SECONDS, self._bash.kill)
        watchdog.start()
        try:
            self._bash.stdin.write(f"{{ {command}\n}} </dev/null\necho '{DONE}'\n")
            self._bash.stdin.flush()
            printed = ""
            for line in self._bash.stdout:
                if line.endswith(DONE + "\n"):
                    printed += line.removesuffix(DONE + "\n")
                    return printed + "\n" if printed and not printed.endswith("\n") else printed
                printed += line
            return printed + f"(the shell ended, or the command took more than {STEP_SECONDS} s)\n"
        finally:
            watchdog.cancel()

    def close(self) -> None:
        self._bash.stdin.close()
        self._bash.wait()


def run_page(page: Path, environment: dict[str, str], directory: Path) -> Iterator[str]:
    """Yields an error message for each block that fails."""
    shell = Shell(environment, directory)
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for block in blocks(page.read_text(encoding="utf-8")):
        where = f"{page}:{block.line}"
        if not block.is_run():
            continue
        if block.language == "console":
            for command, expected in steps(block.text):
                printed = shell.run(command)
                if not fits(expected, printed):
                    yield f"{where}: {command}\n--- shown\n{expected}--- printed\n{printed}---"
        elif block.language == "python":
            done = subprocess.run([sys.executable, "-B", "-c", block.text], env=environment, text=True, cwd=directory,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=STEP_SECONDS)
            if done.returncode != 0:
                yield f"{where}:\n{block.text}\n{done.stdout}"
        else:
            test = doctest.DocTestParser().get_doctest(block.text, names, where, str(page), block.line - 1)
            report: list[str] = []
            runner.run(test, out=report.append, clear_globs=False)
            names = test.globs
            if report:
                yield "".join(report)
    shell.close()


def sessions(bin_dir: str, environment: dict[str, str]) -> list[str]:
    listed = subprocess.run([bin_dir + "/statefork", "ls", "--json"], env=environment, text=True, stdout=subprocess.PIPE,
                            check=True).stdout
    return [session["id"] for session in json.loads(listed)["sessions"]]


@contextlib.contextmanager
def world(bin_dir: str) -> Iterator[tuple[dict[str, str], Path]]:
    """A daemon with its own state. Yields the environment that locates it, and a working
    directory."""
    with tempfile.TemporaryDirectory(prefix="sf-docs-", dir="/var/tmp") as name:
        directory = Path(name)
        (directory / "cwd").mkdir()
        for folder in LINKED:
            (directory / "cwd" / folder).symlink_to(ROOT / folder)
        environment = dict(os.environ, PATH=bin_dir + ":" + os.environ["PATH"], LC_ALL="C.UTF-8",
                           STATEFORK_SOCKET=name + "/s.sock", STATEFORK_STATE=name + "/state",
                           PYTHONPATH=str(ROOT / "python"))
        os.environ.update(environment)  # doctests run in this process
        sys.path.insert(0, environment["PYTHONPATH"])
        daemon = subprocess.Popen([bin_dir + "/statefork", "serve"], env=environment, stderr=subprocess.PIPE, text=True)
        for line in daemon.stderr:
            if "ready" in line:
                break
        threading.Thread(target=daemon.stderr.read, daemon=True).start()  # a full pipe would stop the daemon
        try:
            yield environment, directory / "cwd"
        finally:
            # A branch outlives its daemon, and a page that failed may have left some branches.
            for session in sessions(bin_dir, environment):
                subprocess.run([bin_dir + "/statefork", "rm", session], env=environment, check=False)
            daemon.terminate()
            daemon.wait()


def run(bin_dir: str, files: list[str]) -> int:
    found = []
    with world(bin_dir) as (environment, directory):
        for file in files:
            if not any(block.is_run() for block in blocks(Path(file).read_text(encoding="utf-8"))):
                found.append(f"{file} has no block that is run")
            found += run_page(Path(file), environment, directory)
        if left := sessions(bin_dir, environment):
            found.append("sessions are left: " + ", ".join(left))
    print("\n".join(found))
    return 1 if found else 0


def record_picture(bin_dir: str) -> int:
    with world(bin_dir) as (environment, directory):
        shell = Shell(environment, directory)
        record(ROOT, shell.run)
        shell.close()
    return 0


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        return check()
    if sys.argv[1:] == ["--list"]:
        return print_list()
    if sys.argv[1:2] == ["--record"]:
        return record_picture(sys.argv[2])
    return run(sys.argv[1], sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
