"""Rows of pastes, into programs with and without bracketed paste mode."""

from __future__ import annotations

from typing import List

from row import NARROW, SMALL, Row, paste, step

LINES = "first line\n\tindented\n    more indented\nlast, no newline"
SCRIPT = "for x in 1 2; do\n  echo paste-$x\ndone"

ROWS: List[Row] = [
    Row("paste-bash", "history -c; PS1='$ '", [
        step(until=r"^\$$"),
        paste(SCRIPT, "done$"),
    ], [
        step("Enter", "^paste-1\npaste-2"),
        paste("echo one\necho two\n", "two$"),
        step("Left"),
        step("Enter", "^one\ntwo"),
        paste("echo ä日本 'it''s'", "日本"),
        step("C-c", r"\^C"),
        step(["cat", "Enter"], "cat$"),
        paste("into cat\nand more\n", "(?s)and more.*and more"),
        step("C-d", r"\$$"),
    ], (SMALL, NARROW)),

    Row("paste-bash-unmarked", "history -c; PS1='$ '; bind 'set enable-bracketed-paste off'", [
        step(until=r"^\$$"),
        paste("echo one\necho two", "echo two$"),
    ], [
        step("Enter", "^two"),
        paste("echo three\n", "^three"),
    ]),

    Row("paste-vim", "vim -u NONE -i NONE -n -N --cmd 'set t_RB= background=dark autoindent' text", [
        step(until="^~"),
        step("i", "-- INSERT --"),
        paste(LINES, "last, no newline"),
    ], [
        step("Escape"),
        step("o"),
        paste("\tone more\n  and two", "and two"),
        step("Escape"),
        step([":", "%print", "Enter"]),
    ], (SMALL, NARROW), {"text": ""}),

    Row("paste-python", "python3 -q", [
        step(until="^>>>$"),
        paste("1 + 1", r"^>>> 1 \+ 1"),
    ], [
        step("Enter", "^2\n"),
        paste("for i in range(2):\n    print('got', i)\n", "print"),
        step("Enter", "got 1"),
    ]),

    Row("paste-nano", "nano --ignorercfiles text", [
        step(until="New File|Read|text"),
        paste(LINES, "last, no newline"),
    ], [
        step("Up"),
        paste("between\n", "between"),
        step("M-u"),
        step("C-w", "Search"),
        paste("first", "first"),
    ], (SMALL, NARROW)),

    Row("paste-less", "less text", [
        step(until="^first"),
        paste("/last", "/last"),
    ], [
        step("Enter"),
        step("q", r"^\$"),
    ], (SMALL,), {"text": LINES + "\n" * 40}),
]
