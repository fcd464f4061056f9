"""Side scripts: a command line beside a branch's shell, as `run` starts it, that may leave processes behind.

`run` answers when its program has ended, and nobody reads the program's outputs any more. A server that was left in the
background would then fail at its next line of log. So a script in between reads on what comes later, within the branch,
where it is part of every snapshot; the command's own output it hands on to the last byte before it ends.

>>> r = s.run(side_argv("1"), stdin=side_script("(sleep 0.1; echo late; echo alive >/tmp/f) & echo now", "/usr"))
>>> r.stdout, s.exec_command("until [ -e /tmp/f ]; do sleep 0.05; done; cat /tmp/f").output
('now\\n', 'alive\\n')
"""

from __future__ import annotations

import shlex
from typing import List

# Begins with values for `command` and `cwd`. A relay that waits for input has handed on everything: the kernel says so
# (read is call number 0 here, and standard input descriptor 0).
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

# Ends the group of a script that still runs.
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
    """The command itself is on nobody's command line but its own: `pkill -f` is not to find it here."""
    return ["bash", "-s", name]


def side_script(command: str, cwd: str) -> bytes:
    """What the program of `side_argv` reads. All of it is read before anything runs."""
    values = f"command={shlex.quote(command)} cwd={shlex.quote(cwd)}\n"
    return ("{ " + values + SCRIPT + "}\n").encode("utf-8", "surrogateescape")


def side_killer(name: str) -> List[str]:
    """Ends the command of this name, if it runs: politely, then without asking."""
    return ["bash", "-c", KILLER, "statefork", name]
