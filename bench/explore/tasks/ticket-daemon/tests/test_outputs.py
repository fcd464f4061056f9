import subprocess
from pathlib import Path

LIST = "2 scanner urgent\n3 plotter normal\n"


def ticket(*words):
    return subprocess.run(["/app/bin/ticket", *words], capture_output=True, text=True, timeout=10).stdout


def test_the_list_was_written():
    assert Path("/app/tickets").read_text() == LIST


def test_the_daemon_has_the_list_and_continues_its_numbers():
    assert ticket("list") == LIST
    assert ticket("take", "copier") == "ticket 4\n"


def test_the_daemon_was_not_restarted():
    boot = Path("/app/boot").read_text()
    assert len(boot) == 17 and boot == Path("/app/run/boot").read_text() == ticket("boot")
