"""Tells which words of a step are tmux's names of keys (tmux(1), KEY BINDINGS). All others are
text."""

from __future__ import annotations

import re

NAME = re.compile(r"(?:[CMS]-)*(?:Up|Down|Right|Left|Home|End|IC|DC|PageUp|PageDown|F[0-9]+|Enter|Escape|Space|Tab|BTab"
                  r"|BSpace)|(?:[CM]-)+.", re.DOTALL)


def is_key(word: str) -> bool:
    """
    >>> [word for word in ("Up", "C-Left", "M-/", "x", "Upper", "C-x y") if is_key(word)]
    ['Up', 'C-Left', 'M-/']
    """
    return NAME.fullmatch(word) is not None
