"""Side scripts: command lines for `run` that may leave processes in the background.

`run` returns when its program ends and then closes the program's output pipes. A background server
would fail at its next write. So a script in the branch runs the command and keeps reading these
pipes; every snapshot includes it. The script relays all of the command's output before it exits.

>>> r = s.run(side_argv("1"), stdin=side_script("(sleep 0.1; echo late; echo alive >/tmp/f) & echo now", "/usr"))
>>> r.stdout, s.exec_command("until [ -e /tmp/f ]; do sleep 0.05; done; cat /tmp/f").output
('now\\n', 'alive\\n')
"""

from __future__ import annotations

import shlex
from typing import List

# Requires: `command` and `cwd` are set. A relay that blocks in read(0) has relayed everything;
# /proc/PID/syscall shows that (read is system call 0, and standard input descriptor 0).
SCRIPT = r"""
waits() {
  local cat call from
  [ -d "/proc/$1" ] || return 0
  read -r cat _ <"/proc/$1/task/$1/children"
  read -r call from _ <"/proc/$cat/syscall" && [ "$call $from" = "0 0x0" ]
} 2>/dev/null
finish() {
  exec 3>&- 4>&-
  for relay in "$out" "$err"; do
    for ((tries = 0; tries < 300; tries++)); do
      waits "$relay" && break
      ((tries < 100)) || sleep 0.01
    done
  done
  exit "$1"
}
trap : TERM  # whoever ends the command asks all of its group; this one stays to tell
exec 3> >(trap '' TERM; cat; exec cat >/dev/null 2>&1); out=$!
exec 4> >(trap '' TERM; exec 3>&-; cat >&2; exec cat >/dev/null 2>&1); err=$!
exec 2>/dev/null
cd -- "$cwd" || { echo "there is no directory '$cwd'" >&4; finish 126; }
unset OLDPWD
SHLVL=0
bash -c "$command" </dev/null >&3 2>&4 3>&- 4>&-
finish $?
"""

# Ends the process group of a script that still runs.
KILLER = r"""
for one in /proc/[0-9]*; do
  mapfile -d '' words <"$one/cmdline" && [ "${words[2]}" = "$1" ] || continue
  group=${one#/proc/}
  kill -TERM -- "-$group" || continue
  for ((tries = 0; tries < 20; tries++)); do sleep 0.1; kill -0 -- "-$group" || break; done
  kill -KILL -- "-$group"
done 2>/dev/null
exit 0
"""


def side_argv(name: str) -> List[str]:
    """Leaves the command out of argv: otherwise `pkill -f` in the branch would also match the
    script."""
    return ["bash", "-s", name]


def side_script(command: str, cwd: str) -> bytes:
    """The standard input of `side_argv`'s program, which reads all of it before it runs
    anything."""
    values = f"command={shlex.quote(command)} cwd={shlex.quote(cwd)}\n"
    return ("{ " + values + SCRIPT + "}\n").encode("utf-8", "surrogateescape")


def side_killer(name: str) -> List[str]:
    """Ends the command of this name, if it runs: with SIGTERM, then with SIGKILL."""
    return ["bash", "-c", KILLER, "statefork", name]
