"""A custom search in thirty lines: best-first search over the states of a terminal.

Run it with the privileges of the daemon: python3 examples/search_loop.py
"""

import heapq
from itertools import count

from statefork import build_session

MOVES = ["mkdir -p site && cd site", "echo '<h1>hello</h1>' > index.html", "cd ..", "rm -rf site",
         "python3 -m http.server 8080 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 0.5"]
GOAL = "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET / HTTP/1.0\r\n\r\n' >&3 && grep -q hello <&3"


def score(branch):
    """The share of passed checks. They run beside the shell, so they do not change the state."""
    checks = ["test -f /root/site/index.html", "ss -ltn | grep -q 8080", GOAL]
    return sum(branch.run(["bash", "-c", check]).ok for check in checks) / len(checks)


with build_session("waypoint", root="/", cwd="/root") as s:
    order = count()  # among equal scores, the oldest comes first
    frontier = [(0.0, next(order), s.snapshot(), [])]
    visited = 0
    while frontier and visited < 60:
        _, _, node, path = heapq.heappop(frontier)
        for move in MOVES:
            s.restore(node)  # files, directory, variables and servers
            s.exec_command(move)
            visited += 1
            now = score(s)
            if now == 1.0:
                print(f"solved after {visited} moves:", *path, move, sep="\n  ")
                raise SystemExit
            heapq.heappush(frontier, (-now, next(order), s.snapshot(), [*path, move]))
