#!/usr/bin/env python3
"""Tables of numbers in documents, generated from the results of the benchmarks.

A table is enclosed in <!-- numbers: NAME --> and <!-- end of numbers -->.

    numbers_in_docs.py --write     regenerates every such table

run.py --check compares the tables with the results.
"""

import json
import re
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

PLACE = re.compile(r"(<!-- numbers: (\w+) -->\n)(.*?)(<!-- end of numbers -->)", re.DOTALL)
ENGINES = "docs/benchmarks/engines.md"  # the table that bench_engines prints
SUBSTRATES = "docs/benchmarks/substrates.json"
E2B = "https://e2b.dev/docs/sandbox/persistence"
IDLE, LARGE = "idle shell", "+ 1 GB, 1 MB touched"


def in_ms(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def engine_times(page: str, engine: str) -> list[float | None]:
    """Medians of snapshot and restore, for an idle and a large branch."""
    found: list[float | None] = []
    for tree in (IDLE, LARGE):
        row = re.search(rf"^\| {re.escape(tree)}, {engine} \|(.*)\|$", page, re.MULTILINE)
        if row is None:
            raise ValueError(f"{ENGINES} has no row '{tree}, {engine}'")
        cells = row.group(1).split("|")
        found += [float(cells[0].split()[0]), float(cells[2].split()[0])]
    return found


def backend_times(points: list[dict], backend: str) -> list[float | None]:
    """The same numbers of one backend. A backend that keeps only files was measured with files
    only."""
    found: list[float | None] = []
    for megabytes in (0, 1024):
        of = [point for point in points if point["backend"] == backend and point["megabytes"] == megabytes]
        point = next((each for each in of if each["state"] == "memory"), None)
        if point is None and megabytes == 0:
            point = of[0]
        for key in ("snapshot_ms", "restore_ms"):
            found.append(statistics.median(point[key]) if point else None)
    return found


def rows_of(root: Path) -> Iterator[tuple[str, list[float | None], str, str]]:
    page = (root / ENGINES).read_text(encoding="utf-8")
    points = json.loads((root / SUBSTRATES).read_text(encoding="utf-8"))["points"]
    ours = ("files, shell, processes, screen", "container")
    yield ("**A** StateFork, warm", engine_times(page, "native"), *ours)
    yield ("**A** StateFork, cold", engine_times(page, "native, not foreseen"), *ours)
    yield "**A** CRIU alone", engine_times(page, "bare CRIU"), "processes", "-"
    yield ("**B** StateFork", backend_times(points, "waypoint"), *ours)
    yield "**B** gVisor checkpoint", backend_times(points, "gvisor"), "files, shell, processes", "own kernel in user space"
    yield "**B** podman + CRIU", backend_times(points, "podman"), "files, shell, processes", "container"
    yield "**B** QEMU, no KVM", backend_times(points, "vm"), "the whole machine", "virtual machine"
    yield "**B** `docker commit`", backend_times(points, "docker"), "files", "container"
    yield (f"[E2B]({E2B}) (hosted; not measured)", [None] * 4, "files, processes; no connections", "microVM")


def summary(root: Path) -> str:
    lines = ["| ms, median | idle shell: snapshot | restore | 1 GB process: snapshot | restore | keeps | isolation |",
             "|---|---:|---:|---:|---:|---|---|"]
    for name, times, kept, isolation in rows_of(root):
        lines.append(f"| {name} | " + " | ".join(in_ms(each) for each in times) + f" | {kept} | {isolation} |")
    return "\n".join(lines) + "\n"


TABLES = {"summary": summary}


def pages(root: Path) -> list[Path]:
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def filled(text: str, root: Path) -> str:
    return PLACE.sub(lambda place: place.group(1) + TABLES[place.group(2)](root) + place.group(4), text)


def complaints(root: Path) -> Iterator[str]:
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        if filled(text, root) != text:
            yield f"{page.relative_to(root)}: numbers differ from the benchmarks; run tests/docs/numbers_in_docs.py --write"


def main() -> int:
    root = Path(__file__).resolve().parents[2]
    if sys.argv[1:] == ["--write"]:
        for page in pages(root):
            text = page.read_text(encoding="utf-8")
            if filled(text, root) != text:
                page.write_text(filled(text, root), encoding="utf-8")
                print(f"wrote {page.relative_to(root)}")
        return 0
    print("\n".join(complaints(root)))
    return 1 if list(complaints(root)) else 0


if __name__ == "__main__":
    sys.exit(main())
