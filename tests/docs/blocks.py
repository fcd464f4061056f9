"""Code blocks of the documents, as data. Pure: takes text, returns blocks and errors.

A fenced block names its language. What a test does with it:

    console        runs the lines that begin with "$ " ("> " continues a command) in one shell per
                   page and compares their output; "..." matches any text in a line, a line "..."
                   matches any lines
    pycon          runs as a doctest; all blocks of a page share their names
    python         runs as a program of its own, which must exit with 0
    cpp            is an excerpt of a file that is compiled and run, named by
                   <!-- excerpt: PATH --> above the block
    json           is parsed
    text           is not code: a layout, a diagram, a format

A block with <!-- not run: REASON --> above it is not run. An indented block is refused: it has no
language.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RUN = ("console", "pycon", "python")
DATA = ("json", "text")
MARKER = re.compile(r"<!-- (not run|excerpt): (.+?) -->$")
FENCE = re.compile(r"^ {0,3}```(\S*)[^\n]*$")


@dataclass(frozen=True)
class Block:
    line: int  # of its first line of text, from 1
    language: str
    text: str
    not_run: str = ""
    excerpt: str = ""

    def is_run(self) -> bool:
        return self.language in RUN and not self.not_run


def blocks(text: str) -> list[Block]:
    found: list[Block] = []
    marker = {"not run": "", "excerpt": ""}
    language, start, inside = "", 0, []
    is_inside = False
    for number, line in enumerate(text.split("\n"), 1):
        fence = FENCE.match(line)
        if is_inside and line.strip() == "```":
            found.append(Block(start, language, "".join(each + "\n" for each in inside),
                               marker["not run"], marker["excerpt"]))
            marker = {"not run": "", "excerpt": ""}
            is_inside = False
        elif is_inside:
            inside.append(line)
        elif fence:
            language, start, inside, is_inside = fence.group(1), number + 1, [], True
        elif seen := MARKER.match(line):
            marker[seen.group(1)] = seen.group(2)
        elif line.strip():
            marker = {"not run": "", "excerpt": ""}
    return found


def indented_blocks(text: str) -> Iterator[int]:
    """Lines at which an indented code block begins. Continued list items are indented, but are no
    code blocks."""
    is_fenced, is_list, before = False, False, ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_fenced = not is_fenced
        elif not is_fenced:
            if re.match(r"\s*(?:[-*]|\d+\.) ", line):
                is_list = True
            elif line.strip() and not line.startswith(" "):
                is_list = False
            if line.startswith("    ") and not before.strip() and not is_list:
                yield number
        before = line


def steps(console: str) -> list[tuple[str, str]]:
    """[(command, expected output)]"""
    found: list[tuple[str, str]] = []
    for line in console.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif not found:
            raise ValueError(f"output before the first command: {line}")
        elif (line + " ").startswith("> ") and not found[-1][1]:
            found[-1] = (found[-1][0] + "\n" + line[2:], "")
        else:
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


def fits(expected: str, printed: str) -> bool:
    pattern = ""
    for line in expected.splitlines():
        if line == "...":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += r"[^\n]*".join(re.escape(part) for part in line.split("...")) + "\n"
    return re.fullmatch(pattern, printed) is not None


def is_excerpt(block: str, source: str) -> bool:
    """True if the lines of `block` occur consecutively in `source`; blanks at both ends of a line
    do not count."""
    wanted = [line.strip() for line in block.strip().splitlines()]
    lines = [line.strip() for line in source.splitlines()]
    return any(lines[start:start + len(wanted)] == wanted for start in range(len(lines)))


def complaints(page: str, text: str, root: Path) -> Iterator[str]:
    for line in indented_blocks(text):
        yield f"{page}:{line}: indented code block; fence it and name its language"
    for block in blocks(text):
        where = f"{page}:{block.line}"
        if block.not_run or block.language in RUN:
            continue
        if block.language == "cpp":
            source = root / block.excerpt
            if not block.excerpt or not source.is_file():
                yield f"{where}: C++ without <!-- excerpt: FILE --> above it"
            elif not is_excerpt(block.text, source.read_text()):
                yield f"{where}: not an excerpt of {block.excerpt}"
        elif block.language == "json":
            try:
                json.loads(block.text)
            except ValueError as error:
                yield f"{where}: {error}"
        elif block.language not in DATA:
            yield f"{where}: no test runs this '{block.language}' block; add <!-- not run: REASON -->"
