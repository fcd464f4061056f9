"""Rows of programs that enable the mouse: clicks, wheel and drags, in all encodings."""

from __future__ import annotations

from typing import List

from row import SMALL, WIDE, Mouse, Row, click, drag, mouse, resize, step, wheel

TEXT = "".join(f"line {number:03d} of the text, {'x' * (number % 60)}\n" for number in range(1, 201))

# Prints each byte that it reads, in hexadecimal. Its arguments are the mouse modes.
TELL = r"""
import os, sys, tty
tty.setraw(0)
sys.stdout.write("".join(f"\x1b[?{mode}h" for mode in sys.argv[1:]) + "\x1b[2J\x1b[Hready\r\n")
sys.stdout.flush()
while True:
    seen = os.read(0, 1000)
    sys.stdout.write(seen.hex(" ") + "\r\n")
    sys.stdout.flush()
"""


def told(name: str, *modes: int) -> Row:
    """A program that enables these modes. One event per step, since one read may return two
    events."""
    has_drags = 1002 in modes or 1003 in modes
    steps = [mouse(Mouse("press", 9, 20)), mouse(Mouse("release", 9, 20)),
             mouse(Mouse("press", 23, 79, "right")), mouse(Mouse("release", 23, 79, "right"))]
    # Release the key before the button: tmux does not report the modifiers of a release (ctlseqs,
    # "Normal tracking mode").
    then = [mouse(Mouse("press", 5, 6, "middle", control=True)), mouse(Mouse("release", 5, 6, "middle")),
            mouse(Mouse("wheel_up", 7, 8)), mouse(Mouse("wheel_down", 7, 8, alt=True))]
    if has_drags:
        then += [mouse(Mouse("press", 2, 3)), mouse(Mouse("move", 2, 30)), mouse(Mouse("move", 15, 31)),
                 mouse(Mouse("release", 15, 31))]
    if 1003 in modes:
        then += [mouse(Mouse("move", 11, 12, "none"))]
    # Beyond column 95 positions are not ASCII.
    then += [resize(30, 120), mouse(Mouse("press", 3, 110)), mouse(Mouse("release", 3, 110))]
    return Row(f"mouse-{name}", f"python3 tell {' '.join(map(str, modes))}", [step(until="^ready"), *steps], then,
               (SMALL,), {"tell": TELL})


ROWS: List[Row] = [
    told("buttons", 1000),
    told("buttons-sgr", 1000, 1006),
    told("buttons-utf8", 1000, 1005),
    told("drags", 1002),
    told("drags-sgr", 1002, 1006),
    told("motion", 1003),
    told("motion-sgr", 1003, 1006),

    Row("mouse-vim", "vim -u NONE -i NONE -n -N --cmd 'set t_RB= background=dark laststatus=2 ruler mouse=a' text", [
        step(until="^line 001"),
        click(4, 7, " 5,8 "),
        drag((6, 5), (8, 12), "-- VISUAL --"),
    ], [
        click(2, 0, " 3,1 "),
        wheel("wheel_down", 5, 5, "^line 024"),
        wheel("wheel_up", 5, 5, "^line 001"),
        step([":", "vsplit", "Enter"], r"\|line 001"),
        click(10, 60, " 11,"),
        drag((5, 40), (5, 30)),
    ], (SMALL,), {"text": TEXT}),

    Row("mouse-less", "less --mouse text", [
        step(until="^line 001"),
        wheel("wheel_down", 3, 3, "^line 002"),
    ], [
        wheel("wheel_down", 3, 3),
        wheel("wheel_up", 3, 3),
        step("G", r"\(END\)"),
        wheel("wheel_up", 10, 10),
    ], (SMALL, WIDE), {"text": TEXT}),

    # The terminal type xterm-x11mouse describes an xterm with only the oldest encoding.
    *[Row(name, f"TERM={term} htop --no-unicode -u nobody", [
        step(until="F10Quit|F10"),
        click(23, 9, "Setup|Categories"),
    ], [
        click(5, 2),
        click(4, 2),
        step("F10", "F10Quit"),
    ], (SMALL,), {".config/htop/htoprc": "fields=0 48 17 18\nhide_kernel_threads=1\nheader_margin=0\n"
                  "color_scheme=0\nenable_mouse=1\nheader_layout=two_50_50\ncolumn_meters_0=Blank\n"
                  "column_meter_modes_0=2\ncolumn_meters_1=Hostname\ncolumn_meter_modes_1=2\nhtop_version=3.2.2\n"
                  "config_reader_min_version=3\n"})
      for name, term in (("mouse-htop", "xterm-256color"), ("mouse-htop-x11", "xterm-x11mouse"))],

    Row("mouse-mc", "mc -u -X -x --nosubshell left right", [
        step(until="10Quit|10 *Quit"),
        click(4, 5),
    ], [
        click(4, 45),
        click(0, 4, "Listing"),
        step("Escape", "10 *Quit"),
        click(23, 20, "content of four"),
    ], (SMALL,), {".config/mc/ini": "[Layout]\nfree_space=false\n", "left/one": "content of one\n",
                  "left/two": "content of two\n", "right/three": "content of three\n",
                  "right/four": "content of four\n"},
        prepare="mkdir -p .cache/mc .local/share/mc"),

    Row("mouse-fzf", "seq 1 300 | fzf --no-info", [
        step(until="^> 1 "),
        click(18, 4),
    ], [
        wheel("wheel_up", 10, 10),
        wheel("wheel_down", 10, 10),
    ], (SMALL,)),

    Row("mouse-tmux-inside", "tmux -S inside -f tmux.conf new", [
        step(until=r"^\[0\]"),
        step("C-b %", "│"),
        click(5, 5),
    ], [
        drag((5, 40), (5, 30)),
        step(["echo here", "Enter"], "here"),
    ], (SMALL,), {"tmux.conf": "set -g status-right ''\nset -g status-left '[#S] '\nset -g default-command "
                  "'bash --norc --noprofile'\nset -g automatic-rename off\nset -g window-status-format '#I:bash#F'\n"
                  "set -g window-status-current-format '#I:bash#F'\nset -g mouse on\n"}),
]
