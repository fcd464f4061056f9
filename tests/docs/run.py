#!/usr/bin/env python3
"""Runs what the documents show: ```console blocks, against a daemon of their own.

A line that begins with "$ " is a command; the lines below it are what it prints, `...` standing for
anything within a line. All blocks of one file run in one shell. ```python blocks of the files named
with --python run as one program each.

    run.py BIN_DIR FILE...
"""

import os
import re
import subprocess
import sys
import tempfile


def blocks(path, language):
    text = open(path, encoding="utf-8").read()
    return re.findall(r"^```" + language + r"\n(.*?)^```$", text, re.M | re.S)


def steps(block):
    """[(command, expected output)]"""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return [(command, "".join(line + "\n" for line in lines)) for command, lines in found]


def fits(expected, got):
    pattern = "".join(".*" if part == "..." else re.escape(part)
                      for part in re.split(r"(\.\.\.)", expected))
    return re.fullmatch(pattern, got) is not None


def run_console(path, environment):
    mark = "--- step done ---"
    failures = 0
    shell = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, env=environment)
    for block in blocks(path, "console"):
        for command, expected in steps(block):
            shell.stdin.write(f"{command}\necho '{mark}'\n")
            shell.stdin.flush()
            lines = []
            for line in shell.stdout:
                if line == mark + "\n":
                    break
                lines.append(line)
            got = "".join(lines)
            if not fits(expected, got):
                failures += 1
                print(f"{path}: {command}\n--- shown\n{expected}--- printed\n{got}---")
    shell.stdin.close()
    shell.wait()
    return failures


def run_python(path, environment):
    failures = 0
    for block in blocks(path, "python"):
        done = subprocess.run([sys.executable, "-B", "-c", block], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        if done.returncode != 0:
            failures += 1
            print(f"{path}:\n{block}\n{done.stdout}")
    return failures


def main():
    bin_dir, *files = sys.argv[1:]
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    failures = 0
    with tempfile.TemporaryDirectory(prefix="sf-docs-", dir="/var/tmp") as directory:
        environment = dict(os.environ, PATH=bin_dir + ":" + os.environ["PATH"], LC_ALL="C.UTF-8",
                           STATEFORK_SOCKET=directory + "/s.sock",
                           STATEFORK_STATE=directory + "/state",
                           PYTHONPATH=os.path.join(root, "python"))
        daemon = subprocess.Popen([bin_dir + "/statefork", "serve"], env=environment,
                                  stderr=subprocess.PIPE, text=True)
        for line in daemon.stderr:
            if "ready" in line:
                break
        try:
            for path in files:
                shown = len(blocks(path, "console")) + len(blocks(path, "python"))
                if shown == 0:
                    failures += 1
                    print(f"{path} shows nothing that could be run")
                failures += run_console(path, environment) + run_python(path, environment)
            left = subprocess.run([bin_dir + "/statefork", "ls", "--json"], env=environment, text=True,
                                  stdout=subprocess.PIPE, check=True).stdout
            if '"id"' in left:
                failures += 1
                print("sessions are left: " + left)
        finally:
            daemon.terminate()
            daemon.wait()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
