"""PythonWay: the Python package."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, List, Sequence

import statefork

from ways import COMMAND_SECONDS, Done, Problem, Settings, Taken, Way, given, proven


@contextlib.contextmanager
def as_problem() -> Iterator[None]:
    try:
        yield
    except statefork.StateForkError as error:
        broken = isinstance(error, statefork.DaemonConnectionError)
        raise Problem("connection" if broken else error.code, str(error), error.details) from error


class PythonWay(Way):
    name = "python"

    def __init__(self, client: statefork.Client) -> None:
        self._client = client

    def _at(self, session: str, branch: str) -> Any:
        found = self._client.connect(session)
        return found if branch == "main" else found.get_branch(branch)

    def create(self, settings: Settings) -> str:
        with as_problem():
            return self._client.build_session("waypoint", root="/", keep=True, **given(settings)).id

    def exec(self, session: str, branch: str, command: str) -> Done:
        with as_problem():
            done = self._at(session, branch).exec_command(command, timeout=COMMAND_SECONDS)
            return Done(done.output, done.exit_code, done.timed_out)

    def run(self, session: str, branch: str, argv: Sequence[str]) -> Done:
        with as_problem():
            done = self._at(session, branch).run(list(argv))
            return Done(done.stdout, done.exit_code, done.timed_out)

    def write(self, session: str, branch: str, path: str, content: bytes) -> None:
        with as_problem():
            self._at(session, branch).write_file(path, content)

    def read(self, session: str, branch: str, path: str) -> bytes:
        with as_problem():
            return bytes(self._at(session, branch).read_file(path))

    def keys(self, session: str, branch: str, text: str) -> None:
        with as_problem():
            self._at(session, branch).send_keys(text + "\r")

    def paste(self, session: str, branch: str, text: str) -> None:
        with as_problem():
            self._at(session, branch).paste(text)

    def mouse(self, session: str, branch: str, row: int, col: int) -> None:
        with as_problem():
            self._at(session, branch).mouse("click", row, col)

    def resize(self, session: str, branch: str, rows: int, cols: int) -> None:
        with as_problem():
            self._at(session, branch).resize(rows, cols)

    def snapshot(self, session: str, branch: str, materialization: str) -> Taken:
        with as_problem():
            taken = self._at(session, branch).snapshot(materialization=materialization or None)
            return Taken(taken.id, taken.kind, taken.unchanged, getattr(taken, "why", ""))

    def restore(self, session: str, branch: str, node: str, accept: bool) -> int:
        with as_problem():
            report = self._at(session, branch).restore(node, on_divergence="accept" if accept else "fail")
            return len(proven({"accepted": report.accepted, "unproven": getattr(report, "unproven", "")})["accepted"])

    def fork(self, session: str, branch: str, node: str) -> str:
        with as_problem():
            made = self._at(session, branch).fork(node)[0]
            proven({"unproven": getattr(made, "unproven", "")})
            return str(made.name)

    def end(self, session: str, branch: str) -> None:
        with as_problem():
            self._at(session, branch).end()

    def diff(self, session: str, branch: str, node: str) -> List[str]:
        with as_problem():
            found = self._at(session, branch).diff(node)
            proven({"unproven": getattr(found, "unproven", "")})
            return [one.name for one in found if one.subject == "file"]

    def cleanup(self, session: str, branch: str, node: str) -> None:
        with as_problem():
            self._at(session, branch).cleanup(node)

    def destroy(self, session: str) -> None:
        with as_problem():
            self._client.connect(session).end()
