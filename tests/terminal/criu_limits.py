"""Rows that CRIU refuses to snapshot, with its message. With all others it must do what the native
engine does.
"""

from __future__ import annotations

from typing import Dict

LOST_LEADER = r"a foreground pipeline without its first process"
OWN_TERMINAL = r"descriptor \d+ \(/dev/tty\)"

# A regular expression for each. docs/engine.md and tests/equivalence/known_limits.md say why.
REFUSED: Dict[str, str] = {
    "less-pipeline": LOST_LEADER,
    "fzf-full": LOST_LEADER,
    "fzf-height": LOST_LEADER,
    "mc": OWN_TERMINAL,
}
