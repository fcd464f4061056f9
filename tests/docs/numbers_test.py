"""Numbers in documents match the benchmarks, and the picture matches its session."""

import json
import tempfile
import unittest
from pathlib import Path

import numbers_in_docs
from numbers_in_docs import ENGINES, SUBSTRATES
from picture import PAGE, PICTURE, draw, lines_of, picture_complaints


def engine_rows(snapshot: float) -> str:
    return "".join(f"| {tree}, {engine} | {snapshot} (0.7) | 0.1 (0.1) | 1.7 (1.6) | - | - |\n"
                   for tree in ("idle shell", "+ 1 GB, 1 MB touched")
                   for engine in ("native", "native, not foreseen", "bare CRIU"))


class NumbersTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        (self.root / "docs/benchmarks").mkdir(parents=True)
        (self.root / "docs/images").mkdir()
        (self.root / ENGINES).write_text(engine_rows(0.8))
        points = [{"backend": backend, "state": "memory", "megabytes": size, "snapshot_ms": [5, 7, 6], "restore_ms": [4]}
                  for backend in ("waypoint", "gvisor", "podman", "vm", "docker") for size in (0, 1024)]
        (self.root / SUBSTRATES).write_text(json.dumps({"points": points}))
        (self.root / "README.md").write_text("<!-- numbers: summary -->\n<!-- end of numbers -->\n")

    def write(self) -> None:
        page = self.root / "README.md"
        page.write_text(numbers_in_docs.filled(page.read_text(), self.root))

    def test_a_table_has_the_medians_of_the_benchmarks(self) -> None:
        self.write()
        text = (self.root / "README.md").read_text()
        self.assertIn("warm | 0.8 | 1.7 | 0.8 | 1.7 |", text)
        self.assertIn("gVisor checkpoint | 6.0 | 4.0 |", text)
        self.assertEqual(list(numbers_in_docs.complaints(self.root)), [])

    def test_a_new_result_makes_the_old_table_wrong(self) -> None:
        self.write()
        (self.root / ENGINES).write_text(engine_rows(0.9))
        self.assertEqual(len(list(numbers_in_docs.complaints(self.root))), 1)

    def test_a_missing_row_is_an_error(self) -> None:
        (self.root / ENGINES).write_text("")
        with self.assertRaises(ValueError):
            self.write()

    def test_the_picture_shows_its_session(self) -> None:
        (self.root / PAGE).write_text("```console\n$ echo a <b>  # why\na <b>\n$ id\n...\n```\n")
        svg = draw([("echo a <b>  # why", "a <b>\n", 0.1), ("id", "uid=0\n", 0.1)])
        self.assertEqual(lines_of(svg), ["$ echo a <b>  # why", "a <b>", "$ id", "uid=0"])
        (self.root / PICTURE).write_text(svg)
        self.assertEqual(list(picture_complaints(self.root)), [])
        (self.root / PAGE).write_text("```console\n$ echo b\nb\n```\n")
        self.assertEqual(len(list(picture_complaints(self.root))), 1)


if __name__ == "__main__":
    unittest.main()
