import os
from pathlib import Path

SITE = Path("/srv/site")


def tree(release):
    root = SITE / "releases" / release
    return {str(path.relative_to(root)): oct(path.stat().st_mode & 0o777)[2:] for path in root.rglob("*")}


def test_the_new_release_has_its_files():
    assert tree("42") == {"public": "750", "public/index.html": "640", "VERSION": "640", "config.json": "640", "logs": "750"}
    assert (SITE / "releases/42/VERSION").read_text() == "42\n"
    assert (SITE / "releases/42/config.json").read_text() == '{"port": 80}\n'


def test_the_others_are_as_they_were():
    assert sorted(tree("41")) == ["VERSION", "cache", "cache/x", "config.json", "debug.log", "public", "public/index.html", "tmp", "tmp/y"]
    assert tree("40") == {"VERSION": "644", "public": "755", "public/index.html": "644"}
    assert (SITE / "releases/41/VERSION").read_text() == "41\n"
    assert sorted(path.name for path in (SITE / "releases").iterdir()) == ["40", "41", "42"]
    assert sorted(path.name for path in SITE.iterdir()) == ["current", "releases", "session"]


def test_the_new_release_is_current():
    assert (SITE / "current").is_symlink() and os.readlink(SITE / "current") == "releases/42"


def test_the_shell_was_as_it_should():
    assert (SITE / "session").read_text().splitlines() == [
        "0027", "shopt -s extglob", "shopt -s nullglob", "/srv/site", "40 41 42"]
