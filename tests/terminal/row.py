"""Row: one program with its keys, as plain data. The tables are in the files *_rows.py.

A row is played in a session and in tmux. `steps` come first, then a snapshot of the session; `then`
is played in the live session, after a restore, and in a fork. The screens are compared after each
step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Optional, Sequence, Tuple, Union

Size = Tuple[int, int]  # rows, columns
Keys = Union[str, Sequence[str]]

SMALL: Size = (24, 80)
WIDE: Size = (40, 120)
NARROW: Size = (16, 50)


@dataclass(frozen=True)
class Mouse:
    """One mouse event. Rows and columns count from 0."""

    action: str  # click press release move wheel_up wheel_down
    row: int
    col: int
    button: str = "left"  # left, middle, right; for a move the button that is held, or none
    shift: bool = False
    alt: bool = False
    control: bool = False


@dataclass(frozen=True)
class Step:
    """Input (keys, mouse or a paste) and the screen after the program has processed it."""

    keys: Sequence[str] = ()  # tmux's names of keys; all other words are text
    until: str = ""  # regular expression; ^ and $ match at every line
    title: str = ""  # the terminal's title, for programs without such a text
    resize: Optional[Size] = None  # done before the keys
    mouse: Sequence[Mouse] = ()
    paste: str = ""

    @property
    def is_input(self) -> bool:
        return bool(self.keys or self.mouse or self.paste)


@dataclass(frozen=True)
class Difference:
    """A deviation of tmux from a standard. The session must show `rows` instead."""

    step: int  # number of the step in the row
    standard: str
    rows: Sequence[str]  # the first rows; the rows below are empty
    cursor: Tuple[int, int]


@dataclass(frozen=True)
class Row:
    name: str
    start: str  # command line, typed at the prompt after `clear`
    steps: Sequence[Step]
    then: Sequence[Step] = ()
    sizes: Sequence[Size] = (SMALL,)  # the quick test uses only the first one
    files: Dict[str, Union[str, bytes]] = field(default_factory=dict)  # in the row's directory
    prepare: str = ""  # shell commands, run in that directory first
    colours: bool = True  # compare colours and other attributes
    snapshots: bool = True  # if False, play only live, for the reason in `why`
    why: str = ""
    in_tmux: bool = True  # false: in the session alone, and `differences` are the screens that are expected
    differences: Sequence[Difference] = ()


def step(keys: Keys = (), until: str = "", title: str = "") -> Step:
    """Keys as words separated by blanks, or as a list if a word contains a blank."""
    return Step(keys.split() if isinstance(keys, str) else tuple(keys), until, title)


def resize(rows: int, cols: int, until: str = "") -> Step:
    return Step((), until, "", (rows, cols))


def mouse(*events: Mouse, until: str = "") -> Step:
    return Step(until=until, mouse=events)


def click(row: int, col: int, until: str = "", button: str = "left") -> Step:
    return mouse(Mouse("click", row, col, button), until=until)


def wheel(action: str, row: int, col: int, until: str = "") -> Step:
    """`action`: wheel_up or wheel_down."""
    return mouse(Mouse(action, row, col), until=until)


def drag(begin: Tuple[int, int], end: Tuple[int, int], until: str = "", button: str = "left") -> Step:
    """Rows and columns of the press and the release."""
    return mouse(Mouse("press", *begin, button), Mouse("move", *end, button), Mouse("release", *end, button),
                 until=until)


def paste(text: str, until: str = "") -> Step:
    return Step(until=until, paste=text)
