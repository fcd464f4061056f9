"""worker.py NAME: USR1 handles the next file of its spool; TERM writes the tally and exits with it. The tally is in memory."""
import os
import signal
import sys
from pathlib import Path

name, tally = sys.argv[1], []
spool, run = Path("/app/spool") / name, Path("/app/run")


def publish(path, text):
    draft = path.with_suffix(".draft")
    draft.write_text(text)
    draft.rename(path)


def handle(*_):
    waiting = sorted(spool.iterdir())
    if waiting:
        tally.append(waiting[0].read_text().strip())
        waiting[0].unlink()
    publish(run / f"{name}.handled", f"{len(tally)}\n")


def finish(*_):
    publish(Path("/app/out") / f"{name}.tally", "".join(f"{line}\n" for line in tally))
    os._exit(len(tally))


signal.signal(signal.SIGUSR1, handle)
signal.signal(signal.SIGTERM, finish)
publish(run / f"{name}.pid", f"{os.getpid()}\n")
while True:
    signal.pause()
