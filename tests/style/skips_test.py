"""tools/dev.d/skips.py: no test is skipped silently."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev.d"))
import skips  # noqa: E402

REPORT = """<testsuite>
  <testcase name="os_test" status="run"><system-out>
[ RUN      ] PtyTest.Opens
[  SKIPPED ] PtyTest.Opens (0 ms)
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] PtyTest.Opens
  </system-out></testcase>
  <testcase name="docker_test" status="notrun"><skipped/></testcase>
</testsuite>"""


class SkipsTest(unittest.TestCase):
    def run_main(self, allowed: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            report, allowed_file = Path(folder, "report.xml"), Path(folder, "allowed.txt")
            report.write_text(REPORT)
            allowed_file.write_text(allowed)
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                status = skips.main(report, allowed_file)
            return status, output.getvalue()

    def test_skipped_cases_and_skipped_entries_are_both_found(self):
        self.assertEqual(skips.skipped_tests(REPORT), ["PtyTest.Opens", "docker_test"])

    def test_a_skip_that_is_not_allowed_fails_and_is_named(self):
        status, output = self.run_main("PtyTest.* no terminals here\n")
        self.assertEqual(status, 1)
        self.assertIn("docker_test: NOT in", output)

    def test_allowed_skips_pass_and_give_their_reason(self):
        status, output = self.run_main("# comment\n\nPtyTest.* no terminals here\ndocker_test no docker\n")
        self.assertEqual(status, 0)
        self.assertIn("PtyTest.Opens: no terminals here", output)

    def test_an_allowed_skip_needs_a_reason(self):
        with self.assertRaises(ValueError):
            skips.allowed_skips("PtyTest.Opens\n")


if __name__ == "__main__":
    unittest.main()
