import subprocess
import tempfile
from pathlib import Path

DEB = "/app/out/hello_1.4.3_all.deb"


def dpkg_deb(*words):
    return subprocess.run(["dpkg-deb", *words], check=True, capture_output=True, text=True, env={
        "PATH": "/usr/bin:/bin", "TZ": "UTC"}).stdout


def test_the_only_package_has_the_version():
    assert [path.name for path in Path("/app/out").iterdir()] == ["hello_1.4.3_all.deb"]
    assert dpkg_deb("-f", DEB, "Package", "Version") == "Package: hello\nVersion: 1.4.3\n"


def test_files_modes_owners_and_times():
    entries = [line.split() for line in dpkg_deb("-c", DEB).splitlines()]
    assert [(mode, name) for mode, _, _, _, _, name in entries] == [
        ("drwxr-xr-x", "./"), ("drwxr-xr-x", "./usr/"), ("drwxr-xr-x", "./usr/bin/"), ("-rwxr-xr-x", "./usr/bin/hello"),
        ("drwxr-xr-x", "./usr/share/"), ("drwxr-xr-x", "./usr/share/hello/"),
        ("-rw-r--r--", "./usr/share/hello/changelog"), ("-rw-r--r--", "./usr/share/hello/table")]
    assert {owner for _, owner, _, _, _, _ in entries} == {"root/root"}
    assert {(date, time) for _, _, _, date, time, _ in entries} == {("2023-11-14", "22:13")}


def test_contents_and_sums():
    with tempfile.TemporaryDirectory() as work:
        dpkg_deb("-R", DEB, work)
        root = Path(work)
        assert (root / "usr/share/hello/changelog").read_text().splitlines() == [
            "hello (1.4.3): greet properly", "hello (1.4.2): longer table", "hello (1.4.1): first release"]
        assert subprocess.run(["sh", root / "usr/bin/hello"], capture_output=True, text=True).stdout == "Hello, world\n"
        assert len((root / "usr/share/hello/table").read_text().split()) == 250000
        sums = subprocess.run(["md5sum", "-c", "DEBIAN/md5sums"], cwd=work, capture_output=True, text=True)
        assert sums.returncode == 0 and len(sums.stdout.splitlines()) == 3, sums.stderr


def test_the_source_has_the_release():
    assert sorted(path.name for path in Path("/app/src").iterdir()) == ["build-env", "changelog", "control.in", "hello.sh"]
    assert Path("/app/src/changelog").read_text().count("1.4.3") == 1
