"""The package as users install it: by pip, with its types."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import List

SOURCE = Path(__file__).resolve().parents[2] / "python"

USE = """
import statefork
from statefork import build_session, Branch, Node, StateForkError
from statefork.aio import build_session as build_async_session

def use() -> None:
    with build_session("waypoint", root="/") as s:
        code: int = s.exec_command("true", timeout=60, check=True).exit_code
        n: Node = s.snapshot()
        branches: list[Branch] = s.fork(n, 4)
        mixed: list[Branch | StateForkError] = s.fork(n, 4, return_errors=True)
        with s.branch(n) as b:
            text: str = b.exec("true").output

async def use_async() -> None:
    async with build_async_session("waypoint", root="/") as s:
        for b in await s.fork(await s.snapshot(), 4):
            text: str = (await b.exec_command("true")).output
"""
MISUSE = """
from statefork import build_session
with build_session("waypoint") as s:
    code: str = s.exec_command("true").exit_code
    s.restore(5)
"""


def run(command: List[str], **options: str) -> str:
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                         cwd=options.get("cwd"))
    if ran.returncode != 0:
        raise AssertionError(f"{command} exited {ran.returncode}:\n{ran.stdout}")
    return ran.stdout


def python_that_builds() -> str:
    """An interpreter with pip and a setuptools that can build wheels: this one, or the
    system's."""
    question = ("import importlib.metadata as m, pip; "
                "assert int(m.version('setuptools').split('.')[0]) >= 71 or m.version('wheel')")
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", question], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    raise AssertionError("no python3 with pip, setuptools and wheel: "
                         "apt-get install python3-pip python3-setuptools python3-wheel python3-venv")


class PackageTest(unittest.TestCase):
    def test_pip_installs_it_from_the_tree_with_its_types(self) -> None:
        with tempfile.TemporaryDirectory(prefix="sf-package-") as directory:
            tree = shutil.copytree(SOURCE, Path(directory, "python"))  # a build leaves files beside its sources
            venv = Path(directory, "venv")
            run([python_that_builds(), "-m", "venv", "--system-site-packages", "--without-pip", str(venv)])
            python = str(venv / "bin" / "python")
            run([python, "-m", "pip", "install", "--no-index", "--no-deps", "--no-build-isolation", str(tree)])
            where = run([python, "-I", "-c", "import statefork.aio; print(statefork.__file__, statefork.__version__)"],
                        cwd=directory)
            installed = Path(where.split()[0]).parent
            self.assertTrue(installed.is_relative_to(venv))
            self.assertTrue((installed / "py.typed").is_file())
            ours = {path.relative_to(SOURCE / "statefork") for path in (SOURCE / "statefork").rglob("*.py")}
            self.assertEqual({path.relative_to(installed) for path in installed.rglob("*.py")}, ours)
            self.check_types(directory, python)

    def check_types(self, directory: str, python: str) -> None:
        for name, text in (("use.py", USE), ("misuse.py", MISUSE)):
            Path(directory, name).write_text(text)
        mypy = [require_mypy(), "--strict", "--python-executable", python, "--cache-dir", f"{directory}/cache"]
        run([*mypy, "use.py"], cwd=directory)
        with self.assertRaises(AssertionError) as refused:
            run([*mypy, "misuse.py"], cwd=directory)
        self.assertIn("misuse.py:4: error", str(refused.exception))
        self.assertIn("misuse.py:5: error", str(refused.exception))


class TypesTest(unittest.TestCase):
    def test_the_package_is_strictly_typed_for_every_version_it_supports(self) -> None:
        with tempfile.TemporaryDirectory(prefix="sf-types-") as cache:
            for version in ("3.9", "3.11"):
                run([require_mypy(), "--strict", "--python-version", version, "--cache-dir", cache,
                     str(SOURCE / "statefork")])

    def test_these_tests_pass_the_type_checker(self) -> None:
        with tempfile.TemporaryDirectory(prefix="sf-types-") as cache:
            here = Path(__file__).resolve().parent
            run(["env", f"MYPYPATH={SOURCE}:{here}", require_mypy(), "--strict", "--cache-dir", cache,
                 *map(str, here.glob("*.py"))])

    def test_the_standard_library_is_enough(self) -> None:
        """Without `site`, no other package can be imported."""
        program = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import statefork.aio"
        run([sys.executable, "-I", "-S", "-B", "-c", program])


def require_mypy() -> str:
    found = shutil.which("mypy")
    if found is None:
        raise AssertionError("apt-get install mypy")
    return found


if __name__ == "__main__":
    unittest.main()
