"""Example runs: a small realistic search, an empty run, very many nodes, and hostile texts."""

import random
from typing import Any, Dict, List

Run = Dict[str, Any]
PARTS = ("model", "restore", "command", "snapshot", "grade")


class RunMaker:
    """Adds nodes as a search with `jobs` workers would, with plausible times."""

    def __init__(self, jobs: int = 1, seed: int = 7) -> None:
        self.random = random.Random(seed)
        self.free = [0] * jobs
        self.nodes: List[Run] = [{
            "id": 0, "parent": None, "state": "n1", "command": "", "thought": "", "last": False, "output": "", "exit_code": 0,
            "timed_out": False, "value": 0.5, "reflection": "", "grade": None, "committed": True, "lane": 0, "failure": "",
            "usage": {}, "began_us": 0, "took_us": 0, "diff": None}]
        self.ends = [0]

    def add(self, parent: int, command: str, output: str = "", seconds: float = 0.2, **more: Any) -> int:
        roll = self.random.uniform
        usage = {"model_calls": 1, "tokens_in": 900 + 350 * len(self.nodes) % 4000, "tokens_out": self.random.randrange(40, 220),
                 "money": round(roll(0.002, 0.009), 5), "model_us": int(roll(1.1e6, 3.2e6)), "command_us": int(seconds * 1e6),
                 "snapshot_us": int(roll(18e3, 60e3)), "restore_us": int(roll(25e3, 90e3)), "grade_us": 0}
        if more.get("grade"):
            usage["grade_us"] = int(roll(0.8e6, 1.6e6))
        took = sum(usage[part + "_us"] for part in PARTS) + 3000
        job = min(range(len(self.free)), key=lambda at: max(self.free[at], self.ends[parent]))
        began = max(self.free[job], self.ends[parent])
        self.free[job] = began + took
        self.ends.append(began + took)
        node = {"id": len(self.nodes), "parent": parent, "state": f"n{len(self.nodes) + 1}", "command": command, "thought": "",
                "last": False, "output": output, "exit_code": 0, "timed_out": False, "value": 0.5, "reflection": "",
                "grade": None, "committed": False, "lane": 0, "failure": "", "usage": usage, "began_us": began, "took_us": took,
                "diff": None}
        node.update(more)
        self.nodes.append(node)
        return len(self.nodes) - 1

    def run(self, task: str, instruction: str, best: int, why: str, **about: Any) -> Run:
        solved = any(node["grade"] and node["grade"]["score"] >= 1 for node in self.nodes)
        keys = ["model_calls", "tokens_in", "tokens_out", "money"] + [part + "_us" for part in PARTS]
        summary: Run = {key: sum(node["usage"].get(key, 0) for node in self.nodes) for key in keys}
        summary.update(solved=solved, why=why, best=best, nodes=len(self.nodes), wall_us=max(self.ends), bytes=48_300_000)
        head = {"id": "r-20261116-7c1f", "task": task, "instruction": instruction, "policy": "mcts",
                "options": {"width": 3, "depth": 2, "steps": 12, "exploration": 1.0}, "agent": "llm", "model": "any-model-1",
                "backend": "waypoint", "session": "s4", "jobs": len(self.free), "began": "2026-11-16T18:00:00Z"}
        head.update(about)
        return {"version": 1, "run": head, "summary": summary, "nodes": self.nodes}


PATCH = """--- /srv/app/config.py
+++ /srv/app/config.py
@@ -3,6 +3,7 @@
 import os

-PORT = 8080
+PORT = int(os.environ.get("PORT", "8000"))
+HOST = "127.0.0.1"

 def database():
"""
LOG = """============================= test session starts ==============================
collected 3 items

test_service.py::test_port PASSED
test_service.py::test_health PASSED
test_service.py::test_restart PASSED

============================== 3 passed in 0.84s ===============================
"""


def small() -> Run:
    """A service that does not start: 24 nodes, solved, with a dead end, a timeout, grades, diffs
    and reflections."""
    make = RunMaker(jobs=3)
    look = make.add(0, "cd /srv/app && ls -la", "total 28\ndrwxr-xr-x 3 root root 4096 .\n-rw-r--r-- 1 root root  412 config.py\n"
                    "-rw-r--r-- 1 root root 1830 service.py\n-rw-r--r-- 1 root root   61 requirements.txt\n", value=0.55,
                    committed=True, thought="See what there is before touching anything.")
    guess = make.add(0, "systemctl restart app", "System has not been booted with systemd as init system (PID 1). Can't operate.\n",
                     exit_code=1, value=0.1, reflection="There is no systemd here; start the program itself.")
    make.add(guess, "service app restart", "app: unrecognized service\n", exit_code=1, value=0.05)
    reinstall = make.add(0, "pip install -r /srv/app/requirements.txt", "Requirement already satisfied: flask\n", 4.2, value=0.3)
    make.add(reinstall, "pip install --force-reinstall flask", "ERROR: Could not find a version that satisfies the requirement\n",
             6.5, exit_code=1, value=0.1, reflection="No network in this session: what is installed must do.")
    run_it = make.add(look, "python3 service.py & sleep 1; curl -s localhost:8000/health", "[1] 41\nTraceback (most recent call last):\n"
                      "  File \"/srv/app/service.py\", line 12, in <module>\nOSError: [Errno 98] Address already in use\n", 1.2,
                      exit_code=7, value=0.62, committed=True, thought="Run it in the foreground of my mind: the error will say more.",
                      reflection="Somebody else has port 8080; the task wants 8000.")
    make.add(look, "cat service.py", "from config import PORT\nfrom flask import Flask\n…\n", value=0.5)
    make.add(look, "rm -rf /srv/app/*", "", value=0.0, failure="the agent's answer had no command that may be run: refused by the task's rules")
    who = make.add(run_it, "ss -ltnp | grep 8080", "LISTEN 0 128 0.0.0.0:8080 users:((\"nginx\",pid=23,fd=6))\n", value=0.66)
    make.add(who, "kill 23", "", value=0.3, reflection="Killing nginx frees the port, but the tests want nginx alive.")
    make.add(who, "nginx -s stop && python3 service.py", "", 30.0, exit_code=124, timed_out=True, value=0.15)
    edit = make.add(run_it, "sed -i 's/^PORT = 8080/PORT = int(os.environ.get(\"PORT\", \"8000\"))/' config.py", "", value=0.81,
                    committed=True, thought="The port should come from the environment, with 8000 as its default.", diff=[
                        {"path": "/srv/app/config.py", "kind": "changed", "bytes": 447, "patch": PATCH},
                        {"path": "/srv/app/__pycache__/config.cpython-311.pyc", "kind": "added", "bytes": 611},
                        {"path": "/run/app.pid", "kind": "removed", "bytes": 3}])
    make.add(run_it, "export PORT=8000", "", value=0.4)
    start = make.add(edit, "python3 service.py >log 2>&1 &", "[2] 58\n", value=0.78, committed=True)
    once = make.add(edit, "PORT=8000 python3 service.py", "", 30.0, exit_code=124, timed_out=True, value=0.2)
    make.add(once, "echo done", "done\n", value=0.2, last=True, grade={"score": 0.33, "log": "1 of 3 tests passed\n"})
    check = make.add(start, "curl -fsS localhost:8000/health", "ok\n", value=0.9, committed=True)
    make.add(start, "jobs; tail log", "[2]+  Running   python3 service.py > log 2>&1 &\n", value=0.7)
    make.add(check, "nohup true; disown -a", "", value=0.5, last=True, grade={"score": 0.67, "log": "test_restart FAILED\n2 of 3 tests passed\n"})
    keep = make.add(check, "printf '%s\\n' '#!/bin/sh' 'cd /srv/app && exec python3 service.py' >start && chmod +x start", "",
                    value=0.92, committed=True, diff=[{"path": "/srv/app/start", "kind": "added", "bytes": 54}])
    done = make.add(keep, "./start --check; echo $?", "0\n", value=0.97, committed=True, last=True,
                    thought="Health is fine, and it can be started again.", grade={"score": 1, "log": LOG})
    make.add(keep, "reboot", "", value=0.0, failure="the session's shell is gone: the command ended it")
    make.add(check, "cat log", " * Running on http://127.0.0.1:8000\n", value=0.6)
    return make.run("restore-the-service", "The web service in /srv/app does not come up. Make it answer on port 8000, survive a "
                    "restart, and leave nginx alone.", done, f"the tests pass at node {done}")


def empty() -> Run:
    """A run stopped before its first step."""
    make = RunMaker()
    return make.run("nothing-yet", "", 0, "0 of 0 nodes", options={})


def large(count: int = 5000) -> Run:
    """A wide and deep search; the solution is 30 steps down."""
    make = RunMaker(jobs=6, seed=11)
    main = 0
    for step in range(30):
        main = make.add(main, f"make step-{step}", f"step {step} done\n", value=0.5 + step / 60, committed=True)
    make.nodes[main].update(last=True, grade={"score": 1, "log": LOG})
    while len(make.nodes) < count:
        at = len(make.nodes)
        parent = make.random.randrange(at) if at % 3 else at - 1
        broken = make.random.random() < 0.06
        make.add(parent, f"try --variant {at} --seed {make.random.randrange(10**6)}", f"variant {at}\n", make.random.uniform(0.01, 2),
                 value=round(make.random.random(), 2), exit_code=int(make.random.random() < 0.2), failure="it broke" if broken else "",
                 grade={"score": 0.5, "log": "half"} if not broken and at % 41 == 0 else None)
    return make.run("very-many-variants", "Try everything.", main, "the tests pass at node 30")


HARM = "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script><!--<script>"


def hostile() -> Run:
    """Markup, escapes, control characters, direction overrides and template markers in every
    text; one huge output."""
    make = RunMaker()
    bad = HARM + " &lt;b&gt; {{RUN}} /*{{JS}}*/ \x1b[31mred\x1b[0m \x00\x07 \u202etxt.exe \U0001f600 \u2028"
    first = make.add(0, "echo " + bad, bad + "\nend\n", thought=bad, reflection=bad, grade={"score": 0.5, "log": bad}, failure=bad, state=bad,
                     diff=[{"path": bad, "kind": bad, "bytes": 1, "patch": "@@ -1 +1 @@\n-" + bad + "\n+" + bad}])
    make.add(first, "seq 1000000", "0123456789\n" * 300_000)
    run = make.run(bad, bad, first, bad, id=bad + "\nrm -rf /", policy=bad, agent=bad, model=bad, backend=bad, session=bad, began=bad,
                   options={bad: bad})
    run["summary"]["solved"] = False
    return run


def torn() -> Run:
    """A document with missing fields and fields of the wrong type."""
    return {"run": None, "summary": [], "nodes": [
        {}, {"id": 1, "parent": 0}, {"id": 2, "parent": 99, "command": 5, "output": None, "exit_code": "x", "value": "high"}, None,
        {"id": 1, "parent": 2, "grade": {}, "usage": 3, "diff": [None, {"path": 7}], "took_us": -4}]}
