import socket
import sqlite3
from pathlib import Path


def ask(*lines):
    with socket.create_connection(("127.0.0.1", 7500), timeout=10) as daemon:
        stream = daemon.makefile("rw")
        answers = []
        for line in lines:
            stream.write(line + "\n")
            stream.flush()
            answers.append(stream.readline().strip())
        return answers


def rows(query):
    return sqlite3.connect("file:/app/kv.db?mode=ro", uri=True).execute(query).fetchall()


def test_the_file_has_what_was_flushed():
    assert rows("select * from kv order by key") == [("prod/color", "blue"), ("prod/visits", "2")]
    assert rows("select * from flushes") == [(1, 2)]


def test_the_daemon_has_what_was_not():
    assert ask("use prod", "get color", "get visits", "stats") == ["in prod", "green", "3", "prod: 2 keys, 2 not written"]
    assert ask("flush") == ["flush 2"]


def test_the_stats_were_kept():
    assert Path("/app/stats").read_text() == "prod: 2 keys, 2 not written\n"
