"""Tests of the reader of examples in help texts."""

import unittest

from help_examples import examples, reason_not_to_run


class HelpExamplesTest(unittest.TestCase):
    def test_lines_of_a_footer_are_examples_without_their_remarks(self) -> None:
        text = ("Usage: statefork rm\n\nOptions:\n  --json    Print JSON\n\nWords.\nExamples:\n"
                "  statefork rm work          the session\n  statefork rm work/b1\n\nMore.\n")
        self.assertEqual(examples(text), ["statefork rm work", "statefork rm work/b1"])

    def test_a_single_example_stands_on_its_line(self) -> None:
        self.assertEqual(examples("Words.\nExample: statefork gc --json\n"), ["statefork gc --json"])

    def test_next_step_is_an_example(self) -> None:
        self.assertEqual(examples("Next step: look. Then:\n  s=$(statefork new)\n  statefork rm $s\nAll: `x`.\n"),
                         ["s=$(statefork new)", "statefork rm $s"])

    def test_an_example_that_is_not_run_has_a_reason(self) -> None:
        self.assertEqual(reason_not_to_run("statefork explore t --agent llm:MODEL"), "asks a model")
        self.assertEqual(reason_not_to_run("statefork ls"), "")


if __name__ == "__main__":
    unittest.main()
