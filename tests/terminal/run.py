"""Programs driven by keys in a session and in tmux: both must show the same.

    run.py [--table NAME] [--all-sizes] [--engine NAME] [--lanes N] [--list] [--tmux] [row ...]

Give rows by full name or by a prefix; without names, all are played. --engine may be given more
than once. SF_PATIENCE is the time limit of a screen in seconds (default 20). --tmux plays rows only
in tmux and prints each screen, to write new rows.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import shutil
import signal
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import List, Sequence, Tuple

import line_rows
import mouse_rows
import paste_rows
import screen_rows
import sequence_rows
import vttest_rows
import vttest_session_rows
from location import directory_of, write_files
from player import Mismatch, Player, describe, do, settle, show
from row import Row, Size
from statefork import StateForkError
from tmux_side import TmuxServer, open_shell
from world import World

TABLES = {"screen": screen_rows.ROWS, "line": line_rows.ROWS, "vttest": [*vttest_rows.ROWS, *vttest_session_rows.ROWS],
          "sequence": sequence_rows.ROWS, "mouse": mouse_rows.ROWS, "paste": paste_rows.ROWS}


def chosen(tables: Sequence[str], names: Sequence[str], all_sizes: bool) -> List[Tuple[Row, Size]]:
    found = []
    for table in tables or TABLES:
        for row in TABLES[table]:
            if not names or any(row.name.startswith(name) for name in names):
                found += [(row, size) for size in (row.sizes if all_sizes else row.sizes[:1])]
    return found


def play_in_tmux(server: TmuxServer, row: Row, size: Size, base: Path) -> None:
    write_files(row, base)
    terminal = open_shell(server, row, size, directory_of(row, size, "auto"), str(base))
    terminal.type([f"clear; {row.start}", "Enter"])
    frame = None
    for number, step in enumerate([*row.steps, *row.then]):
        if number:
            do(terminal, step)
        frame = settle(terminal, step, frame, describe(row, number, step))
        print(f"{describe(row, number, step)}\n{show(frame)}\n  cursor {frame.cursor}, title {frame.title}")
    terminal.close()


def play_all(rows: Sequence[Tuple[Row, Size]], engines: Sequence[str], lanes: int) -> int:
    failures: List[str] = []
    items = list(itertools.product(engines, rows))

    def play(item: Tuple[str, Tuple[Row, Size]]) -> None:
        engine, (row, size) = item
        name = f"{row.name} {size[0]}x{size[1]}" + ("" if engine == "auto" else f" {engine}")
        began = time.monotonic()
        try:
            player.play(row, size, engine)
            outcome = "ok"
        except (Mismatch, StateForkError) as error:
            outcome = f"FAILED\n{error}"
            failures.append(name)
        except Exception:  # report it and continue with the other rows
            outcome = f"FAILED\n{traceback.format_exc()}"
            failures.append(name)
        print(f"{name} ({time.monotonic() - began:.1f} s): {outcome}", flush=True)

    with contextlib.ExitStack() as stack:
        world = World()
        stack.callback(world.close)
        server = TmuxServer(world.dir)
        stack.callback(server.close)
        player = Player(world, server, world.dir / "files")
        with ThreadPoolExecutor(lanes) as pool:
            list(pool.map(play, items))
    print(f"{len(items) - len(failures)} of {len(items)} rows agree" +
          ("; these do not: " + ", ".join(failures) if failures else ""))
    return 1 if failures else 0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--table", action="append", default=[], choices=list(TABLES))
    parser.add_argument("--all-sizes", action="store_true")
    parser.add_argument("--engine", action="append", default=[], choices=["auto", "criu"])
    parser.add_argument("--lanes", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--tmux", action="store_true")
    given = parser.parse_args(arguments)
    rows = chosen(given.table, given.names, given.all_sizes)
    if not rows:
        parser.error("no row has such a name; --list names them")
    if given.list:
        for row, size in rows:
            print(f"{row.name} {size[0]}x{size[1]}")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that started processes are ended
    if given.tmux:
        base = Path(tempfile.mkdtemp(prefix="sf-terminal-", dir="/var/tmp"))
        server = TmuxServer(base)
        try:
            for row, size in rows:
                try:
                    play_in_tmux(server, row, size, base / "files")
                except Mismatch as error:
                    print(f"FAILED {error}")
        finally:
            server.close()
            shutil.rmtree(base)
        return 0
    return play_all(rows, given.engine or ["auto"], given.lanes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
