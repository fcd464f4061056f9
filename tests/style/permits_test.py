"""The check of permits finds its violations and accepts correct files."""

import unittest

import permits


def found(files):
    return [complaint.split(": ")[0] for complaint in permits.branches_are_changed_with_a_permit(files)]


class PermitsTest(unittest.TestCase):
    def test_a_change_that_bypasses_the_gate_is_found(self):
        for call in ("(void)os::signal_process(pid, SIGINT);", "os::signal_group(group, SIGCONT);",
                     "os::set_terminal_settings(fd, settings);", "os::set_window_size(fd, 1, 2);",
                     "os::discard_typed(fd);", "os::take_typed(fd);", "os::put_typed(fd, typed);",
                     "os::write_all(master_.get(), line);", "::write(master_, a, b);", "::ioctl(fd, TIOCSTI, &c);",
                     '#include "os/in_root.h"'):
            files = {"src/shell/shell_driver.cc": f"// why\n{call}\n", "src/waypoint/keeper/keeper.cc": call,
                     "src/backends/live_backend.cc": call, "src/agent/agent.cc": call}
            self.assertEqual(found(files), ["src/shell/shell_driver.cc:2", "src/waypoint/keeper/keeper.cc:1",
                                            "src/backends/live_backend.cc:1", "src/agent/agent.cc:1"], call)

    def test_the_gated_classes_tests_and_other_layers_are_exempt(self):
        call = "os::signal_process(pid, SIGINT);"
        self.assertEqual(found({"src/shell/permitted_calls.h": call, "src/shell/init/init.cc": call,
                                "src/shell/terminal_input_test.cc": call, "src/cli/daemon/raw_terminal.cc": call,
                                "src/engine/native/restore.cc": call}), [])

    def test_calls_that_change_no_branch_are_left_alone(self):
        text = "os::write_all(kReadyFd, text); os::terminal_settings(master_.get()); os::has_typed(master_.get());"
        self.assertEqual(found({"src/waypoint/keeper/keeper.cc": text}), [])


if __name__ == "__main__":
    unittest.main()
