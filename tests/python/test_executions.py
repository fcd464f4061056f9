"""Executions: commands that run independently of a connection, and their output over connections
that break."""

import json
import os
import signal
import subprocess
import unittest
from typing import List

from statefork import (BusyError, Client, CommandFailed, Event, ExecutionLostError, InvalidArgumentError, NotFoundError,
                       OutputEvent, ResultEvent, Session, SessionLostError, StateForkError,
                       TimedOutError)
from cutting_proxy import CuttingProxy
from world import LiveTest, World, eventually, program


def text_of(events: List[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, OutputEvent))


class StreamTest(LiveTest):
    def test_on_output_receives_output_as_it_arrives(self) -> None:
        told: List[str] = []

        def answer(text: str) -> None:  # the command continues once its first line has arrived
            told.append(text)
            if "".join(told) == "question\n":
                self.s.send_keys("reply\r")

        r = self.s.exec_command("stty -echo; echo question; read x; echo got $x", on_output=answer, timeout=60)
        self.assertEqual("".join(told), r.output)
        self.assertEqual((r.output, r.exit_code), ("question\ngot reply\n", 0))

    def test_check_and_time_outs_work_while_streaming(self) -> None:
        told: List[str] = []
        with self.assertRaises(CommandFailed) as failed:
            self.s.exec_command("echo part; (exit 5)", on_output=told.append, check=True)
        self.assertEqual((failed.exception.exit_code, told), (5, ["part\n"]))
        self.assertTrue(self.s.exec_command("sleep 1000", on_output=told.append, timeout=0.3).timed_out)

    def test_an_exception_of_the_callback_is_raised(self) -> None:
        def refuse(_: str) -> None:
            raise NotFoundError("mine")  # our own type, but not a connection error

        with self.assertRaisesRegex(NotFoundError, "mine"):
            self.s.exec_command("echo x", on_output=refuse)
        self.assertEqual(self.s.exec_command("echo usable").output, "usable\n")

    def test_on_output_cannot_be_combined_with_raw(self) -> None:
        with self.assertRaises(InvalidArgumentError):
            self.s.exec_command("true", on_output=print, raw=True)

    def test_events_are_numbered_and_end_with_the_result(self) -> None:
        execution = self.s.start_command("for i in 1 2 3; do echo $i; sleep 0.01; done; (exit 2)")
        events = list(execution)
        self.assertEqual([event.seq for event in events], list(range(1, len(events) + 1)))
        self.assertEqual(text_of(events), "1\n2\n3\n")
        last = events[-1]
        assert isinstance(last, ResultEvent)
        self.assertEqual((last.result.output, last.result.exit_code), ("1\n2\n3\n", 2))
        self.assertEqual(last.result.command, execution.command)

    def test_events_can_be_read_again_from_any_number(self) -> None:
        execution = self.s.start_command("for i in 1 2 3; do echo $i; sleep 0.01; done")
        events = list(execution)
        for after in range(len(events)):
            self.assertEqual(list(execution.events(after)), events[after:])

    def test_raw_events_have_the_terminals_bytes(self) -> None:
        events = list(self.s.start_command("printf '\\033[1mb\\033[0m\\n'", raw=True))
        raw = b"".join(event.raw for event in events if isinstance(event, OutputEvent))
        self.assertIn(b"\x1b[1mb\x1b[0m\r\n", raw)

    def test_characters_arrive_whole_however_they_were_written(self) -> None:
        command = "printf '\\xe2'; sleep 0.05; printf '\\x82'; sleep 0.05; printf '\\xac\\n'"
        self.assertEqual(text_of(list(self.s.start_command(command))), "\u20ac\n")

    def test_much_output_arrives_whole(self) -> None:
        told: List[str] = []
        r = self.s.exec_command("seq 1 30000", on_output=told.append)
        self.assertEqual("".join(told), "".join(f"{i}\n" for i in range(1, 30001)))
        self.assertTrue(r.ok)

    def test_a_command_continues_without_a_watcher(self) -> None:
        execution = self.s.start_command("echo one; read x; echo $x")
        next(execution.events())
        self.assertTrue(execution.info().running)
        with self.assertRaises(TimedOutError):
            execution.wait(timeout=0.05)
        again = self.s.execution(execution.id)
        self.assertEqual((again.id, again.command), (execution.id, execution.command))
        self.s.send_keys("two\r")
        self.assertTrue(again.wait(timeout=60).output.endswith("two\n"))
        self.assertFalse(execution.info().running)

    def test_executions_are_listed(self) -> None:
        self.assertEqual(self.s.executions(), [])
        running = self.s.start_command("echo ready; read x")
        next(running.events())
        listed = [(one.id, one.state, one.command) for one in self.s.executions()]
        self.assertEqual(listed, [(running.id, "running", "echo ready; read x")])
        self.s.send_keys("\r")
        self.assertTrue(running.wait(check=True).ok)
        self.assertEqual(self.s.executions()[0].state, "done")

    def test_an_interrupt_meets_only_its_own_command(self) -> None:
        first = self.s.start_command("echo ready; read x; echo $x")
        next(first.events())
        second = self.s.start_command("echo never")
        self.assertEqual(second.interrupt(), "queued")
        self.s.send_keys("word\r")
        self.assertTrue(first.wait(timeout=60).output.endswith("word\n"))
        with self.assertRaises(BusyError):
            second.wait(timeout=60)
        self.assertEqual(first.interrupt(), "over")

    def test_an_unknown_execution_is_not_found(self) -> None:
        with self.assertRaises(NotFoundError):
            self.s.execution("x123456")

    def test_a_command_whose_branch_is_ended_fails(self) -> None:
        b = self.s.branch()
        execution = b.start_command("echo begun; sleep 1000", timeout=None)
        with self.assertRaises((SessionLostError, NotFoundError)) as ended:
            for event in execution:
                if isinstance(event, OutputEvent):
                    b.end()
        self.assertEqual(ended.exception.output, "begun\n")


class BrokenConnectionTest(LiveTest):
    """A proxy between client and daemon cuts each reply after some bytes."""

    def through(self, proxy: CuttingProxy) -> Client:
        return Client(proxy.socket, start=False)

    def test_every_event_arrives_once_over_connections_that_break(self) -> None:
        with CuttingProxy(self.world.socket) as proxy:
            s = self.through(proxy).connect(self.s.id)
            execution = s.start_command("for i in $(seq 1 40); do echo line $i; sleep 0.01; done")
            proxy.cut_after(700)
            events = list(execution)
            self.assertGreater(proxy.cuts, 3)
            proxy.cut_after(None)
            self.assertEqual([event.seq for event in events], list(range(1, len(events) + 1)))
            self.assertEqual(text_of(events), "".join(f"line {i}\n" for i in range(1, 41)))
            self.assertIsInstance(events[-1], ResultEvent)

    def test_on_output_receives_everything_once(self) -> None:
        with CuttingProxy(self.world.socket) as proxy:
            s = self.through(proxy).connect(self.s.id)
            told: List[str] = []
            proxy.cut_after(700)
            r = s.exec_command("for i in $(seq 1 40); do echo $i; sleep 0.01; done", on_output=told.append)
            self.assertGreater(proxy.cuts, 1)
            self.assertEqual("".join(told), r.output)

    def test_a_lost_execution_keeps_its_output(self) -> None:
        with CuttingProxy(self.world.socket) as proxy:
            s = self.through(proxy).connect(self.s.id)
            execution = s.start_command("echo begun; sleep 1000", timeout=None)
            with self.assertRaises(ExecutionLostError) as lost:
                for event in execution:
                    proxy.close()
            self.assertEqual(lost.exception.output, "begun\n")
        self.s.send_keys("\x03")

    def test_wait_survives_broken_connections(self) -> None:
        with CuttingProxy(self.world.socket) as proxy:
            execution = self.through(proxy).connect(self.s.id).start_command("echo ready; read x; echo $x")
            next(execution.events())
            proxy.refuse(3)
            self.s.send_keys("hello\r")
            self.assertTrue(execution.wait(timeout=60).output.endswith("hello\n"))
            self.assertEqual(proxy.cuts, 3)


class RestartedDaemonTest(unittest.TestCase):
    def test_a_restarted_daemon_knows_no_executions(self) -> None:
        world = World()
        self.addCleanup(world.close)
        s = world.session()
        execution = s.start_command("echo begun; touch /root/begun; read x", timeout=None)
        eventually(lambda: world.client().connect(s.id).tree().branches[0].pending)
        with self.assertRaises(ExecutionLostError) as lost:
            for event in execution:
                world.end_daemon(signal.SIGKILL)
        self.assertEqual(lost.exception.output, "begun\n")
        self.assertEqual(lost.exception.code, "os")  # the branch is not lost

    def test_the_command_line_does_not_take_the_branch_for_lost(self) -> None:
        world = World()
        self.addCleanup(world.close)
        s = world.session()
        command = subprocess.Popen([program(), "exec", s.id, "--json", "--", "x=1; touch /root/begun; read y"],
                                   env={**os.environ, **world.variables()}, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        eventually(lambda: is_there(s, "/root/begun"))
        world.end_daemon(signal.SIGKILL)
        eventually(lambda: starts_daemon(world))
        problem = json.loads(command.communicate(timeout=60)[1])
        self.assertEqual((problem["code"], problem["detail"]), ("os", "the daemon ended while the command was running"))
        s.send_keys("\r")
        self.assertEqual(s.exec_command("echo $x").output, "1\n")


def starts_daemon(world: World) -> bool:
    try:
        return bool(world.client().health().status == "ok")
    except StateForkError:  # the old one was still there
        return False


def is_there(s: Session, path: str) -> bool:
    try:
        s.read_file(path)
    except NotFoundError:
        return False
    return True


if __name__ == "__main__":
    unittest.main()
