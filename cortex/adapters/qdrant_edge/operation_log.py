"""Writes that a copied shard has not seen yet, in the order in which they were applied.

The file has no name, so that a crash leaves nothing of it. It need not survive one: until a copy is adopted, the shard
that it was made of has everything.
"""

import logging
import struct
import tempfile
from pathlib import Path

from google.protobuf.message import Message

_HEAD = struct.Struct("<HI")

logger = logging.getLogger(__name__)


class OperationLog:
    """Never in the way of a write: a log that cannot be kept says so in `is_complete`."""

    def __init__(self, directory: Path, *, bytes_max: int) -> None:
        self._file = tempfile.TemporaryFile(dir=directory)  # noqa: SIM115  # closed by `close`
        self._bytes_max = bytes_max
        self._read_to, self._written_to = 0, 0
        self.is_complete = True

    @property
    def bytes_left(self) -> int:
        return self._written_to - self._read_to

    def append(self, kind: str, request: Message) -> None:
        if not self.is_complete:
            return
        name, body = kind.encode(), request.SerializeToString()
        record = _HEAD.pack(len(name), len(body)) + name + body
        if self._written_to + len(record) > self._bytes_max:
            self._give_up(f"more than {self._bytes_max} bytes were written meanwhile")
            return
        try:
            self._file.seek(self._written_to)
            self._file.write(record)
        except OSError as error:
            self._give_up(str(error))
            return
        self._written_to += len(record)

    def take(self) -> tuple[str, bytes] | None:
        """The next write: its kind and its message. None at the end, for now."""
        if not self.bytes_left:
            return None
        self._file.seek(self._read_to)
        names, bodies = _HEAD.unpack(self._file.read(_HEAD.size))
        kind, body = self._file.read(names).decode(), self._file.read(bodies)
        self._read_to += _HEAD.size + names + bodies
        return kind, body

    def close(self) -> None:
        self._file.close()

    def _give_up(self, why: str) -> None:
        logger.warning("the log of writes for a copy is given up: %s", why)
        self.is_complete = False
