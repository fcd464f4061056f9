"""Branches are changed through the gate alone: src/shell/change_gate.h.

The classes that change a branch take a ChangePermit; the compiler sees to that. This check sees to what the compiler
cannot: that the code which serves live branches makes the system calls behind them nowhere else.
"""

import re
from collections.abc import Iterator

from checks import Files, line_of

# Where live branches are served. The init of a branch is part of the branch.
SERVING = re.compile(r"src/(?:shell/(?!init/)|agent/|waypoint/|backends/(?:waypoint/|live_)).*\.(?:cc|h)$")
# The means, whose functions take a permit (change_gate_test.cc has them all).
MEANS = {
    "src/shell/branch_files.cc",
    "src/shell/permitted_calls.h",
    "src/shell/shell_channel.cc",
    "src/shell/side_exec.cc",
    "src/shell/terminal_input.cc",
}
# Typed input, terminals, signals, and files below a branch's root. os::write_all() is for descriptors of every kind:
# the keeper tells with it that it is ready, and files of the store are written with it, too.
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
