"""Operations on a branch: the call through an interface, and its effect on the model.

Each operation is a function of a `Player` with a docstring. OPERATIONS has their names and weights.
A sequence (sequences.py) fixes options; the player's random numbers choose all others.
"""

from __future__ import annotations

import os
import shlex
from typing import Any, Callable, Dict, List, Optional, Tuple

import probe
from model import WORK, Entry
from player import Failure, Player
from ways import Problem

Operation = Callable[..., None]
OPERATIONS: Dict[str, Tuple[float, Operation]] = {}


def operation(weight: float) -> Callable[[Operation], Operation]:
    def register(function: Operation) -> Operation:
        OPERATIONS[function.__name__] = (weight, function)
        return function
    return register


def created(p: Player, content: bytes) -> Entry:
    """Makes a file through the shell."""
    return Entry("f", 0o666 & ~p.state.umask, content)


def some_file(p: Player) -> Optional[str]:
    names = [name for name in p.state.plain_files() if not name.startswith(("s", "draw"))]
    return p.random.choice(names) if names else None


# The shell itself.

@operation(3)
def assign(p: Player) -> None:
    """Sets a variable."""
    name, value = p.random.choice("abcde") + "v", str(p.random.randrange(10 ** 6))
    export = p.random.choice(["", "export "])
    p.shell(f"{export}{name}={value}", "")
    p.state.variables[name] = value


@operation(0.5)
def unset(p: Player) -> None:
    """Removes a variable."""
    if p.state.variables:
        name = p.random.choice(sorted(p.state.variables))
        p.shell(f"unset {name}", "")
        p.state.variables[name] = "unset"


@operation(0.7)
def define_function(p: Player) -> None:
    """Defines a function."""
    name = p.random.choice(["fa", "fb"])
    p.shell(f"{name}() {{ echo {p.random.randrange(100)}; }}", "")
    p.state.functions.add(name)


@operation(1)
def change_directory(p: Player) -> None:
    """Changes the working directory."""
    target = p.random.choice(["", "/", "/usr", *(f"{WORK}/{name}" for name in p.state.directories())]) or WORK
    p.shell(f"cd {target}", "")
    p.state.cwd = target


@operation(0.5)
def remake_directory(p: Player) -> None:
    """Removes and remakes the working directory, so that the shell is in a removed one."""
    name = p.fresh_name("gone")
    p.shell(f"mkdir {WORK}/{name}; cd {WORK}/{name}; rmdir {WORK}/{name}; mkdir {WORK}/{name}", "")
    p.state.files[name] = Entry("d", 0o777 & ~p.state.umask)
    p.state.cwd, p.state.may_hold_removed = f"{WORK}/{name}", True


@operation(0.5)
def set_umask(p: Player) -> None:
    """Sets the umask."""
    mask = p.random.choice([0o022, 0o027, 0o077, 0o002])
    p.shell(f"umask {mask:04o}", "")
    p.state.umask = mask


@operation(1)
def seed_random(p: Player) -> None:
    """Seeds RANDOM with a number."""
    seed = p.random.randrange(1, 30000)
    p.shell(f"RANDOM={seed}", "")
    p.state.seed = seed


@operation(1.5)
def set_attribute(p: Player, name: str = "") -> None:
    """Changes an attribute of the shell's process that only the kernel keeps."""
    name = name or p.random.choice(sorted(probe.ATTRIBUTES))
    if name == "affinity":
        cpu = p.random.randrange(2)
        p.shell(f"taskset -pc {cpu} $$ >/dev/null", "")
        p.state.attributes[name] = str(cpu)
    elif name == "ionice":
        level = p.random.randrange(8)
        p.shell(f"ionice -c 2 -n {level} -p $$", "")
        p.state.attributes[name] = f"best-effort: prio {level}"
    elif name == "coredump":
        mask = p.random.randrange(1, 128)
        p.shell(f"echo {mask:#x} >/proc/$$/coredump_filter", "")
        p.state.attributes[name] = f"{mask:08x}"
    elif name == "slack":
        slack = p.random.randrange(1000, 90000)
        p.shell(f"echo {slack} >/proc/$$/timerslack_ns", "")
        p.state.attributes[name] = str(slack)
    else:
        # Sessions start with the nice value of this test and cannot lower it.
        level = max(int(p.state.attributes.get("nice", os.nice(0))), p.random.randrange(1, 10))
        p.shell(f"renice -n {level} -p $$ >/dev/null", "")
        p.state.attributes[name] = str(level)


@operation(0.4)
def leave_shell(p: Player) -> None:
    """Ends the shell; the new one must print long outputs as well."""
    if p.state.servers or p.state.coming or p.running:
        return
    p.note("exit 3")
    done = p.call("exec", "exit 3")
    if done.timed_out:
        raise Failure(f"'exit 3' timed out: {done.output!r}")
    p.state.shell_has_ended()
    p.shell("seq 1 6000", "".join(f"{number}\n" for number in range(1, 6001)))


@operation(3)
def look(p: Player) -> None:
    """Runs a command that changes nothing."""
    name = some_file(p)
    choices: List[Tuple[str, Optional[str]]] = [("true", ""), (f"ls {WORK} >/dev/null", ""), ("echo hello", "hello\n")]
    if name:
        entry = p.state.files[name]
        choices.append((f"cat {WORK}/{name}", entry.content.decode()))
    p.shell(*p.random.choice(choices))


# Files.

@operation(3)
def shell_writes(p: Player) -> None:
    """Makes a file, or writes to one, through the shell."""
    name = p.fresh_name("f")
    directory = p.random.choice(["", *(f"{d}/" for d in p.state.directories())])
    old = some_file(p)
    text = f"{p.random.randrange(10 ** 6)}\n"
    if old and p.random.random() < 0.5:
        p.shell(f"echo {text.strip()} >>{WORK}/{old}", "")
        entry = p.state.files[old]
        p.state.files[old] = Entry("f", entry.mode, entry.content + text.encode())
    else:
        p.shell(f"echo {text.strip()} >{WORK}/{directory}{name}", "")
        p.state.files[directory + name] = created(p, text.encode())


@operation(2)
def change_tree(p: Player) -> None:
    """Makes, renames and removes names; changes modes."""
    old, name = some_file(p), p.fresh_name("d")
    choice = p.random.choice(["mkdir", "link", "chmod", "rm", "mv"])
    if choice == "mkdir":
        p.shell(f"mkdir {WORK}/{name}", "")
        p.state.files[name] = Entry("d", 0o777 & ~p.state.umask)
    elif choice == "link":
        p.shell(f"ln -s /nowhere/{name} {WORK}/{name}", "")
        p.state.files[name] = Entry("l", 0o777, f"/nowhere/{name}".encode())
    elif old and choice == "chmod":
        mode = p.random.choice([0o600, 0o755, 0o640])
        p.shell(f"chmod {mode:o} {WORK}/{old}", "")
        p.state.files[old] = Entry("f", mode, p.state.files[old].content)
    elif old and choice == "rm":
        p.shell(f"rm {WORK}/{old}", "")
        p.state.remove(old)
    elif old:
        p.shell(f"mv {WORK}/{old} {WORK}/{name}", "")
        p.state.files[name] = p.state.files.pop(old)


@operation(4)
def api_writes(p: Player) -> None:
    """Writes a file through the API."""
    old = some_file(p)
    name = old if old and p.random.random() < 0.4 else p.fresh_name("w")
    content = f"{p.random.randrange(10 ** 9)}\n".encode() * p.random.choice([1, 1, 1000])
    p.call("write", f"{WORK}/{name}", content)
    p.state.files[name] = Entry("f", p.state.files[name].mode if name in p.state.files else 0o644, content)


@operation(1)
def api_reads(p: Player) -> None:
    """Reads all files through the API."""
    p.check_files()


@operation(2)
def side_writes(p: Player) -> None:
    """Writes a file with a side command."""
    name = p.fresh_name("r")
    done = p.call("run", ["sh", "-c", f"umask 022; printf {name} >{WORK}/{name}; echo said"])
    if done.exit_code != 0 or done.output != "said\n":
        raise Failure(f"the side command exited {done.exit_code} and printed {done.output!r}")
    p.state.files[name] = Entry("f", 0o644, name.encode())


@operation(1)
def diff_shows(p: Player) -> None:
    """Checks that the diff between node and branch names every file that differs."""
    if p.node.may_diverge() or p.running or p.state.coming or p.node.state.coming or p.node.state.maybe or \
            p.state.open or p.node.state.open:
        return
    names = set(p.call("diff", p.node.id))
    was, now = p.node.state.files, p.state.files
    for name in sorted(set(was) | set(now)):
        if was.get(name) != now.get(name) and f"{WORK}/{name}" not in names:
            raise Failure(f"diff from {p.node.id}: expected {WORK}/{name}, actual {sorted(names)}")


# The terminal.

@operation(1)
def type_keys(p: Player) -> None:
    """Types a command line and waits for the file that it makes."""
    name, value = p.fresh_name("k"), str(p.random.randrange(1000))
    p.call("keys", typed_line(p, name, value))
    p.wait_for(name, p.branch, name.encode())
    p.shell("true")  # waits for the prompt
    p.state.variables["kv"] = value
    p.state.files[name] = Entry("f", 0o644, name.encode())


def typed_line(p: Player, name: str, value: str) -> str:
    return f"kv={value}; umask 022; printf {name} >{WORK}/{name}; umask {p.state.umask:04o}"


@operation(1)
def paste_line(p: Player) -> None:
    """Pastes a command line. It runs when Enter is typed, perhaps through another interface."""
    name, value = p.fresh_name("b"), str(p.random.randrange(1000))
    p.call("paste", typed_line(p, name, value))
    p.call("keys", "")
    p.wait_for(name, p.branch, name.encode())
    p.shell("true")  # waits for the prompt
    p.state.variables["kv"] = value
    p.state.files[name] = Entry("f", 0o644, name.encode())


@operation(1)
def use_mouse(p: Player) -> None:
    """Clicks in a program that enabled the mouse, and records the bytes that it receives."""
    name = p.fresh_name("m")
    row, col = p.random.randrange(10), p.random.randrange(40)
    place = b"\x1b[<0;%d;%d" % (col + 1, row + 1)  # the SGR encoding of mode 1006
    report = place + b"M" + place + b"m"
    content = report.hex().encode()
    p.call("keys", "settings=$(stty -g); umask 022; stty -icanon -echo; printf '\\033[?1000h\\033[?1006h'; "
                   f"touch {WORK}/{name}.asked; head -c {len(report)} | od -An -v -tx1 | tr -d ' \\n' >{WORK}/{name}; "
                   f"printf '\\033[?1000l\\033[?1006l'; stty $settings; umask {p.state.umask:04o}")
    p.wait_for(f"{name}.asked", p.branch, b"")
    p.call("mouse", row, col)
    p.wait_for(name, p.branch, content)
    p.shell("true")  # waits for the prompt
    p.state.files[f"{name}.asked"] = Entry("f", 0o644)
    p.state.files[name] = Entry("f", 0o644, content)


@operation(0.5)
def refused_mouse(p: Player) -> None:
    """Clicks at the prompt, where no program has enabled the mouse: the click must be refused and
    change nothing."""
    try:
        p.call("mouse", 1, 1)
    except Problem as problem:
        if problem.code != "invalid_argument":
            raise
        return
    raise Failure("a click at the prompt: expected invalid_argument, actual accepted")


@operation(1)
def resize(p: Player) -> None:
    """Resizes the window."""
    size = (p.random.randrange(10, 60), p.random.randrange(40, 200))
    p.call("resize", *size)
    p.state.window = size


@operation(1)
def record_window(p: Player) -> None:
    """Runs a command that records the window's size."""
    if p.state.window is not None:
        name = p.fresh_name("z")
        p.shell(f"stty size >{WORK}/{name}", "")
        p.state.files[name] = created(p, b"%d %d\n" % p.state.window)


# Background activity.

@operation(2)
def start_timer(p: Player, delay: Optional[float] = None) -> None:
    """Starts a job that writes a file later."""
    name = p.fresh_name("t")
    delay = p.random.choice([0.1, 0.3, 0.6, 1.0]) if delay is None else delay
    rest = p.random.choice(["", "; disown"])
    p.shell(f"{{ (sleep {delay}; umask 022; printf {name} >{WORK}/{name}) & }} 2>/dev/null{rest}", "")
    p.state.coming[name] = name.encode()
    p.state.timers += 1


@operation(2)
def see_coming(p: Player) -> None:
    """Waits until background jobs and side commands have written their files, and reads the files
    through the API."""
    for name in sorted(p.state.coming):
        p.wait_for(name, p.branch, p.state.coming[name])
        if all(name != running.name for running in p.running):
            p.state.has_arrived(name)


SERVER = ("import socket, sys; n = 0; s = socket.socket({family}); {options}s.bind({address}); s.listen()\n"
          "while True:\n"
          "  c = s.accept()[0]; n += c.makefile().readline() == 'inc\\n'; c.sendall(b'%d\\n' % n); c.close()\n")


@operation(1)
def start_server(p: Player, kind: str = "") -> None:
    """Starts a process that keeps a counter in its memory."""
    if len(p.state.servers) >= 3:
        return
    kind = kind or p.random.choice(["fifo", "tcp", "unix"])
    name = f"s{p.number}{len(p.state.servers)}"
    path = f"{WORK}/{name}"
    if kind == "fifo":
        p.shell(f"(umask 022; mkfifo {path}.ask {path}.answer); {{ (n=0; while :; do read -r verb <{path}.ask; "
                f"[ \"$verb\" = inc ] && n=$((n + 1)); echo $n >{path}.answer; done) & }} 2>/dev/null", "")
        p.state.files[f"{name}.ask"] = p.state.files[f"{name}.answer"] = Entry("p", 0o644)
    else:
        port = 7000 + int(name[1:])
        program = SERVER.format(
            family="socket.AF_INET" if kind == "tcp" else "socket.AF_UNIX",
            options="s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); " if kind == "tcp" else "",
            address=repr(("127.0.0.1", port)) if kind == "tcp" else repr(f"{path}.sock"))
        p.shell(f"{{ (umask 022; exec python3 -c {shlex.quote(program)}) & }} 2>/dev/null; "
                f"until {probe.ask(name, kind, 'get')} >/dev/null 2>&1; do sleep 0.05; done", "")
        if kind == "unix":
            p.state.files[f"{name}.sock"] = Entry("s", 0o755)
    p.state.servers[name] = (kind, 0)


@operation(3)
def ask_server(p: Player) -> None:
    """Increments a server's counter."""
    if p.state.servers:
        name = p.random.choice(sorted(p.state.servers))
        kind, count = p.state.servers[name]
        p.shell(probe.ask(name, kind, "inc"), f"{count + 1}\n")
        p.state.servers[name] = (kind, count + 1)


@operation(1)
def make_queue(p: Player) -> None:
    """Makes a POSIX message queue."""
    name = "/" + p.fresh_name("q")
    # A small one, because the kernel limits the bytes of all queues of a user, over all branches.
    program = probe.QUEUE_PROGRAM + (
        f"a = (ctypes.c_long * 8)(0, 1, 16); sys.exit(c.mq_open(b'{name}', 0o102, 0o600, a) < 0)")
    p.shell("python3 -c " + shlex.quote(program), "")
    p.state.queues.add(name)


# Randomness.

@operation(1)
def prepare_draw(p: Player) -> None:
    """Defines a function and a script that use randomness, so that later command lines do not
    show it."""
    p.shell("draw() { echo $SRANDOM >$1; }", "")
    p.call("write", f"{WORK}/draw.sh", b"echo $SRANDOM\n")
    p.state.functions.add("draw")
    p.state.files["draw.sh"] = Entry("f", 0o644, b"echo $SRANDOM\n")


@operation(2)
def draw(p: Player, printed: Optional[bool] = None) -> None:
    """Runs a command whose effect cannot be repeated; usually its output does not show the
    effect."""
    name = p.fresh_name("x")
    ways = [f"python3 -c 'import os; print(os.urandom(4).hex())' >{WORK}/{name}",
            f"git init -q /root/repo 2>/dev/null; git -C /root/repo -c user.name=a -c user.email=a@b commit -q "
            f"--allow-empty -m {name}; sleep 0.6; git -C /root/repo rev-parse HEAD >{WORK}/{name}"]
    if "draw" in p.state.functions:
        ways += [f"draw {WORK}/{name}"] * 3
    if "draw.sh" in p.state.files:
        ways += [f"bash {WORK}/draw.sh >{WORK}/{name}"] * 3
    shown = p.random.random() < 0.15 if printed is None else printed
    p.shell(p.random.choice(ways) + (f"; cat {WORK}/{name}" if shown else ""))
    p.drew = True
    p.learn(name)


# Overlapping calls.

@operation(2)
def start_side(p: Player, delay: Optional[float] = None, prints: Optional[bool] = None) -> None:
    """Starts a side command that writes later, during other calls."""
    name = p.fresh_name("o")
    delay = p.random.choice([0.2, 0.5, 1.0]) if delay is None else delay
    prints = p.random.random() < 0.5 if prints is None else prints
    said = "echo said; " if prints else ""
    call = p.write_later(name, "run", ["sh", "-c", f"umask 022; touch {WORK}/{name}.begun; sleep {delay}; {said}"
                                                   f"printf {name} >{WORK}/{name}"])
    p.wait_for(f"{name}.begun", p.branch, b"", call)
    p.state.files[f"{name}.begun"] = Entry("f", 0o644)
    p.state.coming[name] = name.encode()


@operation(1)
def write_beside(p: Player) -> None:
    """Writes files through the API during other calls."""
    for _ in range(p.random.randrange(1, 4)):
        name = p.fresh_name("p")
        p.write_later(name, "write", f"{WORK}/{name}", name.encode())


@operation(2)
def join(p: Player) -> None:
    """Waits for the calls in progress."""
    p.join()


@operation(4)
def pause(p: Player, seconds: Optional[float] = None) -> None:
    """Usually pauses long enough for a precapture of an idle branch."""
    if seconds is None:
        seconds = p.random.uniform(0.1, 0.6) if p.random.random() < 0.8 else p.random.uniform(0, 2)
    p.pause(seconds)
