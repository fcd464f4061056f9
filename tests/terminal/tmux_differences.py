"""Deviations of tmux 3.3 from the standards: the screen that a session must show instead, and the
standard.

ECMA-48 is the fifth edition, which has no LNM. "ctlseqs" is "XTerm Control Sequences", which comes
with xterm; its names of control functions are used. Where it leaves details open, "xterm" is the
behaviour of xterm 410's source code. DEC STD 070, the VT100 User Guide and the VT510 manual
(EK-VT510-RM) are cited where they are more precise. The size is 24x80 unless a row has another one.
"""

from __future__ import annotations

from typing import Dict, List

from row import Difference

WIDE_HALVES = ("xterm: if one of the two cells of a wide character is written, erased or removed, the character is gone, and "
               "its other cell is blank")
LINES = [f"line {number:02d}" for number in range(10)]
LETTERS = [chr(65 + number) * 20 for number in range(10)]
EDGE = " " * 79
WRAP_PENDING = ("xterm: a cursor that waits for the next line (DECAWM) is in the last column; BS goes one to the left, LF one "
                "down. For tmux it is one column further right")
SAVED_CURSOR = "xterm: each screen has a saved cursor of its own (DECSC), which a switch of screens leaves alone"
FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
RESTORED = "The original screen should be restored except for this line."
TITE_INHIBIT = "unless titeInhibit resource is set, or alternate-screen is disabled."
TABS = "        *" + "       *" * 8 + "      *"
TABS_WRAPPED = "*" + "       *" * 9
RULER = "".join(f"----+----{number}" for number in range(1, 9))


def per_step(standard: str, *shown: Difference) -> List[Difference]:
    return [Difference(one.step, standard, one.rows, one.cursor) for one in shown]


def shows(step: int, rows: List[str], row: int, col: int) -> Difference:
    return Difference(step, "", rows, (row, col))


def boxed(title: str) -> Difference:
    """The drawing of vttest's pages about cursor movement."""
    edge, side = " " * 19 + "*" * 40, " " * 19 + "*" + " " * 38 + "*"
    return shows(3, [*[""] * 5, edge, *[side] * 11, edge, "", RULER, title,
                     "There should be a box-outline made of *'s in the middle of the screen.", "Push <RETURN>"], 22, 13)


DIFFERENCES: Dict[str, List[Difference]] = {
    "seq-moves": per_step(
        "ECMA-48 HPR and VPR move the cursor; tmux ignores both",
        shows(1, ["", "", "          b", "", "         a", "           e    d", "g     k l                    h",
                  "f        m", "", "", "", "                   j          i"], 7, 10)),
    "seq-wrap-pending": per_step(
        WRAP_PENDING,
        shows(1, [EDGE + "a", "b", "", "", "d" + EDGE[1:] + "c", "", EDGE[1:] + "fe", "", EDGE + "g", EDGE + "h"],
              9, 79)),
    "seq-wrap-pending-erase": per_step(
        "ctlseqs EL, xterm: erases from the cursor on, which is in the last column, to the end of the line",
        shows(0, [], 2, 79), shows(1, ["", "", "b"], 2, 1)),
    "seq-insert-delete-outside": per_step(
        "DEC STD 070 IL, DL: ignored if the active position is outside the scroll area",
        shows(1, [LETTERS[0], "x" + LETTERS[1][1:], *LETTERS[2:9], "y" + LETTERS[9][1:]], 9, 1)),
    "seq-insert-mode-wrap": per_step(
        "ctlseqs IRM, xterm: wraps first, then moves what is right of the cursor",
        shows(0, ["x" * 79 + "a", "bc" + "x" * 30], 1, 2), shows(1, ["x" * 79 + "a", "bcd" + "x" * 30], 1, 3)),
    "seq-tabs-back": per_step(
        "ECMA-48 CHT: moves to a following tab stop; tmux ignores it",
        shows(1, ["d               c               b      a", "                e       f"], 1, 25)),
    "seq-british": per_step(
        "ctlseqs ESC ( A: designates the set of the United Kingdom; tmux knows ASCII and line drawing only",
        shows(0, ["£#"], 0, 2), shows(1, ["£##"], 0, 3)),
    "seq-wide": per_step(WIDE_HALVES,
                         shows(0, ["ab本語", " x本語", "日y 語"], 2, 3), shows(1, ["ab本語", " x本語", "日y日"], 2, 5)),
    "seq-wide-delete": per_step(WIDE_HALVES, shows(0, [" 本語日本語", "日x本語", "日  語"], 2, 3),
                                shows(1, [" 本語日本語", "日x本語", "日 y語"], 2, 4)),
    "seq-wide-erase": per_step(WIDE_HALVES, shows(0, ["", "    語", "end"], 2, 3), shows(1, ["", "    語", "endx"], 2, 4)),
    "seq-emoji-joined": per_step(
        "xterm, and wcwidth(): each code point has a width of its own, and ZWJ has none; tmux joins them in two columns",
        shows(0, [FAMILY + "x"], 0, 7), shows(1, [FAMILY + "xv"], 0, 8)),
    "seq-repeat-wide": per_step(
        "ECMA-48 REP: repeats the preceding character if it is a graphic one, whatever its width",
        shows(0, ["日日日日"], 0, 8), shows(1, ["日日日日x"], 0, 9)),
    "seq-soft-reset": per_step(
        "VT510 manual DECSTR: resets DECOM and IRM, too, and the margins",
        shows(0, ["Xine 00", *LINES[1:]], 0, 1), shows(1, [*LINES[1:], *[""] * 14, "Z"], 23, 1)),
    "seq-newline-mode": per_step(
        "VT510 manual LNM: with it, LF moves to the first column of the next line",
        shows(0, ["abc", "def"], 1, 3), shows(1, ["abc", "def", "ghi", "   jkl"], 3, 6)),
    "seq-invalid-utf8": per_step(
        "Unicode 3.9, U+FFFD Substitution of Maximal Subparts: ill-formed bytes are shown as U+FFFD; tmux drops them",
        shows(0, ["a\ufffdb\ufffd(c\ufffdd\ufffde"], 0, 10), shows(1, ["a\ufffdb\ufffd(c\ufffdd\ufffdef"], 0, 11)),
    "seq-left-right-margins": per_step(
        "ctlseqs DECSLRM, xterm: only what is between the margins scrolls; tmux ignores it",
        shows(1, [LINES[0], *LINES[2:5], "linex", *LINES[5:]], 4, 5)),
    "seq-columns": per_step(
        "ctlseqs DECIC and DECDC: insert and delete columns; tmux ignores both",
        shows(0, [letters[1:] for letters in LETTERS], 2, 4),
        shows(1, [*[letters[1:] for letters in LETTERS[:2]], "CCCCx" + LETTERS[2][:14],
                  *[letters[1:] for letters in LETTERS[3:]]], 2, 5)),
    "seq-selective-erase": per_step(
        "ctlseqs DECSCA and DECSEL: erases what is not protected; tmux ignores it",
        shows(0, ["kept"], 0, 9), shows(1, ["kept     x"], 0, 10)),
    "seq-columns-132": per_step(
        "ctlseqs mode 40 (allow 80 to 132 mode), xterm: DECCOLM has no effect without it; tmux erases the screen",
        shows(0, ["abcdef"], 0, 6), shows(1, ["abcdefghi"], 0, 9)),
    "answers": per_step(
        "ctlseqs CSI 18 t: answered by CSI 8 ; height ; width t; tmux has the width first",
        *[shows(number, [r"status $'\E[0n'", "position", "", "", "", "", " " * 19 + r"$'\E[7;20R'",
                         r"attributes $'\E[?c'", r"version $'\E[>c'", r"size $'\E[8;24;80t'", f"asked {number + 1}"],
                11, 0) for number in range(2)]),
    **{name: per_step(
        "VT100 User Guide DECOM: setting it moves the cursor to the new home position, which is in the margins",
        shows(11, [*[""] * 22, "This line should be the one above the bottom of the screen. Push <RETURN>",
                   "Origin mode test. This line should be at the bottom of the screen."], 22, 73))
       for name in ("vttest-screen", "vttest-screen-132")},
    "vttest-cursor": per_step(
        WRAP_PENDING,
        shows(4, ["Test of autowrap, mixing control and print characters.",
                  "The left/right margins should have letters in order:",
                  *[letter + " " * 130 + letter.lower() for letter in "IJKLMNOPQRSTUVWXYZ"], "", "Push <RETURN>"], 21, 13)),
    "vttest-iso-cursor-4": per_step(
        "ECMA-48 CHT: moves to a following tab stop; tmux ignores it",
        shows(3, ["CHT with param == 1:", TABS, TABS_WRAPPED, "CHT with param != 1:", TABS.replace("*", "+"), "",
                  "Normal tabs:", TABS, TABS_WRAPPED, *[""] * 10, RULER, "Test Cursor-Horizontal-Index (CHT)",
                  "The lines with *'s above should look the same (they wrap once)", "Push <RETURN>"], 22, 13)),
    "vttest-iso-cursor-5": per_step("ECMA-48 HPR: moves the cursor; tmux ignores it",
                                    boxed("Test Horizontal-Position-Relative (HPR)")),
    "vttest-iso-cursor-9": per_step("ECMA-48 VPR: moves the cursor; tmux ignores it",
                                    boxed("Test Vertical-Position-Relative (VPR)")),
    "vttest-alternate-47": per_step(
        SAVED_CURSOR,
        shows(6, ["Switch to/from alternate screen (xterm)", "", "Test private setmode 47 (to/from alternate screen)",
                  RESTORED, "", "", "cursor save/restore ok", *[""] * 14, "Push <RETURN>"], 21, 13)),
    "vttest-alternate-1047": per_step(
        SAVED_CURSOR,
        shows(6, ["Improved alternate screen (XFree86 xterm mode 1047)", "",
                  "Test private setmode 1047 (to/from alternate screen)", RESTORED, TITE_INHIBIT, *[""] * 3,
                  "cursor save/restore ok", *[""] * 12, "Push <RETURN>"], 21, 13)),
    "vttest-alternate-1049": per_step(
        SAVED_CURSOR,
        shows(6, ["Better alternate screen (XFree86 xterm mode 1049)", "",
                  "Test private setmode 1049 (to/from alternate screen)", RESTORED, TITE_INHIBIT, *[""] * 16,
                  "Push <RETURN>", "cursor save/restore ok"], 21, 13)),
}
