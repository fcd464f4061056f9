import subprocess
from pathlib import Path

NAMES = ["alpha.dat", "bravo.dat", "charlie.dat", "delta.dat", "echo.dat"]
IN, OUT = Path("/app/in"), Path("/app/out")


def object_of(name):
    return subprocess.run(["python3", "-B", "/app/stretch.py", IN / name], check=True, capture_output=True,
                          text=True).stdout.strip()


def test_the_index_has_each_file_once():
    wanted = [f"{number:02} {object_of(name)} {name}" for number, name in enumerate(NAMES, 1)]
    assert (OUT / "index").read_text().splitlines() == wanted


def test_each_content_is_stored_once():
    stored = {path.name: path.read_bytes() for path in (OUT / "objects").iterdir()}
    assert sorted(stored.values()) == sorted({(IN / name).read_bytes() for name in NAMES})
    assert len(stored) == 4


def test_the_summary_is_the_shell_s():
    size = sum((IN / name).stat().st_size for name in NAMES)
    assert (OUT / "summary").read_text().splitlines() == ["/app/in", f"5 objects {size} bytes", "0"]


def test_the_input_is_as_it_was():
    assert sorted(path.name for path in IN.iterdir()) == sorted([*NAMES, "notes.txt"])
    assert sorted(path.name for path in OUT.iterdir()) == ["index", "objects", "summary"]
    assert (IN / "echo.dat").read_text() == "end\n" and len((IN / "alpha.dat").read_text().split()) == 300
