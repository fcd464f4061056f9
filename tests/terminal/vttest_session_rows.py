"""Rows of vttest that are played in the session alone: tmux lacks the feature, or says that it is
another terminal.

The standards that the rows name give the expected screens. vttest prints an answer byte by byte.
"""

from __future__ import annotations

import re
from typing import List, Sequence, Tuple

from row import Difference, Keys, Row, Step, step

MENU = "Enter choice number"
PUSH = "Push <RETURN>"
HALF = 40  # the margins: the left half and the upper half of the screen
TOP = 12
DIGITS = ("0123456789" * 4)[:HALF]
LETTERS = ("abcdefghijklmnopqrstuvwxyz" * 2)[:HALF]


def page(keys: Keys, standard: str, *lines: str, push: int = 22) -> "Page":
    """One that ends with `Push <RETURN>` in row `push`."""
    rows = [*lines, *[""] * (push - len(lines)), PUSH]
    return Page(step(keys, f"^{PUSH}"), standard, rows, (push, len(PUSH)))


class Page:
    def __init__(self, shown: Step, standard: str, rows: Sequence[str], cursor: Tuple[int, int]) -> None:
        self.step = shown
        self.standard = standard
        self.rows = rows
        self.cursor = cursor


def menu(keys: Keys = "Enter") -> Page:
    return Page(step(keys, MENU), "", [], (0, 0))


def row(name: str, choices: Sequence[str], first: Page, *others: Page) -> Row:
    """Chooses from the menus; the snapshot is taken at the first page."""
    pages = [menu([]), *[menu(f"{choice} Enter") for choice in choices], first, *others]
    expected = [Difference(number, one.standard, one.rows, one.cursor)
                for number, one in enumerate(pages) if one.standard]
    steps = [one.step for one in pages]
    marked = len(choices) + 2
    return Row(f"vttest-{name}", "vttest", steps[:marked], steps[marked:], colours=False, in_tmux=False,
               differences=expected)


def report(choice: str, title: str, standard: str, *lines: str) -> Page:
    return page(f"{choice} Enter", standard, title, "", *[f"          {line}" if line else "" for line in lines])


def in_margins(lines: Sequence[str], below: Sequence[str]) -> List[str]:
    """What is within the margins, on a screen full of dots."""
    upper = [line.ljust(HALF) + "." * HALF for line in lines]
    return [*upper, *below, *["." * 80] * (24 - TOP - len(below))]


def pushed(keys: Keys, standard: str, lines: Sequence[str], *notes: str) -> Page:
    """The margins' right lower corner is above the notes."""
    below = ["." * HALF + note.ljust(HALF, ".") for note in (*notes, PUSH)]
    return Page(step(keys, PUSH), standard, in_margins(lines, below), (TOP + len(notes), HALF + len(PUSH)))


ASCII = [" !\"#$%&'()*+,-./0123456789:;<=>?",
         "@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_",
         "`abcdefghijklmnopqrstuvwxyz{|}~"]
BRITISH = [ASCII[0].replace("#", "£"), *ASCII[1:]]
DRAWING = [ASCII[0], ASCII[1], "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"]


def character_set(title: str, glyphs: Sequence[str]) -> List[str]:
    return [f"Character set {title}", *[" " * 9 + line.ljust(38) + line for line in glyphs]]


SCROLLED = "ctlseqs DECSLRM, DECSTBM, xterm: only what is between the margins scrolls"
BETWEEN_UP = [LETTERS, *[""] * (TOP - 1)]
BETWEEN_DOWN = [*[""] * (TOP - 1), DIGITS]
FILLED = [DIGITS, *["*" * HALF] * (TOP - 2), LETTERS]
AT_TOP = '"abcd..." should be at top. '
AT_BOTTOM = '"0123..." should be at bottom. '
RULER = "".join(f"----+----{number}" for number in range(1, 9))

def keys(name: str, choice: str, *typed: Tuple[str, str]) -> Row:
    """Keys, and what vttest says that they sent."""
    steps = [step(f"{choice} Enter", "Finish with TAB"),
             *[step(key, f"^ ?{re.escape(answer)}") for key, answer in typed]]
    begin = [step(until=MENU), step("5 Enter", MENU)]
    return Row(f"vttest-{name}", "vttest", [*begin, *steps[:2]], steps[2:], colours=False, in_tmux=False)


ROWS: List[Row] = [
    # A terminal like VT100 has no alternate ROM: sets 1 and 2 are those without it.
    row("character-sets", ["3"], Page(
        step("8 Enter", PUSH), "ctlseqs ESC ( C, ESC ) C: B is ASCII, A United Kingdom, 0 line drawing",
        [" " * 9 + "Selected as G0 (with SI)".ljust(38) + "Selected as G1 (with SO)", "",
         *character_set("B (US ASCII)", ASCII), *character_set("A (British)", BRITISH),
         *character_set("0 (DEC Special graphics and line drawing)", DRAWING),
         *character_set("1 (DEC Alternate character ROM standard characters)", ASCII),
         *character_set("2 (DEC Alternate character ROM special graphics)", ASCII),
         "", f"These are the installed character sets. {PUSH}"], (23, 53))),

    row("newline-mode", ["6"],
        Page(step("2 Enter", "set. Push the RETURN key"), "VT510 manual LNM: setting it shows nothing",
             ["Test of LineFeed/NewLine mode.", "", "NewLine mode set. Push the RETURN key:"], (2, 39)),
        Page(step("Enter", "reset. Push the RETURN key"), "VT510 manual LNM: with it, Return sends CR and LF",
             ["Test of LineFeed/NewLine mode.", "", "NewLine mode set. Push the RETURN key:", " <13> <10>  -- OK", "",
              "NewLine mode reset. Push the RETURN key:"], (5, 41)),
        Page(step("Enter", PUSH), "VT510 manual LNM: without it, Return sends CR alone",
             ["Test of LineFeed/NewLine mode.", "", "NewLine mode set. Push the RETURN key:", " <13> <10>  -- OK", "",
              "NewLine mode reset. Push the RETURN key:", " <13>  -- OK", "", PUSH], (8, 13))),

    row("reports", ["6"],
        page("3 Enter", "ECMA-48 DSR 5: answered by DSR 0 (ready); DSR 6: by CPR with line and column of the cursor",
             "Test of Device Status Report 5 (report terminal status).",
             'Report is: <27> [ 0 n  -- means "TERMINAL OK"', "",
             "Test of Device Status Report 6 (report cursor position).",
             "Report is: <27> [ 5 ; 1 R  -- OK", "", "", "Report is: <27> [ 5 ; 1 R  -- OK"),
        menu(),
        page("4 Enter", "ctlseqs Primary DA: 62 is VT220, 6 selective erase, 22 ANSI colour",
             "Test of Device Attributes report (what are you)", "",
             "Report is: <27> [ ? 6 2 ; 6 ; 2 2 c  VT200 family", "    6 = selective erase", "    22 = color"),
        menu(),
        page("5 Enter", "ctlseqs Secondary DA: 41 by default, xterm's patch number, 0",
             "Testing Secondary Device Attributes (Firmware version)", "", "          <27> [ > 4 1 ; 3 7 0 ; 0 c",
             "         Pp=41 (VT420)", "         Pv=370, firmware version 37.0",
             "         Pc=0, ROM cartridge registration number ok"),
        menu(),
        report("6", "Testing Tertiary Device Attributes (unit ID)",
               "ctlseqs Tertiary DA: DECRPTUI with zeros for the site code and the serial number",
               r"<27> P ! | 0 0 0 0 0 0 0 0 <27> \  ok"),
        menu(),
        page("7 Enter", "ctlseqs DECREQTPARM: no parity, eight bits, 38400 both ways, multiplier 1, no flags",
             "", 'Test of the "Request Terminal Parameters" feature, argument 0.', "", "",
             "Report is: <27> [ 2 ; 1 ; 1 ; 1 2 8 ; 1 2 8 ; 1 ; 0 x  -- OK",
             " This means: Parity NONE, 8 bits, xmitspeed 38400, recvspeed 38400. (CLoCk MULti",
             "plier = 1, STP option flags = 0)", "", "",
             'Test of the "Request Terminal Parameters" feature, argument 1.', "", "",
             "Report is: <27> [ 3 ; 1 ; 1 ; 1 2 8 ; 1 2 8 ; 1 ; 0 x  -- OK", push=23)),

    row("status-reports", ["11", "1", "1", "1"],
        report("1", "Testing DSR: Test Keyboard Status", "ctlseqs DSR ? 26: 27 ; 1 ; 0 ; 0 (North American keyboard)",
               "<27> [ ? 2 7 ; 1 ; 0 ; 0 n  North American/ASCII", "", "keyboard ready", "LK201"),
        menu(),
        report("2", "Testing DSR: Test Operating Status", "ECMA-48 DSR 5: answered by DSR 0 (ready)",
               "<27> [ 0 n  Terminal is in good operating condition"),
        menu(),
        report("3", "Testing DSR: Test Printer Status", "VT510 manual DSR ? 15: 13 (no printer)",
               "<27> [ ? 1 3 n  No printer"),
        menu(),
        report("4", "Testing DSR: Test UDK Status", "ctlseqs DSR ? 25: 20 (user-defined keys are unlocked)",
               "<27> [ ? 2 0 n  UDKs unlocked")),

    # ctlseqs, "PC-Style Function Keys" and "VT220-Style Function Keys".
    keys("cursor-keys", "4",
         ("Up", "<27> [ A  (Up arrow key)"), ("Down", "<27> [ B  (Down arrow key)"),
         ("Right", "<27> [ C  (Right arrow key)"), ("Left", "<27> [ D  (Left arrow key)"),
         ("Tab", "<ANSI / Cursor key mode SET>"),
         ("Up", "<27> O A  (Up arrow key)"), ("Down", "<27> O B  (Down arrow key)"),
         ("Right", "<27> O C  (Right arrow key)"), ("Left", "<27> O D  (Left arrow key)")),
    keys("keypad-functions", "5",
         ("F1", "<27> O P  (PF1 key)"), ("F2", "<27> O Q  (PF2 key)"), ("F3", "<27> O R  (PF3 key)"),
         ("F4", "<27> O S  (PF4 key)"), ("Tab", "<ANSI Application mode>"),
         ("F1", "<27> O P  (PF1 key)"), ("F4", "<27> O S  (PF4 key)")),
    keys("editing-keys", "6",
         ("IC", "<27> [ 2 ~  (Insert Here key)"), ("DC", "<27> [ 3 ~  (Remove key)"),
         ("PageUp", "<27> [ 5 ~  (Prev key)"), ("PageDown", "<27> [ 6 ~  (Next key)")),
    keys("function-keys", "7",
         ("F5", "<27> [ 1 5 ~  (F5 (xterm) key)"), ("F6", "<27> [ 1 7 ~  (F6 key)"),
         ("F7", "<27> [ 1 8 ~  (F7 key)"), ("F8", "<27> [ 1 9 ~  (F8 key)"), ("F9", "<27> [ 2 0 ~  (F9 key)"),
         ("F10", "<27> [ 2 1 ~  (F10 key)"), ("F11", "<27> [ 2 3 ~  (F11 key)"),
         ("F12", "<27> [ 2 4 ~  (F12 key)")),

    # The pages are alike but for one line.
    row("protected-areas", ["11", "1", "2"],
        *[Page(step(keys, f"(?s)\\({functions}\\).*^{PUSH}"), standard,
               [*[""] * 4, *[" " * 20 + "*" * 41] * 13, "", "", "",
                f"If your terminal supports DEC protected areas ({functions}),",
                "there will be an solid box made of *'s in the middle of the screen.", PUSH][-23:], (22, 13))
          for keys, functions, standard in [
              ("4 Enter", "DECSCA, DECSED, DECSEL", "ctlseqs DECSCA, DECSED, DECSEL: erase what is not protected"),
              ("Enter", "DECSCA, ignoring EL/ED", "VT510 manual DECSCA: EL and ED erase what is protected, too"),
          ]]),

    row("margin-reports", ["11", "3", "3", "2", "3", "4"],
        page("6 Enter", "ctlseqs DECRQM: answered by the mode and 1 if it is set",
             "Testing Show DECRQM response for DECLRMM", "", "       69: DECLRMM     <27> [ ? 6 9 ; 1 $ y  set"),
        menu(),
        report("7", "Testing DECRQSS: Show DECRQSS response for DECSTBM", "ctlseqs DECRQSS: 1 and the setting",
               r"<27> P 1 $ r 1 ; 1 2 r <27> \  ok (valid request)"),
        menu(),
        report("8", "Testing DECRQSS: Show DECRQSS response for DECSLRM", "ctlseqs DECRQSS: 1 and the setting",
               r"<27> P 1 $ r 1 ; 4 0 s <27> \  ok (valid request)")),

    row("margin-box", ["11", "3", "2", "2", "3", "4", "5"],
        Page(step("9 Enter", PUSH), "VT510 manual CUU, CUD, CUF, CUB: stop at the margins",
             [*in_margins(["u" * HALF, *["l" + " " * 38 + "r"] * (TOP - 2), "d" * HALF], [])[:19],
              "Test cursor movement within margins",
              "A box of *'s was written on screen border, overwritten using margins (u/d/l/r)", PUSH], (21, 13))),

    row("margin-columns", ["11", "3", "3", "2", "3", "4"],
        *[Page(step(keys, f"(?s){name}.*^{PUSH}"), f"ctlseqs {name}: only what is between the margins moves",
               [*[(" " * left + letter).ljust(HALF) + "." * HALF for letter in LETTERS[:TOP]],
                *[("." * (12 + number if left else 26 - number) + letter).ljust(80, ".")
                  for number, letter in enumerate(LETTERS[TOP:20])],
                RULER, f"If your terminal supports {name}, letters a-l are on column {left + 1}", PUSH], (22, 13))
          for keys, name, left in [("9 Enter", "DECIC", HALF - 1), ("Enter", "DECDC", 0)]]),

    *[row(f"margin-{name}", ["11", "3", "3", "2", "3", "4"],
          pushed(f"{choice} Enter", SCROLLED, FILLED),
          pushed("Enter", SCROLLED, first, first_note),
          pushed("Enter", SCROLLED, FILLED),
          pushed("Enter", SCROLLED, then, then_note))
      for name, choice, first, first_note, then, then_note in [
          ("scrolling", "10", BETWEEN_UP, AT_TOP, BETWEEN_DOWN, AT_BOTTOM),
          ("lines", "11", BETWEEN_DOWN, AT_BOTTOM, BETWEEN_UP, AT_TOP),
      ]],
]
