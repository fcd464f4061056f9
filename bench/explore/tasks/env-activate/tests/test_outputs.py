import hashlib
from pathlib import Path

PROJECT = Path("/app/project")


def test_the_project_was_built_once_by_v2():
    assert (PROJECT / "tool.lock").read_text() == "v2 /opt/toolchain/v2\n"
    assert (PROJECT / "out/.count").read_text() == "1\n"
    assert (PROJECT / "out/app-release").read_text() == "v2 release\nmain\n"
    assert sorted(path.name for path in (PROJECT / "out").iterdir()) == [".count", "SHA256SUMS", "app-release"]
    assert sorted(path.name for path in PROJECT.iterdir()) == ["out", "src", "tool.lock"]


def test_the_sums():
    digest = hashlib.sha256((PROJECT / "out/app-release").read_bytes()).hexdigest()
    assert (PROJECT / "out/SHA256SUMS").read_text() == f"{digest}  app-release\n"


def test_the_shell_is_clean_again_and_keeps_the_alias():
    assert Path("/app/session").read_text().splitlines() == [
        "/app/project", "clean", "release", "alias build='tool build --profile \"$TOOL_PROFILE\"'", "none"]
