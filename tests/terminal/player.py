"""Plays a row in a session and in tmux, and compares both screens after each step."""

from __future__ import annotations

import contextlib
import os
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import List, Optional, Protocol, Sequence

from criu_limits import REFUSED
from frame import Frame, describe_difference, is_same
from location import directory_of, write_files
from row import Mouse, Row, Size, Step
from session_side import SessionTerminal, prepare
from statefork import Snapshot, StateForkError
from tmux_side import Painter, TmuxServer, TmuxTerminal, open_shell
from world import World

PATIENCE = float(os.environ.get("SF_PATIENCE", 20))
PAUSE = 0.02  # seconds between two samples
# tmux treats two presses within 300 ms as a double click and reports it to programs. Click more
# slowly.
SLOW_HAND = 0.35
LOOKS = 3  # equal samples in a row, since a program may be drawing


class Mismatch(AssertionError):
    pass


class Side(Protocol):
    def type(self, keys: Sequence[str]) -> None: ...
    def point(self, event: Mouse) -> None: ...
    def paste(self, text: str) -> None: ...
    def resize(self, size: Size) -> None: ...
    def frame(self) -> Frame: ...


def do(side: Side, step: Step) -> None:
    if step.resize:
        side.resize(step.resize)
    if step.keys:
        side.type(step.keys)
    for event in step.mouse:
        if event.action in ("click", "press"):
            time.sleep(SLOW_HAND)
        side.point(event)
    if step.paste:
        side.paste(step.paste)


def has_come(frame: Frame, step: Step, before: Optional[Frame]) -> bool:
    if step.title and frame.title != step.title:
        return False
    if before and step.is_input and not step.title and is_same(frame, before):
        return False  # the pattern may have matched before the step
    return bool(re.search(step.until, frame.text, re.MULTILINE))


def settle(side: Side, step: Step, before: Optional[Frame], what: str, where: str = "tmux") -> Frame:
    """Waits until the screen matches the step and does not change any more."""
    deadline = time.monotonic() + PATIENCE
    last, seen = None, 0
    while True:
        frame = side.frame()
        seen = seen + 1 if frame == last else 1
        if seen == LOOKS and has_come(frame, step, before):
            return frame
        if time.monotonic() > deadline:
            waited = f"matched {step.until!r}" if step.until else f"had the title {step.title!r}" if step.title else "changed"
            raise Mismatch(f"{what}: the screen in {where} never {waited}:\n{show(frame)}")
        last, seen = frame, min(seen, LOOKS - 1)
        time.sleep(PAUSE)


def expect(side: SessionTerminal, painter: Optional[Painter], expected: Frame, what: str, title: str = "",
           source: str = "tmux") -> None:
    """Waits until the session shows this frame and keeps showing it."""
    deadline = time.monotonic() + PATIENCE
    seen = 0
    painted = None
    while True:
        frame = side.frame()
        seen = seen + 1 if is_same(frame, expected) and (not title or frame.title == title) else 0
        if seen == LOOKS:
            if painter is None or is_same(painted := painter.paint(*side.repaint()), expected):
                return
            seen = 0
        if time.monotonic() > deadline:
            if painted and is_same(frame, expected):
                differs = describe_difference(painted, expected, source)
                raise Mismatch(f"{what}, repainted in another terminal:\n{differs}")
            raise Mismatch(f"{what}:\n{describe_difference(frame, expected, source)}")
        time.sleep(PAUSE)


def standard_frame(row: Row, number: int, frame: Frame) -> Frame:
    """The frame that the session must show after this step if tmux shows `frame`."""
    for difference in row.differences:
        if difference.step == number:
            rows = (*difference.rows, *[""] * (len(frame.rows) - len(difference.rows)))
            return replace(frame, rows=rows, cursor=difference.cursor, attributes=())
    return frame


def source_of(row: Row) -> str:
    """Where the expected screens come from, for messages."""
    return "tmux" if row.in_tmux else "wanted"


def show(frame: Frame) -> str:
    return "\n".join(f"  |{row}|" for row in frame.rows)


def describe(row: Row, number: int, step: Step) -> str:
    what = f"resize to {step.resize[0]}x{step.resize[1]}" if step.resize else " ".join(step.keys)
    what += ", ".join(f"{one.action} {one.button} at {one.row},{one.col}" for one in step.mouse)
    what += f"paste of {step.paste!r}" if step.paste else ""
    return f"{row.name}, step {number} ({what or 'start'})"


class Player:
    """Plays rows. Thread-safe."""

    def __init__(self, world: World, server: TmuxServer, base: Path) -> None:
        self._world = world
        self._server = server
        self._base = base

    def play(self, row: Row, size: Size, engine: str = "auto") -> None:
        """Raises Mismatch."""
        write_files(row, self._base)
        directory = directory_of(row, size, engine)
        with contextlib.ExitStack() as stack:
            tmux = None
            if row.in_tmux:
                tmux = open_shell(self._server, row, size, directory, str(self._base))
                stack.callback(tmux.close)
            painter = None
            if row.colours:
                name = Path(directory).name
                painter = Painter(self._server, name, size, self._base / f"{name}.painted")
                stack.callback(painter.close)
            session = stack.enter_context(self._world.session(engine=engine))
            prepare(session, row, directory, size, str(self._base))
            refused = REFUSED.get(row.name, "") if engine == "criu" else ""
            self._play(row, size, SessionTerminal(session), tmux, painter, refused)

    def _play(self, row: Row, size: Size, session: SessionTerminal, tmux: Optional[TmuxTerminal],
              painter: Optional[Painter], refused: str) -> None:
        sides: List[Side] = [session] if tmux is None else [session, tmux]
        for side in sides:
            side.type([f"clear; {row.start}", "Enter"])
        frames: List[Frame] = []
        node = None
        marked_size = size
        settled: Optional[Frame] = None
        for number, step in enumerate([*row.steps, *row.then]):
            if number < len(row.steps) and step.resize:
                marked_size = step.resize
            if number:
                for side in sides:
                    do(side, step)
            what = describe(row, number, step)
            settled = settle(sides[-1], step, settled, what, "tmux" if tmux else "the session")
            frames.append(standard_frame(row, number, settled))
            expect(session, painter, frames[-1], what + (" after the snapshot" if node else ""), step.title,
                   source_of(row))
            if number == len(row.steps) - 1 and row.snapshots:
                node = self._snapshot(row, session, refused)
        if node is None:
            return
        with session.branch.branch(node) as fork:
            self._replay(row, SessionTerminal(fork), painter, frames, "in a fork")
        session.resize(marked_size)  # the window belongs to the branch, not to the node
        session.branch.restore(node)
        self._replay(row, session, painter, frames, "after a restore")

    @staticmethod
    def _snapshot(row: Row, session: SessionTerminal, refused: str) -> Optional[Snapshot]:
        """None if it is refused as expected: the session must go on."""
        try:
            node = session.branch.snapshot(materialization="physical")
        except StateForkError as error:
            if refused and re.search(refused, str(error)):
                return None
            raise
        if refused:
            raise Mismatch(f"{row.name}: the snapshot was to be refused ({refused}), and was taken")
        return node

    @staticmethod
    def _replay(row: Row, side: SessionTerminal, painter: Optional[Painter],
                frames: Sequence[Frame], where: str) -> None:
        marked = len(row.steps)
        expect(side, painter, frames[marked - 1], f"{row.name}, the snapshot {where}", source=source_of(row))
        for number, (step, frame) in enumerate(zip(row.then, frames[marked:]), marked):
            do(side, step)
            expect(side, painter, frame, f"{describe(row, number, step)} {where}", step.title, source_of(row))
