from pathlib import Path

STATE = Path("/app/state")


def test_the_live_directory_has_both_changes():
    assert (STATE / "live/limits.conf").read_text() == "limit=200\nburst=20\n"
    assert (STATE / "live/roles").read_text() == "admin\nwriter\nreader\n"
    assert sorted(path.name for path in (STATE / "live").iterdir()) == ["limits.conf", "roles"]


def test_the_savepoints_are_the_states_on_the_way():
    assert (STATE / "save-1/limits.conf").read_text() == "limit=200\nburst=20\n"
    assert (STATE / "save-1/roles").read_text() == "admin\nwriter\n"
    assert (STATE / "save-2/roles").read_text() == "admin\nwriter\nreader\n"


def test_nothing_else_is_left():
    assert sorted(path.name for path in STATE.iterdir()) == ["after", "history", "live", "save-1", "save-2", "traps"]
    assert (STATE / "history").read_text() == "db-41: 1 savepoints\ndb-42: 2 savepoints\n"


def test_the_traps_were_set_and_are_gone():
    traps = (STATE / "traps").read_text().splitlines()
    assert traps[0] == "trap -- 'rm -rf /app/state/lock' EXIT"
    assert len(traps) == 2 and traps[1].endswith("SIGUSR1") and "saves + 1" in traps[1]
    assert (STATE / "after").read_text() == "/app/state\n0\n"
