import os
import subprocess
from pathlib import Path


def ask(query):
    return subprocess.run(["psql", "-X", "-qAt", "-c", query], capture_output=True, text=True, timeout=20, env={
        **os.environ, "PGHOST": "/app/pgrun", "PGUSER": "postgres", "PGDATABASE": "postgres"}).stdout.splitlines()


def test_orders_are_in_cents_and_whole():
    rows = ["1|lamp|2000", "2|desk|15050", "3|chair|7525", "4|shelf|4200"]
    assert ask("select id, item, cents from orders order by id") == rows
    assert Path("/app/orders").read_text().splitlines() == rows
    assert ask("insert into orders (item, cents) values ('probe', 1) returning id") == ["5"]


def test_each_migration_ran_once():
    assert ask("select id, name from migrations order by id") == ["1|cents", "2|totals"]
    assert ask("select last_value from migrations_id_seq") == ["2"]


def test_the_totals_are_in_the_new_schema():
    assert ask("select orders, cents from v2.totals") == ["4|28775"]
    assert ask("select schemaname from pg_tables where tablename in ('totals', 'orders') order by 1") == ["public", "v2"]


def test_the_shell_and_the_server_are_those_of_the_beginning():
    assert Path("/app/session").read_text() == "4 -c search_path=v2,public\n"
    assert Path("/app/started").read_text().splitlines() == ask("select pg_postmaster_start_time()")
