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
                     '#include "os/in_root.h"',
                     "::kill(pid, SIGTERM);", "::tgkill(a, b, SIGTERM);", "pidfd_send_signal(fd, SIGTERM, nullptr, 0);",
                     "::syscall(SYS_pidfd_send_signal, fd, SIGTERM, nullptr, 0);", "(void)shell_.signal(SIGTERM);",
                     "child->signal(SIGTERM);", "::prlimit(pid, RLIMIT_NOFILE, &limit, nullptr);",
                     "::sched_setaffinity(pid, sizeof set, &set);", "::syscall(SYS_sched_setattr, pid, &a, 0);",
                     "::syscall(SYS_ioprio_set, 1, pid, priority);", "::setpriority(PRIO_PROCESS, pid, 5);",
                     "os::Cgroup::create(layout, name, limits);",
                     'os::write_file(group + "/cgroup.freeze", "1");',
                     'os::write_file(group + "/cgroup.procs", std::to_string(pid));',
                     'os::write_file(directory + "/pids.max", "max");',
                     'os::write_file("/proc/" + std::to_string(init) + "/root/etc/hosts", text);',
                     'auto f = os::open_file("/proc/" + std::to_string(pid) + "/root" + path, O_WRONLY);'):
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
        text = ("os::write_all(kReadyFd, text); os::terminal_settings(master_.get()); os::has_typed(master_.get());"
                "::sched_getaffinity(pid, sizeof set, &set); status.signal(); job_kill(pid);"
                'os::read_file(group + "/memory.max"); os::write_file(store + "/lock", text);'
                'os::read_file("/proc/" + std::to_string(pid) + "/status");')
        self.assertEqual(found({"src/waypoint/keeper/keeper.cc": text}), [])

    def test_an_allowed_call_is_allowed_once_in_its_file(self):
        (path, call), _ = next(iter(permits.ALLOWED.items()))
        self.assertEqual(found({path: call}), [])
        self.assertEqual(found({path: f"{call};\n{call};"}), [f"{path}:2"])
        self.assertEqual(found({"src/agent/agent.cc": call}), ["src/agent/agent.cc:1"])

    def test_an_allowed_call_that_is_gone_is_found(self):
        (path, call), _ = next(iter(permits.ALLOWED.items()))
        self.assertEqual(list(permits.allowed_calls_are_there({path: call})), [])
        self.assertEqual(len(list(permits.allowed_calls_are_there({path: "int x;"}))), 1)

    def test_a_permit_that_is_kept_is_found(self):
        for line in ("ChangePermit p = gate.open();", "ChangePermit p{gate_.open()};", "ChangePermit p(gate_.open());",
                     "const ChangePermit& permit = gate.open();", "ChangePermit&& p = gate.open();",
                     "ChangePermit permit_;", "const ChangePermit& permit_;", "auto p = gate.open();",
                     "const auto& permit = gate_.open();", "auto&& p = parts_.gate.open();",
                     "auto p{host->gate().open()};"):
            self.assertEqual(len(list(permits.permits_are_not_kept({"src/shell/a.cc": f"// why\n{line}\n"}))), 1, line)

    def test_a_permit_that_is_passed_on_is_left_alone(self):
        text = """
            void type(const ChangePermit& permit, std::string_view bytes) { write(permit, bytes); }
            Status resize(const ChangePermit& /*permit*/);
            ChangePermit open() { return ChangePermit(0); }
            ChangePermit& operator=(const ChangePermit&) = delete;
            explicit ChangePermit(int);
            auto typed = take_typed(gate_.open(), fd);
            SF_TRY(host.write_file(gate.open(), path, content));
            class [[nodiscard]] ChangePermit {"""
        self.assertEqual(list(permits.permits_are_not_kept({"src/shell/a.h": text})), [])


if __name__ == "__main__":
    unittest.main()
