#!/usr/bin/env python3
"""Lists the skipped tests, and fails if one of them is not allowed to be skipped.

Usage: skips.py <junit report of ctest> <file of allowed skips>

A line of the second file is a test's name (shell wildcards allowed) and the reason why it may be skipped:
    PtyTest.KeepsWindowSize   hosts without devpts cannot open a terminal
"""

import fnmatch
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SKIPPED_CASE = re.compile(r"^\[  SKIPPED \] (\S+) \(", re.MULTILINE)


def skipped_tests(report: str) -> list[str]:
    """Names of skipped ctest entries, and of skipped cases within entries that ran."""
    names = []
    for entry in ElementTree.fromstring(report).iter("testcase"):
        if entry.get("status") == "notrun":
            names.append(entry.get("name", ""))
        names += SKIPPED_CASE.findall(entry.findtext("system-out") or "")
    return sorted(set(names))


def allowed_skips(text: str) -> dict[str, str]:
    """Pattern -> reason. A line without a reason is an error."""
    allowed = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, _, reason = line.strip().partition(" ")
            if not reason.strip():
                raise ValueError(f"allowed skip without a reason: {pattern}")
            allowed[pattern] = reason.strip()
    return allowed


def main(report: Path, allowed_file: Path) -> int:
    allowed = allowed_skips(allowed_file.read_text())
    unexpected = 0
    for name in skipped_tests(report.read_text()):
        reason = next((why for pattern, why in allowed.items() if fnmatch.fnmatchcase(name, pattern)), None)
        print(f"skipped: {name}: {reason or 'NOT in tests/allowed_skips.txt'}")
        unexpected += reason is None
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
