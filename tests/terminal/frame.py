"""Frame: the content of a terminal, as plain data. Pure."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import List, Sequence, Tuple


@dataclass(frozen=True)
class Frame:
    rows: Tuple[str, ...]  # without trailing blanks
    cursor: Tuple[int, int]  # row, column, from 0
    is_cursor_visible: bool
    is_alternate: bool
    title: str
    attributes: Tuple[Tuple[str, ...], ...] = ()  # of non-blank characters; () if unknown

    @property
    def text(self) -> str:
        return "\n".join(self.rows)


def make_frame(rows: List[str], cols: int, cursor: Tuple[int, int], is_cursor_visible: bool, is_alternate: bool,
               title: str, attributes: Sequence[Tuple[str, ...]] = ()) -> Frame:
    # After the last column the cursor waits for the next character; only some terminals report that
    # column.
    at = (cursor[0], min(cursor[1], cols - 1))
    return Frame(tuple(row.rstrip() for row in rows), at, is_cursor_visible, is_alternate, title,
                 tuple(attributes))


def is_same(actual: Frame, expected: Frame) -> bool:
    """Titles are not compared, because tmux sets its own. Attributes are compared if both are
    known."""
    if actual.attributes and expected.attributes and actual.attributes != expected.attributes:
        return False
    return replace(actual, title="", attributes=()) == replace(expected, title="", attributes=())


def describe_difference(actual: Frame, expected: Frame, source: str = "tmux") -> str:
    """
    >>> one = make_frame(["a", "b"], 80, (0, 1), True, False, "")
    >>> print(describe_difference(replace(one, rows=("a", "c")), one))
      row 1: session |c|
             tmux    |b|
    >>> print(describe_difference(replace(one, cursor=(1, 0)), one))
      cursor: session (1, 0), tmux (0, 1)
    """
    lines: List[str] = []
    if len(actual.rows) != len(expected.rows):
        lines.append(f"  rows: session {len(actual.rows)}, {source} {len(expected.rows)}")
    for number, (here, there) in enumerate(zip(actual.rows, expected.rows)):
        if here != there:
            lines += [f"  row {number}: session |{here}|", f"  {' ' * len(f'row {number}:')} {source:<7} |{there}|"]
    for name in ("cursor", "is_cursor_visible", "is_alternate"):
        if getattr(actual, name) != getattr(expected, name):
            lines.append(f"  {name}: session {getattr(actual, name)}, {source} {getattr(expected, name)}")
    if not lines and actual.attributes:
        for number, (mine, theirs) in enumerate(zip(actual.attributes, expected.attributes)):
            pairs = list(zip(actual.rows[number].replace(" ", ""), mine, theirs))
            for (one, other), run in itertools.groupby(pairs, lambda pair: pair[1:]):
                if one != other:
                    text = "".join(character for character, _, _ in run)
                    lines.append(f"  row {number}, {text!r}: session [{one}], {source} [{other}]")
    return "\n".join(lines[:40])
