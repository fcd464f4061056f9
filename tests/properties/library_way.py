"""LibraryWay: the C++ library in a separate program (library_driver.cc), without a daemon."""

from __future__ import annotations

import base64
import itertools
from typing import Any, Callable, Dict, List, Sequence

from line_program import LineProgram
from ways import COMMAND_SECONDS, Done, Problem, Settings, Taken, Way, changed_files, proven


class LibraryWay(Way):
    name = "library"

    def __init__(self, program: Callable[[], LineProgram]) -> None:
        self._program = program  # the current process, which changes after a kill
        self._numbers = itertools.count(1)
        self.asked_for: List[str] = []  # ids of all sessions, also of those whose start failed

    def _call(self, verb: str, session: str = "", branch: str = "", **fields: Any) -> Dict[str, Any]:
        answer = self._program().ask({"verb": verb, "session": session, "branch": branch, **fields})
        if "code" in answer:
            raise Problem(answer["code"], answer["detail"], answer.get("details"))
        return answer

    def create(self, settings: Settings) -> str:
        session = f"library-{next(self._numbers)}"
        self.asked_for.append(session)
        self._call("create", session, policy=settings.policy, engine=settings.engine, max_bytes=settings.max_bytes)
        return session

    def exec(self, session: str, branch: str, command: str) -> Done:
        answer = self._call("exec", session, branch, command=command, timeout_ms=1000 * COMMAND_SECONDS)
        return Done(answer["output"], answer["exit_code"], answer["timed_out"])

    def run(self, session: str, branch: str, argv: Sequence[str]) -> Done:
        answer = self._call("run", session, branch, argv=list(argv))
        return Done(answer["output"], answer["exit_code"], answer["timed_out"])

    def write(self, session: str, branch: str, path: str, content: bytes) -> None:
        self._call("write", session, branch, path=path, content=base64.b64encode(content).decode())

    def read(self, session: str, branch: str, path: str) -> bytes:
        return base64.b64decode(self._call("read", session, branch, path=path)["content"])

    def keys(self, session: str, branch: str, text: str) -> None:
        self._call("keys", session, branch, keys=text + "\r")

    def paste(self, session: str, branch: str, text: str) -> None:
        self._call("input", session, branch, input=[{"paste": text}])

    def mouse(self, session: str, branch: str, row: int, col: int) -> None:
        self._call("input", session, branch, input=[{"mouse": {"action": "click", "row": row, "col": col}}])

    def resize(self, session: str, branch: str, rows: int, cols: int) -> None:
        self._call("resize", session, branch, rows=rows, cols=cols)

    def snapshot(self, session: str, branch: str, materialization: str) -> Taken:
        answer = self._call("snapshot", session, branch, materialization=materialization)
        return Taken(answer["node"], answer["kind"], answer["unchanged"], answer["why"])

    def restore(self, session: str, branch: str, node: str, accept: bool) -> int:
        return int(proven(self._call("restore", session, branch, node=node, accept=accept))["accepted"])

    def fork(self, session: str, branch: str, node: str) -> str:
        return str(proven(self._call("fork", session, branch, node=node))["name"])

    def end(self, session: str, branch: str) -> None:
        self._call("end", session, branch)

    def diff(self, session: str, branch: str, node: str) -> List[str]:
        return changed_files(proven(self._call("diff", session, branch, node=node))["differences"])

    def cleanup(self, session: str, branch: str, node: str) -> None:
        self._call("cleanup", session, branch, node=node)

    def destroy(self, session: str) -> None:
        self._call("destroy", session)
