"""CommandLineWay: runs the program `statefork` for each call."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, Sequence

from ways import COMMAND_SECONDS, PATIENCE, Done, Problem, Settings, Taken, Way, changed_files, forked, proven


class CommandLineWay(Way):
    name = "cli"

    def __init__(self, program: str, variables: Dict[str, str]) -> None:
        self._program = program
        self._env = {**os.environ, **variables}

    def _call(self, *words: str, stdin: bytes = b"", any_status: bool = False) -> bytes:
        verb, rest = words[0], list(words[1:])
        at = rest.index("--") if "--" in rest else len(rest)
        done = subprocess.run([self._program, verb, *rest[:at], "--json", *rest[at:]], input=stdin, env=self._env,
                              capture_output=True, timeout=PATIENCE, check=False)
        if done.returncode == 0 or (any_status and done.returncode != 125 and done.stdout):
            return done.stdout
        with contextlib.suppress(ValueError, KeyError):
            if verb == "fork" and done.stdout:  # lists the branches that could not be made
                forked(json.loads(done.stdout))
            problem = json.loads(done.stderr)
            raise Problem(problem["code"], problem["detail"], problem.get("details"))
        raise Problem("os", f"statefork {' '.join(words)} exited {done.returncode}: {done.stderr.decode()!r}")

    def create(self, settings: Settings) -> str:
        words = ["--policy", settings.policy, "--engine", settings.engine]
        if settings.max_bytes:
            words += ["--max-bytes", str(settings.max_bytes)]
        return str(json.loads(self._call("new", "/", *words))["id"])

    def exec(self, session: str, branch: str, command: str) -> Done:
        answer = json.loads(self._call("exec", f"{session}/{branch}", "-", "-t", str(COMMAND_SECONDS), stdin=command.encode(),
                                       any_status=True))
        return Done(answer["output"], answer["exit_code"], answer["timed_out"])

    def run(self, session: str, branch: str, argv: Sequence[str]) -> Done:
        answer = json.loads(self._call("run", f"{session}/{branch}", "--", *argv, any_status=True))
        return Done(answer["stdout"], answer["exit_code"], answer["timed_out"])

    def write(self, session: str, branch: str, path: str, content: bytes) -> None:
        self._call("cp", "-", f"{session}/{branch}:{path}", stdin=content)

    def read(self, session: str, branch: str, path: str) -> bytes:
        with tempfile.TemporaryDirectory() as directory:
            self._call("cp", f"{session}/{branch}:{path}", f"{directory}/copy")
            return Path(directory, "copy").read_bytes()

    def keys(self, session: str, branch: str, text: str) -> None:
        self._call("keys", f"{session}/{branch}", *([text] if text else []), "Enter")

    def paste(self, session: str, branch: str, text: str) -> None:
        self._call("keys", f"{session}/{branch}", "--paste", text)

    def mouse(self, session: str, branch: str, row: int, col: int) -> None:
        self._call("mouse", f"{session}/{branch}", "click", str(row), str(col))

    def resize(self, session: str, branch: str, rows: int, cols: int) -> None:
        self._call("resize", f"{session}/{branch}", f"{cols}x{rows}")

    def snapshot(self, session: str, branch: str, materialization: str) -> Taken:
        words = [f"--{materialization}"] if materialization else []
        answer = json.loads(self._call("snapshot", f"{session}/{branch}", *words))
        return Taken(answer["node"], answer["kind"], bool(answer.get("unchanged")), str(answer.get("why")))

    def restore(self, session: str, branch: str, node: str, accept: bool) -> int:
        words = ["--accept-divergence"] if accept else []
        return len(proven(json.loads(self._call("restore", f"{session}/{branch}", node, *words)))["accepted"])

    def fork(self, session: str, branch: str, node: str) -> str:
        return forked(json.loads(self._call("fork", f"{session}/{branch}", node)))

    def end(self, session: str, branch: str) -> None:
        self._call("rm", f"{session}/{branch}")

    def diff(self, session: str, branch: str, node: str) -> List[str]:
        return changed_files(proven(json.loads(self._call("diff", f"{session}/{branch}", node)))["differences"])

    def cleanup(self, session: str, branch: str, node: str) -> None:
        self._call("cleanup", f"{session}/{branch}", node)

    def destroy(self, session: str) -> None:
        self._call("rm", session)
