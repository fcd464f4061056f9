#!/usr/bin/env python3
"""Runs all style checks on the working tree: files tracked by git, and new files that are not
ignored.

Usage: run.py [test_sources.txt]

The argument is the build's list of test sources; without it (before the first build) that check is
skipped.
"""

import subprocess
import sys
from pathlib import Path

import checks
import permits
import rooms

ROOT = Path(__file__).resolve().parents[2]


def read_files() -> checks.Files:
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout
    files = {}
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            files[name] = path.read_text(errors="replace")
    return files


def main(arguments: list[str]) -> int:
    files = read_files()
    complaints = [complaint for check in checks.CHECKS + rooms.CHECKS + permits.CHECKS for complaint in check(files)]
    if arguments:
        built = (Path(line) for line in Path(arguments[0]).read_text().split())
        built = [str(path.relative_to(ROOT)) for path in built if path.is_relative_to(ROOT)]
        complaints += checks.every_test_is_built(files, built)
    print("\n".join(complaints) or f"{len(files)} files, no complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
