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
    r'|#include "os/in_root\.h"')


def branches_are_changed_with_a_permit(files: Files) -> Iterator[str]:
    for path, text in files.items():
        if not SERVING.match(path) or path in MEANS or path.endswith("_test.cc"):
            continue
        for match in CHANGES.finditer(text):
            yield (f"{path}:{line_of(text, match.start())}: {match.group().rstrip('(')} can change a branch; "
                   "use src/shell/permitted_calls.h with a ChangePermit")


CHECKS = [branches_are_changed_with_a_permit]
