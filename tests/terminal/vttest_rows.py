"""Rows of vttest, the conformance test of the DEC terminals. Its pages of 132 columns are played in
a window of that width.

Omitted: menus that depend on the terminal's type (3, 6 and most of 11.1 to 11.4), the keyboard (5),
VT52 mode (7), which neither terminal has, protected areas, which tmux does not have
(seq-selective-erase), and pages that look like the previous one, since nothing shows when they are
complete (9.4, 9.9).
"""

from __future__ import annotations

from dataclasses import replace
from typing import List

from row import SMALL, Row, Size, Step, step
from tmux_differences import DIFFERENCES

COLUMNS_132: Size = (24, 132)


def alternate(name: str, choice: str) -> Row:
    """vttest pauses between screens, so the last page is recognised by its text."""
    row = pages(name, ["11", "8", "7", choice], 1)
    return replace(row, then=[*row.then, step("Enter", "(?s)original screen should be restored.*cursor save/restore")])


def pages(name: str, choices: List[str], count: int, size: Size = SMALL) -> Row:
    """Chooses from the menus, then turns `pages` pages; the snapshot is taken at the first
    one."""
    into = [step(until="Enter choice number")] + [step([choice, "Enter"]) for choice in choices]
    return Row(f"vttest-{name}", f"vttest 24x80.{size[1]}", into, [Step(["Enter"])] * count, (size,), colours=False,
               differences=DIFFERENCES.get(f"vttest-{name}", []))


ROWS: List[Row] = [
    pages("cursor", ["1"], 6, COLUMNS_132),
    Row("vttest-screen", "vttest", [step(until="Enter choice number"), step("2 Enter")], [Step(["Enter"])] * 15,
        colours=False, differences=DIFFERENCES["vttest-screen"]),
    pages("screen-132", ["2"], 15, COLUMNS_132),
    pages("double-size", ["4"], 2),
    pages("vt102", ["8"], 14),
    pages("vt102-132", ["8"], 14, COLUMNS_132),
    pages("bug-softscroll", ["9", "1"], 12),
    pages("bug-scroll-region", ["9", "2"], 2),
    pages("bug-wide-to-narrow", ["9", "3"], 1, COLUMNS_132),
    pages("bug-double-to-single", ["9", "5"], 1, COLUMNS_132),
    pages("bug-column-mode", ["9", "6"], 2, COLUMNS_132),
    pages("bug-wrap", ["9", "7"], 1),
    pages("bug-erase-double", ["9", "8"], 6, COLUMNS_132),
    pages("soft-reset", ["10", "3"], 2),
    pages("erase-characters", ["11", "1", "2", "3"], 1),
    *[pages(f"iso-cursor-{number}", ["11", "5", str(number)], 1) for number in range(1, 10)],
    pages("colours", ["11", "6", "2"], 1),
    pages("colour-reset", ["11", "6", "3"], 1),
    pages("colour-erase", ["11", "6", "4"], 2),
    pages("colour-scroll", ["11", "6", "5"], 2),
    pages("colour-screen", ["11", "6", "8"], 6),
    pages("renditions", ["11", "6", "9"], 3),
    pages("repeat", ["11", "7", "2"], 1),
    pages("scroll-down", ["11", "7", "3"], 1),
    pages("scroll-left", ["11", "7", "4"], 1),
    pages("scroll-right", ["11", "7", "5"], 1),
    pages("scroll-up", ["11", "7", "6"], 1),
    alternate("alternate-47", "3"),
    alternate("alternate-1047", "4"),
    alternate("alternate-1049", "5"),
]
