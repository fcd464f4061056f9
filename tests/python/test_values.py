"""The pure parts: events, errors, requests, replies."""

import pickle
import unittest
from typing import Any, List

import statefork
from statefork import (Blocker, CommandFailed, CommandResult, CommandTimeout, DaemonError, Divergence, DivergenceError,
                       InvalidArgumentError, Node, NoSpaceError, Outcome, StateForkError, UnsupportedError,
                       verbs)
from statefork.errors import check_result, error_from_problem
from statefork.events import EventReader, Message
from statefork.location import find_location
from statefork.plans import Course, Reply, Send
from statefork.replies import json_of
from statefork.requests import MAX_REQUEST_BYTES, Address, ask
from statefork.results import Forked
from world import environment

RESULT = CommandResult("make", output="part\n", exit_code=2, duration=0.5)


class EventReaderTest(unittest.TestCase):
    STREAM = (b": a sign of life\n\nid: 1\nevent: output\ndata: {\"t\":\"\xc3\xa4\"}\n\n"
              b"event: output\r\ndata:two\r\ndata: lines\r\n\r\nevent: of nothing\n\nevent: cut off\ndata: x\n")
    MESSAGES = [Message("output", '{"t":"\u00e4"}'), Message("output", "two\nlines")]

    def read(self, pieces: List[bytes]) -> List[Message]:
        reader = EventReader()
        return [message for piece in pieces for message in reader.feed(piece)]

    def test_messages_are_complete_in_any_split(self) -> None:
        for size in range(1, len(self.STREAM) + 1):
            pieces = [self.STREAM[at:at + size] for at in range(0, len(self.STREAM), size)]
            self.assertEqual(self.read(pieces), self.MESSAGES)

    def test_a_very_long_message_in_many_pieces_is_read_whole(self) -> None:
        pieces = [b"data: "] + [b"x" * 1024] * 20_000 + [b"\n\n"]
        self.assertEqual(len(self.read(pieces)[0].data), 1024 * 20_000)


class ErrorTest(unittest.TestCase):
    def test_every_code_of_the_api_has_its_type(self) -> None:
        names = {"invalid_argument": "InvalidArgumentError", "unauthorized": "AuthenticationError",
                 "not_found": "NotFoundError", "busy": "BusyError", "diverged": "DivergenceError",
                 "session_lost": "SessionLostError", "unsupported": "UnsupportedError", "timed_out": "TimedOutError",
                 "no_space": "NoSpaceError", "corrupt": "DaemonError", "os": "DaemonError", "of later": "DaemonError"}
        for code, name in names.items():
            error = error_from_problem(499, {"code": code, "detail": "d", "hint": "h", "details": {"a": "b"}})
            self.assertEqual((type(error).__name__, error.code, error.message, error.hint, error.details, error.status),
                             (name, code, "d", "h", {"a": "b"}, 499))

    def test_malformed_problems_are_still_errors(self) -> None:
        problems: List[Any] = [None, 5, [], {}, {"code": 5, "detail": None, "details": "x"}]
        for problem in problems:
            self.assertIsInstance(error_from_problem(500, problem), DaemonError)

    def test_every_error_survives_pickling(self) -> None:
        errors: List[StateForkError] = [CommandFailed(RESULT, "m"), CommandTimeout(RESULT, "m")]
        for name in statefork.errors.__all__:
            kind = getattr(statefork, name)
            if not issubclass(kind, statefork.CommandError):
                errors.append(kind("m", code="c", hint="h", details={"a": "b"}, status=7, output="o"))
        for error in errors:
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again), vars(again)), (type(error), str(error), vars(error)))

    def test_a_divergence_is_read_from_the_details(self) -> None:
        error = error_from_problem(409, {"code": "diverged", "details": {
            "node": "n2", "index": "1", "step": "3", "command": "date", "expected_exit_code": "0",
            "expected_timed_out": "false", "expected_output": "a", "observed_exit_code": "124",
            "observed_timed_out": "true", "observed_output": "b"}})
        assert isinstance(error, DivergenceError)
        self.assertEqual(error.divergence, Divergence("n2", 1, "date", Outcome(0, False, "a"), Outcome(124, True, "b")))
        self.assertEqual(DivergenceError("bare").divergence.node, "")

    def test_blockers_are_read_from_the_details(self) -> None:
        text = '[{"pid": 7, "process": "node", "what": "w", "why": "y", "advice": "a", "of later": 1}]'
        error = error_from_problem(422, {"code": "unsupported", "details": {"blockers": text}})
        assert isinstance(error, UnsupportedError)
        self.assertEqual(error.blockers, [Blocker(7, "node", "w", "y", "a")])
        for senseless in ("", "{", "5", '[{"pid": "x"}]', 5, None):
            self.assertEqual(UnsupportedError("m", details={"blockers": senseless}).blockers, [])

    def test_check_raises_the_error_of_a_result(self) -> None:
        with self.assertRaisesRegex(CommandFailed, "'make' exited 2"):
            check_result(RESULT)
        late = CommandResult("x" * 100, output="", exit_code=130, duration=1, timed_out=True)
        with self.assertRaisesRegex(CommandTimeout, r"'x{77}\.\.\.' exceeded its time limit"):
            check_result(late)
        fine = CommandResult("true", output="", exit_code=0, duration=0)
        self.assertIs(check_result(fine), fine)


class RequestTest(unittest.TestCase):
    def test_names_are_escaped_in_the_path(self) -> None:
        self.assertEqual(Address("../x?y", "b/c").ask("GET", "exec").target,
                         "/v1/sessions/..%2Fx%3Fy/branches/b%2Fc/exec")
        with self.assertRaises(InvalidArgumentError):
            Address("").ask_session("GET")

    def test_too_large_or_non_text_requests_are_refused_before_sending(self) -> None:
        with self.assertRaises(InvalidArgumentError):
            ask("POST", "/", {"command": "x" * MAX_REQUEST_BYTES})
        for value in (b"bytes", "\udc80"):
            with self.assertRaises(InvalidArgumentError):
                ask("POST", "/", {"name": value})

    def test_errors_and_malformed_replies_are_told_apart(self) -> None:
        with self.assertRaisesRegex(InvalidArgumentError, "wrong"):
            json_of(Reply(400, b'{"code": "invalid_argument", "detail": "wrong"}'))
        for body in (b"", b"{", b"[]"):
            with self.assertRaises(DaemonError):
                json_of(Reply(200, body))


class ForkPlanTest(unittest.TestCase):
    ANSWER = Reply(201, b'{"branches": [{"branch": "b1"}, {"error": {"code": "no_space", "detail": "full"}}]}')

    def test_if_one_branch_fails_the_others_are_ended(self) -> None:
        with Course(verbs.fork(Address("s"), "n1", 2, [], "fail", return_errors=False)) as course:
            course.resume(self.ANSWER)
            assert isinstance(course.step, Send)
            self.assertEqual((course.step.request.method, course.step.request.path),
                             ("DELETE", "/v1/sessions/s/branches/b1"))
            with self.assertRaisesRegex(NoSpaceError, "1 of 2 branches could not be made: full"):
                course.resume(Reply(404, b""))  # 404: it has ended already

    def test_errors_can_be_returned_in_place_of_branches(self) -> None:
        with Course(verbs.fork(Address("s"), "n1", 2, [], "fail", return_errors=True)) as course:
            course.resume(self.ANSWER)
            assert course.step is None and course.value is not None
            branch, error = course.value
            self.assertEqual(branch, Forked("b1", []))
            self.assertIsInstance(error, NoSpaceError)


class PlaceTest(unittest.TestCase):
    def test_arguments_override_the_environment_and_a_url_a_socket(self) -> None:
        with environment():
            self.assertEqual(find_location().describe(), "/run/statefork/statefork.sock")
        with environment(STATEFORK_SOCKET="/s"):
            self.assertEqual(find_location().describe(), "/s")
            self.assertEqual(find_location("/t").describe(), "/t")
        with environment(STATEFORK_SOCKET="/s", STATEFORK_URL="http://h:1", STATEFORK_TOKEN="t"):
            self.assertEqual(find_location().tcp(), ("h", 1, False))
            self.assertEqual(find_location().headers()["Authorization"], "Bearer t")
            self.assertNotIn("Authorization", find_location("/t").headers())
            self.assertEqual(find_location(url="https://o", token="u").headers()["Authorization"], "Bearer u")

    def test_a_token_is_one_line_of_visible_characters(self) -> None:
        self.assertEqual(find_location(url="http://h:1", token="from-a-file\n").headers()["Authorization"],
                         "Bearer from-a-file")
        for token in ("a\r\nX: y", "\u00e4", "a\x00"):
            with self.assertRaises(InvalidArgumentError):
                find_location(url="http://h:1", token=token)

    def test_the_host_header_equals_the_urls_host(self) -> None:
        for url, host in (("http://h:1", "h:1"), ("http://[::1]:1/", "[::1]:1"), ("https://h", "h")):
            self.assertEqual(find_location(url=url).headers()["Host"], host)

    def test_wrong_addresses_are_refused(self) -> None:
        for url in ("host:1", "ftp://h", "http://", "http://h:99999", "http://h/path", "http://h:x"):
            with self.assertRaises(InvalidArgumentError):
                find_location(url=url)
        with self.assertRaises(InvalidArgumentError):
            find_location("/s", url="http://h:1")


class NodeTest(unittest.TestCase):
    def test_a_node_compares_and_formats_by_its_id(self) -> None:
        self.assertNotEqual(Node("n1"), 1)
        self.assertEqual(Node("n1"), Node("n1", name="x"))
        self.assertEqual(f"{Node('n1')}", "n1")
        self.assertIsInstance(StateForkError("x"), Exception)


if __name__ == "__main__":
    unittest.main()
