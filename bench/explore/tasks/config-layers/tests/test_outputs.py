import configparser
import hashlib
import re
from pathlib import Path

APP = Path("/app")


def test_the_journal_has_the_five_steps():
    steps = ["merge base.ini", "merge site.ini", "secret", "merge host.ini", "seal"]
    wanted = [f"{number} {what}" for number, what in enumerate(steps, 1)]
    assert (APP / "journal").read_text().splitlines() == wanted


def test_later_layers_win():
    effective = configparser.ConfigParser()
    effective.read(APP / "effective.ini")
    assert {name: dict(effective[name]) for name in effective.sections()} == {
        "server": {"port": "8080", "workers": "8"},
        "log": {"level": "debug", "file": "/var/log/site.log"},
        "cache": {"size": "64"}}


def test_the_seal_covers_secret_and_settings():
    content = (APP / "secret").read_bytes() + (APP / "effective.ini").read_bytes()
    assert re.fullmatch("[0-9a-f]{32}\n", (APP / "secret").read_text())
    assert (APP / "secret").stat().st_mode & 0o777 == 0o600
    assert (APP / "seal").read_text().strip() == hashlib.sha256(content).hexdigest()


def test_layers_are_as_they_were_and_nothing_is_left():
    assert sorted(str(path.relative_to(APP)) for path in APP.rglob("*")) == [
        "bin", "bin/conf", "conf", "conf/base.ini", "conf/host.ini", "conf/site.ini", "effective.ini", "journal",
        "seal", "secret"]
    whole = b"".join((APP / "conf" / name).read_bytes() for name in ("base.ini", "site.ini", "host.ini"))
    assert hashlib.sha256(whole).hexdigest() == "f31aeab1d1ac20946ba05ab53ed98f90af551fb423f17f3c4a2b3c2a641c0754"
