import hashlib
import sqlite3
from pathlib import Path

shop = sqlite3.connect("/app/shop.db")


def rows(query):
    return shop.execute(query).fetchall()


def test_each_migration_ran_once_and_in_order():
    assert rows("select id, name from schema_version order by id") == [
        (1, "versions"), (2, "merge customers"), (3, "unique email"), (4, "cents")]
    assert rows("select seq from sqlite_sequence where name = 'schema_version'") == [(4,)]


def test_customers_are_merged_and_none_is_lost():
    assert rows("select * from customers order by id") == [
        (1, "Ada", "ada@example.com"), (2, "Brook", "brook@example.com"), (3, "Cleo", "cleo@example.com"),
        (5, "Dana", "dana@example.com")]
    assert rows("select name from sqlite_master where type = 'index' and name = 'customers_email'")


def test_orders_are_in_cents():
    wanted = [(1, 1, 1050), (2, 2, 325), (3, 2, 800), (4, 5, 9999), (5, 3, 75)]
    assert rows("select id, customer, cast(price as integer) from orders order by id") == wanted
    assert rows("select seq from sqlite_sequence where name = 'orders'") == [(5,)]


def test_the_report_has_them_all():
    lines = [line.rsplit("|", 1) for line in Path("/app/report").read_text().splitlines()]
    assert [(who, float(cents)) for who, cents in lines] == [
        ("1|Ada", 1050), ("2|Brook", 325), ("3|Brook", 800), ("4|Dana", 9999), ("5|Cleo", 75)]


def test_seed_and_migrations_are_as_they_were():
    paths = [Path("/app/seed.sql"), *sorted(Path("/app/migrations").iterdir())]
    assert [path.name for path in paths] == [
        "seed.sql", "1_versions.sql", "2_merge_customers.sql", "3_unique_email.sql", "4_cents.sql"]
    assert hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest() == "99e982e6f6ef308e5173e7f628a42ae368ec470230d2451e856578d85b370352"
