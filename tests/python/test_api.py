"""The package and the daemon's API description define the same requests."""

import json
import re
import unittest
from typing import Any, Dict, List, Set, Tuple

from statefork import container, executions, requests, transfer, verbs
from statefork.plans import Course, Open, Plan, Reply, Request, Send
from statefork.requests import Address
from statefork.results import ExecutionInfo
from statefork.runner import Runner
from statefork.subscription import watch_terminal
from world import World

Operation = Tuple[str, str]  # method and path
AT = Address("S", "B")
EXECUTION = ExecutionInfo("X", "running", "true", 1)
PLANS: List[Plan[Any]] = [
    verbs.health(), verbs.backends(), verbs.metrics(), verbs.collect_garbage(), verbs.list_sessions(),
    verbs.build_session("waypoint", "/", 1, 1, name="n", policy="p", user="u", cwd="c", env={}, network="n",
                        memory_bytes=1, pids=1, cpus=1, labels={}, max_bytes=1, max_branches=1),
    verbs.session_info(AT), verbs.rename_session(AT, "n"), verbs.end_session(AT), verbs.tree(AT), verbs.stats(AT),
    verbs.send_keys(AT, "k"), verbs.press(AT, ["Up"]), verbs.paste(AT, "p"),
    verbs.mouse(AT, "click", 1, 1, "left", True, True, True), verbs.screen(AT, 1), verbs.resize(AT, 1, 1),
    verbs.snapshot(AT, "n", {"a": "b"}, "virtual"), verbs.restore(AT, "n", "fail"),
    verbs.fork(AT, "n", 1, ["n"], "fail", False), verbs.end_branch(AT), verbs.node(AT, "N"),
    verbs.change_node(AT, "N", "n", {"a": None}), verbs.cleanup(AT, "n", True),
    verbs.diff(AT, "n", "m"), verbs.read_file(AT, "/f"), verbs.write_file(AT, "/f", b""),
    verbs.run(AT, ["true"], {"a": "b"}, "/", "u", b"", 1, False, 1),
    executions.run_command(AT, "c", 1, False, 1, True, None), executions.start(AT, "c", 1, 1, True),
    executions.find(AT, "X"), executions.interrupt(AT, "X"), executions.list_executions(AT),
    executions.wait(AT, EXECUTION, 1, False),
    executions.follow(AT, EXECUTION, 0), watch_terminal(AT)]
FOR_OTHERS = {("GET", "/openapi.json")}


def first_request(plan: Plan[Any]) -> Request:
    with Course(plan) as course:
        assert isinstance(course.step, (Send, Open))
        return course.step.request


class ApiTest(unittest.TestCase):
    api: Dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        world = World()
        cls.addClassCleanup(world.close)

        def fetch() -> Plan[Any]:
            reply: Reply = yield from verbs.reach(Send(Request("GET", "/openapi.json")))
            return json.loads(reply.body)

        cls.api = Runner(world.client()._find()).run(fetch())

    def operations(self) -> Set[Operation]:
        return {(method.upper(), path) for path, item in self.api["paths"].items() for method in item
                if method in ("get", "put", "post", "patch", "delete")}

    def find(self, request: Request) -> Operation:
        for method, path in self.operations():
            if method == request.method and re.fullmatch(re.sub(r"\{\w+\}", "[A-Z]", path), request.path):
                return method, path
        raise AssertionError(f"the API has no operation {request.method} {request.path}")

    def test_verbs_and_api_operations_correspond(self) -> None:
        used = {self.find(first_request(plan)) for plan in PLANS}
        self.assertEqual(used | FOR_OTHERS, self.operations())

    def test_the_client_and_the_api_state_the_same_limits(self) -> None:
        limits = self.api["x-limits"]
        self.assertEqual(requests.MAX_REQUEST_BYTES, limits["request_bytes"])
        self.assertEqual(requests.MAX_FILE_BYTES, limits["file_write_bytes"])
        self.assertEqual(requests.DEFAULT_TIMEOUT * 1000, limits["default_timeout_ms"])
        for asked in (container.MAX_OUTPUT, 2 * transfer.PART):
            self.assertLessEqual(asked, limits["output_bytes"])
        self.assertLessEqual(transfer.PART, limits["program_input_bytes"])


if __name__ == "__main__":
    unittest.main()
