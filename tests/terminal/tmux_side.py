"""TmuxServer: a private tmux server. TmuxTerminal: one of its panes. Painter: a session's screen in
a pane. TmuxMouse (tmux_mouse.py) sends mouse events to a pane.

The server runs in its own mount, PID and UTS namespaces: programs have an empty directory to write
to, as in a session, and all of them end with the server.
"""

from __future__ import annotations

import contextlib
import shlex
import subprocess
from pathlib import Path
from typing import List, Optional, Sequence

from capture import parse_capture
from frame import Frame, make_frame
from location import ENVIRONMENT, HOST_NAME, PLACE, prepare_script
from row import Mouse, Row, Size
from tmux_mouse import TmuxMouse
from world import eventually

FORMAT = "#{cursor_y} #{cursor_x} #{cursor_flag} #{alternate_on} #{pane_width} #{pane_title}"
INSIDE = f'mount -t tmpfs none {PLACE} && hostname {HOST_NAME} && exec tmux -D -u -f /dev/null -S "$1"'


class TmuxServer:
    def __init__(self, directory: Path) -> None:
        self._socket = str(directory / "tmux.sock")
        self._log = open(directory / "tmux.log", "w", encoding="utf-8")
        variables = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
        self._process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "env", "-i", *variables, f"HOME={PLACE}",
             "unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc",
             "sh", "-c", INSIDE, "sh", self._socket],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT)
        try:
            eventually(self._answers)
            self.command("set-option", "-g", "status", "off", ";", "set-option", "-g", "default-terminal",
                         ENVIRONMENT["TERM"], ";", "set-option", "-s", "escape-time", "0")
        except BaseException:
            self.close()
            raise

    def _answers(self) -> bool:
        if self._process.poll() is not None:
            raise AssertionError(f"tmux ended: {Path(self._log.name).read_text(encoding='utf-8')}")
        return subprocess.run(["tmux", "-S", self._socket, "show-options", "-s"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0

    def command(self, *words: str) -> str:
        ran = subprocess.run(["tmux", "-u", "-S", self._socket, *words], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
        if ran.returncode != 0:
            raise AssertionError(f"tmux {' '.join(words)}: {ran.stderr.decode()}")
        return ran.stdout.decode("utf-8", "replace")

    def attach(self, session: str) -> List[str]:
        """The command that attaches a terminal to a session."""
        return ["tmux", "-u", "-S", self._socket, "attach-session", "-t", f"={session}"]

    def close(self) -> None:
        with contextlib.suppress(AssertionError, subprocess.TimeoutExpired):
            self.command("kill-server")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()  # unshare; its PID namespace dies with it
            self._process.wait()
        self._log.close()


class TmuxTerminal:
    """One pane."""

    def __init__(self, server: TmuxServer, name: str, size: Size, script: str) -> None:
        self._server = server
        self._name = name
        self._size = size
        self._mouse: Optional[TmuxMouse] = None
        self._server.command("new-session", "-d", "-s", name, "-y", str(size[0]), "-x", str(size[1]),
                             "bash", "-c", f"unset TMUX TMUX_PANE TERM_PROGRAM TERM_PROGRAM_VERSION\n{script}")
        self.resize(size)  # later sizes of clients are ignored

    @property
    def _pane(self) -> str:
        return f"={self._name}:"

    def type(self, keys: Sequence[str]) -> None:
        # tmux treats a final ; as the end of a command.
        words = [key[:-1] + "\\;" if key.endswith(";") else key for key in keys]
        self._server.command("send-keys", "-t", self._pane, "--", *words)

    def point(self, event: Mouse) -> None:
        if self._mouse is None:
            self._mouse = TmuxMouse(self._server.attach(self._name), self._size)
            self._await_client()
        self._mouse.point(event)

    def _await_client(self) -> None:
        size = f"{self._size[0]}x{self._size[1]}"
        shown = "#{client_height}x#{client_width}"
        eventually(lambda: self._server.command("list-clients", "-t", f"={self._name}", "-F", shown).strip() == size)

    def paste(self, text: str) -> None:
        self._server.command("set-buffer", "-b", self._name, "--", text, ";",
                             "paste-buffer", "-d", "-p", "-b", self._name, "-t", self._pane)

    def resize(self, size: Size) -> None:
        self._size = size
        if self._mouse is not None:
            self._mouse.resize(size)
            self._await_client()
        self._server.command("resize-window", "-t", self._pane, "-y", str(size[0]), "-x", str(size[1]))

    def frame(self) -> Frame:
        captured = self._server.command("capture-pane", "-e", "-p", "-t", self._pane, ";",
                                        "display-message", "-p", "-t", self._pane, FORMAT)
        text, _, last = captured[:-1].rpartition("\n")
        row, col, visible, alternate, width, title = (last.split(" ", 5) + [""])[:6]
        rows, attributes = parse_capture(text)
        return make_frame(rows, int(width), (int(row), int(col)), visible == "1", alternate == "1", title, attributes)

    def close(self) -> None:
        if self._mouse is not None:
            self._mouse.close()
        with contextlib.suppress(AssertionError):
            self._server.command("kill-session", "-t", f"={self._name}")


def open_shell(server: TmuxServer, row: Row, size: Size, directory: str, base: str) -> TmuxTerminal:
    """A pane with a shell that has run the row's preparation."""
    terminal = TmuxTerminal(server, Path(directory).name, size,
                            f"{prepare_script(row, directory, base)}\nexec bash --norc --noprofile")
    eventually(lambda: terminal.frame().text.rstrip().endswith("$"))
    return terminal


class Painter:
    """A pane that shows given bytes, so that a session's attributes are parsed like those of
    tmux."""

    SCRIPT = 'stty raw -echo; while head -c 1 >/dev/null; do cat "$0"; done'

    def __init__(self, server: TmuxServer, name: str, size: Size, file: Path) -> None:
        self._size = size
        self._file = file
        self._number = 0
        self._terminal = TmuxTerminal(server, f"{name}-painted", size,
                                      f"exec bash -c {shlex.quote(self.SCRIPT)} {shlex.quote(str(file))}")

    def paint(self, size: Size, raw: bytes) -> Frame:
        self._number += 1
        title = f"painted {self._number}"
        self._file.write_bytes(b"\x1b[?1049l\x1bc" + raw + f"\x1b]2;{title}\x07".encode())
        if size != self._size:
            self._terminal.resize(size)
            self._size = size
        self._terminal.type(["x"])
        painted: Frame = eventually(lambda: frame if (frame := self._terminal.frame()).title == title else None)
        return painted

    def close(self) -> None:
        self._terminal.close()
