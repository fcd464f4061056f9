"""The project's conventions as pure functions: files in (path -> text), errors out ("path:line:
message").

run.py passes the working tree; checks_test.py tests each check.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

Files = dict[str, str]

MAX_LINES = 500
SOURCES = (".cc", ".h", ".c", ".py", ".sh", ".cmake")
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)

# Layers that must not use the operating system or JSON, and the headers that would show it.
PURE_LAYERS = ("base", "control")
IMPURE_HEADERS = re.compile(r"^(sys/|linux/|unistd\.h|fcntl\.h|sched\.h|poll\.h|nlohmann/)")

# Written in pieces, so that this file does not match its own pattern.
PUT_OFF = re.compile(r"\b(TO" r"DO|FIX" r"ME)\b")
SWITCHED_OFF = re.compile(r"\bDIS" r"ABLED_\w")
MACHINE_PATH = re.compile(r"(?:^|[\s\"'`=(:])/(?:wo" r"rk|fa" r"rm)/\w", re.MULTILINE)
PACKAGE_HOST = re.compile(r"\b[\w-]+\.(?:deb" r"ian|ubun" r"tu|npm" r"js|pyp" r"i|pythonhos" r"ted)\.(?:org|com)\b"
                          r"|\bpyp" r"i\.org\b|\bnpm" r"js\.com\b")
RAW_KILL = re.compile(r"::kill(?:pg)?\(")
VAGUE_NAME = re.compile(r"(^|[_.-])(util|utils|common|helper|helpers|misc)([_.-]|$)")
MARKDOWN_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# A path from the project's root, in documents (any folder) or in a comment (documents only).
CITED_PATH = re.compile(r"(?<![\w/.<-])(?:docs|src|tests|tools|cmake|bench|examples)/[\w./-]*\w")
COMMENT = re.compile(r"(?:^|\s)(?://|#)[ !].*$", re.MULTILINE)
CODE_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def parse_layers(text: str) -> dict[str, set[str]]:
    """cmake/layers.txt: layer -> layers it may include."""
    layers = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, allowed = line.partition(":")
            layers[name] = set(allowed.split())
    return layers


def includes_follow_the_layers(files: Files) -> Iterator[str]:
    layers = parse_layers(files["cmake/layers.txt"])
    for path, text in files.items():
        parts = path.split("/")
        if not path.endswith((".cc", ".h")) or parts[0] != "src" or len(parts) < 3:
            continue
        layer = parts[1]
        if layer not in layers:
            yield f"{path}:1: src/{layer} is not a layer in cmake/layers.txt"
            continue
        allowed = layers[layer] | {layer}
        if path.endswith("_test.cc"):
            allowed |= {"testing"}
        for match in INCLUDE.finditer(text):
            quote, target = match.groups()
            where = f"{path}:{line_of(text, match.start())}"
            if quote == '"':
                top = target.split("/")[0]
                if "/" not in target or top not in layers:
                    yield f'{where}: write includes from src/, not "{target}"'
                elif top not in allowed:
                    yield f'{where}: {layer} may not include {top} ("{target}")'
            elif layer in PURE_LAYERS and IMPURE_HEADERS.match(target) and not path.endswith("_test.cc"):
                yield f"{where}: {layer} must not use system calls or JSON (<{target}>)"


def every_test_is_built(files: Files, built: Iterable[str]) -> Iterator[str]:
    built = set(built)
    for path in files:
        if path.endswith("_test.cc") and path not in built:
            yield f"{path}:1: no sf_test() lists this file, so it is not run"


def every_python_test_is_run(files: Files) -> Iterator[str]:
    for path in files:
        folder, name = posixpath.split(path)
        module = re.fullmatch(r"test_(\w+)\.py", name)
        if not module or not path.startswith("tests/"):
            continue
        listed = files.get(posixpath.join(folder, "CMakeLists.txt"), "")
        if not re.search(rf"^sf_\w+_test\([^)]*\b{module.group(1)}\b", listed, re.MULTILINE):
            yield f"{path}:1: its CMakeLists.txt does not list this file, so it is not run"


def files_are_short(files: Files) -> Iterator[str]:
    for path, text in files.items():
        lines = text.count("\n")
        if path.endswith(SOURCES) and lines > MAX_LINES:
            yield f"{path}:{lines}: longer than {MAX_LINES} lines; split it"


def headers_are_guarded(files: Files) -> Iterator[str]:
    for path, text in files.items():
        if path.endswith(".h") and not re.search(r"^#pragma once$", text, re.MULTILINE):
            yield f"{path}:1: #pragma once is missing"


def with_folders(files: Files) -> set[str]:
    known = set(files)
    for path in files:
        while path := posixpath.dirname(path):
            known.add(path)
    return known


def prose_of(text: str) -> str:
    """Markdown without its code blocks; line numbers are kept."""
    return CODE_FENCE.sub(lambda fence: "\n" * fence.group().count("\n"), text)


def links_resolve(files: Files) -> Iterator[str]:
    known = with_folders(files)
    for path, text in files.items():
        if not path.endswith(".md"):
            continue
        prose = prose_of(text)
        for match in MARKDOWN_LINK.finditer(prose):
            target = match.group(1).split("#")[0]
            if not target or re.match(r"[a-z]+:", target):
                continue
            if posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) not in known:
                yield f"{path}:{line_of(prose, match.start())}: link to {target}, which does not exist"


def heading_anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as generated by GitHub and MkDocs."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", prose_of(text), re.MULTILINE):
        words = MARKDOWN_LINK.sub(lambda link: link.group()[1:].partition("]")[0], heading)
        found.add(re.sub(r"[^\w\s-]", "", words).strip().lower().replace(" ", "-"))
    return found


def anchors_exist(files: Files) -> Iterator[str]:
    for path, text in files.items():
        if not path.endswith(".md"):
            continue
        prose = prose_of(text)
        for match in MARKDOWN_LINK.finditer(prose):
            target, _, anchor = match.group(1).partition("#")
            page = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
            if anchor and page.endswith(".md") and page in files and anchor not in heading_anchors(files[page]):
                yield f"{path}:{line_of(prose, match.start())}: {page} has no heading for #{anchor}"


def cited_paths_exist(files: Files) -> Iterator[str]:
    known = with_folders(files)
    for path, text in files.items():
        if path.endswith(".md"):
            prose = prose_of(text)
            # Link targets are relative to the file; links_resolve() checks them.
            prose = MARKDOWN_LINK.sub(lambda link: " " * len(link.group()), prose)
            cited = [(match.start(), match.group()) for match in CITED_PATH.finditer(prose)]
        elif path.endswith(SOURCES):
            cited = [(comment.start() + match.start(), match.group()) for comment in COMMENT.finditer(text)
                     for match in CITED_PATH.finditer(comment.group()) if match.group().startswith("docs/")]
        else:
            continue
        for offset, target in cited:
            if target not in known:
                yield f"{path}:{line_of(text, offset)}: names {target}, which does not exist"


def names_are_honest(files: Files) -> Iterator[str]:
    for path in files:
        if VAGUE_NAME.search(posixpath.basename(path)):
            yield f"{path}:1: vague file name; name it after its content"


def matches(files: Files, pattern: re.Pattern[str], complaint: str) -> Iterator[str]:
    for path, text in files.items():
        for match in pattern.finditer(text):
            yield f"{path}:{line_of(text, match.end() - 1)}: {complaint}: {match.group().strip()}"


def nothing_is_put_off(files: Files) -> Iterator[str]:
    yield from matches(files, PUT_OFF, "do it, or write it down as an issue")
    yield from matches(files, SWITCHED_OFF, "a test that is switched off proves nothing")


def nothing_ties_to_a_machine(files: Files) -> Iterator[str]:
    yield from matches(files, MACHINE_PATH, "a path of one machine")
    yield from matches(files, PACKAGE_HOST, "the name of a package host")


def signals_are_sent_to_one(files: Files) -> Iterator[str]:
    """A pid of 0 or -1 passed to kill(2) signals the caller's process group, or every process."""
    sources = {path: text for path, text in files.items()
               if path.startswith(("src/", "bench/", "examples/")) and path.endswith((".cc", ".h"))
               and not path.endswith("_test.cc") and path != "src/os/process.cc"}
    yield from matches(sources, RAW_KILL, "signal_process() and signal_group() of os/process.h check the pid")


# Checks that need only the files.
CHECKS: list[Callable[[Files], Iterator[str]]] = [
    includes_follow_the_layers,
    every_python_test_is_run,
    files_are_short,
    headers_are_guarded,
    links_resolve,
    anchors_exist,
    cited_paths_exist,
    names_are_honest,
    nothing_is_put_off,
    nothing_ties_to_a_machine,
    signals_are_sent_to_one,
]
