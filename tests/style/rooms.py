"""Checks that a newcomer can find a file: the map, the names and the size of folders. Pure
functions, as in checks.py.

rooms_test.py tests each check.
"""

import posixpath
import re
from collections.abc import Callable, Iterator

from checks import Files, line_of, with_folders

MAX_SOURCES = 60
CODE = (".cc", ".h", ".c")
MAP = "ARCHITECTURE.md"
QUESTIONS = "docs/finding-your-way.md"
PATH = re.compile(r"(?<![\w/.])(?:[\w.-]+/)+[\w-]+\.(?:cc|h|c|md|txt|cmake|py)\b|(?<![\w/.])src(?:/[\w-]+)+")
ROW = re.compile(r"^\|(.+)\|$", re.MULTILINE)
NAMED = re.compile(r"`([^`]+)`")

# Retired names of concepts, and the places where the word has another meaning. Split, so that this
# file does not contain the names.
RETIRED: list[tuple[str, str]] = [  # pattern, where it counts
    (r"[cC]rad" r"le|\b[nN]ur" r"se", ""), (r"[bB]irth_?[wW]ri" r"ter|\bplan_bir" r"ths|\bBir" r"th(?:Gifts)?\b", "src/"),
    (r"\b[bB]lo" r"b", "src/engine/"), (r"\bVis" r"it\b", "src/"), (r"\bfami" r"ly\.(?:h|cc)|Fami" r"lyTest", ""),
    (r"\bnative/kin" r"ds|(?<!_)\bkin" r"ds\.(?:h|cc)", ""), (r"\b[sS]urround" r"ings\b", "src/"), (r"[sS]till" r"ness", ""),
    (r"\brun_cou" r"nts|RunCou" r"nts", ""), (r"other_" r"fd\b", ""), (r"[lL]ate_?(?:[rR]o" r"ot|[tT]hre" r"ads)", ""),
    (r"\bsto" r"ps\.(?:h|cc)|StopQues" r"tions", ""), (r"watch_ta" r"ble|WatchTa" r"ble", ""), (r"\bWat" r"ches\b", "src/engine/"),
    (r"scrolled_aw" r"ay|ScrolledAw" r"ay", ""), (r"[fF]oresi" r"ght", ""), (r"tree_pl" r"an\b|TreePl" r"an\b", ""),
    (r"capture_(?:ahe" r"ad|pl" r"an)\b|Capture(?:Ahe" r"ad|Pl" r"an)", ""), (r"state_ma" r"rk|StateMa" r"rk|shell_lo" r"ok|ShellLo" r"ok", ""),
    (r"unit_sto" r"re|UnitSto" r"re|UnitKi" r"nd|UnitPa" r"ths|writable_un" r"its", ""), (r"\blet_g" r"o\b|\bgo_o" r"n\b", ""),
    (r"\bput_aw" r"ay|PutAw" r"ay", ""), (r"daemon_lo" r"ok", ""), (r"whole_num" r"ber", ""), (r"\bos/tre" r"e\.h|\bos/free" r"zer", ""),
    (r"PerBo" r"x|\bper_bo" r"x|\bbox_(?:dir|file)", ""), (r"\bSea" r"t\b|\btake_tu" r"rn\b", "src/"),
    (r"(?:Daemon|Copy|File|Node)Pla" r"ces?\b|(?:copy|agent|file)_pla" r"ces?\b", ""), (r"\bk\w*Pati" r"ence\b|\bkMom" r"ent\b|\bkSo" r"on\b", ""),
    (r"keeper_ho" r"me|keeper_ho" r"st", ""), (r"branch_regi" r"stry|BranchRegi" r"stry", ""), (r"AgentBack" r"end", "src/"),
]
# History and text by other authors may use retired names.
MAY_NAME_THEM = ("CHANGELOG.md", "tests/style/", "fuzz/seeds/", "bench/explore/tasks/", "docs/benchmarks/")


def folders_are_small(files: Files) -> Iterator[str]:
    count: dict[str, int] = {}
    for path in files:
        if path.startswith("src/") and path.endswith(CODE):
            folder = posixpath.dirname(path)
            count[folder] = count.get(folder, 0) + 1
    for folder, sources in sorted(count.items()):
        if sources > MAX_SOURCES:
            yield f"{folder}:1: {sources} sources, more than {MAX_SOURCES}; group them into folders by topic"


def base_names_are_unique(files: Files) -> Iterator[str]:
    first: dict[str, str] = {}
    for path in sorted(files):
        if not path.startswith("src/") or not path.endswith(CODE):
            continue
        folder, name = posixpath.split(path)
        stem = re.sub(r"(_test)?\.\w+$", "", name)
        other = first.setdefault(stem, folder)
        if other != folder:
            yield f"{path}:1: {other} has a file {stem}, too; use a more specific name"


def map_names_what_exists(files: Files) -> Iterator[str]:
    known = with_folders(files)
    text = files.get(MAP, "")
    for match in PATH.finditer(text):
        if not {match.group(), "src/" + match.group()} & known:
            yield f"{MAP}:{line_of(text, match.start())}: {match.group()} does not exist"


def rows_of(text: str, heading: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of the table below a heading, each with its line number, without the two header
    lines."""
    start = text.find(heading)
    if start < 0:
        return
    end = text.find("\n## ", start + len(heading))
    for match in list(ROW.finditer(text, start, end if end > 0 else len(text)))[2:]:
        yield line_of(text, match.start()), [cell.strip() for cell in match.group(1).split("|")]


def glossary_names_what_exists(files: Files) -> Iterator[str]:
    known = with_folders(files)
    code = "\n".join(text for path, text in files.items() if path.startswith("src/") and path.endswith(CODE))
    types = set(re.findall(r"^\s*(?:class|struct|enum class) (?:\w+::)*(\w+)", code, re.MULTILINE))
    found = False
    for line, cells in rows_of(files.get(MAP, ""), "## Glossary"):
        found = True
        for name in NAMED.findall(cells[-1]) or [""]:
            if name not in types and name not in known:
                yield f"{MAP}:{line}: {cells[0]}: neither a type nor a folder is called {name}"
    if MAP in files and not found:
        yield f"{MAP}:1: no glossary"


def answers_exist(files: Files) -> Iterator[str]:
    for line, cells in rows_of(files.get(QUESTIONS, ""), "# Finding your way"):
        path = re.search(r"\]\(([^)]+)\)", cells[1])
        where = posixpath.normpath(posixpath.join("docs", path.group(1))) if path else ""
        if where not in files:
            yield f"{QUESTIONS}:{line}: {where or cells[1]} does not exist"
            continue
        for word in NAMED.findall(cells[2]):
            if word not in files[where]:
                yield f"{QUESTIONS}:{line}: {where} does not contain {word}"


def retired_names_are_gone(files: Files) -> Iterator[str]:
    for path, text in files.items():
        if path.startswith(MAY_NAME_THEM):
            continue
        for pattern, where in RETIRED:
            if path.startswith(where):
                for match in re.finditer(pattern, text):
                    yield f"{path}:{line_of(text, match.start())}: {match.group()} is a retired name"


CHECKS: list[Callable[[Files], Iterator[str]]] = [
    folders_are_small,
    base_names_are_unique,
    map_names_what_exists,
    glossary_names_what_exists,
    answers_exist,
    retired_names_are_gone,
]
