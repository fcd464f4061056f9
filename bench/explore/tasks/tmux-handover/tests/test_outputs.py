import subprocess
from pathlib import Path

QUEUE = Path("/app/queue")


def test_the_report():
    assert Path("/app/report").read_text() == "31 of 40 in /app/queue\n"


def test_the_queue_is_done():
    assert {path.name: path.read_text() for path in QUEUE.iterdir()} == {
        "a.job.done": "7\n", "b.job.done": "11\n", "c.job.done": "13\n", "readme": "note\n"}


def test_the_session_is_there_to_be_taken_over():
    windows = subprocess.run(["tmux", "-S", "/app/run/tmux", "list-windows", "-t", "ops", "-F", "#{window_name} #{window_panes}"],
                             capture_output=True, text=True, timeout=10).stdout
    assert windows == "handover 1\n"
    subprocess.run(["/app/bin/ops", "{ report; echo $((total + 1)) $threshold $PWD; } >/app/probe"], timeout=20)
    assert Path("/app/probe").read_text() == "31 of 40 in /app/queue\n32 40 /app/queue\n"
