import os
import select
import sqlite3
import time
from pathlib import Path


def rows(query):
    return sqlite3.connect("file:/app/books.db?mode=ro", uri=True).execute(query).fetchall()


def ask_console(statement):
    """Over the pipes that the shell holds open."""
    console = os.open("/app/run/in", os.O_WRONLY | os.O_NONBLOCK)  # fails if nothing reads
    os.write(console, (statement + "\nselect char(46);\n").encode())
    os.close(console)
    answer, out, deadline = b"", os.open("/app/run/out", os.O_RDWR), time.monotonic() + 10
    while not answer.endswith(b".\n") and time.monotonic() < deadline:
        if select.select([out], [], [], 0.5)[0]:
            answer += os.read(out, 65536)
    return answer.decode().splitlines()[:-1]


def test_the_money_was_moved_once():
    assert rows("select * from accounts order by name") == [("ops", 750), ("payroll", 550), ("travel", 50)]
    assert rows("select * from audit order by id") == [(1, "ops", -250), (2, "payroll", 250)]
    assert rows("select seq from sqlite_sequence") == [(2,)]


def test_the_file_has_no_other_table():
    assert rows("select name from sqlite_master where type = 'table' order by name") == [("accounts",), ("audit",), ("sqlite_sequence",)]


def test_the_statement():
    assert Path("/app/statement").read_text() == "march|ops|750\nmarch|payroll|550\n"


def test_the_console_still_has_its_memo():
    assert ask_console("select count(*), max(reason) from memo;") == ["1|march"]
    assert ask_console("begin immediate; select 'free'; rollback;") == ["free"]
