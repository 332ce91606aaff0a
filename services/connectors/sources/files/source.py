"""The `files` source: a folder tree, its folders as containers, permissions from `acl.yaml`."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from cortex.domain.acl import NOTHING_OF_ITS_OWN, Acl
from cortex.domain.change import Change, ContainerState, Cursor, DocumentState, Failure, Tombstone, Upsert
from cortex.domain.change import UpsertContainer as PutContainer
from cortex.domain.errors import Denied, Exhausted, Invalid, NotFound, Transient
from cortex.ports.connector import Capabilities, Config, ConnectorSpec, Deletes, KnownDocuments
from cortex.ports.source_writer import Known
from services.connectors.sources.files.acl_yaml import HIDDEN
from services.connectors.sources.files.config import SCHEMA, FilesConfig, parse_config
from services.connectors.sources.files.narrowing import Turn, turn
from services.connectors.sources.files.normalise import Placed, acl_digest, fingerprint, normalise
from services.connectors.sources.files.reach import Reach
from services.connectors.sources.files.sweep import Decision, Gone, Read, Same, merged
from services.connectors.sources.files.tree import LocalTree, Tree
from services.connectors.sources.files.walk import ROOT, File, Folder, Left, Step, Unread, Walk, order

STEPS_MAX = 1000  # of the walk at a time; a page ends here at the latest

SPEC = ConnectorSpec(
    name="files",
    version="1",
    capabilities=Capabilities(incremental=True, deletes=Deletes.SWEEP, acl=True),
    config_schema=SCHEMA,
)


class OpenTree(Tree, Protocol):
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a cursor says to go on: behind a position of the walk, or at the folders that are gone."""

    after: str | None = None
    folders_gone: int | None = None

    @classmethod
    def parse(cls, opaque: str | None) -> "_Start":
        if opaque is None:
            return cls()
        try:
            value = json.loads(opaque)
            after, gone = value.get("after"), value.get("folders_gone")
        except (ValueError, AttributeError) as error:
            raise Invalid("cursor: not one of this source; start a new sync") from error
        if isinstance(after, str):
            return cls(after=after)
        if isinstance(gone, int):
            return cls(folders_gone=gone)
        raise Invalid("cursor: not one of this source; start a new sync")


def _after(position: str, *, seen: int) -> Cursor:
    return Cursor(json.dumps({"after": position}), seen=seen)


class FilesConnector:
    """`open_tree` and `steps_max` are for tests: the tree to walk, and how much of it at a time."""

    spec = SPEC

    def __init__(
        self, open_tree: Callable[[Path], OpenTree] = LocalTree, *, reach: Reach, steps_max: int = STEPS_MAX
    ) -> None:
        self._open_tree = open_tree
        self._reach = reach
        self._steps_max = steps_max

    async def check(self, config: Config) -> list[str]:
        files = parse_config(config)
        await asyncio.to_thread(self._reach.resolved, files.path)
        if not await asyncio.to_thread(Path(files.path).is_dir):
            raise Invalid(f"there is no folder {files.path}", place="config.path")
        async with self._opened(files) as walk:
            warnings = []
            if await asyncio.to_thread(walk.root_acl) is None:
                warnings.append(
                    f"{files.path} has no acl.yaml and config.acl is not set: nobody will see its documents"
                )
            if await asyncio.to_thread(walk.is_empty):
                warnings.append(f"{files.path} is empty")
        return warnings

    async def fetch(
        self, config: Config, *, cursor: str | None, known: KnownDocuments, full: bool
    ) -> AsyncGenerator[Change, None]:
        files, start = parse_config(config), _Start.parse(cursor)
        async with self._opened(files) as walk:
            sweep = _Pass(walk, files, known, full=full, steps_max=self._steps_max)
            if start.folders_gone is None:
                async for change in sweep.documents(start.after):
                    yield change
            async for change in sweep.folders(start.folders_gone or 0):
                yield change

    @asynccontextmanager
    async def _opened(self, files: FilesConfig) -> AsyncIterator[Walk]:
        # At every sync: a link on the way may lead elsewhere by now.
        root = await asyncio.to_thread(self._reach.resolved, files.path)
        tree = await asyncio.to_thread(self._open_tree, root)
        try:
            yield Walk(tree, files)
        finally:
            tree.close()


class _Page:
    """How much has been yielded since the last cursor."""

    def __init__(self, config: FilesConfig) -> None:
        self._config = config
        self.seen = self._changes = self._bytes = 0

    def add(self, change: Change) -> None:
        self._changes += 1
        self._bytes += len(change.document.data) if isinstance(change, Upsert) else 0

    def begun(self) -> bool:
        return bool(self.seen or self._changes)

    def full(self) -> bool:
        return self._changes >= self._config.page_size or self._bytes >= self._config.page_bytes


class _Pass:
    def __init__(self, walk: Walk, config: FilesConfig, known: KnownDocuments, *, full: bool, steps_max: int) -> None:
        self._walk = walk
        self._config = config
        self._known = known
        self._full = full
        self._steps_max = steps_max
        self._digest = config.digest()
        self._seen = 0  # documents looked at behind the last cursor
        self._stored_acls: Mapping[str, Acl | None] = {}
        self._to_open: set[str] = set()

    async def documents(self, after: str | None) -> AsyncIterator[Change]:
        """Everything behind `after`; the cursor that ends it is the last one of `folders`."""
        await self._refuse_emptied()
        page, complete = _Page(self._config), False
        while not complete:
            steps, complete = await asyncio.to_thread(self._stretch, after)
            until = None if complete else steps[-1].position
            folders = [step.external_id for step in steps if isinstance(step, Folder)]
            self._stored_acls = await self._known.container_acls(folders)
            known = self._known.documents(after=after or "", until=until)
            async for decision in merged(steps, known, is_same=self._is_same):
                ahead = after is None or order(decision.position) > order(after)
                page.seen += isinstance(decision, Read | Same)
                for change in await self._acted(decision):
                    if ahead:
                        page.add(change)
                    yield change
                if page.full() and ahead and not isinstance(decision, Unread | Left):
                    yield _after(decision.position, seen=page.seen)
                    page = _Page(self._config)
            after = until
            if until is not None and page.begun():
                yield _after(until, seen=page.seen)
                page = _Page(self._config)
        self._seen = page.seen

    async def folders(self, gone: int) -> AsyncIterator[Change]:
        """Folders that are no more, innermost first."""
        found = [folder async for folder in self._known.containers() if folder != ROOT]
        lost = await asyncio.to_thread(self._lost, found)
        for number, folder in enumerate(reversed(lost), start=gone + 1):
            yield Tombstone(folder, "the folder is gone", container=True)
            if number % self._config.page_size == 0:
                yield Cursor(json.dumps({"folders_gone": number}), seen=self._seen)
                self._seen = 0
        yield Cursor(json.dumps({"folders_gone": gone + len(lost) + 1}), done=True, seen=self._seen)

    def _lost(self, folders: list[str]) -> list[str]:
        lost = [folder for folder in folders if not self._walk.holds_folder(folder)]
        self._walk.confirm()
        return lost

    async def _refuse_emptied(self) -> None:
        """An emptied root is more often a drive that is not mounted than a decision."""
        if self._full or not await asyncio.to_thread(self._walk.is_empty):
            return
        if await anext(self._known.documents(after="", until=None), None) is not None:
            raise Invalid(
                f"source folder {self._config.path} is empty but had documents before; nothing was deleted. "
                "Check that it is mounted, or sync with --full if it is meant to be empty"
            )

    def _stretch(self, after: str | None) -> tuple[list[Step], bool]:
        """The next steps, and whether they are the last.

        They end with a folder or file. Behind an unread folder there is no going on, since what is stored below must be
        passed over in one go, nor behind one that was left, since going on inside it is how it is opened at the end.
        """
        steps: list[Step] = []
        for step in self._walk.steps(after=after):
            steps.append(step)
            ahead = after is None or order(step.position) > order(after)
            if len(steps) >= self._steps_max and ahead and not isinstance(step, Unread | Left):
                self._walk.confirm()
                return steps, False
        self._walk.confirm()
        return steps, True

    def _is_same(self, file: File, stored: Known) -> bool:
        now = fingerprint(file.stat, file.acl, config_digest=self._digest)
        return not self._full and (stored.fingerprint, stored.container) == (now, file.container)

    async def _acted(self, decision: Decision) -> list[Change]:
        if isinstance(decision, Folder):
            return self._entered(decision)
        if isinstance(decision, Left):
            opened = decision.folder.external_id in self._to_open
            return [PutContainer(_container(decision.folder), last=True)] if opened else []
        if isinstance(decision, Unread):
            return [_failure(decision)]
        if isinstance(decision, Gone):
            return [Tombstone(decision.position, "the file is gone")]
        return await self._read(decision) if isinstance(decision, Read) else []

    def _entered(self, folder: Folder) -> list[Change]:
        if folder.external_id not in self._stored_acls:
            return [PutContainer(_container(folder))]
        stored = self._stored_acls[folder.external_id] or NOTHING_OF_ITS_OWN
        when = turn(stored, folder.acl or NOTHING_OF_ITS_OWN, top=folder.parent is None)
        if when in (Turn.AFTER, Turn.HIDE_THEN_AFTER):
            self._to_open.add(folder.external_id)
        if when is Turn.HIDE_THEN_AFTER:
            return [PutContainer(replace(_container(folder), acl=HIDDEN))]
        return [PutContainer(_container(folder))] if when is Turn.BEFORE else []

    async def _read(self, decision: Read) -> list[Change]:
        file, stored = decision.file, decision.stored
        try:
            return [Upsert(await asyncio.to_thread(self._document, file))]
        except NotFound:
            await asyncio.to_thread(self._walk.confirm)
            return [Tombstone(file.position, "the file is gone")] if stored else []
        except (Denied, Exhausted, Transient) as error:
            failure = Failure(file.position, file.position, str(error))
            if stored and stored.fingerprint and not stored.fingerprint.endswith(f":{acl_digest(file.acl)}"):
                return [Tombstone(file.position, "cannot be read, and who may see it has changed"), failure]
            return [failure]

    def _document(self, file: File) -> DocumentState:
        data, stat = self._walk.read(file)
        placed = Placed(file.position, file.container, file.acl, self._config.url_prefix)
        now = fingerprint(stat, file.acl, config_digest=self._digest)
        return normalise(placed, data, modified_ns=stat.mtime_ns, fingerprint=now)


def _container(folder: Folder) -> ContainerState:
    return ContainerState(folder.external_id, folder.parent, folder.acl)


def _failure(unread: Unread) -> Failure:
    """Under its place, since one folder can have more than one."""
    return Failure(unread.place, unread.place, unread.message)
