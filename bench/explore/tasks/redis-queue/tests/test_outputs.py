import hashlib
import subprocess
from pathlib import Path

SHA = hashlib.sha1(Path("/app/requeue.lua").read_bytes().rstrip(b"\n")).hexdigest()


def redis(*words):
    return subprocess.run(["redis-cli", "-s", "/app/run/redis.sock", "--raw", *words], capture_output=True, text=True, timeout=10).stdout.split()


def test_the_lists():
    assert redis("lrange", "pending", "0", "-1") == ["j1", "j2", "j4", "j5", "j6"]
    assert redis("lrange", "dead", "0", "-1") == ["j3"]
    assert redis("exists", "processing") == ["0"]


def test_attempts_and_counters():
    attempts = redis("hgetall", "attempts")
    assert dict(zip(attempts[::2], attempts[1::2])) == {"j1": "2", "j2": "2", "j3": "2", "j4": "2"}
    assert redis("mget", "requeued", "seeded") == ["10", "1"]


def test_the_server_has_the_script():
    assert redis("script", "exists", SHA) == ["1"]


def test_the_written_files():
    assert Path("/app/pending").read_text().split() == ["j1", "j2", "j4", "j5", "j6"]
    assert Path("/app/session").read_text().split() == [SHA, "3"]
