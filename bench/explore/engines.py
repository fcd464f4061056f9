"""Starts the tools of other backends in private namespaces and directories."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Iterator, List, Sequence

INSIDE = "STATEFORK_BENCH_INSIDE"
START_SECONDS = 60
STOP_SECONDS = 20


def run_in_namespaces(argv: Sequence[str]) -> int:
    """Runs this program again in private namespaces. Removes its directory afterwards."""
    directory = tempfile.mkdtemp(prefix="sf-bench-", dir="/var/tmp")  # on disk: stores are large
    # If /run is a tmpfs, CRIU caches the kernel's features in it. Otherwise it detects them on each
    # call.
    prepare = 'mount -t tmpfs -o mode=755 tmpfs /run && "$@" || exit $?'
    child = subprocess.Popen(["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child",
                              "--mount-proc", "sh", "-c", prepare, "sh", sys.executable, "-B", *argv],
                             env={**os.environ, INSIDE: directory})
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # runs `finally`
    try:
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:  # the child gets SIGINT as well and cleans up
                pass
    finally:
        child.kill()
        child.wait()
        shutil.rmtree(directory, ignore_errors=True)


def inside() -> str:
    """The directory of this run; empty outside the namespaces."""
    return os.environ.get(INSIDE, "")


def podman_variables(directory: Path) -> List[str]:
    storage, engine = directory / "storage.conf", directory / "containers.conf"
    storage.write_text(f'[storage]\ndriver = "overlay"\ngraphroot = "{directory}/podman"\n'
                       f'runroot = "{directory}/podman-run"\n')
    engine.write_text(f'[engine]\nevents_logger = "file"\ntmp_dir = "{directory}/podman-tmp"\n'
                      '[containers]\ncgroups = "enabled"\n')
    return [f"CONTAINERS_CONF={engine}", f"CONTAINERS_STORAGE_CONF={storage}"]


def answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
            return True
        except OSError:
            return False


@contextlib.contextmanager
def docker(directory: Path) -> Iterator[None]:
    """Starts a Docker daemon without bridge and firewall rules: the host's network is unchanged."""
    log = directory / "dockerd.log"
    with open(log, "wb") as file:
        daemon = subprocess.Popen(
            ["dockerd", f"--host=unix://{directory}/docker.sock", f"--data-root={directory}/docker",
             f"--exec-root={directory}/docker-run", f"--pidfile={directory}/dockerd.pid", "--bridge=none",
             "--iptables=false", "--ip6tables=false", "--storage-driver=overlay2"],
            stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not answers(directory / "docker.sock"):
            if daemon.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"dockerd did not start:\n{log.read_text()}")
            time.sleep(0.02)
        yield
    finally:
        daemon.send_signal(signal.SIGTERM)
        try:
            daemon.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()


@contextlib.contextmanager
def engines(directory: Path, backends: Sequence[str]) -> Iterator[List[str]]:
    """Starts the tools of these backends; yields the environment variables that refer to them."""
    with contextlib.ExitStack() as stack:
        variables = podman_variables(directory)
        if "docker" in backends:
            stack.enter_context(docker(directory))
            variables.append(f"DOCKER_HOST=unix://{directory}/docker.sock")
        yield variables
