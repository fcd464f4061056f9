"""A session from its first command to its end."""

import os
import threading
import unittest
from typing import List, Union

import statefork
from statefork import (CommandFailed, CommandTimeout, InvalidArgumentError, NotFoundError, Sandbox, Session)
from world import LiveTest, World, environment


class CommandTest(LiveTest):
    def test_a_command_returns_output_and_exit_code(self) -> None:
        r = self.s.exec_command("echo out; echo err >&2; (exit 3)", timeout=60)
        self.assertEqual((r.output, r.exit_code, r.timed_out, r.truncated), ("out\nerr\n", 3, False, False))
        self.assertFalse(r.ok)
        self.assertGreater(r.duration, 0)
        self.assertTrue(self.s.exec_command("true").ok)

    def test_the_shell_keeps_its_state_between_commands(self) -> None:
        self.s.exec_command("cd /usr; x='a  b'; f() { echo $1!; }")
        self.assertEqual(self.s.exec_command('pwd; echo "$x"; f hi').output, "/usr\na  b\nhi!\n")

    def test_exec_is_another_name_for_exec_command(self) -> None:
        self.assertEqual(self.s.exec("echo hi").output, "hi\n")
        self.assertIs(Sandbox, Session)

    def test_check_raises_with_the_partial_output(self) -> None:
        with self.assertRaises(CommandFailed) as failed:
            self.s.exec_command("echo part; (exit 4)", check=True)
        self.assertEqual((failed.exception.output, failed.exception.exit_code), ("part\n", 4))
        with self.assertRaises(CommandTimeout) as late:
            self.s.exec_command("echo part; sleep 1000", timeout=0.3, check=True)
        self.assertTrue(late.exception.result.timed_out)
        self.assertTrue(late.exception.result.output.startswith("part\n"))
        self.assertIsInstance(late.exception, TimeoutError)
        self.assertEqual(self.s.exec_command("echo fine", check=True).output, "fine\n")

    def test_without_check_a_time_out_is_a_result(self) -> None:
        r = self.s.exec_command("echo part; sleep 1000", timeout=0.3)
        self.assertTrue(r.timed_out)
        self.assertFalse(r.ok)
        self.assertTrue(r.output.startswith("part\n"))
        self.assertEqual(self.s.exec_command("echo usable").output, "usable\n")

    def test_a_time_out_must_leave_some_time(self) -> None:
        for timeout in (0, -1, float("nan")):
            with self.assertRaises(InvalidArgumentError):
                self.s.exec_command("true", timeout=timeout)
        self.assertTrue(self.s.exec_command("true", timeout=None).ok)

    def test_long_output_keeps_its_beginning_and_its_end(self) -> None:
        r = self.s.exec_command("seq 1 20000", max_output=1000)
        self.assertTrue(r.truncated)
        self.assertTrue(r.output.startswith("1\n2\n"))
        self.assertTrue(r.output.endswith("20000\n"))
        self.assertGreater(r.output_bytes, 100_000)

    def test_bytes_that_are_not_text_are_preserved(self) -> None:
        commands: List[Union[str, bytes]] = [b"printf '\xfe\\n'", os.fsdecode(b"printf '\xfe\\n'")]
        for command in commands:
            r = self.s.exec_command(command, raw=True)
            self.assertEqual((r.raw, r.output), (b"\xfe\r\n", "\ufffd\n"))
        self.assertEqual(self.s.exec_command("echo '\u00e4\u20ac\U0001f600'").output, "\u00e4\u20ac\U0001f600\n")

    def test_raw_gives_the_terminals_own_bytes(self) -> None:
        r = self.s.exec_command("printf '\\033[1mbold\\033[0m\\n'", raw=True)
        self.assertEqual(r.output, "bold\n")
        self.assertIn(b"\x1b[1mbold\x1b[0m\r\n", r.raw)

    def test_later_output_of_jobs_is_kept_separate(self) -> None:
        self.s.exec_command("mkfifo /tmp/go; (read <>/tmp/go; echo from-job; touch /tmp/done) &")
        self.assertTrue(self.s.exec_command("echo >/tmp/go; until [ -e /tmp/done ]; do sleep 0.01; done").ok)
        self.assertEqual(self.s.exec_command("echo mine").output, "mine\n")

    def test_one_session_can_be_used_by_many_threads(self) -> None:
        outputs = {}

        def work(i: int) -> None:
            outputs[i] = self.s.exec_command(f"echo {i}").output

        threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(outputs, {i: f"{i}\n" for i in range(16)})


class LifeTest(LiveTest):
    def test_leaving_the_with_ends_the_session(self) -> None:
        with self.world.session() as s:
            s.exec_command("true")
        with self.assertRaises(NotFoundError):
            s.exec_command("true")

    def test_keep_leaves_the_session_and_connect_finds_it_by_id_and_name(self) -> None:
        with self.world.session(name="kept", keep=True) as s:
            s.exec_command("x=1")
        with self.world.client().connect("kept") as again:
            self.assertEqual(again.id, s.id)
            self.assertEqual(again.exec_command("echo $x").output, "1\n")
        with self.world.client().connect(s.id, keep=False) as last:
            self.assertEqual(last.name, "kept")
        with self.assertRaises(NotFoundError):
            self.world.client().connect("kept")

    def test_an_error_in_the_with_is_the_one_that_is_raised(self) -> None:
        with self.assertRaises(ZeroDivisionError):
            with self.world.session() as s:
                s.end()
                raise ZeroDivisionError
        with self.world.session() as s:
            s.end()  # a second end() does nothing

    def test_settings_apply(self) -> None:
        with self.world.session(name="set", policy="lazy", cwd="/usr", env={"K": "v"}, labels={"who": "me"},
                                pids=100, cpus=1.5) as s:
            self.assertEqual(s.exec_command("pwd; echo $K").output, "/usr\nv\n")
            info = s.info()
            self.assertEqual((info.name, info.policy, info.labels, info.pids, info.cpus),
                             ("set", "lazy", {"who": "me"}, 100, 1.5))
            self.assertEqual([branch.id for branch in info.branches], ["main"])

    def test_sessions_are_listed_with_the_oldest_first(self) -> None:
        with self.world.session() as young:
            listed = [info.id for info in self.world.client().list_sessions()]
            self.assertEqual(listed, [self.s.id, young.id])

    def test_the_environment_selects_the_default_daemon(self) -> None:
        with environment(**self.world.variables()):
            with statefork.build_session("waypoint", root="/") as s:
                self.assertIn(s.id, [info.id for info in statefork.list_sessions()])
                self.assertEqual(statefork.connect(s.id).id, s.id)

    def test_a_session_outlives_its_daemon(self) -> None:
        world = World()
        self.addCleanup(world.close)
        s = world.session()
        s.exec_command("x=kept")
        world.end_daemon()
        self.assertEqual(s.exec_command("echo $x").output, "kept\n")  # starts a new daemon


if __name__ == "__main__":
    unittest.main()
