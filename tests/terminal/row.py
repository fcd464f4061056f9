"""Row: one program with its keys, as plain data. The tables are in the files *_rows.py.

A row is played in a session and in tmux. `steps` come first, then the session is snapshotted; `then` is played in the
session that goes on, again after a restore, and again in a fork. After each step the screens are compared.
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
    """What a hand does with a mouse. Rows and columns count from 0."""

    action: str  # click press release move wheel_up wheel_down
    row: int
    col: int
    button: str = "left"  # left middle right; of a move the one that is held, or none
    shift: bool = False
    alt: bool = False
    control: bool = False


@dataclass(frozen=True)
class Step:
    """Keys, mouse or a paste, then what the screen shows when they have been dealt with."""

    keys: Sequence[str] = ()  # tmux's names; what is no name of a key is text
    until: str = ""  # regular expression, ^ and $ match at every line
    title: str = ""  # the terminal's title, for programs whose screen says nothing
    resize: Optional[Size] = None  # before the keys
    mouse: Sequence[Mouse] = ()
    paste: str = ""

    @property
    def is_input(self) -> bool:
        return bool(self.keys or self.mouse or self.paste)


@dataclass(frozen=True)
class Difference:
    """A difference that is tmux's, and the standard that it breaks. The session must show `rows` instead."""

    step: int  # its number in the row
    standard: str
    rows: Sequence[str]  # the first ones; those below are empty
    cursor: Tuple[int, int]


@dataclass(frozen=True)
class Row:
    name: str
    start: str  # command line, typed at the prompt behind `clear`
    steps: Sequence[Step]
    then: Sequence[Step] = ()
    sizes: Sequence[Size] = (SMALL,)  # the first one is in the short form
    files: Dict[str, Union[str, bytes]] = field(default_factory=dict)  # in the row's directory, which is HOME, too
    prepare: str = ""  # shell commands, done before in that directory
    colours: bool = True  # whether colours and other attributes are compared
    snapshots: bool = True  # false: only live, with the reason in `why`
    why: str = ""
    in_tmux: bool = True  # false: in the session alone, and `differences` are the screens that are expected
    differences: Sequence[Difference] = ()


def step(keys: Keys = (), until: str = "", title: str = "") -> Step:
    """Keys as words between blanks, or as a list if one of them has a blank in it."""
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
    """Rows and columns of the places where the button is pressed and released."""
    return mouse(Mouse("press", *begin, button), Mouse("move", *end, button), Mouse("release", *end, button),
                 until=until)


def paste(text: str, until: str = "") -> Step:
    return Step(until=until, paste=text)
