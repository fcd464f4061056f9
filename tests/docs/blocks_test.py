"""Tests of the reader of code blocks."""

import tempfile
import unittest
from pathlib import Path

from blocks import blocks, complaints, fits, indented_blocks, is_excerpt, steps


class BlocksTest(unittest.TestCase):
    def test_a_block_has_language_line_and_markers(self) -> None:
        found = blocks("a\n\n<!-- not run: needs a key -->\n```sh\nx\n```\n\n```console\n$ y\n```\n")
        self.assertEqual([(block.line, block.language, block.text, block.not_run) for block in found],
                         [(5, "sh", "x\n", "needs a key"), (9, "console", "$ y\n", "")])

    def test_a_marker_counts_only_for_the_next_block(self) -> None:
        found = blocks("<!-- not run: x -->\nother words\n```console\n$ y\n```\n")
        self.assertTrue(found[0].is_run())

    def test_an_indented_block_is_found_but_a_list_is_not(self) -> None:
        self.assertEqual(list(indented_blocks("a\n\n    code\n\n- item\n\n    goes on\n")), [3])

    def test_a_command_may_have_several_lines(self) -> None:
        self.assertEqual(steps("$ cat <<E\n> a\n>\n> E\na\n\n$ true\n"), [("cat <<E\na\n\nE", "a\n\n"), ("true", "")])

    def test_output_before_a_command_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            steps("a\n")

    def test_dots_stand_for_text_in_a_line_and_for_lines(self) -> None:
        self.assertTrue(fits("[1] ...\n", "[1] 4711\n"))
        self.assertFalse(fits("[1] ...\n", "[1] 4711\nmore\n"))
        self.assertTrue(fits("a\n...\nz\n", "a\nb\nc\nz\n"))
        self.assertFalse(fits("a\n", "b\n"))

    def test_an_excerpt_is_a_run_of_whole_lines(self) -> None:
        self.assertTrue(is_excerpt("b;\nc;\n", "a;\n  b;\n  c;\n"))
        self.assertFalse(is_excerpt("a;\nc;\n", "a;\n  b;\n  c;\n"))

    def test_a_block_that_no_test_runs_needs_a_reason(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "a.cc").write_text("int x;\n")
            self.assertEqual(len(list(complaints("p.md", "```sh\nx\n```\n", root))), 1)
            self.assertEqual(len(list(complaints("p.md", "```cpp\nint x;\n```\n", root))), 1)
            self.assertEqual(len(list(complaints("p.md", "```json\n{\n```\n", root))), 1)
            self.assertEqual(list(complaints("p.md", "<!-- excerpt: a.cc -->\n```cpp\nint x;\n```\n", root)), [])
            self.assertEqual(list(complaints("p.md", "<!-- not run: why -->\n```sh\nx\n```\n", root)), [])


if __name__ == "__main__":
    unittest.main()
