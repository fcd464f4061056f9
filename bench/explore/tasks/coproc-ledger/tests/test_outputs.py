import glob
import hashlib
import os
from pathlib import Path


def ledgers():
    return [pid for pid in os.listdir("/proc") if pid.isdigit()
            and b"/app/ledger\0" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_three_bookings_with_receipts_of_one_secret():
    *receipts, secret = Path("/app/statement").read_text().splitlines()
    assert len(secret) == 16
    wanted = []
    for number, balance in ((1, 500), (2, 380), (3, 460)):
        proof = hashlib.sha256(f"{secret}:{number}:{balance}".encode()).hexdigest()[:16]
        wanted.append(f"{number} {balance} {proof}")
    assert receipts == wanted


def test_the_ledger_runs():
    assert len(ledgers()) == 1


def test_nothing_was_written_but_the_statement():
    assert sorted(path.name for path in Path("/app").iterdir()) == ["ledger", "ledger.sh", "statement"]
