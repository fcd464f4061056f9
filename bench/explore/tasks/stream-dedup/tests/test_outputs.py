from pathlib import Path

IN, OUT = Path("/app/in"), Path("/app/out")


def expected():
    days = ("monday", "tuesday", "wednesday", "thursday")
    lines = [line for day in days for line in (IN / day).read_text().splitlines()]
    return lines, list(dict.fromkeys(lines))


def test_each_line_is_there_once_and_in_order():
    assert (OUT / "unique").read_text().splitlines() == expected()[1]


def test_summary_and_statistics():
    lines, unique = expected()
    wanted = f"lines {len(lines)} unique {len(unique)}\n"
    assert (OUT / "summary").read_text() == wanted
    assert (OUT / "stats").read_text() == wanted


def test_the_input_is_as_it_was():
    assert {path.name: len(path.read_text().splitlines()) for path in IN.iterdir()} == {
        "README": 1, "monday": 134, "tuesday": 80, "wednesday": 201, "thursday": 85, "sample": 101}
