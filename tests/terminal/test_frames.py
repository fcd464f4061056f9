"""The pure parts: parsing tmux's output and comparing screens."""

from __future__ import annotations

import doctest
import unittest
from dataclasses import replace

import capture
import frame
import key_names
import line_rows
import mouse_rows
import paste_rows
import screen_rows
import sequence_rows
import tmux_mouse
import vttest_rows
import vttest_session_rows
from criu_limits import REFUSED
from frame import describe_difference, is_same, make_frame
from tmux_differences import DIFFERENCES

ONE = make_frame(["ab ", ""], 80, (0, 80), True, False, "title", [("bold", ""), ()])


class FrameTest(unittest.TestCase):
    def test_a_cursor_that_waits_for_the_next_line_is_in_the_last_column(self) -> None:
        self.assertEqual(ONE.cursor, (0, 79))

    def test_each_kind_of_difference_is_found_and_named(self) -> None:
        for other in (replace(ONE, rows=("ac", "")), replace(ONE, rows=("ab",)), replace(ONE, cursor=(1, 0)),
                      replace(ONE, is_cursor_visible=False), replace(ONE, is_alternate=True),
                      replace(ONE, attributes=(("", ""), ()))):
            self.assertFalse(is_same(other, ONE), other)
            self.assertNotEqual(describe_difference(other, ONE), "")

    def test_titles_and_unknown_attributes_are_not_compared(self) -> None:
        self.assertTrue(is_same(replace(ONE, title="other"), ONE))
        self.assertTrue(is_same(replace(ONE, attributes=()), ONE))

    def test_every_listed_difference_names_its_standard_and_belongs_to_a_row(self) -> None:
        names = {row.name for row in [*line_rows.ROWS, *sequence_rows.ROWS, *vttest_rows.ROWS,
                                     *mouse_rows.ROWS, *paste_rows.ROWS]}
        for name, differences in DIFFERENCES.items():
            self.assertIn(name, names)
            for one in differences:
                self.assertTrue(one.standard)

    def test_every_step_of_a_row_that_is_not_in_tmux_says_what_is_expected(self) -> None:
        for row in vttest_session_rows.ROWS:
            self.assertFalse(row.in_tmux)
            for one in [*row.steps, *row.then]:
                self.assertTrue(one.until, row.name)
            for difference in row.differences:
                self.assertTrue(difference.standard)

    def test_every_row_that_criu_refuses_is_played_with_it_and_takes_a_snapshot(self) -> None:
        rows = {row.name: row for row in [*screen_rows.ROWS, *line_rows.ROWS]}
        for name in REFUSED:
            self.assertIn(name, rows)
            self.assertTrue(rows[name].snapshots)

    def test_the_examples_hold(self) -> None:
        for module in (capture, frame, key_names, tmux_mouse):
            self.assertEqual(doctest.testmod(module).failed, 0)


if __name__ == "__main__":
    unittest.main()
