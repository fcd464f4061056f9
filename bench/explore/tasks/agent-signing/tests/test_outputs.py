import hashlib
import os
import subprocess
from pathlib import Path

KEYS, DIST = Path("/app/keys"), Path("/app/dist")


def public_key():
    return (KEYS / "release-2.pub").read_text().split()[:2]


def test_the_agent_has_this_one_key():
    listed = subprocess.run(["ssh-add", "-L"], env={**os.environ, "SSH_AUTH_SOCK": "/app/run/agent.sock"},
                            capture_output=True, text=True, timeout=10).stdout.splitlines()
    assert [line.split()[:2] for line in listed] == [public_key()]


def test_no_private_key_is_on_the_disk():
    assert sorted(path.name for path in KEYS.iterdir()) == ["allowed", "release-2.pub"]
    assert sorted(path.name for path in DIST.iterdir()) == ["MANIFEST", "MANIFEST.sig", "client.tar", "server.tar"]


def test_the_manifest():
    wanted = [f"{hashlib.sha256((DIST / name).read_bytes()).hexdigest()}  {name}" for name in ("client.tar", "server.tar")]
    assert (DIST / "MANIFEST").read_text().splitlines() == wanted
    sizes = {(DIST / name).stat().st_size for name in ("client.tar", "server.tar")}
    assert sizes == {10240}


def test_the_signature_is_the_new_key_s():
    assert (KEYS / "allowed").read_text().split() == ["release", 'namespaces="release"', *public_key()]
    verified = subprocess.run(["ssh-keygen", "-Y", "verify", "-f", KEYS / "allowed", "-I", "release", "-n", "release", "-s",
                               DIST / "MANIFEST.sig"], stdin=(DIST / "MANIFEST").open(), capture_output=True, text=True)
    assert verified.returncode == 0, verified.stderr


def test_the_session():
    assert Path("/app/session").read_text() == "/app/run/agent.sock\n/app/dist\n"
