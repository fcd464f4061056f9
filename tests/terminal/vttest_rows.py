"""Rows of vttest, the conformance test of the DEC terminals. Its pages of 132 columns are played in
a window of that width.

vttest_session_rows.py has the rows that cannot be compared with tmux. Omitted:

menu         reason
3.1 to 3.7   settings for the other items of menu 3
3.9 to 3.13  sets of 96 characters, national and soft sets are not supported: the terminal has
             ASCII, the United Kingdom's set and line drawing
5.1 to 5.3   lamps, repetition and layout of a keyboard
5.8, 6.1     the answer to ENQ is empty, as in xterm
7            VT52 mode is not supported
9.4, 9.9     look like the previous page: nothing shows when they are complete
10.1, 10.2   a reset in the middle of vttest: see seq-full-reset
11.1.2.1     local echo (SRM) is not supported
11.1.2.4     from its third page on: as 9.4
11.1.3       S8C1T is not supported: in UTF-8, C1 controls are not single bytes
11.1.4 to 7  printer, soft sets, user-defined keys: not supported; soft reset: see menu 10.3
11.2         reports: vttest asks only terminals that say that they are a VT320, and this one says
             VT220; pages and status line: not supported; scrolling: see menu 11.7
11.3.2       DECBI, DECFI, and tabs that stop at the right margin (item 10): not supported
11.3.3       items 12 and 13: insertion and deletion of characters, formats
11.3.4 to 8  keyboard modes, macros, rectangles, reports of a VT420: not supported
11.4         cursor movement: see menu 11.5; reports and screen of a VT520: not supported
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


def control_keys(*typed: str) -> Row:
    """Each key is typed twice: vttest marks it then."""
    steps = [step(until="Enter choice number"), step("5 Enter"), step("9 Enter"), step([typed[0]] * 2)]
    return Row("vttest-control-keys", "vttest", steps, [step([one] * 2) for one in typed[1:]], colours=False)


ROWS: List[Row] = [
    pages("cursor", ["1"], 6, COLUMNS_132),
    Row("vttest-screen", "vttest", [step(until="Enter choice number"), step("2 Enter")], [Step(["Enter"])] * 15,
        colours=False, differences=DIFFERENCES["vttest-screen"]),
    pages("screen-132", ["2"], 15, COLUMNS_132),
    pages("double-size", ["4"], 2),
    control_keys("C-a", "C-c", "C-q", "C-s", "C-z"),
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
    pages("visible-cursor", ["11", "1", "2", "2"], 1),
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
