"""Parses the output of `tmux capture-pane -e`: text, line drawing and attributes of each
character. Pure."""

from __future__ import annotations

import re
from typing import Dict, List, Tuple

Attributes = Tuple[str, ...]  # of the non-blank characters of a row

TOKEN = re.compile(r"\x1b\[([0-9;:]*)m|\x1b[\](].*?(?:\x1b\\|\x07|[B0])|(.)", re.DOTALL)
GRAPHICS = dict(zip("`abcdefghijklmnopqrstuvwxyz{|}~", "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"))
FLAGS = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 5: "blink", 7: "reverse", 8: "hidden", 9: "struck"}
OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 25: ("blink",), 27: ("reverse",), 28: ("hidden",),
       29: ("struck",)}


def colour(codes: List[int]) -> str:
    """The first 16 colours of the palette have their own sequences with the same meaning."""
    return ":".join(map(str, codes))


class Pen:
    def __init__(self) -> None:
        self._values: Dict[str, str] = {}

    def change(self, parameters: str) -> None:
        """One SGR sequence.

        >>> pen = Pen()
        >>> pen.change("1;38;5;200;44"); pen.describe()
        'bg=5:4 bold fg=5:200'
        >>> pen.change("22;39"); pen.describe()
        'bg=5:4'
        """
        codes = [int(code or 0) for code in re.split("[;:]", parameters)] if parameters else [0]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self._values.clear()
            elif code in FLAGS:
                self._values[FLAGS[code]] = ""
                if code == 4 and ":" in parameters:
                    codes.clear()  # the shape of the line
            elif code in OFF:
                for name in OFF[code]:
                    self._values.pop(name, None)
            elif code in (38, 48, 58) and codes:
                count = 2 if codes[0] == 5 else 4
                self._values[{38: "fg", 48: "bg", 58: "line"}[code]] = colour(codes[:count])
                del codes[:count]
            elif code in (39, 49, 59):
                self._values.pop({39: "fg", 49: "bg", 59: "line"}[code], None)
            elif 30 <= code < 38 or 90 <= code < 98:
                self._values["fg"] = colour([5, code - 30 if code < 90 else code - 82])
            elif 40 <= code < 48 or 100 <= code < 108:
                self._values["bg"] = colour([5, code - 40 if code < 100 else code - 92])

    def describe(self) -> str:
        return " ".join(name + (f"={value}" if value else "") for name, value in sorted(self._values.items()))


def parse_capture(captured: str) -> Tuple[List[str], List[Attributes]]:
    """
    >>> parse_capture("\\x0elq\\x0fq \\x1b[1mb\\n\\x1b[0mc")
    (['┌─q b', 'c'], [('', '', '', 'bold'), ('',)])
    """
    rows, attributes = [], []
    pen = Pen()
    is_graphic = False
    for line in captured.split("\n"):
        text, seen = "", []
        for match in TOKEN.finditer(line):
            parameters, character = match.groups()
            if parameters is not None:
                pen.change(parameters)
            elif character in ("\x0e", "\x0f"):
                is_graphic = character == "\x0e"
            elif character is not None:
                text += GRAPHICS.get(character, character) if is_graphic else character
                if not character.isspace():
                    seen.append(pen.describe())
        rows.append(text.rstrip())
        attributes.append(tuple(seen))
    return rows, attributes
