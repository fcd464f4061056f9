"""Where tmux 3.3 does not do what the standard says: what a session shows instead, and the standard.

ECMA-48 is its fifth edition, VT510 the VT510 Video Terminal Programmer Information, xterm its control sequences
(ctlseqs). The size is 24x80.
"""

from __future__ import annotations

from typing import Dict, List

from row import Difference

WIDE_HALVES = ("Unicode UAX #11: a wide character takes two cells. If one of them is written, erased or removed, the "
               "character is gone, and its other cell is blank, as in xterm")
LINES = [f"line {number:02d}" for number in range(10)]
LETTERS = [chr(65 + number) * 20 for number in range(10)]
EDGE = " " * 79


def per_step(standard: str, *shown: Difference) -> List[Difference]:
    return [Difference(one.step, standard, one.rows, one.cursor) for one in shown]


def shows(step: int, rows: List[str], row: int, col: int) -> Difference:
    return Difference(step, "", rows, (row, col))


DIFFERENCES: Dict[str, List[Difference]] = {
    "seq-moves": per_step(
        "ECMA-48 8.3.59 HPR and 8.3.160 VPR move the cursor; tmux ignores both",
        shows(1, ["", "", "          b", "", "         a", "           e    d", "g     k l                    h",
                  "f        m", "", "", "", "                   j          i"], 7, 10)),
    "seq-wrap-pending": per_step(
        "VT510 DECAWM: a cursor that waits in the last column is in the last column; BS goes one to the left, LF one "
        "down. For tmux it is one column further right",
        shows(1, [EDGE + "a", "b", "", "", "d" + EDGE[1:] + "c", "", EDGE[1:] + "fe", "", EDGE + "g", EDGE + "h"],
              9, 79)),
    "seq-wrap-pending-erase": per_step(
        "VT510 EL: erases from the cursor on, which is in the last column, to the end of the line",
        shows(0, [], 2, 79), shows(1, ["", "", "b"], 2, 1)),
    "seq-insert-delete-outside": per_step(
        "VT510 IL: has no effect outside the page margins",
        shows(1, [LETTERS[0], "x" + LETTERS[1][1:], *LETTERS[2:9], "y" + LETTERS[9][1:]], 9, 1)),
    "seq-insert-mode-wrap": per_step(
        "VT510 IRM: moves what is right of the cursor, also if the character was wrapped to the next line",
        shows(0, ["x" * 79 + "a", "bc" + "x" * 30], 1, 2), shows(1, ["x" * 79 + "a", "bcd" + "x" * 30], 1, 3)),
    "seq-tabs-back": per_step(
        "ECMA-48 8.3.10 CHT: moves to a following tab stop; tmux ignores it",
        shows(1, ["d               c               b      a", "                e       f"], 1, 25)),
    "seq-british": per_step(
        "VT510 SCS: ESC ( A designates the British set; tmux knows ASCII and line drawing only",
        shows(0, ["£#"], 0, 2), shows(1, ["£##"], 0, 3)),
    "seq-wide": per_step(WIDE_HALVES,
                         shows(0, ["ab本語", " x本語", "日y 語"], 2, 3), shows(1, ["ab本語", " x本語", "日y日"], 2, 5)),
    "seq-wide-delete": per_step(WIDE_HALVES, shows(0, [" 本語日本語", "日x本語", "日  語"], 2, 3),
                                shows(1, [" 本語日本語", "日x本語", "日 y語"], 2, 4)),
    "seq-wide-erase": per_step(WIDE_HALVES, shows(0, ["", "    語", "end"], 2, 3), shows(1, ["", "    語", "endx"], 2, 4)),
    "seq-repeat-wide": per_step(
        "ECMA-48 8.3.103 REP: repeats the preceding graphic character, of whatever width",
        shows(0, ["日日日日"], 0, 8), shows(1, ["日日日日x"], 0, 9)),
    "seq-soft-reset": per_step(
        "VT510 DECSTR: resets DECOM and IRM, too",
        shows(0, ["Xine 00", *LINES[1:]], 0, 1), shows(1, [*LINES[1:], *[""] * 14, "Z"], 23, 1)),
    "seq-newline-mode": per_step(
        "VT510 LNM: with it, LF moves to the first column of the next line",
        shows(0, ["abc", "def"], 1, 3), shows(1, ["abc", "def", "ghi", "   jkl"], 3, 6)),
    "seq-invalid-utf8": per_step(
        "Unicode 3.9, U+FFFD Substitution of Maximal Subparts: ill-formed bytes are shown as U+FFFD; tmux drops them",
        shows(0, ["a\ufffdb\ufffd(c\ufffdd\ufffde"], 0, 10), shows(1, ["a\ufffdb\ufffd(c\ufffdd\ufffdef"], 0, 11)),
    "seq-left-right-margins": per_step(
        "VT510 DECSLRM: only what is between the margins scrolls",
        shows(1, [LINES[0], *LINES[2:5], "linex", *LINES[5:]], 4, 5)),
    "seq-columns": per_step(
        "VT510 DECIC and DECDC: insert and delete columns; tmux ignores both",
        shows(0, [letters[1:] for letters in LETTERS], 2, 4),
        shows(1, [*[letters[1:] for letters in LETTERS[:2]], "CCCCx" + LETTERS[2][:14],
                  *[letters[1:] for letters in LETTERS[3:]]], 2, 5)),
    "seq-selective-erase": per_step(
        "VT510 DECSCA and DECSEL: erases what is not protected; tmux ignores it",
        shows(0, ["kept"], 0, 9), shows(1, ["kept     x"], 0, 10)),
    "seq-columns-132": per_step(
        "xterm: DECCOLM has no effect unless mode 40 allows it; tmux erases the screen",
        shows(0, ["abcdef"], 0, 6), shows(1, ["abcdefghi"], 0, 9)),
    "answers": per_step(
        "xterm: CSI 18 t answers CSI 8 ; rows ; columns t; tmux has columns first",
        *[shows(number, [r"status $'\E[0n'", "position", "", "", "", "", " " * 19 + r"$'\E[7;20R'",
                         r"attributes $'\E[?c'", r"version $'\E[>c'", r"size $'\E[8;24;80t'", f"asked {number + 1}"],
                11, 0) for number in range(2)]),
    "vttest-screen": per_step(
        "VT510 DECOM: setting it moves the cursor to the home position, which is in the margins",
        shows(11, [*[""] * 22, "This line should be the one above the bottom of the screen. Push <RETURN>",
                   "Origin mode test. This line should be at the bottom of the screen."], 22, 73)),
}
