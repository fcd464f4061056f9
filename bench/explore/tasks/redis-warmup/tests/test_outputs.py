import subprocess
from pathlib import Path


def redis(*words):
    return subprocess.run(["redis-cli", "-p", "6390", "--raw", *words], capture_output=True, text=True, timeout=10).stdout.split("\n")[:-1]


def info(section, key):
    return next(line.split(":")[1].strip() for line in redis("info", section) if line.startswith(key + ":"))


def test_the_cache_is_warm_and_nothing_was_evicted():
    assert redis("dbsize") == ["10003"]
    assert redis("mget", "products:generation", "prices:generation", "generation") == ["1", "2", "2"]
    assert redis("get", "products:4321") == [f"{4321 * 17:0300}"]
    assert info("stats", "evicted_keys") == "0"


def test_the_setting_is_permanent_and_the_only_one():
    assert redis("config", "get", "maxmemory*")[1::2] and redis("config", "get", "maxmemory") == ["maxmemory", "67108864"]
    assert redis("config", "get", "maxmemory-policy") == ["maxmemory-policy", "allkeys-lru"]
    assert redis("config", "get", "save") == ["save", ""]
    settings = Path("/app/redis.conf").read_text().splitlines()
    assert "maxmemory 64mb" in settings and "maxmemory-policy allkeys-lru" in settings


def test_the_server_was_not_restarted():
    assert Path("/app/run_id").read_text().strip() == info("server", "run_id")
    assert Path("/app/generation").read_text() == "2\n"
