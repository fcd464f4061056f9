"""Compares two builds of StateFork by the latency of each verb through the daemon.

    python3 bench/daemon/compare_builds.py OLD/bin NEW/bin [--rounds 60]

Both daemons run at the same time, each with its own state directory. They receive the verbs in
turns, so that other load on the machine affects both. The last column has the result: the median
of the ratios new/old, one ratio per round. Requires root.
"""

import argparse
import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable

THINKING_S = 0.25  # pause between two verbs, long enough for precapture and prerestore


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Build:
    """One daemon with one session over an idle shell."""

    def __init__(self, name: str, programs: str) -> None:
        self.name = name
        self.state = tempfile.mkdtemp(prefix="sf-compare.", dir="/var/tmp")
        self.socket = os.path.join(self.state, "s.sock")
        self.daemon = subprocess.Popen(
            [os.path.join(programs, "statefork-daemon"), "--socket", self.socket, "--state", self.state],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while True:
            try:
                self.call("GET", "/healthz")
                break
            except OSError:
                if time.monotonic() > deadline or self.daemon.poll() is not None:
                    raise
                time.sleep(0.02)
        self.call("POST", "/v1/sessions", {"name": "s", "root": "/"})
        self.verb("exec", {"command": "x=1"})
        self.node = self.verb("snapshot")["node"]

    def call(self, method: str, path: str, body: dict | None = None) -> dict:
        connection = UnixConnection(self.socket)
        text = json.dumps(body or {})
        connection.request(method, path, text, {"Content-Type": "application/json", "Connection": "close"})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        if answer.status >= 400:
            raise SystemExit(f"{self.name}: {method} {path}: {answer.status} {data.decode()}")
        return json.loads(data)

    def verb(self, verb: str, body: dict | None = None) -> dict:
        return self.call("POST", f"/v1/sessions/s/branches/main/{verb}", body)

    def end(self) -> None:
        self.call("DELETE", "/v1/sessions/s")
        self.daemon.terminate()
        self.daemon.wait()
        shutil.rmtree(self.state, ignore_errors=True)


def snapshot(build: Build) -> None:
    build.node = build.verb("snapshot")["node"]


# For each row: an untimed preparation, and the call that is timed.
ROWS: dict[str, tuple[Callable[[Build], object], Callable[[Build], object]]] = {
    "exec": (lambda b: None, lambda b: b.verb("exec", {"command": "true"})),
    "snapshot, warm": (lambda b: (b.verb("exec", {"command": "x=$((x + 1))"}), time.sleep(THINKING_S)), snapshot),
    "snapshot, cold": (lambda b: b.verb("exec", {"command": "x=$((x + 1))"}), snapshot),
    "restore, warm": (lambda b: (b.verb("exec", {"command": "x=0"}), time.sleep(THINKING_S)),
                      lambda b: b.verb("restore", {"node": b.node})),
    "restore, cold": (lambda b: b.verb("exec", {"command": "x=0"}), lambda b: b.verb("restore", {"node": b.node})),
}


def measure(builds: list[Build], rounds: int) -> None:
    print(f"{rounds} rounds; ms, median (minimum)")
    print(f"{'':16}" + "".join(f"{b.name:>20}" for b in builds) + f"{'new/old':>10}")
    for row, (before, timed) in ROWS.items():
        times: list[list[float]] = [[] for _ in builds]
        for number in range(rounds):
            order = [0, 1] if number % 2 == 0 else [1, 0]
            for index in order:
                before(builds[index])
                start = time.perf_counter()
                timed(builds[index])
                times[index].append((time.perf_counter() - start) * 1000)
        ratio = statistics.median(new / old for old, new in zip(*times))
        shown = "".join(f"{f'{statistics.median(t):.2f} ({min(t):.2f})':>20}" for t in times)
        print(f"{row:16}{shown}{ratio:10.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="folder with the programs of one build")
    parser.add_argument("new", help="folder with the programs of the other")
    parser.add_argument("--rounds", type=int, default=60, help="how often each verb is timed (default: 60)")
    arguments = parser.parse_args()
    builds: list[Build] = []
    try:
        for name, programs in (("old", arguments.old), ("new", arguments.new)):
            builds.append(Build(name, programs))
        measure(builds, arguments.rounds)
    finally:
        for build in builds:
            build.end()


if __name__ == "__main__":
    main()
