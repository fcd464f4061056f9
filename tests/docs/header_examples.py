"""Examples in the head comments of C++ headers. Pure, except that it reads the named sources.

An indented part of a head comment that looks like C++ must be an excerpt of a compiled source, which
the line before it names:

    // Example (src/wire/json_fields_test.cc):
    //
    //   JsonFields fields(json);
    //   ...
    //   SF_TRY(fields.done());

A line "..." stands for any lines. Indented JSON must be valid.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blocks import is_excerpt

NAMED = re.compile(r"Example \(([\w./-]+)\):$")
CODE_END = re.compile(r"(?:[;{]|(?<!\})\})\s*(?://.*)?$|^\s*SF_TRY|\);? *//")


@dataclass(frozen=True)
class Example:
    line: int
    text: str
    source: str  # as the comment names it; may be empty

    def is_json(self) -> bool:
        return self.text.lstrip().startswith("{\"")

    def is_code(self) -> bool:
        return not self.is_json() and any(CODE_END.search(line) for line in self.text.splitlines())


def examples(text: str) -> Iterator[Example]:
    """The indented parts of the comment that a header begins with."""
    before, inside, start = "", [], 0
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if re.match(r"//   +\S", line):
            start = start if inside else number
            inside.append(line[2:])
            continue
        if inside:
            named = NAMED.search(before)
            yield Example(start, "\n".join(inside), named.group(1) if named else "")
            before, inside = "", []
        if not line.startswith("//"):
            return
        before = line if line.strip() != "//" else before


def fits(example: str, source: str) -> bool:
    """True if the parts of `example` occur in `source` in this order."""
    lines = source.splitlines()
    parts = re.split(r"\n\s*\.\.\.\s*(?:\n|$)", example)
    for part in (part for part in parts if part.strip()):
        count = len(part.strip().splitlines())
        at = next((at for at in range(len(lines)) if is_excerpt(part, "\n".join(lines[at:at + count]))), None)
        if at is None:
            return False
        lines = lines[at + count:]
    return True


def complaints(root: Path) -> Iterator[str]:
    for header in sorted((root / "src").rglob("*.h")):
        for example in examples(header.read_text(encoding="utf-8")):
            where = f"{header.relative_to(root)}:{example.line}"
            source = root / example.source
            if example.is_json():
                try:
                    json.loads(example.text)
                except ValueError as error:
                    yield f"{where}: {error}"
            elif example.is_code() and (not example.source.endswith(".cc") or not source.is_file()):
                yield f"{where}: C++ without a line \"Example (FILE.cc):\" before it"
            elif example.source and not fits(example.text, source.read_text(encoding="utf-8")):
                yield f"{where}: not an excerpt of {example.source}"
