"""SessionTerminal: a branch of a StateFork session, driven by keys."""

from __future__ import annotations

import itertools
import shlex
from typing import Sequence, Tuple

from frame import Frame, make_frame
from key_names import is_key
from location import ENVIRONMENT, prepare_script
from row import Mouse, Row, Size
from statefork.branch import Terminal


def prepare(branch: Terminal, row: Row, directory: str, size: Size, base: str) -> None:
    """Gives the shell of a new session the same settings as that of a new pane."""
    branch.run(["bash", "-c", prepare_script(row, directory, base)], cwd="/", check=True)
    branch.resize(*size)
    variables = {**ENVIRONMENT, "HOME": directory}
    words = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
    branch.exec_command(f"export {words}; cd {directory}", check=True)


class SessionTerminal:
    def __init__(self, branch: Terminal) -> None:
        self.branch = branch

    def type(self, keys: Sequence[str]) -> None:
        for is_name, words in itertools.groupby(keys, is_key):
            if is_name:
                self.branch.press(*words)
            else:
                self.branch.send_keys("".join(words))

    def point(self, event: Mouse) -> None:
        is_wheel = event.action.startswith("wheel")
        self.branch.mouse(event.action, event.row, event.col, button=None if is_wheel else event.button,
                          shift=event.shift, alt=event.alt, control=event.control)

    def paste(self, text: str) -> None:
        self.branch.paste(text)

    def resize(self, size: Size) -> None:
        self.branch.resize(*size)

    def frame(self) -> Frame:
        screen = self.branch.screen()
        return make_frame(screen.rows, 10 ** 6, (screen.cursor_row, screen.cursor_col), screen.cursor_visible,
                          screen.alternate_screen, screen.title)

    def repaint(self) -> Tuple[Size, bytes]:
        """The bytes that make another terminal of this size show the same screen."""
        for event in self.branch.watch_terminal():
            return (event.rows, event.cols), event.raw
        raise AssertionError("the terminal has ended")
