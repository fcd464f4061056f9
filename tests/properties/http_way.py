"""HttpWay: plain HTTP requests to the daemon's socket, one connection each."""

from __future__ import annotations

import http.client
import json
import socket
from typing import Any, Callable, Dict, List, Optional, Sequence
from urllib.parse import quote

from ways import COMMAND_SECONDS, PATIENCE, Done, Problem, Settings, Taken, Way, changed_files, forked, given, proven


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=PATIENCE)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self._path)


class HttpWay(Way):
    """Plain HTTP requests, one connection each."""

    name = "http"

    def __init__(self, socket_path: str, start: Callable[[], Any]) -> None:
        self._socket = socket_path
        self._start = start  # HTTP itself cannot start a daemon

    def _ask(self, method: str, path: str, body: Optional[Dict[str, Any]] = None, raw: Optional[bytes] = None) -> bytes:
        connection = UnixConnection(self._socket)
        try:
            for attempt in (1, 2):
                try:
                    connection.connect()
                    break
                except OSError:
                    if attempt == 2:
                        raise
                    self._start()
            sent = raw if raw is not None else json.dumps(body).encode() if body is not None else None
            kind = "application/octet-stream" if raw is not None else "application/json"
            connection.request(method, path, sent, {"Content-Type": kind})
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise Problem("connection", f"{method} {path}: {error!r}") from error
        finally:
            connection.close()
        if answer.status >= 400:
            problem = json.loads(content)
            raise Problem(problem["code"], problem["detail"], problem.get("details"))
        return content

    def _post(self, session: str, branch: str, verb: str, body: Dict[str, Any]) -> Dict[str, Any]:
        answer: Dict[str, Any] = json.loads(self._ask("POST", f"/v1/sessions/{session}/branches/{branch}/{verb}", body))
        return answer

    def create(self, settings: Settings) -> str:
        return str(json.loads(self._ask("POST", "/v1/sessions", {"root": "/", **given(settings)}))["id"])

    def exec(self, session: str, branch: str, command: str) -> Done:
        answer = self._post(session, branch, "exec", {"command": command, "timeout_ms": 1000 * COMMAND_SECONDS})
        return Done(answer["output"], answer["exit_code"], answer["timed_out"])

    def run(self, session: str, branch: str, argv: Sequence[str]) -> Done:
        answer = self._post(session, branch, "run", {"argv": list(argv)})
        return Done(answer["stdout"], answer["exit_code"], answer["timed_out"])

    def _file(self, session: str, branch: str, path: str) -> str:
        return f"/v1/sessions/{session}/branches/{branch}/files?path={quote(path, safe='')}"

    def write(self, session: str, branch: str, path: str, content: bytes) -> None:
        self._ask("PUT", self._file(session, branch, path), raw=content)

    def read(self, session: str, branch: str, path: str) -> bytes:
        return self._ask("GET", self._file(session, branch, path))

    def keys(self, session: str, branch: str, text: str) -> None:
        self._post(session, branch, "keys", {"keys": text + "\r"})

    def paste(self, session: str, branch: str, text: str) -> None:
        self._post(session, branch, "keys", {"input": [{"paste": text}]})

    def mouse(self, session: str, branch: str, row: int, col: int) -> None:
        self._post(session, branch, "keys", {"input": [{"mouse": {"action": "click", "row": row, "col": col}}]})

    def resize(self, session: str, branch: str, rows: int, cols: int) -> None:
        self._post(session, branch, "resize", {"rows": rows, "cols": cols})

    def snapshot(self, session: str, branch: str, materialization: str) -> Taken:
        body = {"materialization": materialization} if materialization else {}
        answer = self._post(session, branch, "snapshot", body)
        return Taken(answer["node"], answer["kind"], bool(answer.get("unchanged")), str(answer.get("why")))

    def restore(self, session: str, branch: str, node: str, accept: bool) -> int:
        answer = self._post(session, branch, "restore",
                            {"node": node, "on_divergence": "accept" if accept else "fail"})
        return len(proven(answer)["accepted"])

    def fork(self, session: str, branch: str, node: str) -> str:
        return forked(self._post(session, branch, "fork", {"node": node}))

    def end(self, session: str, branch: str) -> None:
        self._ask("DELETE", f"/v1/sessions/{session}/branches/{branch}")

    def diff(self, session: str, branch: str, node: str) -> List[str]:
        answer = self._ask("GET", f"/v1/sessions/{session}/diff?from={node}&branch={branch}")
        return changed_files(proven(json.loads(answer))["differences"])

    def cleanup(self, session: str, branch: str, node: str) -> None:
        self._ask("POST", f"/v1/sessions/{session}/cleanup", {"node": node, "branch": branch})

    def destroy(self, session: str) -> None:
        self._ask("DELETE", f"/v1/sessions/{session}")
