#!/usr/bin/env python3
"""Runs every example line of every `statefork ... --help`, as root, in a mount and network namespace
of its own. An example passes if it exits with 0.

    help_examples.py BIN_DIR            runs all
    help_examples.py BIN_DIR WORD...    runs the examples of these commands

Each example gets a session `work` with branches main, b1 and b2 and nodes n0 to n7, and the files
that the examples name. `docker save` is a program that writes the archive of a small root.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import run
from run import world

LIMIT_SECONDS = 120
NOT_RUN = {
    "llm:MODEL": "asks a model",
    "debootstrap": "downloads Debian; tests/roots and src/roots test it",
}
SCENE = r"""
statefork new / --name work >/dev/null
statefork run work -i -- bash -s <<'END'
mkdir -p /srv
printf 'test:\n\t@echo tested\n' | tee /srv/Makefile >/root/Makefile
printf '#!/bin/sh\necho trained\n' >/root/train
chmod +x /root/train
echo started >/var/log/app.log
END
for i in 1 2 3 4 5 6 7; do
  statefork exec work -- "cd /root; x=$i; echo $i >state"
  statefork snapshot work >/dev/null
done
statefork restore work n4
statefork fork work n4 -n 2 >/dev/null
"""
# Commands whose examples leave the scene as the next example needs it.
LEAVES_SCENE = ("completion", "diff", "gc", "log", "ls", "man", "note", "resize", "run", "serve", "show", "stats", "tree")
# Commands before an example that contains the word.
BEFORE = [
    (r"(restore|fork) work before-upgrade", "statefork rename work n3 before-upgrade >/dev/null"),
    (r"statefork mouse", r"""statefork keys work 'printf "\033[?1000h"; cat' Enter; sleep 1"""),
    (r"statefork new", "statefork rm work"),
    (r"statefork (new|root rm) debian$", "statefork root add debian.tar --name debian >/dev/null"),
    (r"fix-it-r1", "for run in fix-it-r1 fix-it-r1k2j3h; do statefork explore tasks/fix-it --root /srv/debian12 "
                   "--agent script --policy pass@k --out runs/$run >/dev/null 2>&1; done"),
    (r"statefork root add", "rm debian.tar"),
]
FILES = {
    "notes.txt": "notes\n", "patch": "text\n", "script.sh": "echo script\n", "check.py": "print('checked')\n",
    "token": "0123456789abcdef0123456789abcdef\n", "copy/root/state": "1\n", "home/project/readme": "mine\n",
    "home/.config/fish/completions/other.fish": "",
    "tasks/fix-it/task.yaml": "instruction: write the word right into answer\n",
    "tasks/fix-it/Dockerfile": "FROM any\nRUN mkdir -p /app\nWORKDIR /app\n",
    "tasks/fix-it/run-tests.sh": "grep -qx right /app/answer\n",
    "tasks/fix-it/script.json": '{"candidates": [{"command": "echo right >/app/answer", "value": 0.8, "last": true}]}\n',
    "programs/docker": '#!/bin/sh\n[ "$1 $3" = "save -o" ] && cp ../root.tar "$4"\n',
}
ROOT_PROGRAMS = ("bash", "cat", "ls", "mkdir", "rm", "stat", "sleep")


def examples(text: str) -> list[str]:
    """The example lines of a help text; a remark after two blanks is no part of them."""
    found = []
    inside = False
    for line in text.splitlines():
        single = re.match(r"\s*Example: (.*)", line)
        if single:
            found.append(single.group(1))
        elif line.strip() in ("Examples:", "Next step:") or line.rstrip().endswith("Then:"):
            inside = True
        elif inside and line.startswith("  "):
            found.append(line.strip())
        else:
            inside = False
    return [re.split(r" {2,}", line)[0] for line in found]


def reason_not_to_run(example: str) -> str:
    return next((reason for word, reason in NOT_RUN.items() if word in example), "")


def prepare(directory: Path) -> None:
    for name, text in FILES.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (directory / "programs/docker").chmod(0o755)
    root = directory.parent / "root"
    for part in ("dev", "proc", "tmp", "etc", "root", "usr/bin"):
        (root / part).mkdir(parents=True)
    (root / "bin").symlink_to("usr/bin")
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/bash\n", encoding="utf-8")
    for program in ROOT_PROGRAMS:
        path = shutil.which(program)
        shutil.copy(path, root / "usr/bin" / program)
        for library in re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", path], text=True, stdout=subprocess.PIPE, check=True).stdout):
            (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, root / library[1:])
    subprocess.run(["tar", "-C", root, "-cf", directory.parent / "root.tar", "."], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", "/srv"], check=True)
    for name in ("image", "debian12"):
        Path("/srv", name).mkdir()
        subprocess.run(["mount", "--bind", "/", f"/srv/{name}"], check=True)


class Runner:
    def __init__(self, bin_dir: str, environment: dict[str, str], directory: Path) -> None:
        self.bin_dir, self.directory, self.is_ready = bin_dir, directory, False
        self.environment = dict(environment, HOME=str(directory / "home"), MANPAGER="cat", PAGER="cat", TERM="xterm",
                                PATH=f"{directory}/programs:" + environment["PATH"])

    def bash(self, script: str, shell: str = "bash") -> tuple[int, str]:
        done = subprocess.run([shell, "-c", script], env=self.environment, cwd=self.directory, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_SECONDS)
        return done.returncode, done.stdout

    def scene(self, name: str, example: str) -> None:
        before = [script for pattern, script in BEFORE if re.search(pattern, example)]
        if not self.is_ready or before:
            self.new_scene()
        for script in before:
            self.bash(script)
        self.is_ready = name in LEAVES_SCENE and not before

    def new_scene(self) -> None:
        for session in run.sessions(self.bin_dir, self.environment):
            self.bash(f"statefork rm {session}")
        shutil.rmtree(self.directory / "runs", ignore_errors=True)
        shutil.copy(self.directory.parent / "root.tar", self.directory / "debian.tar")
        self.bash("statefork root rm debian")
        status, printed = self.bash("set -e\n" + SCENE)
        if status != 0:
            raise ValueError(f"the scene failed:\n{printed}")

    def run(self, example: str) -> tuple[int, str]:
        if "statefork serve" in example:
            return self.serve(example)
        if example.startswith("statefork shell"):
            return self.shell(example)
        if "completion zsh" in example:
            return self.bash(f"autoload -U compinit && compinit -u && {example}", "zsh")
        return self.bash(f"set -o pipefail\n{example}")

    def serve(self, example: str) -> tuple[int, str]:
        """Runs a daemon until it is ready; its token is a file of the test."""
        own = dict(self.environment, STATEFORK_SOCKET=f"{self.directory}/other.sock", STATEFORK_STATE=f"{self.directory}/other")
        words = example.replace("/etc/statefork/token", "token")
        daemon = subprocess.Popen(["bash", "-c", f"exec {words}"], env=own, cwd=self.directory, text=True, stderr=subprocess.PIPE)
        seen = ""
        for line in daemon.stderr:
            seen += line
            if "ready" in line:
                break
        is_ready = daemon.poll() is None
        daemon.terminate()
        daemon.wait()
        return 0 if is_ready else 1, seen

    def shell(self, example: str) -> tuple[int, str]:
        """Runs a command in a terminal, and detaches when it has printed something."""
        ours, theirs = pty.openpty()
        started = subprocess.Popen(["bash", "-c", example], env=self.environment, cwd=self.directory, stdin=theirs, stdout=theirs,
                                   stderr=theirs, start_new_session=True)
        os.close(theirs)
        seen, deadline = b"", time.monotonic() + LIMIT_SECONDS
        while started.poll() is None and time.monotonic() < deadline:
            if select.select([ours], [], [], 0.5)[0]:
                try:
                    seen += os.read(ours, 4096)
                except OSError:
                    break
            elif seen:
                os.write(ours, b"\x1d")  # ^], the default detach key
        os.close(ours)
        return started.wait(), seen.decode(errors="replace")


def all_examples(runner: Runner, wanted: list[str]) -> Iterator[tuple[str, str]]:
    """(command, example)"""
    if not wanted:
        overview = examples(runner.bash("statefork")[1])
        yield "statefork", "\n".join(["set -e", *overview])
    names = [line.split("\t")[0] for line in runner.bash('statefork __complete ""')[1].splitlines()]
    for name in wanted or names:
        for example in examples(runner.bash(f"statefork {name} --help")[1]):
            yield name, example


def failures(bin_dir: str, wanted: list[str]) -> Iterator[str]:
    with world(bin_dir) as (environment, directory):
        prepare(directory)
        runner = Runner(bin_dir, environment, directory)
        count = 0
        for name, example in all_examples(runner, wanted):
            if reason := reason_not_to_run(example):
                print(f"not run: {example} ({reason})")
                continue
            runner.scene(name, example)
            status, printed = runner.run(example)
            count += 1
            if status != 0:
                yield f"{name}: {example}\nexited {status}:\n{printed}"
        print(f"{count} examples were run")
        runner.bash("statefork root rm debian")
        if not wanted and count < 40:
            yield f"only {count} examples were found"


def main() -> int:
    if os.environ.get("SF_HELP_EXAMPLES") is None:
        os.environ["SF_HELP_EXAMPLES"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--net", "sh", "-c", 'ip link set lo up; exec "$0" "$@"',
                              sys.executable, "-B", *sys.argv])
    found = list(failures(sys.argv[1], sys.argv[2:]))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
