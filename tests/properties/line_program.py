"""LineProgram: a program that receives requests and sends replies as lines of JSON; replies carry
the id of their request and may come in any order."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any, Dict, Sequence

from ways import PATIENCE, Problem


class LineProgram:
    def __init__(self, argv: Sequence[str], variables: Dict[str, str], log: Path) -> None:
        self._answers: Dict[int, Dict[str, Any]] = {}
        self._next = 0
        self._ended = False
        self._news = threading.Condition()
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                                            env={**os.environ, **variables})
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            with contextlib.suppress(ValueError):
                answer = json.loads(line)
                with self._news:
                    self._answers[answer.get("id", -1)] = answer
                    self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def ask(self, message: Dict[str, Any]) -> Dict[str, Any]:
        with self._news:
            self._next += 1
            number = self._next
            try:
                assert self.process.stdin
                self.process.stdin.write(json.dumps({**message, "id": number}).encode() + b"\n")
                self.process.stdin.flush()
            except (OSError, ValueError) as error:  # ValueError: closed
                raise Problem("connection", f"the program has ended: {error}") from error
            self._news.wait_for(lambda: number in self._answers or self._ended, PATIENCE)
            if number not in self._answers:
                raise Problem("connection", "the program has ended" if self._ended else "the program does not reply")
            return self._answers.pop(number)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            assert self.process.stdin
            self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join()
        assert self.process.stdout
        self.process.stdout.close()
