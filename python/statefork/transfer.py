"""Copies files and directories of any size into and out of a branch, as tar archives. The plans run
programs beside the branch's shell. Packing and unpacking touch only this machine's files.

>>> import tempfile
>>> here = Path(tempfile.mkdtemp())
>>> unpack(pack([(Path(__file__), "a/module.py")]), here)
>>> [str(path.relative_to(here)) for path in sorted(here.rglob("*"))]
['a', 'a/module.py']
"""

from __future__ import annotations

import io
import secrets
import shutil
import tarfile
from pathlib import Path
from typing import Iterable, List, Sequence, Tuple

from . import verbs
from .errors import InvalidArgumentError, StateForkError, excerpt
from .plans import Plan
from .requests import Address
from .results import ProgramResult

PART = 8 << 20  # bytes of one request
STAGE = "/tmp/.statefork-"

# If the target is a directory, the file keeps its name.
PLACE_FILE = r"""
target=$1; [ ! -d "$target" ] || target=${target%/}/$2
mkdir -p -- "$(dirname -- "$target")" && cat >"$target" && chmod "$3" -- "$target"
"""
PLACE_TREE = r"""
mkdir -p -- "$1" && tar -x -f - -C "$1"
"""
PACK_TREE = r"""
if [ -d "$1" ]; then tar -c -f - -C "$1" .
elif [ -e "$1" ]; then tar -c -f - -C "$(dirname -- "$1")" "$(basename -- "$1")"
else echo "no such file or directory" >&2; exit 2; fi
"""


def put_file(at: Address, data: bytes, mode: int, name: str, target: str) -> Plan[None]:
    """Makes missing parent directories. If `target` is a directory, the file keeps its name."""
    yield from feed(at, shell(PLACE_FILE, target, name, f"{mode & 0o7777:o}"), data, f"copying to {target}")


def put_tree(at: Address, archive: bytes, target: str) -> Plan[None]:
    """Unpacks an archive into a directory, made if missing. Other files in it stay."""
    yield from feed(at, shell(PLACE_TREE, target), archive, f"copying to {target}")


def get_file(at: Address, path: str) -> Plan[bytes]:
    try:
        return (yield from verbs.read_file(at, path))
    except InvalidArgumentError:  # too long for one answer, or not an absolute path
        return (yield from drain(at, ["cat", "--", path], f"copying {path}"))


def get_tree(at: Address, path: str) -> Plan[bytes]:
    """Returns an archive of a directory's contents, or of a file."""
    return (yield from drain(at, shell(PACK_TREE, path), f"copying {path}"))


def shell(script: str, *arguments: str) -> List[str]:
    return ["sh", "-c", script, "sh", *arguments]


def run(at: Address, argv: Sequence[str], doing: str, data: bytes = b"") -> Plan[ProgramResult]:
    result = yield from verbs.run(at, argv, None, "/", None, data, None, check=False, max_output=2 * PART)
    if result.exit_code != 0:
        raise StateForkError(f"{doing}: {excerpt(result.stderr.strip() or f'exit code {result.exit_code}')}")
    return result


def feed(at: Address, argv: Sequence[str], data: bytes, doing: str) -> Plan[None]:
    """Runs a program with `data` of any size as its input."""
    if len(data) <= PART:
        yield from run(at, argv, doing, data)
        return
    stage = STAGE + secrets.token_hex(8)
    try:
        for begin in range(0, len(data), PART):
            yield from run(at, shell('cat >>"$1"', stage), doing, data[begin:begin + PART])
        yield from run(at, shell('exec <"$1"; shift; "$@"', stage, *argv), doing)
    except StateForkError:
        yield from forget(at, stage)
        raise
    yield from forget(at, stage)


def drain(at: Address, argv: Sequence[str], doing: str) -> Plan[bytes]:
    """Returns a program's output, of any size."""
    result = yield from run(at, argv, doing)
    if not result.truncated:
        return result.stdout_data
    stage = STAGE + secrets.token_hex(8)
    parts: List[bytes] = []
    try:
        yield from run(at, shell('exec >"$1"; shift; "$@"', stage, *argv), doing)
        while not parts or len(parts[-1]) == PART:
            begin = str(PART * len(parts) + 1)
            cut = yield from run(at, shell('tail -c "+$2" -- "$1" | head -c "$3"', stage, begin, str(PART)), doing)
            parts.append(cut.stdout_data)
    except StateForkError:
        yield from forget(at, stage)
        raise
    yield from forget(at, stage)
    return b"".join(parts)


def forget(at: Address, stage: str) -> Plan[None]:
    yield from run(at, ["rm", "-f", stage], "removing what was copied")


# On this machine.


def pack(entries: Iterable[Tuple[Path, str]]) -> bytes:
    """Packs files and whole directories under the given names, owned by root."""
    def owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        return entry

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, name in entries:
            archive.add(path, arcname=name, filter=owned_by_root)
    return buffer.getvalue()


def unpack(archive: bytes, target: Path) -> None:
    """Unpacks files, directories, and symbolic links that stay inside. The archive is not trusted:
    nothing is written outside of `target`, and special files such as devices are left out."""
    target.mkdir(parents=True, exist_ok=True)
    inside = target.resolve()
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for entry in opened:
            path = target / entry.name.lstrip("/")
            parent = path.parent.resolve()
            if path != target and path.name != ".." and (parent == inside or inside in parent.parents):
                place(opened, entry, path)


def place(opened: tarfile.TarFile, entry: tarfile.TarInfo, path: Path) -> None:
    is_safe_link = entry.issym() and not entry.linkname.startswith("/") and ".." not in entry.linkname.split("/")
    if not (entry.isdir() or entry.isreg() or entry.islnk() or is_safe_link):
        return
    if path.is_symlink() or (path.exists() and not (path.is_dir() and entry.isdir())):
        path.unlink()
    (path if entry.isdir() else path.parent).mkdir(parents=True, exist_ok=True)
    if entry.issym():
        path.symlink_to(entry.linkname)
    elif not entry.isdir():
        content = opened.extractfile(entry)  # for a hard link, the content of its target
        assert content is not None
        with content, open(path, "wb") as file:
            shutil.copyfileobj(content, file)
        path.chmod((entry.mode & 0o777) | 0o600)
