"""Rows of vttest, the conformance test of the DEC terminals (24 rows, 80 columns).

Left out: pages of 132 columns, which neither terminal has, and menus that depend on what a terminal says it is.
"""

from __future__ import annotations

from typing import List

from row import Row, Step, step
from tmux_differences import DIFFERENCES


def pages(name: str, choices: List[str], count: int) -> Row:
    """Chooses from the menus, then turns that many pages; the snapshot is taken at the first one."""
    into = [step(until="Enter choice number")] + [step([choice, "Enter"]) for choice in choices]
    return Row(f"vttest-{name}", "vttest", into, [Step(["Enter"])] * count, colours=False,
               differences=DIFFERENCES.get(f"vttest-{name}", []))


ROWS: List[Row] = [
    pages("cursor", ["1"], 0),
    pages("screen", ["2"], 15),
    pages("double-size", ["4"], 2),
    pages("vt102", ["8"], 14),
]
