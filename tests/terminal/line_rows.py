"""Rows of line-based programs on the primary screen."""

from __future__ import annotations

from typing import List

from row import NARROW, SMALL, WIDE, Row, resize, step
from tmux_differences import DIFFERENCES

PROGRAM = """#include <stdio.h>

static int twice(int value) {
  int result = 2 * value;
  return result;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += twice(i);
  }
  printf("sum %d\\n", sum);
  return 0;
}
"""

# Type a line only when the program waits for it: the terminal also echoes lines that come earlier.
# Only widen the window after lines were edited: tmux 3.3 treats blanks erased by readline as text
# when it rewraps lines, which inserts empty rows.
ROWS: List[Row] = [
    Row("python", "python3 -q", [
        step(until="^>>>$"),
        step(["for i in range(3):", "Enter"], r"^\.\.\.$"),
        step(["    print(i, 'x' * i)", "Enter"], r"\n\.\.\.$"),
        step("Enter", "^2 xx\n>>>"),
        step(["'abc' + def'", "Left", "Left", "Left", "Left", "'", "End"], "'def'"),
    ], [
        step("Enter", "^'abcdef'"),
        step("Up Home #", "^>>> #'abc"),
        step("C-c", "KeyboardInterrupt"),
        step(["print('long ' * 40)", "Enter"], "^>>>$"),
        resize(20, 100),
        step(["import time", "Enter"], "import time\n>>>$"),
        step(["time.sl", "Tab"], "time.sleep"),
    ], (SMALL, NARROW)),

    Row("fzf-height", "seq 1 100 | fzf --height 10 --no-info", [
        step(until="^> 1 "),
        step(["7"], "^> 7"),
    ], [
        step("Up", "^> 70"),
        step("BSpace"),
        step("Enter", "^[0-9]+$"),
    ]),

    Row("git-add-p", "git add -p", [
        step(until=r"\[y,n,q,a,d.*\?"),
        step(["y", "Enter"], r"(?s)\(2/2\)"),
    ], [
        step(["e", "Enter"], "Manual hunk edit mode"),
        step("j j"),
    ], (SMALL, WIDE), {"file": "".join(f"line {number}\n" for number in range(40))}, prepare=(
        "export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2024-01-01T00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00Z'\n"
        "git init -q -b main . && git config user.name n && git config user.email e@example.org\n"
        "git config color.ui always; git config core.editor 'vim -u NONE -i NONE -n -N'\n"
        "git add file && git commit -q -m first && sed -i 's/line 3$/changed 3/; s/line 30$/changed 30/' file")),

    Row("gdb", "gdb -q -nx -nh ./program", [
        step(until=r"^\(gdb\)$"),
        step(["set style enabled off", "Enter"], r"off\n\(gdb\)$"),
        step(["break twice", "Enter"], "Breakpoint 1 at"),
        step(["list main", "Enter"], r"(?s)sum \+= twice.*\(gdb\)$"),
    ], [
        step(["tui enable", "Enter"], "program.c"),
        step("Down Down"),
        step(["tui disable", "Enter"], r"\(gdb\)"),
        resize(30, 90),
        step(["info line twice", "Enter"], "Line 3"),
    ], (SMALL, WIDE), {"program.c": PROGRAM}, prepare="gcc -g -O0 -o program program.c"),

    Row("gdb-running", "gdb -q -nx -nh ./program", [
        step(until=r"^\(gdb\)$"),
        step(["break twice", "Enter"], r"Breakpoint 1 at.*\n\(gdb\)$"),
        step(["run", "Enter"], "Breakpoint 1, twice"),
        step(["next", "Enter"], "return result"),
        step(["print result", "Enter"], r"\$1 = 0"),
        step(["C-x", "a"], "program.c"),
    ], files={"program.c": PROGRAM}, prepare="gcc -g -O0 -o program program.c", snapshots=False,
        why="a traced process is not supported (docs/engine.md)"),

    Row("psql", "psql -h $PWD -U postgres", [
        step(until="^postgres=#$"),
        step(["select n, n * n as square from generate_series(1, 5) n;", "Enter"], r"\(5 rows\)"),
        step(["create table t (a int, b text);", "Enter"], r"CREATE TABLE\npostgres=#$"),
        step(["insert into t values (1, 'ä日本');", "Enter"], "INSERT 0 1"),
    ], [
        step(["select * from t;", "Enter"], r"\(1 row\)"),
        step(["select * from generate_series(1,200);", "Enter"], "^:$"),
        step("Space"),
        step("q", "^postgres=#$"),
        step("Up C-a #", "^postgres=# #select"),
        resize(20, 100),
    ], (SMALL,), prepare=(
        "bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1); chown postgres . && cd / && P=$OLDPWD\n"
        "setpriv --reuid postgres --regid postgres --clear-groups $bin/initdb -N -A trust -D $P/data >/dev/null\n"
        "setpriv --reuid postgres --regid postgres --clear-groups $bin/pg_ctl -w -D $P/data -l $P/log "
        "-o \"-k $P -c listen_addresses= -F\" start >/dev/null; cd $P")),

    Row("bash", "history -c; PS1='$ '", [
        step(until=r"^\$$"),
        step(["echo hello", "Enter"], "^hello"),
        step(["ls -", "C-a", "echo ", "C-e", "x", "Enter"], "^ls -x"),
        step("Up Up", r"\$ echo hello$"),
    ], [
        step("Enter", "(?s)hello.*hello"),
        step(["fals", "Tab"], r"^\$ false"),
        step("C-c", r"(?s)\^C\n\$$"),
        step(["cat", "Enter"], "cat$"),
        step(["abc", "Enter"], "abc\nabc"),
        step("C-d", r"abc\n\$$"),
        step(["sleep 100", "Enter"], "sleep 100$"),
        step("C-z", "Stopped"),
        step(["x" * 100]),
        resize(24, 120),
        step("C-u"),
        step("C-l", r"^\$$"),
        step("C-r h e l", "reverse-i-search"),
    ], (SMALL, WIDE)),

    Row("bash-vi", "history -c; PS1='$ '; set -o vi", [
        step(until=r"^\$$"),
        step(["echo one two", "Escape"], r"\$ echo one two$"),
        step("b i X", "Xtwo"),
    ], [
        step("Enter", "^one Xtwo"),
        step("Escape k", r"\$ echo one Xtwo$"),
        step("C-c"),
    ]),

    # The type of a terminal (DA) may differ, but both must report one.
    Row("answers", "bash ask", [
        step(until="asked 1"),
    ], [
        step("x", "asked 2"),
    ], (SMALL,), {"ask": r"""
ask() {
  printf '%s ' "$1"
  printf "$2"
  IFS= read -rs -t 5 -d "$3" answer
  printf '%q\n' "$(sed -E 's/[0-9;]+c$/c/' <<<"$answer$3")"
}
stty -echo
for pass in 1 2; do
  clear
  ask status '\033[5n' n
  ask position '\033[7;20H\033[6n' R
  ask attributes '\033[c' c
  ask version '\033[>c' c
  ask size '\033[18t' t
  printf 'asked %s\n' $pass
  read -rsn1
done
"""}, differences=DIFFERENCES["answers"]),
]
