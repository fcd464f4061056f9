"""CuttingProxy: a proxy for a Unix socket that cuts connections on request."""

import contextlib
import socket
import tempfile
import threading
from pathlib import Path
from typing import Optional


class CuttingProxy:
    def __init__(self, target: str) -> None:
        self._target = target
        self._dir = tempfile.TemporaryDirectory(prefix="sf-proxy-")
        self.socket = str(Path(self._dir.name) / "p.sock")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.socket)
        self._listener.listen(64)
        self._limit: Optional[int] = None
        self._refusals = 0
        self.cuts = 0
        self._lock = threading.Lock()
        self._live: "set[socket.socket]" = set()
        threading.Thread(target=self._serve, daemon=True).start()

    def cut_after(self, limit: Optional[int]) -> None:
        """Cuts each later reply after `limit` bytes."""
        self._limit = limit

    def refuse(self, count: int) -> None:
        """Closes the next `count` connections without a reply."""
        self._refusals = count

    def hang_up(self) -> None:
        """Cuts all connections."""
        with self._lock:
            for connection in self._live:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Cuts all connections and accepts no more."""
        self._listener.close()
        self.hang_up()
        with contextlib.suppress(FileNotFoundError):
            Path(self.socket).unlink()

    def __enter__(self) -> "CuttingProxy":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._dir.cleanup()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        if self._refusals > 0:
            self._refusals -= 1
            self.cuts += 1
            client.close()
            return
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with client, server:
            with self._lock:
                self._live |= {client, server}
            server.connect(self._target)
            back = threading.Thread(target=self._copy_back, args=(server, client))
            back.start()
            with contextlib.suppress(OSError):
                while True:
                    data = client.recv(65536)
                    if not data:
                        break
                    server.sendall(data)
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            back.join()
            with self._lock:
                self._live -= {client, server}

    def _copy_back(self, server: socket.socket, client: socket.socket) -> None:
        limit = self._limit
        with contextlib.suppress(OSError):
            while True:
                data = server.recv(65536)
                if limit is not None and len(data) >= limit:
                    self.cuts += 1
                    client.sendall(data[:limit])
                    data = b""
                if not data:
                    break
                limit = None if limit is None else limit - len(data)
                client.sendall(data)
        for end in (client, server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
