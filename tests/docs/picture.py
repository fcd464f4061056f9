"""The picture of a session: the first console block of docs/cli.md, recorded from a real run, as an
SVG.

record() runs the block and draws it; picture_complaints() reports whether the picture still matches
that block. The SVG shows the lines one after the other, at the times of the run; without support
for animations it shows all lines.
"""

import html
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from blocks import blocks, fits, steps

PAGE = "docs/cli.md"
PICTURE = "docs/images/session.svg"
LINE, COLUMN, MARGIN, BAR = 20, 8.43, 18, 34  # pixels
TYPING_SECONDS = 0.9  # before each command, so that a reader can follow

STYLE = """
text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #c9d1d9; white-space: pre; }
.c { fill: #e6edf3; font-weight: 600; } .p { fill: #3fb950; } .r { fill: #8b949e; font-weight: 400; }
g { animation: show 0.05s linear both; }
@keyframes show { from { opacity: 0; } to { opacity: 1; } }
@media (prefers-reduced-motion: reduce) { g { animation: none; } }
"""


def shown_block(root: Path) -> str:
    return next(block.text for block in blocks((root / PAGE).read_text(encoding="utf-8")) if block.language == "console")


def command_text(command: str) -> str:
    """A command with its comment in another colour."""
    words, blank, remark = command.partition("  #")
    after = f'<tspan class="r">{html.escape(blank + remark)}</tspan>' if blank else ""
    return f'<tspan class="c">{html.escape(words)}</tspan>{after}'


def draw(played: list[tuple[str, str, float]]) -> str:
    """`played`: tuples of command, output and seconds."""
    lines: list[tuple[float, str]] = []
    at, width = 0.3, 0
    for command, output, seconds in played:
        for number, part in enumerate(command.split("\n")):
            lines.append((at, f'<tspan class="p">{"$" if number == 0 else "&gt;"} </tspan>{command_text(part)}'))
            width = max(width, len(part) + 2)
        at += seconds
        for part in output.splitlines():
            lines.append((at, html.escape(part)))
            width = max(width, len(part))
        at += TYPING_SECONDS
    wide, high = round(2 * MARGIN + width * COLUMN), BAR + MARGIN + LINE * len(lines)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">',
             f"<style>{STYLE}</style>", f'<rect width="{wide}" height="{high}" rx="8" fill="#0d1117"/>']
    for number, colour in enumerate(("#ff5f56", "#ffbd2e", "#27c93f")):
        parts.append(f'<circle cx="{MARGIN + 4 + 20 * number}" cy="17" r="6" fill="{colour}"/>')
    for number, (when, line) in enumerate(lines):
        parts.append(f'<g style="animation-delay: {when:.2f}s"><text x="{MARGIN}" y="{BAR + LINE * (number + 1) - 6}" '
                     f'xml:space="preserve">{line}</text></g>')
    return "\n".join(parts) + "\n</svg>\n"


def record(root: Path, run: Callable[[str], str]) -> None:
    played = []
    for command, expected in steps(shown_block(root)):
        began = time.monotonic()
        output = run(command)
        played.append((command, output, time.monotonic() - began))
        if not fits(expected, output):
            raise ValueError(f"{command} printed\n{output}and not\n{expected}")
    (root / PICTURE).write_text(draw(played), encoding="utf-8")


def lines_of(svg: str) -> list[str]:
    return [html.unescape(re.sub(r"<[^>]+>", "", text)) for text in re.findall(r"<text[^>]*>(.*?)</text>", svg)]


def picture_complaints(root: Path) -> Iterator[str]:
    drawn = "".join(line + "\n" for line in lines_of((root / PICTURE).read_text(encoding="utf-8")))
    if not fits(shown_block(root), drawn):
        yield f"{PICTURE}: does not show the first session of {PAGE}; run tests/docs/run.py --record BIN_DIR"
