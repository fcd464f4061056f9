"""Checks that branches are changed only through the gate, src/shell/change_gate.h.

The classes that change a branch take a ChangePermit, which the compiler enforces. This check covers
the rest: code that serves live branches must not make the underlying system calls elsewhere.
"""

import re
from collections.abc import Iterator

from checks import Files, line_of

# Code that serves live branches. A branch's init is part of the branch.
SERVING = re.compile(r"src/(?:shell/(?!init/)|agent/|waypoint/|backends/(?:waypoint/|live_)).*\.(?:cc|h)$")
# The classes with functions that take a permit (change_gate_test.cc lists all of them).
MEANS = {
    "src/shell/branch_files.cc",
    "src/shell/permitted_calls.h",
    "src/shell/shell_channel.cc",
    "src/shell/side_exec.cc",
    "src/shell/terminal_input.cc",
}
# Typed input, terminals, signals, and files below a branch's root. os::write_all() is not listed:
# it serves descriptors of every kind, such as the keeper's ready pipe and files of the store.
CHANGES = re.compile(
    r"\bos::(?:signal_process|signal_group|set_terminal_settings|set_window_size|discard_typed|take_typed|put_typed)\("
    r"|\bos::write_all\((?:master|\w+(?:\.|->)?master|terminal)"
    r"|(?<![\w:])::(?:write|pwrite|writev|ioctl)\((?:master|\w+(?:\.|->)?master)"
    r"|\bTIOC(?:STI|SWINSZ|SETD)\b"
    r'|#include "os/in_root\.h"'
    # Signals, limits and priorities of other processes.
    r"|(?<![\w:])::(?:kill|killpg|tgkill|prlimit(?:64)?|setpriority|sched_set\w+)\("
    r"|\bSYS_(?:kill|tkill|tgkill|pidfd_send_signal|prlimit64|setpriority|ioprio_set|sched_set\w+)\b"
    r"|\b(?:pidfd_send_signal|ioprio_set)\(|(?:\.|->)signal\((?!\))"
    # Control groups: their limits, their state, their members.
    r"|\bos::Cgroup::create\("
    r"|\bos::(?:write_file|open_file)\([^;]*\b(?:cgroup|memory|pids|cpu|io)\.(?:procs|threads|freeze|kill|max|high|weight)\b"
    # Files below a branch's root.
    r'|"/proc/"[^;"]*"/root\b')
# Calls that look like a change and are none, with the reason.
ALLOWED = {
    ("src/backends/live_backend.cc", 'return "/proc/" + std::to_string(pids.init) + "/root"'): "for read_branch_file()",
    ("src/backends/live_diff.cc", '"/proc/" + std::to_string(found.init) + "/root"'): "compares files, writes none",
    ("src/shell/shell_host.cc", 'seen_root_ = "/proc/" + std::to_string(init) + "/root"'):
        "for write_branch_file(), which takes a permit",
    ("src/waypoint/keeper/keeper.cc", "os::Cgroup::create(layout_, options_.id, config.limits)"):
        "at start and restore, before the branch is served",
    ("src/waypoint/keeper/keeper_resources.cc", "os::Cgroup::create(layout, engine_group(id), {})"): "empty groups",
    ("src/waypoint/keeper/keeper_resources.cc", "os::Cgroup::create(layout, id, {})"): "empty groups",
    ("src/waypoint/keeper/live_branch.cc", '"/proc/" + std::to_string(init_.pid()) + "/root"'):
        "for ShellHost, which writes there with a permit",
    ("src/waypoint/keeper/live_branch.h", "init_.signal(SIGKILL)"): "the end of the branch",
    ("src/waypoint/writable_file_layers.cc", '"/proc/" + std::to_string(record.keeper_process.pid) + "/root"'):
        "a keeper's, not its branch's",
}
# A permit with a name outlives its call: the next capture may be made while it is there.
KEPT = re.compile(
    r"\bChangePermit\s*&{0,2}\s*\b(?!operator)\w+\s*(?:[={;]|\([^)])"
    r"|\bauto\s*&{0,2}\s*\w+\s*[=({]\s*(?:\w+(?:\(\))?(?:\.|->))*gate_?(?:\(\))?(?:\.|->)open\(\)")


def is_allowed(path: str, text: str, change: re.Match) -> bool:
    for where, call in ALLOWED:
        if where == path:
            begin = text.find(call)
            if begin >= 0 and begin < change.end() and change.start() < begin + len(call):
                return True
    return False


def branches_are_changed_with_a_permit(files: Files) -> Iterator[str]:
    for path, text in files.items():
        if not SERVING.match(path) or path in MEANS or path.endswith("_test.cc"):
            continue
        for match in CHANGES.finditer(text):
            if is_allowed(path, text, match):
                continue
            yield (f"{path}:{line_of(text, match.start())}: {match.group().rstrip('(')} can change a branch; "
                   "use src/shell/permitted_calls.h with a ChangePermit")


def allowed_calls_are_there(files: Files) -> Iterator[str]:
    for path, call in ALLOWED:
        if path in files and call not in files[path]:
            yield f"{path}:1: {call} is allowed in tests/style/permits.py, and not there any more"


def permits_are_not_kept(files: Files) -> Iterator[str]:
    for path, text in files.items():
        if not path.startswith(("src/", "tests/", "examples/", "fuzz/")) or not path.endswith((".cc", ".h")):
            continue
        for match in KEPT.finditer(text):
            yield (f"{path}:{line_of(text, match.start())}: a permit is kept in {match.group().split('=')[0].strip()}; "
                   "pass gate.open() itself to the one call that it is for")


CHECKS = [branches_are_changed_with_a_permit, allowed_calls_are_there, permits_are_not_kept]
