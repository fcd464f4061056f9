import subprocess
from pathlib import Path


def ask(path):
    return subprocess.run(["curl", "-s", "-m", "5", f"http://127.0.0.1:{path}"], capture_output=True, text=True).stdout


def test_the_session():
    assert Path("/app/session").read_text() == "blue 3\ngreen 2\ngreen 5\n"


def test_the_site_is_green_and_blue_still_runs():
    assert ask("8100/who") == "green\n"
    assert ask("8100/hit") == "green 3\n"
    assert ask("8101/served") == "blue 3\n"


def test_nginx_was_never_restarted():
    master = Path("/app/master").read_text().strip()
    assert master == Path("/app/ng/pid").read_text().strip()
    assert b"nginx: master" in Path(f"/proc/{master}/cmdline").read_bytes()
    assert Path("/app/ng/upstream.conf").read_text() == "upstream site { server 127.0.0.1:8102; }\n"
