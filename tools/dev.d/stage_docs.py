#!/usr/bin/env python3
"""Copies the documents, and every file that they link to, to a folder that MkDocs reads.

    stage_docs.py PROJECT TARGET

The folders stay the same, so relative links stay valid. A source file that a page links to becomes a page itself:
waypoint.h is staged as waypoint.h.md, and the link is changed.
"""

import posixpath
import re
import shutil
import sys
from pathlib import Path

START = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
AS_IT_IS = (".md", ".svg", ".png", ".json", ".html")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^( *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
LANGUAGES = {".h": "cpp", ".cc": "cpp", ".py": "python", ".sh": "bash", ".txt": "text", ".cmake": "cmake"}


def is_outside(target: str) -> bool:
    return target.startswith("#") or re.match(r"[a-z]+:", target) is not None


def with_links(text: str, page: str, found: list[str]) -> str:
    """The text with links to source files changed; adds every linked path to `found`."""

    def change(link: re.Match[str]) -> str:
        target, _, anchor = link.group(2).partition("#")
        if is_outside(link.group(2)):
            return link.group()
        found.append(posixpath.normpath(posixpath.join(posixpath.dirname(page), target)))
        if not target.endswith(AS_IT_IS):
            target += ".md"
        return link.group(1) + target + ("#" + anchor if anchor else "") + link.group(3)

    parts = FENCE.split(text)
    return "".join(part if index % 2 else LINK.sub(change, part) for index, part in enumerate(parts))


def as_page(path: Path) -> str:
    """A source file as a page that the search leaves out."""
    language = LANGUAGES.get(path.suffix, "text")
    return f"---\nsearch:\n  exclude: true\n---\n\n# {path.name}\n\n~~~~~ {language}\n{path.read_text()}~~~~~\n"


def stage(project: Path, target: Path) -> int:
    if target.exists():
        shutil.rmtree(target)
    open_paths = [*START, *(str(path.relative_to(project)) for path in sorted((project / "docs").rglob("*.md")))]
    done: set[str] = set()
    while open_paths:
        name = open_paths.pop()
        source = project / name
        if name in done or not source.is_file():
            continue
        done.add(name)
        staged = target / name
        staged.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".md"):
            staged.write_text(with_links(source.read_text(encoding="utf-8"), name, open_paths), encoding="utf-8")
        elif name.endswith(AS_IT_IS):
            shutil.copy(source, staged)
        else:
            staged.with_name(staged.name + ".md").write_text(as_page(source), encoding="utf-8")
    return len(done)


if __name__ == "__main__":
    print(f"{stage(Path(sys.argv[1]), Path(sys.argv[2]))} files staged")
