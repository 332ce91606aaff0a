"""One log file a process, rotated by size, written by a thread that drains the process's output.

A thread and not a coroutine: the output must be drained while the event loop is busy, or the child blocks.
"""

import os
from pathlib import Path
from threading import Thread

BYTES_MAX = 8_000_000
FILES_KEPT = 3
_CHUNK_BYTES = 65_536


class RotatingLog:
    """Appends to `path`; when it is full, moves it to `path.1` and so on. One writer at a time."""

    def __init__(self, path: Path, *, bytes_max: int = BYTES_MAX, files_kept: int = FILES_KEPT) -> None:
        self._path = path
        self._bytes_max = bytes_max
        self._files_kept = files_kept

    def write(self, chunk: bytes) -> None:
        if self._size() + len(chunk) > self._bytes_max:
            self._rotate()
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            file.write(chunk)

    def tail(self, *, lines: int) -> list[str]:
        """The last lines, without control characters that could disturb a terminal."""
        try:
            with self._path.open("rb") as file:
                file.seek(max(0, self._size() - _CHUNK_BYTES))
                text = file.read().decode("utf-8", errors="replace")
        except FileNotFoundError:
            return []
        return ["".join(c for c in line if c.isprintable() or c == "\t") for line in text.splitlines()[-lines:]]

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except FileNotFoundError:
            return 0

    def _rotate(self) -> None:
        for number in range(self._files_kept - 1, 0, -1):
            older = self._numbered(number)
            if older.exists():
                older.replace(self._numbered(number + 1))
        if self._path.exists():
            self._path.replace(self._numbered(1))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


def drain(descriptor: int, log: RotatingLog) -> Thread:
    """Copies a pipe's output to the log until its last writer is gone. Owns and closes `descriptor`."""

    def copy() -> None:
        with os.fdopen(descriptor, "rb", buffering=0) as pipe:
            while chunk := pipe.read(_CHUNK_BYTES):
                try:
                    log.write(chunk)
                except OSError:
                    # The disk is full: the lines are lost, but a pipe that nobody reads would stop the child.
                    continue

    thread = Thread(target=copy, name="log", daemon=True)
    thread.start()
    return thread
