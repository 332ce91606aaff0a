"""Replacing a collection's shard by a copy of it with graphs, while the shard goes on serving.

The shard stays the authority up to the one write of the manifest that names the copy instead. Whatever happens before
it, the copy is garbage and is removed; whatever happens after it, the shard is.
"""

import logging
import shutil
import time
import uuid
from dataclasses import dataclass, replace
from pathlib import Path

import qdrant_edge as edge

from cortex.adapters.qdrant_edge import writes
from cortex.adapters.qdrant_edge.manifest import Entry
from cortex.adapters.qdrant_edge.operation_log import OperationLog
from cortex.adapters.qdrant_edge.store import SHARD_PREFIX, Collection, Store

LOG_BYTES_MAX = 4 * 1024**3
logger = logging.getLogger(__name__)


class Abandoned(Exception):
    """The copy cannot replace the shard; the message says why. Nothing is lost."""


@dataclass(slots=True)
class Rebuild:
    """`source` and `target` are folders. All methods but `copy` belong to the engine's thread."""

    store: Store
    collection: Collection
    entry: Entry
    source: Path
    target: Path
    log: OperationLog
    failed: int
    opened: Collection | None = None
    is_adopted: bool = False

    def copy(self) -> None:
        """While nothing is written: the engine changes its files in place, so that links would not do."""
        shutil.copytree(self.source, self.target)

    def open(self) -> None:
        shard = edge.EdgeShard.load(str(self.target))
        entry = replace(self.entry, directory=self.target.name)
        self.opened = self.store.opened(self.collection.name, shard, entry)

    def replay(self, budget_s: float) -> bool:
        """Apply what was written since the copy, for about that long; whether nothing is left."""
        self._check()
        opened = self._opened()
        until = time.monotonic() + budget_s
        while time.monotonic() < until:
            logged = self.log.take()
            if logged is None:
                return True
            writes.replay(opened, *logged)
        return not self.log.bytes_left

    def flush(self) -> None:
        self._opened().shard.flush()

    def adopt(self) -> None:
        """The copy is the collection from here on."""
        self._check()
        opened = self._opened()
        if self.log.bytes_left:
            raise Abandoned("writes came in between")
        opened.has_unflushed = True
        self.store.adopt(opened, replace(self.entry, directory=self.target.name))
        self.is_adopted = True

    def close(self) -> None:
        """Let go of whichever of the two is not served; its folder may go then."""
        self.collection.log = None
        self.log.close()
        if self.is_adopted:
            self.collection.shard.close()
        elif self.opened is not None:
            self.opened.shard.close()

    @property
    def left_over(self) -> Path:
        return self.source if self.is_adopted else self.target

    def _opened(self) -> Collection:
        if self.opened is None:
            raise Abandoned("the copy is not open")
        return self.opened

    def _check(self) -> None:
        if self.store.entry(self.collection.name) is not self.entry:
            raise Abandoned("the collection was changed or dropped")
        if self.collection.failed != self.failed:
            raise Abandoned("a write failed, and how much of it the shard has is not known")
        if not self.log.is_complete:
            raise Abandoned("its log of writes is not complete")


def begin(store: Store, name: str) -> Rebuild:
    """Everything up to now is in the files, and everything from now on in the log."""
    collection, entry = store.collection(name), store.entry(name)
    if entry is None:
        raise Abandoned("the collection was dropped")
    collection.flush()
    log = OperationLog(store.directory, bytes_max=LOG_BYTES_MAX)
    collection.log = log
    source, target = store.directory / entry.directory, store.directory / f"{SHARD_PREFIX}{uuid.uuid4()}"
    return Rebuild(store, collection, entry, source, target, log, collection.failed)
