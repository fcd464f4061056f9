"""TmuxMouse: a mouse on a terminal that shows a pane of tmux. tmux reports its events to the
program in the pane, in the encoding that this program has enabled.

A detached tmux has no mouse, so a client is attached on a terminal of the same size. It sends the
reports of xterm's SGR mode (ctlseqs, "Extended coordinates").
"""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import termios
import threading
from typing import List, Sequence

from row import Mouse, Size

BUTTONS = {"left": 0, "middle": 1, "right": 2, "none": 3}
WHEEL = {"wheel_up": 64, "wheel_down": 65}


def reports(event: Mouse) -> List[bytes]:
    """
    >>> reports(Mouse("click", 1, 2))
    [b'\\x1b[<0;3;2M', b'\\x1b[<0;3;2m']
    >>> reports(Mouse("move", 0, 9, "right", control=True))
    [b'\\x1b[<50;10;1M']
    """
    number = WHEEL.get(event.action, BUTTONS[event.button]) + (32 if event.action == "move" else 0)
    number += 4 * event.shift + 8 * event.alt + 16 * event.control
    finals = {"click": "Mm", "release": "m"}.get(event.action, "M")
    return [f"\x1b[<{number};{event.col + 1};{event.row + 1}{final}".encode() for final in finals]


class TmuxMouse:
    def __init__(self, attach: Sequence[str], size: Size) -> None:
        self._master, slave = os.openpty()
        self.resize(size)
        # The controlling terminal, so that the client receives SIGWINCH.
        self._client = subprocess.Popen(["setsid", "--ctty", *attach], stdin=slave, stdout=slave, stderr=slave,
                                        env={**os.environ, "TERM": "xterm-256color"})
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)  # or tmux would block
        self._reader.start()

    def _read(self) -> None:
        try:
            while os.read(self._master, 65536):
                pass
        except OSError:
            pass  # the client has ended

    def resize(self, size: Size) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))

    def point(self, event: Mouse) -> None:
        for report in reports(event):
            os.write(self._master, report)

    def close(self) -> None:
        self._client.terminate()
        self._client.wait()
        self._reader.join()
        os.close(self._master)
