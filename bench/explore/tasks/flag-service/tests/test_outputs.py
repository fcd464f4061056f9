import json
import urllib.request
from pathlib import Path

FLAGS = {"legacy": "off", "dark-mode": "on", "beta": "25"}


def test_the_published_flags():
    published = json.loads(Path("/app/published.json").read_text())
    token = Path("/app/session").read_text().split()[0]
    assert published == {"flags": FLAGS, "by": "ops", "token": token, "revision": 4, "logins_made": 1}


def test_the_session():
    token, rev = Path("/app/session").read_text().splitlines()
    assert len(token) == 24 and rev == "4"


def test_the_service_has_it_and_the_login():
    with urllib.request.urlopen("http://127.0.0.1:8200/flags", timeout=10) as answer:
        assert json.load(answer) == {"flags": FLAGS, "logins": ["ops"], "revision": 4, "logins_made": 1}
    token = Path("/app/session").read_text().split()[0]
    change = urllib.request.Request("http://127.0.0.1:8200/flags/probe", b"1", {"X-Token": token, "X-Revision": "4"}, method="PUT")
    with urllib.request.urlopen(change, timeout=10) as answer:
        assert answer.read() == b"revision 5\n"
