"""McpWay: one `statefork mcp` process for all calls."""

from __future__ import annotations

import base64
from typing import Any, Dict, List, Sequence

from line_program import LineProgram
from ways import COMMAND_SECONDS, Done, Problem, Settings, Taken, Way, changed_files, forked, given, proven


class McpWay(Way):
    name = "mcp"

    def __init__(self, program: LineProgram) -> None:
        self._program = program

    def _call(self, tool: str, **arguments: Any) -> Dict[str, Any]:
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}
        answer = self._program.ask({"jsonrpc": "2.0", "method": "tools/call",
                                   "params": {"name": tool, "arguments": arguments, "_meta": meta}})
        if "error" in answer:
            raise Problem("invalid_argument", str(answer["error"]))
        result = answer["result"]
        if result.get("isError"):
            text = str(result["content"])
            if "[one could not be made: " in text:  # a fork reports failures only as text
                raise Problem("diverged" if " diverged: " in text else "os", text)
            problem = result.get("_meta", {}).get("statefork/problem", {})
            raise Problem(problem.get("code", "os"), problem.get("detail", str(result)), problem.get("details"))
        structured: Dict[str, Any] = result["structuredContent"]
        return structured

    def create(self, settings: Settings) -> str:
        return str(self._call("session_create", root="/", **given(settings))["id"])

    def exec(self, session: str, branch: str, command: str) -> Done:
        answer = self._call("exec_command", session=session, branch=branch, command=command,
                            timeout_ms=1000 * COMMAND_SECONDS)
        return Done(answer["output"], answer["exit_code"], answer["timed_out"])

    def run(self, session: str, branch: str, argv: Sequence[str]) -> Done:
        answer = self._call("run", session=session, branch=branch, argv=list(argv))
        return Done(answer["stdout"], answer["exit_code"], answer["timed_out"])

    def write(self, session: str, branch: str, path: str, content: bytes) -> None:
        self._call("write_file", session=session, branch=branch, path=path, encoding="base64",
                   content=base64.b64encode(content).decode())

    def read(self, session: str, branch: str, path: str) -> bytes:
        answer = self._call("read_file", session=session, branch=branch, path=path)
        content = answer["content"]
        return base64.b64decode(content) if answer.get("encoding") == "base64" else content.encode()

    def keys(self, session: str, branch: str, text: str) -> None:
        self._call("send_keys", session=session, branch=branch, keys=[*([text] if text else []), "Enter"])

    def paste(self, session: str, branch: str, text: str) -> None:
        self._call("send_keys", session=session, branch=branch, paste=text)

    def mouse(self, session: str, branch: str, row: int, col: int) -> None:
        self._call("mouse", session=session, branch=branch, row=row, col=col)

    def resize(self, session: str, branch: str, rows: int, cols: int) -> None:
        self._call("resize", session=session, branch=branch, rows=rows, cols=cols)

    def snapshot(self, session: str, branch: str, materialization: str) -> Taken:
        chosen = {"materialization": materialization} if materialization else {}
        answer = self._call("snapshot", session=session, branch=branch, **chosen)
        return Taken(answer["node"], answer["kind"], bool(answer.get("unchanged")), str(answer.get("why")))

    def restore(self, session: str, branch: str, node: str, accept: bool) -> int:
        answer = self._call("restore", session=session, branch=branch, node=node,
                            on_divergence="accept" if accept else "fail")
        return len(proven(answer)["accepted"])

    def fork(self, session: str, branch: str, node: str) -> str:
        return forked(self._call("fork", session=session, branch=branch, node=node))

    def end(self, session: str, branch: str) -> None:
        self._call("cleanup", session=session, remove_branch=branch)

    def diff(self, session: str, branch: str, node: str) -> List[str]:
        answer = self._call("diff", session=session, branch=branch, **{"from": node})
        return changed_files(proven(answer)["differences"])

    def cleanup(self, session: str, branch: str, node: str) -> None:
        self._call("cleanup", session=session, branch=branch, node=node)

    def destroy(self, session: str) -> None:
        self._call("session_destroy", session=session)
