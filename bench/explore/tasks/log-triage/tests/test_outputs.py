import hashlib
import re
from collections import Counter
from pathlib import Path

LOG = Path("/app/logs/service.log")


def parts():
    return [part.splitlines() for part in re.split(r"-- rotate \d --\n", LOG.read_text())]


def test_the_report_counts_the_second_and_the_third_part():
    counted = parts()[1] + parts()[2]
    errors = Counter(line.split()[1] for line in counted if line.split()[2] == "ERROR")
    wanted = [f"{host} {number}" for host, number in sorted(errors.items())]
    report = Path("/app/report").read_text().splitlines()
    assert report[:-2] == wanted
    assert report[-2] == f"seen {len(counted)} rotations 2"
    assert report[-1] == f"rest {len(parts()[3]) + 1}"


def test_the_log_is_as_it_was():
    assert [len(part) for part in parts()] == [40, 40, 40, 40, 0]
    assert sorted(path.name for path in LOG.parent.iterdir()) == ["service.log"]
    lines = LOG.read_text().splitlines()
    assert sum("ERROR" in line for line in lines) == 29 and lines[-1] == "-- rotate 4 --"
