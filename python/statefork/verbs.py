"""The verbs of sessions and branches: one plan for each. Pure; see plans.py."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import replies
from .errors import CrowdedError, NoDaemonError, NotFoundError, StateForkError, check_result
from .nodes import NodeRef, SessionInfo, Snapshot, Tree, TreeNode
from .location import CONNECT_SECONDS
from .plans import Blocking, Open, Pause, Plan, Reply, Request, Send, StartDaemon, Step
from .replies import Json
from .requests import (MAX_FILE_BYTES, Address, ask, check_size, encode, given, milliseconds, part, text_or_base64,
                       whole_seconds)
from .results import (BackendInfo, CleanupReport, Diff, Forked, GarbageReport, Health, ProgramResult, RestoreReport,
                      Screen, SessionStats, TypedKeys)

Notes = Mapping[str, Optional[str]]  # None removes a note


def reach(step: Union[Send, Open]) -> Plan[Any]:
    """Sends the request. Starts a daemon if none answers, and retries while the daemon is
    crowded."""
    starts: Iterator[Step] = iter([StartDaemon()])
    pauses = turns()
    while True:
        try:
            return (yield step)
        except (NoDaemonError, CrowdedError) as error:
            remedy = next(pauses if isinstance(error, CrowdedError) else starts, None)
            if remedy is None:
                raise
        yield remedy


def turns() -> Iterator[Step]:
    """Waits with growing pauses, for CONNECT_SECONDS in total."""
    waited = 0.0
    while waited < CONNECT_SECONDS:
        pause = min(0.2, 0.01 + waited / 10)
        waited += pause
        yield Pause(pause)


def call(request: Request) -> Plan[Json]:
    reply: Reply = yield from reach(Send(request))
    return replies.json_of(reply)


# The daemon.


def health() -> Plan[Health]:
    answer = yield from call(ask("GET", "/healthz"))
    return replies.read(Health, answer)


def backends() -> Plan[List[BackendInfo]]:
    answer = yield from call(ask("GET", "/v1/backends"))
    return [replies.read(BackendInfo, one) for one in replies.need(answer, "backends")]


def metrics() -> Plan[str]:
    reply: Reply = yield from reach(Send(ask("GET", "/metrics")))
    return replies.body_of(reply).decode()


def collect_garbage() -> Plan[GarbageReport]:
    answer = yield from call(ask("POST", "/v1/gc", {}))
    return replies.garbage_report(answer)


# Sessions.


def build_session(backend: str, root: Union[str, "os.PathLike[str]"], ttl: Optional[float], idle: Optional[float],
                  **settings: Any) -> Plan[SessionInfo]:
    body = given(backend=backend, root=os.fspath(root), ttl_s=whole_seconds(ttl), idle_s=whole_seconds(idle),
                 **settings)
    answer = yield from call(ask("POST", "/v1/sessions", body))
    return replies.session_info(answer)


def list_sessions() -> Plan[List[SessionInfo]]:
    answer = yield from call(ask("GET", "/v1/sessions"))
    return replies.session_infos(answer)


def session_info(at: Address) -> Plan[SessionInfo]:
    answer = yield from call(at.ask_session("GET"))
    return replies.session_info(answer)


def rename_session(at: Address, name: str) -> Plan[SessionInfo]:
    answer = yield from call(at.ask_session("PATCH", body={"name": name}))
    return replies.session_info(answer)


def end_session(at: Address) -> Plan[CleanupReport]:
    answer = yield from call(at.ask_session("DELETE"))
    return replies.cleanup_report(answer)


def tree(at: Address) -> Plan[Tree]:
    answer = yield from call(at.ask_session("GET", "tree"))
    return replies.tree(answer)


def stats(at: Address) -> Plan[SessionStats]:
    answer = yield from call(at.ask_session("GET", "stats"))
    return replies.session_stats(answer)


def branch_names(at: Address) -> Plan[List[str]]:
    info = yield from session_info(at)
    return [branch.id for branch in info.branches]


def get_branch(at: Address, name: str) -> Plan[str]:
    names = yield from branch_names(at)
    if name not in names:
        raise NotFoundError(f"no such branch: {name}", hint="branches: " + ", ".join(names))
    return name


def leave(end: Plan[CleanupReport], failing: bool) -> Plan[None]:
    """Ends a session or branch at the end of its `with`. Ignores that it is already gone. If the
    body of the `with` is failing, its error is raised and not this one."""
    try:
        yield from end
    except NotFoundError:
        pass
    except StateForkError:
        if not failing:
            raise


# The terminal.


def run(at: Address, argv: Union[str, Sequence[str]], env: Optional[Mapping[str, str]], cwd: Optional[str],
        user: Optional[str], stdin: Union[str, bytes, None], timeout: Optional[float], check: bool,
        max_output: Optional[int]) -> Plan[ProgramResult]:
    words = ["/bin/sh", "-c", argv] if isinstance(argv, str) else list(argv)
    body = given(argv=words, env=dict(env) if env else None, cwd=cwd, user=user, max_output=max_output,
                 timeout_ms=milliseconds(timeout), **({} if stdin is None else text_or_base64("input", stdin)))
    answer = yield from call(at.ask("POST", "run", body))
    result = replies.program_result(answer, words)
    return check_result(result) if check else result


def send_keys(at: Address, keys: Union[str, bytes]) -> Plan[TypedKeys]:
    answer = yield from call(at.ask("POST", "keys", text_or_base64("keys", keys)))
    return replies.typed_keys(answer)


def press(at: Address, names: Sequence[str]) -> Plan[TypedKeys]:
    return (yield from send_input(at, [{"key": name} for name in names]))


def paste(at: Address, text: str) -> Plan[TypedKeys]:
    return (yield from send_input(at, [{"paste": text}]))


def mouse(at: Address, action: str, row: int, col: int, button: Optional[str], control: bool, alt: bool,
          shift: bool) -> Plan[TypedKeys]:
    event = given(action=action, row=row, col=col, button=button, control=control, alt=alt, shift=shift)
    return (yield from send_input(at, [{"mouse": event}]))


def send_input(at: Address, events: Sequence[Mapping[str, Any]]) -> Plan[TypedKeys]:
    answer = yield from call(at.ask("POST", "keys", {"input": list(events)}))
    return replies.typed_keys(answer)


def screen(at: Address, scrollback: int) -> Plan[Screen]:
    answer = yield from call(at.ask("GET", "screen", query={"scrollback": str(scrollback)}))
    return replies.screen(answer)


def resize(at: Address, rows: int, cols: int) -> Plan[None]:
    yield from call(at.ask("POST", "resize", {"rows": rows, "cols": cols}))


# Nodes.


def snapshot(at: Address, name: Optional[str], notes: Optional[Mapping[str, str]],
             materialization: Optional[str]) -> Plan[Snapshot]:
    kept: Dict[str, str] = dict(notes or {})
    body = given(name=name, notes=kept or None, materialization=materialization)
    answer = yield from call(at.ask("POST", "snapshot", body))
    return replies.snapshot(answer, name or "", kept)


def restore(at: Address, node: NodeRef, on_divergence: str) -> Plan[RestoreReport]:
    answer = yield from call(at.ask("POST", "restore", {"node": str(node), "on_divergence": on_divergence}))
    return replies.restore_report(answer)


def fork(at: Address, node: NodeRef, count: Optional[int], names: Sequence[str], on_divergence: str,
         return_errors: bool) -> Plan[List[Union[Forked, StateForkError]]]:
    """Makes all branches or none, unless `return_errors`: ends the new branches before it
    raises."""
    body = {"node": str(node), "on_divergence": on_divergence, **given(count=count, names=list(names) or None)}
    answer = yield from call(at.ask("POST", "fork", body))
    made = replies.forked(answer)
    errors = [one for one in made if isinstance(one, StateForkError)]
    if return_errors or not errors:
        return made
    for one in made:
        if isinstance(one, Forked):
            yield from leave(end_branch(Address(at.session, one.name)), failing=True)
    errors[0].message = f"{len(errors)} of {len(made)} branches could not be made: {errors[0].message}"
    raise errors[0]


def branch(at: Address, node: NodeRef, name: Optional[str], on_divergence: str) -> Plan[Forked]:
    made = yield from fork(at, node, 1, [name] if name else [], on_divergence, return_errors=False)
    assert isinstance(made[0], Forked)  # errors were raised
    return made[0]


def end_branch(at: Address) -> Plan[CleanupReport]:
    answer = yield from call(at.ask("DELETE"))
    return replies.cleanup_report(answer)


def node(at: Address, ref: NodeRef) -> Plan[TreeNode]:
    answer = yield from call(at.ask_session("GET", f"nodes/{part(str(ref))}", query={"branch": at.branch}))
    return replies.tree_node(answer)


def change_node(at: Address, ref: NodeRef, name: Optional[str] = None, notes: Optional[Notes] = None) -> Plan[TreeNode]:
    body = given(name=name, notes=None if notes is None else dict(notes))
    answer = yield from call(at.ask_session("PATCH", f"nodes/{part(str(ref))}", body, query={"branch": at.branch}))
    return replies.tree_node(answer)


def cleanup(at: Address, ref: NodeRef, force: bool) -> Plan[CleanupReport]:
    body = {"node": str(ref), "branch": at.branch, "force": force}
    answer = yield from call(at.ask_session("POST", "cleanup", body))
    return replies.cleanup_report(answer)


def diff(at: Address, base: NodeRef, to: Optional[NodeRef]) -> Plan[Diff]:
    query = {"from": str(base), "branch": at.branch, **({} if to is None else {"to": str(to)})}
    answer = yield from call(at.ask_session("GET", "diff", query=query))
    return replies.diff(answer)


# Files.


def read_file(at: Address, path: str) -> Plan[bytes]:
    reply: Reply = yield from reach(Send(at.ask("GET", "files", query={"path": path})))
    return replies.body_of(reply)


def read_text(at: Address, path: str, encoding: str, errors: str) -> Plan[str]:
    data = yield from read_file(at, path)
    return data.decode(encoding, errors)


def write_file(at: Address, path: str, content: Union[str, bytes]) -> Plan[None]:
    data = encode(content)
    check_size(data, MAX_FILE_BYTES, path, "write it in parts, and join them with a command")
    place = at.ask("PUT", "files", query={"path": path})
    reply: Reply = yield from reach(Send(Request("PUT", place.path, place.query, data, "application/octet-stream")))
    replies.body_of(reply)


def upload(at: Address, local: Union[str, "os.PathLike[str]"], path: str) -> Plan[None]:
    data: bytes = yield Blocking(Path(local).read_bytes)
    yield from write_file(at, path, data)


def download(at: Address, path: str, local: Union[str, "os.PathLike[str]"]) -> Plan[None]:
    data = yield from read_file(at, path)
    yield Blocking(lambda: Path(local).write_bytes(data))
