"""Each check finds its violation and accepts correct files."""

import unittest

import checks

LAYERS = "# comment\nbase:\nos: base\ncontrol: base\nwaypoint: base os\ntesting: base\n"


def found(check, files, *arguments):
    return [complaint.split(": ")[0] for complaint in check({"cmake/layers.txt": LAYERS, **files}, *arguments)]


class LayeringTest(unittest.TestCase):
    def test_an_include_that_points_upward_is_found(self):
        files = {"src/control/tree.h": '// why\n#include "base/id.h"\n#include "os/fd.h"\n'}
        self.assertEqual(found(checks.includes_follow_the_layers, files), ["src/control/tree.h:3"])

    def test_layers_below_and_the_own_layer_may_be_included(self):
        files = {"src/waypoint/criu/rpc.cc": '#include "waypoint/criu/rpc.h"\n#include "os/fd.h"\n#include <sys/wait.h>\n'}
        self.assertEqual(found(checks.includes_follow_the_layers, files), [])

    def test_includes_are_written_from_src(self):
        files = {"src/os/fd.cc": '#include "fd.h"\n#include "../base/id.h"\n'}
        self.assertEqual(found(checks.includes_follow_the_layers, files), ["src/os/fd.cc:1", "src/os/fd.cc:2"])

    def test_only_tests_may_include_the_testing_layer(self):
        files = {"src/os/fd.cc": '#include "testing/matchers.h"\n', "src/os/fd_test.cc": '#include "testing/matchers.h"\n'}
        self.assertEqual(found(checks.includes_follow_the_layers, files), ["src/os/fd.cc:1"])

    def test_pure_layers_make_no_system_calls(self):
        files = {"src/base/clock.cc": "#include <sys/time.h>\n", "src/os/fd.h": "#include <unistd.h>\n"}
        self.assertEqual(found(checks.includes_follow_the_layers, files), ["src/base/clock.cc:1"])

    def test_a_folder_that_is_no_layer_is_found(self):
        self.assertEqual(found(checks.includes_follow_the_layers, {"src/odd/a.h": ""}), ["src/odd/a.h:1"])


class FilesTest(unittest.TestCase):
    def test_a_test_that_is_not_built_is_found(self):
        files = {"src/os/fd_test.cc": "", "src/os/file_test.cc": ""}
        self.assertEqual(found(checks.every_test_is_built, files, ["src/os/fd_test.cc"]), ["src/os/file_test.cc:1"])

    def test_a_python_test_that_is_not_run_is_found(self):
        files = {"tests/t/CMakeLists.txt": "function(sf_python_test label)\nendfunction()\nsf_python_test(unit 60 one)\n",
                 "tests/t/test_one.py": "", "tests/t/test_two.py": "", "tests/t/test_label.py": "", "tests/t/other.py": "",
                 "bench/test_task.py": ""}
        self.assertEqual(found(checks.every_python_test_is_run, files), ["tests/t/test_two.py:1",
                                                                           "tests/t/test_label.py:1"])

    def test_a_long_source_is_found_and_a_long_text_is_not(self):
        files = {"a.cc": "\n" * 501, "b.cc": "\n" * 500, "LICENSE": "\n" * 501}
        self.assertEqual(found(checks.files_are_short, files), ["a.cc:501"])

    def test_a_header_without_a_guard_is_found(self):
        files = {"src/os/a.h": "int a;\n", "src/os/b.h": "// b\n#pragma once\n"}
        self.assertEqual(found(checks.headers_are_guarded, files), ["src/os/a.h:1"])

    def test_vague_names_are_found_and_words_that_contain_them_are_not(self):
        files = {"src/os/string_util.h": "", "src/os/helpers.cc": "", "src/os/utility_belt.h": "", "docs/uncommon.md": ""}
        self.assertEqual(found(checks.names_are_honest, files), ["src/os/string_util.h:1", "src/os/helpers.cc:1"])


class TextTest(unittest.TestCase):
    def test_a_dead_link_is_found(self):
        text = "[a](docs/a.md#part) [b](docs/b.md)\n[web](https://example.com) [here](#here) [folder](docs)\n"
        self.assertEqual(found(checks.links_resolve, {"README.md": text, "docs/a.md": "[up](../README.md)"}), ["README.md:1"])

    def test_an_anchor_without_a_heading_is_found(self):
        page = "# Programs: `exec:COMMAND`\n\n## Fifty forks of 256 MB\n```\n# not one\n```\n"
        text = "[a](a.md#programs-execcommand) [b](a.md#fifty-forks-of-256-mb)\n[c](a.md#not-one)\n[d](#here)\n# Here\n"
        self.assertEqual(found(checks.anchors_exist, {"README.md": text, "a.md": page}), ["README.md:2"])

    def test_code_is_not_parsed_for_links(self):
        text = "```cpp\nauto f = [](int){};\nf[0](x);\n```\n"
        self.assertEqual(found(checks.links_resolve, {"README.md": text}), [])

    def test_a_document_that_a_comment_names_must_exist(self):
        files = {"docs/a.md": "", "src/a.h": "// One (docs/a.md).\n#pragma once\nint b;  // see do" "cs/b.md.\n",
                 "a.sh": "# docs/a.md, docs\necho docs/c.md\n"}
        self.assertEqual(found(checks.cited_paths_exist, files), ["src/a.h:3"])

    def test_a_path_that_prose_names_must_exist(self):
        text = "Held by `tests/a_test.cc` in tests/.\nHeld by `tests/b_test.cc`; <store>/docs/x [here](docs/none.md)\n"
        files = {"README.md": text, "tests/a_test.cc": ""}
        self.assertEqual(found(checks.cited_paths_exist, files), ["README.md:2"])

    def test_postponed_work_is_found(self):
        files = {"a.cc": "// TO" "DO: later\n", "b_test.cc": "TEST(A, DIS" "ABLED_Works) {}\n"}
        self.assertEqual(found(checks.nothing_is_put_off, files), ["a.cc:1", "b_test.cc:1"])

    def test_paths_of_one_machine_are_found_and_relative_ones_are_not(self):
        files = {"a.md": "see\n/wo" "rk/main\n", "b.md": "branches/7/wo" "rk/x and upper/wo" "rk/\n"}
        self.assertEqual(found(checks.nothing_ties_to_a_machine, files), ["a.md:2"])

    def test_names_of_package_hosts_are_found(self):
        files = {"a.sh": "curl http://ftp.deb" "ian.org/x\n", "b.md": "Debian and www.apache.org\n"}
        self.assertEqual(found(checks.nothing_ties_to_a_machine, files), ["a.sh:1"])

    def test_a_signal_to_an_unchecked_pid_is_found(self):
        files = {"src/waypoint/a.cc": "\n::kill(pid, SIGKILL);\n", "bench/b.cc": "::killpg(group, 9);\n",
                 "src/os/process.cc": "::kill(pid, number);\n", "src/os/a_test.cc": "::kill(pid, 9);\n",
                 "tests/c.cc": "::kill(pid, 9);\n", "src/os/d.cc": "branch.kill(); skill(pid);\n"}
        self.assertEqual(found(checks.signals_are_sent_to_one, files), ["src/waypoint/a.cc:2", "bench/b.cc:1"])


if __name__ == "__main__":
    unittest.main()
