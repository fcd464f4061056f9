#!/usr/bin/env python3
"""docs/errors.md: every error that users can meet, generated from the sources.

    error_catalogue.py --write     regenerates the page

run.py --check compares the page with the sources.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import cpp_errors
import python_errors

PAGE = "docs/errors.md"
COMMAND = "tests/docs/error_catalogue.py --write"

# What to do, for each code of src/base/result.cc. A new code needs a row here.
ADVICE = {
    "invalid_argument": "Correct the request. Nothing was done.",
    "not_found": "Check the name; the hint lists the names that exist.",
    "busy": "Wait and try again, or end what is in the way. Nothing was changed.",
    "timed_out": "Try again with a longer limit, or when the host is less busy.",
    "unsupported": "Follow the hint; `statefork doctor` shows what this host lacks.",
    "corrupt": "Restore the named file from a backup, or make client and daemon the same version.",
    "session_lost": "`restore` the branch to one of its nodes: these are kept.",
    "no_space": "Free disk space or remove nodes: `cleanup`, `rm`.",
    "diverged": "Restore a physical ancestor, or accept the difference (`--accept-divergence`).",
    "os": "Read the kernel's error in the message; the daemon's log has the details.",
}
# Codes that are not in src/base/result.cc: (HTTP status, advice).
OTHER_CODES = {
    "unauthorized": ("401", "Send the daemon's token, or join the group of its socket."),
    "command_failed": ("-", "Read the command's output (`error.result`)."),
    "command_timed_out": ("-", "Give a longer `timeout`, or start the command with `start_command`."),
}
# Exit statuses: (file, constant or "", status if there is no constant, meaning).
STATUSES = [
    ("", "", "0", "success"),
    ("src/cli/commands/command_frame.h", "kFailed", "", "StateFork failed; standard error has the error"),
    ("src/cli/commands/command_line.cc", "kUsageError", "", "wrong usage; nothing was done"),
    ("src/cli_full/explore_command.cc", "kNotSolved", "", "`explore`: not solved within the budget"),
    ("src/cli/commands/exec_command.cc", "kTimedOut", "", "`exec`, `run`: the command reached its time limit, as with timeout(1)"),
    ("src/cli/commands/exec_command.cc", "kOurFailure", "", "`exec`, `run`: StateFork failed, or wrong usage, as with `docker exec`"),
    ("", "", "126, 127", "`exec`, `run`: the command cannot be executed, or does not exist"),
    ("src/cli/commands/exec_command.cc", "kInterrupted", "", "`exec`: you detached; `explore`: stopped before the search began"),
    ("src/cli/commands/exec_command.cc", "kNobodyReads", "", "`exec`: no program reads the output any more"),
    ("", "", "other", "`exec`, `run`: the exit status of the command"),
]
# For each JSON-RPC code of src/mcp/json_rpc.h.
RPC_MEANING = {
    "kParseError": "the line is not JSON",
    "kInvalidRequest": "not a JSON-RPC 2.0 message, or not allowed at this point",
    "kMethodNotFound": "the server has no such method",
    "kInvalidParams": "`params` are wrong, or the tool does not exist",
    "kInternalError": "the server has too many open calls",
    "kUnsupportedVersion": "the protocol revision is not supported; `data` lists the supported ones",
}

# The area of a file is the first one whose pattern matches.
AREAS = [
    ("Command line", r"src/cli/daemon/(daemon_start|program_search)|src/cli/commands/(command|session_address|standard)|src/client/"),
    ("Commands, keys and screens", r"src/cli/commands/(exec|run|keys|shell|resize)|src/cli/daemon/|src/base/key"
                                   r"|src/shell/(shell|side|input|terminal)|src/terminal/input|src/wire/input"
                                   r"|src/service/(execution|terminal)|src/control/session_commands"),
    ("Files", r"src/cli/commands/c(p|opy)|src/service/file|src/os/in_root"),
    ("Search", r"src/explore/|src/cli_full/(apply|explore|replay)"),
    ("Roots and images", r"src/roots/|src/cli_full/(root|new)|src/waypoint/root"),
    ("HTTP API", r"src/service/(http|router|request|call_target)|src/wire/(json_fields|query|base64)"),
    ("Sessions, branches and nodes", r"src/control/|src/service/|src/cli/commands/|src/shell/(branch|user|cap)"),
    ("Snapshots and restores", r"src/engine/|src/wire/(keeper_client|frame)"
                               r"|src/waypoint/(manifest|checkpoint|file_|layer|waypoint|branch_table|keeper)"),
    ("Backends", r"src/backends/"),
    ("Host, daemon and storage", r"src/store/|src/waypoint/|src/os/(cgroup|tcp|loop_)"),
    ("MCP", r"src/mcp/"),
]
# Errors that users do not meet: the protocol between daemon, keepers and agent, their images, tests.
INTERNAL = re.compile(r"_test\.cc$|/scripted_|^src/testing/|^src/agent/|^src/waypoint/fault|^src/terminal/screen"
                      r"|^src/wire/(mux|keeper_protocol|operations|message|event|problem)|^src/base/result"
                      r"|^src/shell/init/|^src/os/(probe|process|run_|socket|file|directory|btrfs|loopback)"
                      r"|^src/engine/criu/(tty|rpc|standing)|^src/waypoint/(branch_records|keeper/captured)"
                      r"|^src/explore/journal|^src/store/edit_writer|^src/waypoint/keeper/keeper\.cc"
                      r"|^src/backends/overlay/overlay_b|^src/backends/hosted/(agent|mux)")
INTERNAL_CODES = {"src/engine/": ("corrupt", "os"), "src/wire/frame": ("corrupt", "timed_out", "invalid_argument"),
                  "src/shell/": ("corrupt", "os"), "src/control/branch_tree": ("invalid_argument",)}

HEAD = """# Errors

<!-- Generated from the sources by tests/docs/error_catalogue.py --write: do not edit. -->

An error says what is wrong and, as a hint, what to do. Programs tell errors apart by their code.

```console
$ statefork exec nowhere -- true; echo "exit status $?"
statefork: no such session: nowhere
  hint: there are no sessions; `statefork new` makes one
exit status 125
$ statefork tree nowhere --json
{
  "code": "not_found",
  "detail": "no such session: nowhere",
...
```

| interface | an error is |
|---|---|
| command line | `statefork: MESSAGE` and `hint: ...` on standard error; with `--json` the problem of the HTTP API |
| HTTP | an RFC 9457 problem with `code`, `detail` (the message), `hint` and `details` ([api.md](api.md#errors)) |
| Python | an exception with `code`, `message`, `hint` and `details` ([python.md](python.md#errors)) |
| MCP | a tool result with `isError`: message and hint as text, the problem in `_meta["statefork/problem"]`; a JSON-RPC error if the request itself is wrong ([mcp.md](mcp.md)) |

A message can begin with the operation that failed, as in `recording snapshot of session s1: ...`.
A failed system call is reported as `WHAT: NAME: TEXT`, for example `/srv/x: ENOENT: No such file or
directory`. Its code is `not_found` (ENOENT), `busy` (EBUSY), `no_space` (ENOSPC, EDQUOT) or `os`.
"""


class Sources:
    """The texts of the tree, with the named values that each folder may use."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.texts = {str(path.relative_to(root)): path.read_text(encoding="utf-8")
                      for path in sorted((root / "src").rglob("*")) if path.suffix in (".cc", ".h")}
        self.python_errors = (root / "python/statefork/errors.py").read_text(encoding="utf-8")
        self.folders: dict[str, dict[str, str]] = {}
        everywhere: dict[str, set[str]] = {}
        for path, text in self.texts.items():
            for name, value in cpp_errors.string_constants(text).items():
                self.folders.setdefault(path.rsplit("/", 1)[0], {})[name] = value
                everywhere.setdefault(name, set()).add(value)
        self.unique = {name: min(values) for name, values in everywhere.items() if len(values) == 1}

    def errors(self, path: str) -> list[cpp_errors.Found]:
        return cpp_errors.errors(self.texts[path], {**self.unique, **self.folders.get(path.rsplit("/", 1)[0], {})})


def enum_codes(sources: Sources) -> dict[str, str]:
    """{"kNotFound": "not_found"}"""
    return dict(re.findall(r"CodeName\{ErrorCode::(k\w+), \"(\w+)\"\}", sources.texts["src/base/result.cc"]))


def statuses(sources: Sources) -> dict[str, tuple[str, str]]:
    """{"kNotFound": ("404", "Not found")}"""
    rows = re.findall(r"Row\{ErrorCode::(k\w+), (\d+), \"([^\"]+)\"\}", sources.texts["src/wire/problem.cc"])
    return {code: (status, title) for code, status, title in rows}


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;") if text else "-"


def code_span(text: str) -> str:
    """`text` as code; in a table, a bar needs a backslash even there."""
    text = "".join(letter if letter >= " " else f"\\x{ord(letter):02x}" for letter in text).replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def prose(text: str) -> str:
    """A hint: code stays code, placeholders outside of it are escaped."""
    text = "".join(letter if letter >= " " else f"\\x{ord(letter):02x}" for letter in text)
    return "`".join(part if number % 2 else cell(part) if part else "" for number, part in enumerate(text.split("`"))) or "-"


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def codes_table(sources: Sources, classes: list[python_errors.ErrorClass]) -> str:
    http, rows = statuses(sources), []
    typed = re.search(r"_TYPES: .*?\)}", sources.python_errors, re.DOTALL).group()  # the classes of the daemon's codes
    for constant, code in enum_codes(sources).items():
        named = next((each for each in classes if each.code == code and each.bases[0] == "StateForkError"
                      and each.name in typed), None)
        status, title = http[constant]
        rows.append((f"`{code}`", status, named.meaning if named else title + ".",
                     f"`{named.name}`" if named else "`DaemonError`", ADVICE[code]))
    for code, (status, advice) in OTHER_CODES.items():
        named = next(each for each in classes if each.code == code)
        rows.append((f"`{code}`", status, named.meaning, f"`{named.name}`", advice))
    return table(("code", "HTTP", "meaning", "Python", "what to do"), rows)


def other_classes(sources: Sources, classes: list[python_errors.ErrorClass]) -> str:
    shown = codes_table(sources, classes)
    return table(("exception", "derives from", "code", "meaning"),
                 [(f"`{each.name}`", ", ".join(f"`{base}`" for base in each.bases), f"`{each.code}`", cell(each.meaning))
                  for each in classes if f"`{each.name}`" not in shown or each.name == "DaemonError"])


def constant(sources: Sources, path: str, name: str) -> str:
    found = re.search(rf"\b{name} = (\d+);", sources.texts[path])
    if found is None:
        raise ValueError(f"{path} has no {name}")
    return found.group(1)


def exit_table(sources: Sources) -> str:
    return table(("exit status", "meaning"),
                 [(status or constant(sources, path, name), meaning) for path, name, status, meaning in STATUSES])


def rpc_codes(sources: Sources) -> dict[str, str]:
    enum = re.search(r"enum class RpcCode : int \{(.*?)\};", sources.texts["src/mcp/json_rpc.h"], re.DOTALL)
    return dict(re.findall(r"(k\w+) = (-\d+)", enum.group(1))) if enum else {}


def area_of(path: str) -> str:
    return next((area for area, pattern in AREAS if re.match(pattern, path)), "")


def is_internal(path: str, code: str) -> bool:
    return INTERNAL.search(path) is not None or any(
        path.startswith(folder) and code in codes for folder, codes in INTERNAL_CODES.items())


def cpp_rows(sources: Sources) -> Iterator[tuple[str, str, str, str]]:
    """(area, message, code, hint)"""
    codes, rpc = enum_codes(sources), rpc_codes(sources)
    for path in sources.texts:
        if path.endswith("_test.cc"):
            continue
        for each in sources.errors(path):
            code = codes.get(each.code) or rpc.get(each.code) or "varies"
            if cpp_errors.has_text(each.message) and not is_internal(path, code):
                if not area_of(path):
                    raise ValueError(f"{path} belongs to no area; add it to AREAS in tests/docs/error_catalogue.py")
                yield area_of(path), cpp_errors.readable(each.message), code, cpp_errors.readable(each.hint)


def usage_rows(sources: Sources) -> Iterator[tuple[str, str, str, str]]:
    for path in ("src/cli/commands/command_line.cc", "src/cli_full/completion_command.cc"):
        for each in cpp_errors.printed(sources.texts[path], "statefork"):
            message, _, hint = each.message.partition("\n  hint: ")
            yield "Command line", cpp_errors.readable(message), "usage", cpp_errors.readable(hint)


def python_rows(root: Path, classes: list[python_errors.ErrorClass]) -> Iterator[tuple[str, str, str, str]]:
    by_name = {each.name: each for each in classes}
    for path in sorted((root / "python/statefork").rglob("*.py")):
        for name, _, message, hint in python_errors.errors(path.read_text(encoding="utf-8"), by_name):
            if re.search(r"\w", re.sub(r"<[^>]*>", "", message)):
                yield "Python", message, name, hint


def page(root: Path) -> str:
    sources = Sources(root)
    classes = python_errors.error_classes(sources.python_errors)
    rows = sorted(set(cpp_rows(sources)) | set(usage_rows(sources)) | set(python_rows(root, classes)))
    parts = [HEAD, "## Codes\n", codes_table(sources, classes),
             "Other exceptions of Python. Those without a better class are a `DaemonError`:\n",
             other_classes(sources, classes), "## Exit status\n", exit_table(sources),
             "## JSON-RPC codes of MCP\n",
             table(("code", "meaning"), [(f"`{number}`", RPC_MEANING[name]) for name, number in rpc_codes(sources).items()]),
             "## Messages\n",
             "`<name>` stands for a value; `usage` is an error in the command line itself. Messages of CRIU, of\n"
             "the kernel, of the option parser and of other programs are not listed. What a snapshot refuses:\n"
             "[limits.md](limits.md).\n"]
    for area in [*(name for name, _ in AREAS), "Python"]:
        parts += [f"### {area}\n", table(("message", "exception" if area == "Python" else "code", "what to do"),
                                         [(code_span(message), f"`{code}`", prose(hint))
                                          for of, message, code, hint in rows if of == area])]
    return "\n".join(parts)


def complaints(root: Path) -> Iterator[str]:
    path = root / PAGE
    if not path.is_file() or path.read_text(encoding="utf-8") != page(root):
        yield f"{PAGE}: differs from the sources; run {COMMAND}"


def main() -> int:
    root = Path(__file__).resolve().parents[2]
    if sys.argv[1:] == ["--write"]:
        (root / PAGE).write_text(page(root), encoding="utf-8")
        return 0
    found = list(complaints(root))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
