"""The tree in one fixed order, resumable anywhere, with the ACL of each folder and file.

The order is that of the UTF-8 bytes of external ids, which are paths relative to the root; a folder stands where its
path with a `/` at the end would. So a pass and what is stored can be merged like two sorted lists.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

from cortex.domain.acl import NOTHING_OF_ITS_OWN, Acl
from cortex.domain.errors import Denied, Exhausted, Invalid, NotFound, Transient
from cortex.domain.identity import external_id
from services.connectors.sources.files.acl_yaml import HIDDEN, FolderAcl, hidden, read_acl
from services.connectors.sources.files.acl_yaml import NAME as ACL_NAME
from services.connectors.sources.files.config import FilesConfig
from services.connectors.sources.files.plain_yaml import BYTES_MAX
from services.connectors.sources.files.tree import Entry, Kind, Stat, Tree

ROOT = "."
SOURCE_NAME = "source.yaml"  # describes the source itself
DEPTH_MAX = 29  # of folders below the root; with it, as many containers as may lie in each other


@dataclass(frozen=True, slots=True)
class Guard:
    """The acl.yaml that a permission was read from; `stat` None: there was none."""

    path: str
    stat: Stat | None


@dataclass(frozen=True, slots=True)
class Folder:
    position: str
    external_id: str
    parent: str | None
    acl: Acl | None


@dataclass(frozen=True, slots=True)
class Left:
    """Everything below `folder` has been met."""

    folder: Folder

    @property
    def position(self) -> str:
        return self.folder.position


@dataclass(frozen=True, slots=True)
class File:
    position: str
    stat: Stat
    acl: Acl | None
    container: str
    guards: tuple[Guard, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """`keeps`: what is stored under `position` stays; where that ends with `/`, everything below it stays."""

    position: str
    place: str
    message: str
    keeps: bool = False


Step = Folder | Left | File | Unread


def order(position: str) -> bytes:
    return os.fsencode(position)


def shown(path: str) -> str:
    """A path that may not be UTF-8, as text."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    external_id: str
    parent: str | None
    depth: int
    guards: tuple[Guard, ...] = ()

    @property
    def position(self) -> str:
        return f"{self.path}/" if self.path else ""

    def below(self, name: str) -> "_Place":
        path = self.position + name
        return _Place(path, path, self.external_id, self.depth + 1, self.guards)

    def is_top(self) -> bool:
        return not self.path


_TOP = _Place("", ROOT, None, 0)


class Walk:
    """Raises NotFound, Denied or Transient for the root alone; everything below it is a step."""

    def __init__(self, tree: Tree, config: FilesConfig) -> None:
        self._tree = tree
        self._config = config

    def is_empty(self) -> bool:
        """Whether the root holds nothing but hidden names: what an unmounted drive looks like."""
        return all(entry.name.startswith(".") for entry in self._root_entries())

    def root_acl(self) -> FolderAcl | None:
        """None where neither an acl.yaml nor the config says who may see the root."""
        return self._acl(_TOP, self._root_entries())[0]

    def _root_entries(self) -> list[Entry]:
        try:
            return self._tree.entries("")
        except (NotFound, Denied, Transient) as error:
            raise type(error)(f"source folder {self._config.path}: {error}; nothing was deleted") from error

    def steps(self, *, after: str | None) -> Iterator[Step]:
        """The steps behind the position `after`; None: all of them.

        Going on inside a folder gives that folder again first: its ACL may have changed before what comes now was put
        there.
        """
        return self._folder(_TOP, None if after is None else order(after))

    def holds_folder(self, path: str) -> bool:
        """Whether a pass would come to the folder `path`, or cannot tell."""
        names = path.split("/")
        folders = ["/".join(names[: depth + 1]) for depth in range(len(names))]
        if len(names) > DEPTH_MAX or any(name.startswith(".") for name in names):
            return False
        if not all(map(self._config.takes_folder, folders)):
            return False
        try:
            self._tree.entries(path)
        except NotFound:
            return False
        except (Denied, Transient):
            return True
        return True

    def _folder(self, place: _Place, after: bytes | None) -> Iterator[Step]:
        fresh, top = after is None or order(place.position) > after, place.is_top()
        try:
            entries = self._root_entries() if top else self._tree.entries(place.path)
        except NotFound:
            if top:
                raise
            return
        except (Denied, Transient) as error:
            if top:
                raise
            # Who may see it cannot be read either, so what is stored below stays, but hidden.
            yield Folder(place.position, place.external_id, place.parent, HIDDEN)
            yield Unread(place.position, place.path, f"folder: {error}; what it held is hidden", keeps=True)
            return
        acl, guards = self._acl(place, entries)
        place = replace(place, guards=place.guards + guards)
        if fresh:
            yield from self._problems(place, acl)
        own = acl.own if acl else None
        folder = Folder(place.position, place.external_id, place.parent, own or (NOTHING_OF_ITS_OWN if top else None))
        yield folder
        for entry in sorted(entries, key=_name_order):
            yield from self._entry(place, entry, acl or FolderAcl(), after)
        yield Left(folder)

    def _problems(self, place: _Place, acl: FolderAcl | None) -> Iterator[Step]:
        if acl is None and place.is_top():
            message = (
                f"no {ACL_NAME} here and no acl in the source's config: nobody sees what inherits from this folder"
            )
            yield Unread(place.position, ROOT, message)
        for problem in acl.problems if acl else ():
            where = f"{place.position}{ACL_NAME}:{problem.line}"
            suffix = "; the folder is hidden" if acl and acl.own is HIDDEN else ""
            yield Unread(place.position, where, problem.message + suffix)

    def _acl(self, place: _Place, entries: list[Entry]) -> tuple[FolderAcl | None, tuple[Guard, ...]]:
        kinds = {entry.name: entry.kind for entry in entries}
        path = place.position + ACL_NAME
        if ACL_NAME not in kinds:
            by_config = place.is_top() and self._config.acl is not None
            return FolderAcl(own=self._config.acl) if by_config else None, (Guard(path, None),)
        if kinds[ACL_NAME] is not Kind.FILE:
            return hidden(f"a {kinds[ACL_NAME]}, not a plain file"), ()
        try:
            data, stat = self._tree.read(path, bytes_max=BYTES_MAX)
        except Exhausted:
            return hidden(f"more than {BYTES_MAX} bytes"), ()
        except (NotFound, Denied, Transient) as error:
            return hidden(str(error)), ()
        # Whatever is no folder may be named: a link or a file that is left out is still the one that was meant.
        return read_acl(data, files=[name for name, kind in kinds.items() if kind is not Kind.FOLDER]), (
            Guard(path, stat),
        )

    def _entry(self, place: _Place, entry: Entry, acl: FolderAcl, after: bytes | None) -> Iterator[Step]:
        below = place.below(entry.name)
        position = order(below.position if entry.kind is Kind.FOLDER else below.path)
        inside = entry.kind is Kind.FOLDER and after is not None and after.startswith(position)
        if (after is not None and position <= after and not inside) or self._left_out(place, below, entry):
            return
        if (unread := self._unusable(below, entry)) is not None:
            yield unread
        elif entry.kind is Kind.FOLDER:
            yield from self._folder(below, after)
        elif entry.kind is Kind.FILE:
            yield from self._file(place, below, acl.of_file(entry.name))

    def _left_out(self, place: _Place, below: _Place, entry: Entry) -> bool:
        name = entry.name
        if name.startswith(".") or name == ACL_NAME or (place.is_top() and name == SOURCE_NAME):
            return True
        if entry.kind is Kind.FOLDER:
            return not self._config.takes_folder(below.path)
        return not self._config.takes_file(below.path)

    def _unusable(self, below: _Place, entry: Entry) -> Unread | None:
        path = shown(below.path)
        position = below.position if entry.kind is Kind.FOLDER else below.path
        if path != below.path:
            return Unread(position, path, "its name is not valid UTF-8; rename it")
        try:
            external_id(path)
        except Invalid as error:
            return Unread(position, path.encode("unicode_escape").decode(), f"its path cannot be an {error}; rename it")
        if entry.kind is Kind.FOLDER and below.depth > DEPTH_MAX:
            return Unread(position, path, f"deeper than {DEPTH_MAX} folders; move it up")
        if entry.kind is Kind.SPECIAL:
            return Unread(position, path, "neither a file nor a folder (a pipe, socket or device); skipped")
        if entry.kind is Kind.LINK and self._tree.escapes(path):
            return Unread(position, path, "a link that leads out of the source; refused")
        return None

    def _file(self, place: _Place, below: _Place, acl: Acl | None) -> Iterator[Step]:
        try:
            found = self._tree.stat(below.path)
        except NotFound:
            return
        except (Denied, Transient) as error:
            yield Unread(below.path, below.path, str(error), keeps=True)
            return
        yield File(below.path, found, acl, place.external_id, place.guards)

    def read(self, file: File) -> tuple[bytes, Stat]:
        """The bytes; Transient when an acl.yaml above is no longer as it was when the walk came by.

        Who restricts a folder and then writes into it must not see the new text under the old ACL.
        """
        data, stat = self._tree.read(file.position, bytes_max=self._config.bytes_max)
        if not all(self._stat(guard.path) == guard.stat for guard in file.guards):
            raise Transient(f"{ACL_NAME} changed while it was read; the next sync tries again")
        return data, stat

    def confirm(self) -> None:
        self._tree.confirm()

    def _stat(self, path: str) -> Stat | None:
        try:
            return self._tree.stat(path)
        except (NotFound, Denied, Transient):
            return None


def _name_order(entry: Entry) -> bytes:
    return os.fsencode(f"{entry.name}/" if entry.kind is Kind.FOLDER else entry.name)
