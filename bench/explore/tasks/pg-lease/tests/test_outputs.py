import os
import select
import subprocess
import time
from pathlib import Path


def ask(query):
    return subprocess.run(["psql", "-X", "-qAt", "-c", query], capture_output=True, text=True, timeout=20, env={
        **os.environ, "PGHOST": "/app/pgrun", "PGUSER": "postgres", "PGDATABASE": "postgres"}).stdout.splitlines()


def ask_console(statement):
    """Over the pipes that the shell holds open."""
    console = os.open("/app/run/in", os.O_WRONLY | os.O_NONBLOCK)  # fails if nothing reads
    os.write(console, (statement + "\n\\echo .\n").encode())
    os.close(console)
    answer, out, deadline = b"", os.open("/app/run/out", os.O_RDWR), time.monotonic() + 10
    while not answer.endswith(b".\n") and time.monotonic() < deadline:
        if select.select([out], [], [], 0.5)[0]:
            answer += os.read(out, 65536)
    return answer.decode().splitlines()[:-1]


def test_three_are_leased_one_is_paused():
    assert ask("select id, state, changed from jobs order by id") == [
        *(f"{number}|leased|1" for number in (1, 2, 3)), *(f"{number}|ready|0" for number in (4, 5, 6, 7, 8)), "9|paused|1"]


def test_the_tags_are_those_of_the_leases():
    leases = Path("/app/leases").read_text().splitlines()
    assert len(leases) == 3 and len(set(leases)) == 3
    assert leases == ask("select id, tag from jobs where state = 'leased' order by id")
    assert leases == ask_console("select id, tag from pick order by id;")


def test_the_database_has_no_other_table():
    assert ask("select tablename from pg_tables where schemaname = 'public'") == ["jobs"]


def test_the_other_connection_saw_no_lease():
    assert Path("/app/seen").read_text() == "8\n"
    assert ask("select count(*) from pg_stat_activity where state = 'idle in transaction'") == ["0"]
