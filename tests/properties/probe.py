"""Probe: the command that prints the state of a branch, and the comparison with the model. Pure.

The probe leaves the branch unchanged, except the history and state that every command changes.
"""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

from model import WORK, Entry, State

# There is no command-line program for POSIX message queues, so Python calls the C library.
QUEUE_PROGRAM = ("import ctypes, sys; c = ctypes.CDLL(None, use_errno=True); "
                 "c.mq_open.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p]; ")

# How to query a server, by kind. The reply is one line: the counter.
ASK = {
    "fifo": "timeout 30 bash -c 'echo {verb} >{path}.ask && read -r n <{path}.answer && echo $n'",
    "tcp": "timeout 30 bash -c 'exec 9<>/dev/tcp/127.0.0.1/{port} && echo {verb} >&9 && read -r n <&9 && echo $n'",
    "unix": ("timeout 30 python3 -c \"import socket; s = socket.socket(socket.AF_UNIX); s.connect('{path}.sock'); "
             "s.sendall(b'{verb}\\n'); print(s.makefile().readline().strip())\""),
}

ATTRIBUTES = {
    "affinity": "taskset -pc $$ | sed 's/.*: //'",
    "ionice": "ionice -p $$",
    "coredump": "cat /proc/$$/coredump_filter",
    "slack": "cat /proc/self/timerslack_ns",  # a child inherits it
    "nice": "nice",
}


def ask(name: str, kind: str, verb: str) -> str:
    # The shell may be in a removed directory, which makes every new shell print an error.
    return "(cd / && " + ASK[kind].format(verb=verb, path=f"{WORK}/{name}", port=7000 + int(name[1:])) + ")"


BEGINNING = f"find {WORK} -mindepth 1"  # first command of every probe


def probe_command(state: State, draw: bool) -> str:
    """Prints one line for each part of `state`. `draw`: also prints RANDOM, which changes the
    shell."""
    lines = [f"{BEGINNING} -printf 'file %P|%y|%m|%l\\n'",
             f"find {WORK} -type f -exec md5sum {{}} + | sed 's/^/md5 /'",
             "echo cwd $(pwd)", "echo umask $(umask)", "echo window $(stty size)",
             "echo jobs $(jobs -pr | wc -l)"]
    lines += [f"echo var {name} ${{{name}-unset}}" for name in sorted(state.variables)]
    lines += [f"echo function {name} $(type -t {name})" for name in sorted(state.functions)]
    lines += [f"echo attribute {name} $({ATTRIBUTES[name]})" for name in sorted(state.attributes)]
    lines += [f"echo server {name} $( {ask(name, kind, 'get')} )" for name, (kind, _) in sorted(state.servers.items())]
    if state.queues:
        words = " ".join(sorted(state.queues))
        lines.append("python3 -c " + shlex.quote(
            QUEUE_PROGRAM + "[print('queue', q, int(c.mq_open(q.encode(), 0, 0, None) >= 0)) for q in sys.argv[1:]]")
            + f" {words}")
    if draw and state.seed is not None:
        lines.append("echo drawn $RANDOM")
    return "\n".join(lines)


@dataclass
class Seen:
    """The output of a probe."""

    files: Dict[str, Tuple[str, int, str]] = field(default_factory=dict)  # kind, mode, digest or link
    words: Dict[str, str] = field(default_factory=dict)  # "var x" -> "5"


def parse(output: str) -> Seen:
    seen = Seen()
    digests: Dict[str, str] = {}
    for line in output.replace("\r", "").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "file":
            name, what, mode, link = rest.split("|", 3)
            seen.files[name] = (what, int(mode, 8), link)
        elif kind == "md5":
            digest, _, name = rest.partition("  ")
            digests[name[len(WORK) + 1:]] = digest
        elif kind in ("cwd", "umask", "window", "jobs", "drawn"):
            seen.words[kind] = rest
        elif kind in ("var", "function", "attribute", "server", "queue"):
            name, _, value = rest.partition(" ")
            seen.words[f"{kind} {name}"] = value
        else:
            seen.words[f"unexpected line {line!r}"] = "printed"
    for name, (what, mode, link) in seen.files.items():
        if what == "f":
            seen.files[name] = (what, mode, digests.get(name, "vanished"))
    return seen


def digest(content: bytes) -> str:
    return hashlib.md5(content).hexdigest()


def shape(entry: Entry) -> Tuple[str, int, str]:
    """An entry in the format of the probe's output."""
    if entry.kind == "f":
        return entry.kind, entry.mode, digest(entry.content)
    return entry.kind, entry.mode, entry.content.decode()


def differences(state: State, seen: Seen, drawn: Optional[str] = None) -> List[str]:
    """Differences, one line each: probe, expected, actual."""
    found: List[str] = []

    def compare(what: str, expected: object, actual: object) -> None:
        if expected != actual:
            found.append(f"{what}: expected {expected!r}, actual {actual!r}")

    _compare_files(state, seen, found)
    words = dict(seen.words)
    compare("cwd", state.cwd, words.pop("cwd", None))
    compare("umask", f"{state.umask:04o}", words.pop("umask", None))
    window = words.pop("window", None)
    if state.window is not None:
        compare("window size", "%d %d" % state.window, window)
    jobs = int(words.pop("jobs", "-1"))
    if not len(state.servers) <= jobs <= len(state.servers) + state.timers:
        found.append(f"running jobs: expected {len(state.servers)} to {len(state.servers) + state.timers}, "
                     f"actual {jobs}")
    for name, value in state.variables.items():
        compare(f"variable {name}", value, words.pop(f"var {name}", None))
    for name in state.functions:
        compare(f"function {name}", "function", words.pop(f"function {name}", None))
    for name, value in state.attributes.items():
        compare(f"{name} of the shell", value, words.pop(f"attribute {name}", None))
    for name, (kind, count) in state.servers.items():
        compare(f"counter of the {kind} server {name}", str(count), words.pop(f"server {name}", None))
    for name in state.queues:
        compare(f"message queue {name}", "1", words.pop(f"queue {name}", None))
    if "drawn" in words:
        compare(f"RANDOM after RANDOM={state.seed}", drawn, words.pop("drawn"))
    found += [f"{what}: {value}" for what, value in words.items()]
    return found


def _compare_files(state: State, seen: Seen, found: List[str]) -> None:
    actual = dict(seen.files)
    for name, entry in state.files.items():
        expected = shape(entry)
        got = actual.pop(name, None)
        if got != expected:
            found.append(f"file {name}: expected {expected}, actual {got or 'absent'}")
    for name, content in [*state.coming.items(), *state.open.items()]:
        got = actual.pop(name, None)
        if got is not None and got[2] not in (digest(b""), digest(content)):
            found.append(f"file {name}, which a process is about to write: expected absent, empty or "
                         f"{digest(content)}, actual {got}")
    for name, entry in state.maybe.items():
        got = actual.pop(name, None)
        if got not in (None, shape(entry)):
            found.append(f"file {name}, whose write overlapped the snapshot: expected absent or {shape(entry)}, "
                         f"actual {got}")
    found += [f"file {name}: expected absent, actual {got}" for name, got in actual.items()]


def decide(state: State, seen: Seen) -> None:
    """Fixes the uncertain files of a node to what its first probe has shown."""
    for name, entry in state.maybe.items():
        if name in seen.files:
            state.files[name] = entry
    state.maybe.clear()
