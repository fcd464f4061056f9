"""Tests of the examples in headers."""

import tempfile
import unittest
from pathlib import Path

from header_examples import complaints, examples, fits

HEADER = """// Thing: counts.
// Example (src/thing_test.cc):
//
//   Thing thing;
//   ...
//   thing.count();
//
//   a table   | of words
#pragma once
//   after.the(head);
"""


class HeaderExamplesTest(unittest.TestCase):
    def test_indented_parts_of_the_head_comment_are_examples(self) -> None:
        found = list(examples(HEADER))
        self.assertEqual([(each.line, each.source, each.is_code()) for each in found],
                         [(4, "src/thing_test.cc", True), (8, "", False)])

    def test_dots_stand_for_lines(self) -> None:
        self.assertTrue(fits("Thing thing;\n...\nthing.count();", "{\n  Thing thing;\n  f();\n  thing.count();\n}\n"))
        self.assertFalse(fits("Thing thing;\n...\nthing.count();", "thing.count();\nThing thing;\n"))
        self.assertFalse(fits("Thing thing;\nthing.count();", "Thing thing;\nf();\nthing.count();\n"))

    def test_code_that_is_no_excerpt_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "src").mkdir()
            (root / "src/thing.h").write_text(HEADER)
            self.assertIn("without a line", next(complaints(root)))
            (root / "src/thing_test.cc").write_text("Thing thing;\nf();\nthing.count(1);\n")
            self.assertIn("src/thing.h:4: not an excerpt", next(complaints(root)))
            (root / "src/thing_test.cc").write_text("Thing thing;\nf();\nthing.count();\n")
            self.assertEqual(list(complaints(root)), [])

    def test_json_must_be_valid(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "src").mkdir()
            (root / "src/a.h").write_text("// A.\n//\n//   {\"a\": 1,\n//    \"b\": 2}\n#pragma once\n")
            self.assertEqual(list(complaints(root)), [])
            (root / "src/a.h").write_text("// A.\n//\n//   {\"a\": 1,}\n#pragma once\n")
            self.assertEqual(len(list(complaints(root))), 1)


if __name__ == "__main__":
    unittest.main()
