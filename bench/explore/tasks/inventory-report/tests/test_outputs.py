import hashlib
from pathlib import Path


def test_the_report():
    assert Path("/app/report.csv").read_text() == "bolt,100\ncotter,6\nnut,85\nrivet,40\nwasher,180\n"


def test_the_session():
    assert Path("/app/session").read_text().splitlines() == ['declare -i applied="3"', "Ar", "on"]


def test_the_data_is_as_it_was():
    paths = [Path("/app/data") / name for name in ("stock.csv", "receipts.csv", "shipments.csv")]
    assert sorted(path.name for path in Path("/app/data").iterdir()) == sorted(path.name for path in paths)
    assert hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest() == "94b0baf3f79e91be35e92abbcb6e87d6a55a415ebe135c356ef7cf74c6518ec2"
