"""A tmux terminal for Terminal-Bench over a branch: tmux really runs in the branch and is
restored with it."""

import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

from standins import terminal_bench
from statefork import NotFoundError, SessionLostError, UnsupportedError
from statefork.container import Container
from statefork.tmux import Terminal, TerminalCommand, TmuxSession, spin_up_terminal
from world import DaemonTest, environment, eventually

RECORDER = """#!/bin/bash
# As much of `asciinema rec --stdin FILE` as the harness uses.
printf '{"version": 2}\\n[0.5, "o", "a"]\\n[1.5, "o", "b"]\\n' >"$3"
exec bash
"""


class TmuxTest(DaemonTest):
    """Each test has its own terminal, `self.terminal`; all share one daemon."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)
        self.terminal = self.start(workdir="/srv/work")

    def start(self, **settings: Any) -> Terminal:
        terminal = Terminal(root="/", network="none", client=self.world.client(), **settings)
        terminal.start()
        self.addCleanup(terminal.stop)
        return terminal

    def container_of(self, terminal: Terminal) -> Container:
        assert terminal.container is not None
        return terminal.container

    def run_in(self, terminal: Terminal, *argv: str) -> str:
        result = self.container_of(terminal).exec_run(argv)
        self.assertEqual(result.exit_code, 0, result.output)
        return str(result.output.decode())

    def expect(self, session: TmuxSession, text: str) -> None:
        """Waits until a line of the pane equals `text`."""
        eventually(lambda: text in [line.rstrip() for line in session.capture_pane().splitlines()])


class KeysTest(TmuxTest):
    def setUp(self) -> None:
        super().setUp()
        self.session = self.terminal.create_session("agent")

    def test_keys_reach_a_pane_of_the_default_size(self) -> None:
        self.session.send_keys(["stty size; pwd; echo ty''ped", "Enter"])
        for line in ("40 160", "/srv/work", "typed"):
            self.expect(self.session, line)
        self.assertEqual(len(self.session.capture_pane().splitlines()), 40)

    def test_a_blocking_call_waits_for_its_command(self) -> None:
        for number, keys in enumerate((["sleep 0.3; touch f0", "Enter"], "sleep 0.3; touch f1\n",
                                       ["sleep 0.3; ", "touch f2", "C-m", "Enter"])):
            self.session.send_keys(keys, block=True)
            self.run_in(self.terminal, "test", "-e", f"/srv/work/f{number}")

    def test_keys_without_enter_do_not_block(self) -> None:
        self.session.send_keys("echo he", block=True)
        self.session.send_keys(["llo", "Enter"], block=True, max_timeout_sec=float("inf"))
        self.expect(self.session, "hello")

    def test_a_late_command_raises_and_does_not_end_the_next_wait(self) -> None:
        with self.assertRaises(TimeoutError):
            self.session.send_keys(["read x", "Enter"], block=True, max_timeout_sec=0.3)
        self.session.send_keys(["go on", "Enter"])  # now the first command ends
        self.session.send_keys(["sleep 0.3; touch after", "Enter"], block=True)
        self.run_in(self.terminal, "test", "-e", "/srv/work/after")

    def test_a_call_without_blocking_waits_its_minimum_time(self) -> None:
        began = time.monotonic()
        self.session.send_keys("x", min_timeout_sec=0.2)
        self.assertGreaterEqual(time.monotonic() - began, 0.2)

    def test_all_text_arrives_unchanged(self) -> None:
        text = "-l 'a  b' \"c\"; \u00e4\u20ac $X #{x} Enter;"
        self.session.send_keys(["cat >typed", "Enter"])
        # The shell would edit the line until cat runs.
        eventually(lambda: "typed" in self.run_in(self.terminal, "ls"))
        self.session.send_keys(["-l 'a  b' \"c\"; \u00e4\u20ac $X #{x} ", "Enter;", "Enter", "C-d"])
        branch = self.container_of(self.terminal).branch
        eventually(lambda: text in self.run_in(self.terminal, "cat", "typed"))
        self.assertEqual(branch.read_text("/srv/work/typed"), text + "\n")

    def test_long_text_arrives_whole(self) -> None:
        self.session.send_keys(["x=" + "y" * 50_000, "Enter"])
        self.session.send_keys(["echo ${#x}", "Enter"], block=True)
        self.expect(self.session, "50000")

    def test_keys_have_names(self) -> None:
        self.session.send_keys(["cat", "Enter"])
        self.session.send_keys("C-c")
        self.session.send_keys(["echo status $?", "Enter"])
        self.expect(self.session, "status 130")

    def test_commands_of_a_solution_are_typed(self) -> None:
        self.session.send_command(TerminalCommand("sleep 0.2; touch made", block=True))
        self.run_in(self.terminal, "test", "-e", "made")
        self.session.send_command(TerminalCommand("echo to", append_enter=False))
        self.session.send_command(TerminalCommand("gether", min_timeout_sec=0.1))
        self.expect(self.session, "together")

    def test_a_pane_remembers_more_than_its_screen(self) -> None:
        self.session.send_keys(["seq 100001 109000", "Enter"], block=True)
        self.assertNotIn("100001", self.session.capture_pane())
        whole = self.session.capture_pane(capture_entire=True)
        self.assertTrue("\n100001\n100002\n" in whole and "\n109000\n" in whole)
        self.session.clear_history()
        self.assertNotIn("100001", self.session.capture_pane(capture_entire=True))

    def test_incremental_output_is_new_text_or_the_screen(self) -> None:
        self.assertTrue(self.session.get_incremental_output().startswith("Current Terminal Screen:\n"))
        self.session.send_keys(["seq 101 200", "Enter"], block=True)
        new = self.session.get_incremental_output()
        self.assertTrue(new.startswith("New Terminal Output:\n"))
        self.assertIn("\n101\n102\n", new)
        self.session.send_keys(["seq 301 303", "Enter"], block=True)
        new = self.session.get_incremental_output()
        self.assertIn("\n301\n302\n303\n", new)
        self.assertNotIn("102", new)

    def test_a_session_that_has_ended_is_not_alive(self) -> None:
        self.assertTrue(self.session.is_session_alive())
        self.session.send_keys(["exit", "Enter"])
        eventually(lambda: not self.session.is_session_alive())
        with self.assertRaises(RuntimeError):
            self.session.capture_pane()


class ContainerTest(TmuxTest):
    def test_exec_run_behaves_like_dockers(self) -> None:
        container = self.container_of(self.terminal)
        self.assertEqual(container.exec_run("echo 'a  b'"), (0, b"a  b\n"))
        both = ["sh", "-c", "echo out; echo err >&2; echo more; exit 3"]
        self.assertEqual(container.exec_run(both), (3, b"out\nerr\nmore\n"))
        self.assertEqual(container.exec_run(both, demux=True), (3, (b"out\nmore\n", b"err\n")))
        self.assertEqual(container.exec_run(both, stderr=False).output, b"out\nmore\n")
        self.assertEqual(container.exec_run(both, stdout=False).output, b"err\n")
        self.assertEqual(container.exec_run("no-such-program").exit_code, 127)
        self.assertEqual(container.exec_run("pwd").output, b"/srv/work\n")
        self.assertEqual(container.exec_run("pwd", workdir="/usr").output, b"/usr\n")
        self.assertEqual(container.exec_run("id -un", user="nobody").output, b"nobody\n")
        show = ["sh", "-c", "echo $A $TEST_DIR"]
        self.assertEqual(container.exec_run(show, environment={"A": "1 2"}).output, b"1 2 /tests\n")
        self.assertEqual(container.exec_run(show, environment=["A=1 2"]).output, b"1 2 /tests\n")
        self.assertEqual(container.attrs["Config"]["WorkingDir"], "/srv/work")
        with self.assertRaises(UnsupportedError):
            container.exec_run("cat", stream=True)

    def test_a_detached_command_continues_without_a_wait(self) -> None:
        container = self.container_of(self.terminal)
        self.assertIsNone(container.exec_run(["sh", "-c", "sleep 0.2; echo done >f; sleep 1000"], detach=True).exit_code)
        eventually(lambda: container.exec_run("cat f").output == b"done\n")

    def test_files_and_directories_are_copied(self) -> None:
        (self.dir / "tests" / "deep").mkdir(parents=True)
        (self.dir / "tests" / "deep" / "data").write_bytes(bytes(range(256)))
        script = self.dir / "run.sh"
        script.write_text("#!/bin/sh\necho ran\n")
        script.chmod(0o755)
        self.terminal.copy_to_container([script, self.dir / "tests"], container_dir="/made/on/the/way")
        self.assertEqual(self.run_in(self.terminal, "/made/on/the/way/run.sh"), "ran\n")
        container = self.container_of(self.terminal)
        self.assertEqual(container.branch.read_file("/made/on/the/way/deep/data"), bytes(range(256)))
        session = self.terminal.create_session("agent")
        session.copy_to_container(script, container_filename="other.sh")
        self.assertEqual(self.run_in(self.terminal, "./other.sh"), "ran\n")


class StatesTest(TmuxTest):
    def repl(self) -> TmuxSession:
        """A session with a Python process that holds state in its memory."""
        session = self.terminal.create_session("agent")
        session.send_keys(["python3 -q", "Enter"])
        self.expect(session, ">>>")
        session.send_keys(["x = 41; f = open('notes', 'w'); print('re' 'ady')", "Enter"])
        self.expect(session, "ready")
        return session

    def test_a_restore_brings_back_the_pane_and_its_programs(self) -> None:
        session = self.repl()
        before = session.capture_pane()
        node = self.terminal.snapshot()
        session.send_keys(["x = 0; f.write('astray'); f.flush(); exit()", "Enter"])
        session.send_keys(["clear; rm notes; exit", "Enter"])
        eventually(lambda: not session.is_session_alive())
        self.terminal.restore(node)
        self.assertEqual(session.capture_pane(), before)
        session.send_keys(["print(x + 1, f.tell())", "Enter"])
        self.expect(session, "42 0")

    def test_a_full_screen_program_continues(self) -> None:
        session = self.terminal.create_session("agent")
        session.send_keys(["seq 1 1000 >n; LESS= less -X n", "Enter"])
        session.send_keys("100g")
        eventually(lambda: session.capture_pane().startswith("100\n"))
        node = self.terminal.snapshot()
        before = session.capture_pane()
        session.send_keys(["q", "clear", "Enter"])
        eventually(lambda: not session.capture_pane().startswith("100\n"))
        self.terminal.restore(node)
        self.assertEqual(session.capture_pane(), before)
        session.send_keys("500g")
        eventually(lambda: session.capture_pane().startswith("500\n"))

    def test_forks_continue_independently(self) -> None:
        session = self.repl()
        forks = self.terminal.fork(2)
        for number, fork in enumerate(forks):
            one = fork.get_session("agent")
            self.assertEqual(one.capture_pane(), session.capture_pane())
            one.send_keys([f"x += {number}; print('x is', x); f.write('fork'); f.flush()", "Enter"])
            self.expect(one, f"x is {41 + number}")
        self.assertEqual(self.run_in(self.terminal, "cat", "notes"), "")
        session.send_keys(["print('x is', x)", "Enter"])
        self.expect(session, "x is 41")
        forks[0].stop()
        self.assertEqual(self.run_in(forks[1], "cat", "notes"), "fork")
        forks[1].stop()
        self.assertIsNone(forks[1].container)

    def test_many_sessions_are_restored_with_their_screens(self) -> None:
        agent = self.terminal.create_session("agent")
        other = self.terminal.create_session("other")
        agent.send_keys(["clear; echo one", "Enter"], block=True)
        agent.get_incremental_output()
        node = self.terminal.snapshot("here")
        agent.send_keys(["echo two", "Enter"], block=True)
        self.assertIn("two", agent.get_incremental_output())
        late = self.terminal.create_session("late")
        other.send_keys(["exit", "Enter"])
        self.terminal.restore(node)
        self.assertTrue(other.is_session_alive())
        self.assertFalse(late.is_session_alive())
        with self.assertRaises(ValueError):
            self.terminal.get_session("late")
        agent.send_keys(["echo three", "Enter"], block=True)
        new = agent.get_incremental_output()
        self.assertTrue(new.startswith("New Terminal Output:\n"))
        self.assertNotIn("two", new)
        self.terminal.create_session("late")

    def test_a_restore_ends_commands_begun_after_the_snapshot(self) -> None:
        session = self.terminal.create_session("agent")
        node = self.terminal.snapshot()
        session.send_keys(["sleep 1000", "Enter"])
        self.terminal.restore(node)
        session.send_keys(["echo a''gain", "Enter"], block=True)
        self.expect(session, "again")


class LifeTest(TmuxTest):
    def test_a_trial_with_the_oracle_passes_its_tests(self) -> None:
        (self.dir / "tests").mkdir()
        (self.dir / "solution.sh").write_text("echo 42 >answer\nnohup sleep 1000 >/dev/null 2>&1 &\n")
        (self.dir / "tests" / "expected").write_text("42\n")
        (self.dir / "run-tests.sh").write_text(
            "cmp -s answer $TEST_DIR/expected && echo PASSED test_answer || echo FAILED test_answer\n"
            "pgrep -x sleep >/dev/null && echo PASSED test_server || echo FAILED test_server\n")
        passed = {"test_answer": True, "test_server": True}
        self.assertEqual(terminal_bench.run_trial(self.terminal, terminal_bench.OracleAgent(self.dir), self.dir), passed)
        idle = terminal_bench.OracleAgent(self.dir, [TerminalCommand("true", block=True)])
        self.assertEqual(terminal_bench.run_trial(self.start(), idle, self.dir), {name: False for name in passed})
        wise = terminal_bench.OracleAgent(self.dir, [TerminalCommand("echo 42 >answer", block=True),
                                                     TerminalCommand("sleep 1000 &")])
        self.assertEqual(terminal_bench.run_trial(self.start(), wise, self.dir), passed)

    def test_logs_and_commands_are_copied_to_this_machine(self) -> None:
        terminal = self.start(sessions_logs_path=self.dir / "sessions", commands_path=self.dir / "commands.txt")
        session = terminal.create_session("agent")
        session.send_keys(["echo log''ged", "Enter"], block=True)
        eventually(lambda: "logged" in self.run_in(terminal, "cat", str(session.logging_path)))
        terminal.stop()
        terminal.stop()
        self.assertIn("logged", (self.dir / "sessions" / "agent.log").read_text())
        self.assertEqual((self.dir / "commands.txt").read_text(), "[\"echo log''ged\", 'Enter']\n")
        with self.assertRaises((NotFoundError, SessionLostError)):
            session.capture_pane()

    def test_a_recording_has_a_time(self) -> None:
        self.assertEqual(self.terminal.create_session("agent").get_asciinema_timestamp(), 0.0)
        terminal = self.start(disable_recording=False)
        with self.assertRaisesRegex(RuntimeError, "asciinema"):
            terminal.create_session("agent")
        self.container_of(terminal).branch.write_file("/usr/local/bin/asciinema", RECORDER)
        self.run_in(terminal, "chmod", "+x", "/usr/local/bin/asciinema")
        session = terminal.create_session("agent")
        self.assertEqual(session.get_asciinema_timestamp(), 1.5)
        session.send_keys(["echo re''corded", "Enter"], block=True)
        self.expect(session, "recorded")

    def test_a_with_ends_everything(self) -> None:
        with environment(**self.world.variables(), STATEFORK_ROOT="/"):
            with spin_up_terminal("mine", network="none") as terminal:
                terminal.create_session("agent")
                with self.assertRaises(ValueError):
                    terminal.create_session("agent")
        with self.assertRaises(ValueError):
            terminal.create_session("agent")
        with environment(**self.world.variables()):
            with self.assertRaises(UnsupportedError):
                Terminal().start()


if __name__ == "__main__":
    unittest.main()
