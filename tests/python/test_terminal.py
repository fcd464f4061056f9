"""Keys, the screen and files."""

import tempfile
import unittest
from pathlib import Path

from statefork import Client, InvalidArgumentError, NotFoundError, SessionLostError, StateForkError
from statefork.requests import MAX_FILE_BYTES
from cutting_proxy import CuttingProxy
from world import LiveTest, eventually


class ScreenTest(LiveTest):
    def test_typed_keys_appear_on_the_screen(self) -> None:
        self.s.send_keys("echo ty''ped\r")
        screen = eventually(lambda: s if "\ntyped\n" in (s := self.s.screen()).text + "\n" else None)
        self.assertFalse(screen.alternate_screen)
        self.assertTrue(screen.cursor_visible)
        self.s.send_keys(b"exit 3\r")

    def test_control_c_interrupts_the_running_command(self) -> None:
        execution = self.s.start_command("sh -c 'echo ready; exec sleep 1000'", timeout=None)
        next(execution.events())
        self.s.send_keys("\x03")
        self.assertEqual(execution.wait(timeout=60).exit_code, 130)

    def test_a_watch_sends_the_screen_first_and_then_new_output(self) -> None:
        self.s.resize(rows=11, cols=77)
        self.s.exec_command("echo be''fore")
        events = self.s.watch_terminal()
        first = next(events)
        self.assertEqual((first.repaint, first.rows, first.cols), (True, 11, 77))
        self.assertIn(b"before", first.raw)
        self.s.exec_command("echo af''ter")
        seen = b""
        while b"after" not in seen:
            seen += next(events).raw
        self.s.end()
        with self.assertRaises((SessionLostError, NotFoundError)):
            for _ in events:
                pass

    def test_a_watch_repaints_after_a_broken_connection(self) -> None:
        with CuttingProxy(self.world.socket) as proxy:
            events = Client(proxy.socket, start=False).connect(self.s.id).watch_terminal()
            self.assertTrue(next(events).repaint)
            proxy.hang_up()
            self.s.exec_command("echo later")
            while not next(events).repaint:
                pass

    def test_the_size_can_be_changed(self) -> None:
        self.s.resize(rows=11, cols=77)
        self.assertEqual(self.s.exec_command("stty size").output, "11 77\n")
        self.assertEqual(len(self.s.screen().rows), 11)
        with self.assertRaises(InvalidArgumentError):
            self.s.resize(rows=-1, cols=77)

    def test_the_scrollback_has_lines_scrolled_off_the_top(self) -> None:
        self.s.exec_command("seq 1 200")
        self.assertEqual(self.s.screen().scrollback, [])
        self.assertEqual(len(self.s.screen(scrollback=5).scrollback), 5)


class FileTest(LiveTest):
    def test_bytes_and_text_are_written_and_read_back(self) -> None:
        data = bytes(range(256)) * 300
        self.s.write_file("/root/bytes", data)
        self.assertEqual(self.s.read_file("/root/bytes"), data)
        self.s.write_file("/root/\u00e4 &?#%", "t\u00e9xt\n")
        self.assertEqual(self.s.exec_command("cat /root/\u00e4*").output, "t\u00e9xt\n")
        self.assertEqual(self.s.read_text("/root/\u00e4 &?#%"), "t\u00e9xt\n")
        self.s.write_file("/root/empty", b"")
        self.assertEqual(self.s.read_file("/root/empty"), b"")

    def test_each_branch_has_its_own_files(self) -> None:
        with self.s.branch() as b:
            b.write_file("/root/f", "branch")
            with self.assertRaises(NotFoundError):
                self.s.read_file("/root/f")

    def test_a_restore_brings_files_back(self) -> None:
        self.s.write_file("/root/f", "before")
        n = self.s.snapshot()
        self.s.write_file("/root/f", "after")
        self.s.restore(n)
        self.assertEqual(self.s.read_text("/root/f"), "before")

    def test_files_are_copied_from_and_to_this_machine(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            here = Path(directory, "here")
            here.write_bytes(b"\x00local")
            self.s.upload(here, "/root/there")
            self.assertEqual(self.s.exec_command("wc -c </root/there").output, "6\n")
            self.s.download("/root/there", str(Path(directory, "back")))
            self.assertEqual(Path(directory, "back").read_bytes(), b"\x00local")
            with self.assertRaises(FileNotFoundError):
                self.s.upload(Path(directory, "nothing"), "/root/there")

    def test_the_largest_file_fits_and_a_larger_one_is_refused(self) -> None:
        self.s.write_file("/root/large", bytes(MAX_FILE_BYTES))
        self.assertEqual(self.s.exec_command("wc -c </root/large").output, f"{MAX_FILE_BYTES}\n")
        self.assertEqual(len(self.s.read_file("/root/large")), MAX_FILE_BYTES)
        with self.assertRaises(InvalidArgumentError):
            self.s.write_file("/root/large", bytes(MAX_FILE_BYTES + 1))

    def test_wrong_paths_are_refused(self) -> None:
        for path in ("relative", ""):
            with self.assertRaises(InvalidArgumentError):
                self.s.read_file(path)
        with self.assertRaises(StateForkError):
            self.s.read_file("/root")
        with self.assertRaises(StateForkError):
            self.s.write_file("/no/such/directory/f", b"")


if __name__ == "__main__":
    unittest.main()
