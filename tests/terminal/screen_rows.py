"""Rows of full-screen programs."""

from __future__ import annotations

from typing import List

from row import NARROW, SMALL, WIDE, Row, resize, step

TEXT = "".join(f"line {number:03d} of the text, {'x' * (number % 60)}\n" for number in range(1, 201))
MIXED = ("plain ASCII\n"
         "\tone tab\ttwo tabs\n"
         "wide: 日本語 中文 한국어 end\n"
         "marks: e\u0301 a\u0308 o\u0302 n\u0303 end\n"
         "latin: äöü ß é ñ\n"
         "box: ┌─┬─┐ │ │ │ └─┴─┘\n" +
         "long: " + " ".join(str(number) for number in range(100)) + "\n")
ALL = (SMALL, WIDE, NARROW)

# vim asks for the background colour (t_RB) and chooses its colours accordingly. tmux does not
# reply.
ROWS: List[Row] = [
    Row("vim-edit", "vim -u NONE -i NONE -n -N text", [
        step(until="^line 001"),
        step("3 j d d p", "^line 005.*\nline 004"),
        step(["o", "typed text"], "^typed text$"),
        step("Escape"),
    ], [
        step([":", "silent undo", "Enter"], "^line 005.*\nline 004.*\nline 006"),
        step("G", "^line 200"),
        step([":", "%s/line/LINE/g", "Enter"], "200 substitutions"),
        step([":", "w", "Enter"], '"text" 200L.*written'),
        step("g g Down Down End", "^LINE 001"),
    ], ALL, {"text": TEXT}),

    Row("vim-windows", "vim -u NONE -i NONE -n -N --cmd 'set t_RB= background=dark laststatus=2 ruler number' text mixed", [
        step(until="^ +1 line 001"),
        step([":", "vsplit mixed", "Enter"], "plain ASCII"),
        step("C-w s", "(?s)mixed.*mixed"),
    ], [
        resize(30, 100, "(?s)mixed.*mixed"),
        step("C-w w G", "98 99"),
        resize(20, 60),
        step([":", "only", "Enter", "Z"]),
    ], (SMALL, WIDE), {"text": TEXT, "mixed": MIXED}),

    Row("vim-syntax", "vim -u NONE -i NONE -n -N --cmd 'set t_RB= background=dark hlsearch' --cmd 'syntax on' code.c", [
        step(until="^int main"),
        step(["/", "printf", "Enter"]),
    ], [
        step("v j j", "-- VISUAL --"),
        step("Escape V", "-- VISUAL LINE --"),
    ], ALL, {"code.c": '#include <stdio.h>\n\n/* A comment. */\nint main(void) {\n  printf("%d\\n", 42);\n'
                       '  // another\n  printf("end");\n  return 0;\n}\n'}),

    Row("less-file", "less -N text", [
        step(until="^ +1 line 001"),
        step("Space", "^ +24 line"),
        step(["/", "line 150", "Enter"], "^ +150 line 150"),
    ], [
        step("k k", "^ +148 line 148"),
        step("G", r"\(END\)"),
        resize(12, 60, "^:"),
        step("g", "^ +1 line 001"),
        step("h", "SUMMARY OF LESS COMMANDS"),
    ], (SMALL,), {"text": TEXT}),

    Row("less-pipeline", "seq 1 500 | less", [
        step(until="^1$"),
        step("Space", "^:$"),
    ], [
        step("PageDown", "^:$"),
        step("G", r"(?s)^500\n\(END\)"),
        step("q", r"^\$"),
    ], ALL),

    Row("less-mixed", "less -R mixed", [
        step(until="^plain ASCII"),
    ], [
        step("Right", "^CII|^ASCII|^$"),
        step("Left"),
        resize(24, 40),
    ], ALL, {"mixed": MIXED + "\x1b[31mred\x1b[0m \x1b[1mbold\x1b[0m\n"}),

    Row("nano-edit", "nano --ignorercfiles text", [
        step(until="Read 200 lines"),
        step("Down Down End", "line 003"),
        step(["typed", "Enter", "more"], "^more"),
    ], [
        step("C-w", "Search"),
        step(["line 100", "Enter"], "^line 100"),
        step("C-k C-k C-u", "^line 102"),
        resize(30, 70, "^line 102"),
        step("C-g", "Main nano help text"),
        step("C-x", "^line 102"),
        step("M-/", "^line 200"),
        step("C-Left C-Left"),
    ], ALL, {"text": TEXT}),

    Row("htop", "htop --no-unicode -u nobody", [
        step(until="F10Quit|F10"),
    ], [
        step("F2", "Setup|Categories"),
        step("Down Down", "Categories"),
        step("Right Down", "Categories"),
        step("F10", "F10Quit"),
        step("h", "htop 3"),
    ], (SMALL, WIDE), {".config/htop/htoprc": "fields=0 48 17 18\nhide_kernel_threads=1\nheader_margin=0\n"
                       "color_scheme=0\nenable_mouse=0\nheader_layout=two_50_50\ncolumn_meters_0=Blank\n"
                       "column_meter_modes_0=2\ncolumn_meters_1=Hostname\ncolumn_meter_modes_1=2\nhtop_version=3.2.2\n"
                       "config_reader_min_version=3\n"}),

    Row("mc", "mc -u -X -x --nosubshell left right", [
        step(until="10Quit|10 *Quit"),
        step("Down Down", "two"),
        step("Tab Down", "four"),
    ], [
        step("F3", "content of"),
        step("F10", "10 *Quit"),
        step("F9 Enter", "Listing"),
        step("Escape", "10 *Quit"),
        resize(30, 100, "10 *Quit"),
        step("F7", "Create a new"),
        step(["new name"], "new name"),
    ], (SMALL, WIDE), {".config/mc/ini": "[Layout]\nfree_space=false\n", "left/one": "content of one\n", "left/two": "content of two\n",
                       "right/three": "content of three\n", "right/four": "content of four\n"}),

    Row("dialog-menu", "dialog --menu 'Which one?' 15 40 5 a first b second c third d fourth; echo; echo rc=$?", [
        step(until="Which one"),
        step("Down Down"),
    ], [
        step("Up"),
        step("Down Down Tab"),
        step("Tab Tab Enter", "rc="),
    ], (SMALL, WIDE)),

    Row("dialog-form", "dialog --form Fill: 12 50 3 Name: 1 1 '' 1 10 20 0 Town: 2 1 '' 2 10 20 0", [
        step(until="Fill:"),
        step(["some text", "Down", "more"], "more"),
    ], [
        step("Up Left BSpace"),
        step("Tab Right"),
        resize(30, 90),
    ], (SMALL,)),

    Row("dialog-gauge", "dialog --checklist Several: 14 44 5 1 one off 2 two on 3 three off; echo; echo done", [
        step(until="Several:"),
        step("Space Down Space"),
    ], [
        step("Down Space"),
        step("Escape", "done"),
    ], (SMALL,)),

    Row("tmux-inside", "tmux -S inside -f tmux.conf new", [
        step(until=r"^\[0\]"),
        step(["echo one", "Enter"], "^one"),
        step("C-b %", "│"),
    ], [
        step(["echo two", "Enter"], "two"),
        step('C-b "', "─"),
        resize(30, 100, "─"),
        step("C-b c", r"1:bash\*"),
        step("C-b [", r"\[0/0\]"),
    ], ALL, {"tmux.conf": "set -g status-right ''\nset -g status-left '[#S] '\nset -g default-command "
             "'bash --norc --noprofile'\nset -g automatic-rename off\nset -g window-status-format '#I:bash#F'\n"
             "set -g window-status-current-format '#I:bash#F'\n"}),

    Row("fzf-full", "seq 1 300 | fzf --no-info", [
        step(until="^> 1 "),
        step(["12"], "^> 12$|^> 12"),
    ], [
        step("Up Up"),
        step("BSpace", "^> 1"),
        resize(15, 60),
        step("Enter", r"^\$|^[0-9]"),
    ], (SMALL, WIDE)),

    Row("ncurses-menus", "/usr/libexec/ncurses-examples/demo_menus", [
        step(until=">File"),
        step("Right", "KEY_RIGHT"),
    ], [
        step("Down", "KEY_DOWN"),
        step("Up", "KEY_UP"),
        step("Left", "KEY_LEFT"),
        resize(30, 100),
        step("S-Left", "KEY_SLEFT"),
    ], (SMALL, WIDE)),

    Row("ncurses-forms", "/usr/libexec/ncurses-examples/demo_forms", [
        step(until="Defined form edit"),
        step("Down"),
    ], [
        step("Down"),
        step("Up"),
        step("Escape"),
    ], (SMALL, WIDE)),

    Row("ncurses-inserts", "/usr/libexec/ncurses-examples/ins_wide", [
        step(until="String"),
        step(["abc"], "abc"),
    ], [
        step(["日本"], "日本"),
        step("C-p", r"\^P"),
        step("Left Left x"),
    ], (SMALL,)),
]
