"""A folder tree, opened through file descriptors from its root down, so that no link is ever followed."""

import enum
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cortex.domain.errors import CortexError, Denied, Exhausted, NotFound, Transient

READS_MAX = 3
_PIECE_BYTES = 1 << 20
_NO_LINK = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_GONE = frozenset([errno.ENOENT, errno.ENOTDIR, errno.ELOOP])


class Kind(enum.StrEnum):
    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    SPECIAL = "special"


@dataclass(frozen=True, slots=True)
class Stat:
    """Together these change whenever the bytes do: nobody but the kernel can set `ctime_ns`."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Entry:
    """`name` as the system gives it; bytes that are not UTF-8 are lone surrogates in it."""

    name: str
    kind: Kind


class Tree(Protocol):
    """Folders and files by path relative to the root, `/` between names, "" the root itself.

    NotFound: it is gone, or no longer of that kind. Denied: it is there and may not be read. Transient: it may pass.
    """

    def entries(self, folder: str) -> list[Entry]: ...

    def stat(self, path: str) -> Stat: ...

    def read(self, path: str, *, bytes_max: int) -> tuple[bytes, Stat]:
        """A regular file that did not change while it was read. Exhausted when larger than `bytes_max`."""
        ...

    def escapes(self, path: str) -> bool:
        """Whether the link at `path` points outside the root."""
        ...

    def confirm(self) -> None:
        """Raises NotFound when the root is no longer there, or is not the folder that was opened."""
        ...


def _stat(result: os.stat_result) -> Stat:
    return Stat(result.st_size, result.st_mtime_ns, result.st_ctime_ns, result.st_ino)


def _kind(entry: "os.DirEntry[str]") -> Kind:
    if entry.is_symlink():
        return Kind.LINK
    if entry.is_dir(follow_symlinks=False):
        return Kind.FOLDER
    return Kind.FILE if entry.is_file(follow_symlinks=False) else Kind.SPECIAL


def _translated(error: OSError) -> CortexError:
    reason = os.strerror(error.errno) if error.errno else "unreadable"
    if error.errno in _GONE:
        return NotFound(f"gone: {reason}")
    if error.errno in (errno.EACCES, errno.EPERM):
        return Denied(f"{reason}: let the user that Cortex runs as read it")
    return Transient(f"could not be read: {reason}")


class LocalTree:
    """The tree below `root` on this machine. Hold it open for a page at most."""

    def __init__(self, root: Path) -> None:
        self._root = root
        try:
            self._descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._lost(error) from error

    def close(self) -> None:
        os.close(self._descriptor)

    def _lost(self, error: OSError) -> CortexError:
        translated = _translated(error)
        return type(translated)(f"source folder {self._root}: {translated}; nothing was deleted")

    def confirm(self) -> None:
        held = os.fstat(self._descriptor)
        try:
            there = self._root.stat()
        except OSError as error:
            raise self._lost(error) from error
        if (held.st_dev, held.st_ino) != (there.st_dev, there.st_ino):
            raise Transient(f"source folder {self._root}: replaced while it was read; nothing was deleted")

    @contextmanager
    def _folder(self, folder: str) -> Iterator[int]:
        """A descriptor of `folder`, reached name by name: a link anywhere on the way is an error."""
        descriptor = os.dup(self._descriptor)
        try:
            for name in folder.split("/") if folder else ():
                below = os.open(name, _NO_LINK | os.O_DIRECTORY, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
            yield descriptor
        finally:
            os.close(descriptor)

    def entries(self, folder: str) -> list[Entry]:
        try:
            with self._folder(folder) as descriptor, os.scandir(descriptor) as found:
                return [Entry(item.name, _kind(item)) for item in found]
        except OSError as error:
            raise _translated(error) from error

    def stat(self, path: str) -> Stat:
        folder, _, name = path.rpartition("/")
        try:
            with self._folder(folder) as above:
                return _stat(os.stat(name, dir_fd=above, follow_symlinks=False))
        except OSError as error:
            raise _translated(error) from error

    def read(self, path: str, *, bytes_max: int) -> tuple[bytes, Stat]:
        folder, _, name = path.rpartition("/")
        try:
            with self._folder(folder) as above:
                # Without O_NONBLOCK a pipe put here since it was listed would hold this thread for ever.
                descriptor = os.open(name, _NO_LINK | os.O_NONBLOCK, dir_fd=above)
            try:
                return self._settled(descriptor, bytes_max)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise _translated(error) from error

    def _settled(self, descriptor: int, bytes_max: int) -> tuple[bytes, Stat]:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise NotFound("gone: no longer a plain file")
        for _ in range(READS_MAX):
            if before.st_size > bytes_max:
                raise Exhausted(f"{before.st_size} bytes; at most {bytes_max}, raise bytes_max of the source")
            data = _whole(descriptor, before.st_size)
            after = os.fstat(descriptor)
            if _stat(after) == _stat(before) and len(data) == after.st_size:
                return data, _stat(after)
            before = after
        raise Transient(f"changed {READS_MAX} times while it was read; the next sync tries again")

    def escapes(self, path: str) -> bool:
        root = os.path.realpath(self._root)
        target = os.path.realpath(os.path.join(root, path))  # noqa: PTH118 - names may not be UTF-8
        return target != root and not target.startswith(root.rstrip("/") + "/")


def _whole(descriptor: int, size: int) -> bytes:
    """At most one byte more than `size`, enough to see that a file grew."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    pieces, left = [], size + 1
    while left and (piece := os.read(descriptor, min(left, _PIECE_BYTES))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
