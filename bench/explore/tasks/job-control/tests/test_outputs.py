import os
import signal
import time
from pathlib import Path

APP = Path("/app")


def test_red_had_three_files():
    assert (APP / "out/status").read_text() == "red 3\n"
    assert (APP / "out/red.tally").read_text() == "red 1\nred 2\nred 3\n"


def test_the_spools_have_the_rest():
    assert sorted(path.name for path in (APP / "spool/red").iterdir()) == ["4", "5"]
    assert sorted(path.name for path in (APP / "spool/blue").iterdir()) == ["2", "3", "4", "5"]


def test_the_jobs_were_these():
    jobs = (APP / "out/jobs").read_text().splitlines()
    assert [line.split()[:2] for line in jobs] == [["[1]-", "Running"], ["[2]+", "Stopped"]], jobs
    assert all("worker.py" in line for line in jobs)


def test_blue_runs_and_remembers():
    assert sorted(path.name for path in (APP / "out").iterdir()) == ["jobs", "red.tally", "status"]
    pid = int((APP / "run/blue.pid").read_text())
    assert b"worker.py\0blue" in Path(f"/proc/{pid}/cmdline").read_bytes()
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + 10
    while not (APP / "out/blue.tally").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (APP / "out/blue.tally").read_text() == "blue 1\n"
