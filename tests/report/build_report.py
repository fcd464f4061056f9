#!/usr/bin/env python3
"""Fills the report's template with a run, as the product does (rules in
src/explore/report/README.md).

Usage: build_report.py tree.json report.html
"""

import json
import sys
from pathlib import Path
from typing import Any

TEMPLATE = Path(__file__).resolve().parents[2] / "src" / "explore" / "report"


def embed(document: str) -> str:
    """JSON for a <script> element: has no "<", so neither an end tag nor a comment can begin in
    it."""
    return document.replace("<", "\\u003c")


def fill(page: str, marker: str, content: str) -> str:
    before, found, after = page.partition(marker)
    if not found or marker in after:
        raise ValueError(f"{marker} stands in the template once, and only once")
    return before + content + after


def build_text(document: str) -> str:
    page = (TEMPLATE / "report.html").read_text()
    page = fill(page, "/*{{CSS}}*/", (TEMPLATE / "report.css").read_text())
    page = fill(page, "/*{{JS}}*/", "".join(script.read_text() for script in sorted(TEMPLATE.glob("*.js"))))
    return fill(page, "{{RUN}}", embed(document))  # last: a run may contain other markers


def build(run: Any) -> str:
    return build_text(json.dumps(run))


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(build_text(Path(sys.argv[1]).read_text()))
