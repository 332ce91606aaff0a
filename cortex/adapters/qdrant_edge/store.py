"""The data directory: one shard a collection, the manifest that names them, and a lock on the whole."""

import fcntl
import logging
import os
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import grpc
import qdrant_edge as edge
from google.protobuf.message import Message
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge import manifest, schema
from cortex.adapters.qdrant_edge.manifest import Entry, Manifest
from cortex.adapters.qdrant_edge.operation_log import OperationLog
from cortex.adapters.qdrant_edge.refusal import Refused, invalid, not_found

SHARD_PREFIX = "c-"
# The engine keeps eight bytes for every point of a segment without graphs under this name.
_VERSIONS, _VERSION_BYTES = "segments/*/mutable_id_tracker.versions", 8

logger = logging.getLogger(__name__)


class DirectoryInUse(Exception):
    """Another process serves this directory."""


@dataclass(slots=True)
class Collection:
    """An open shard and what its requests are checked against."""

    name: str
    create: pb.CreateCollection
    shard: edge.EdgeShard
    vectors: schema.Vectors
    fields: dict[str, schema.FieldKind]
    has_unflushed: bool = False
    log: OperationLog | None = None
    """Of what a copy in the making must be told."""
    begun: int = 0
    done: int = 0

    def update(self, operation: edge.UpdateOperation) -> None:
        """Apply a write that has been checked. The engine's log keeps it; the next flush shortens that."""
        self.has_unflushed = True
        self.begun += 1
        self.shard.update(operation)
        self.done += 1

    def updated(self, kind: str, request: Message) -> None:
        """After the update that `request` asks for. Two kinds of update may have messages of one type."""
        if self.log is not None:
            self.log.append(kind, request)

    @property
    def failed(self) -> int:
        """Updates that the engine gave up, after an unknown part of them."""
        return self.begun - self.done

    def flush(self) -> None:
        if self.has_unflushed:
            self.shard.flush()
            self.has_unflushed = False


def lock_directory(directory: Path) -> int:
    """Hold the directory for this process; the kernel lets go when it ends, however it ends."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise DirectoryInUse(f"{directory} is already served by another qdrant_edge process") from None
    return descriptor


class Store:
    """All methods block, and belong to the engine's thread."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._manifest = Manifest()
        self._open: dict[str, Collection] = {}

    def load(self) -> None:
        """Open every shard of the manifest, and remove what a crash left of others."""
        self._manifest = manifest.load(self._path)
        listed = {entry.directory for entry in self._manifest.collections.values()}
        for orphan in self._directory.glob(f"{SHARD_PREFIX}*"):
            if orphan.name not in listed:
                logger.warning("removing %s, which no collection refers to", orphan)
                shutil.rmtree(orphan)
        for name, entry in self._manifest.collections.items():
            logger.info("loading collection %s from %s", name, entry.directory)
            shard = edge.EdgeShard.load(str(self._directory / entry.directory))
            self._open[name] = self.opened(name, shard, entry)

    def names(self) -> list[str]:
        return sorted(self._open)

    def aliases(self) -> Mapping[str, str]:
        return self._manifest.aliases

    def knows(self, name: str) -> bool:
        return name in self._open or name in self._manifest.aliases

    def collection(self, name: str) -> Collection:
        """The collection called `name`, or the one that the alias points at."""
        found = self._open.get(self._manifest.aliases.get(name, name))
        if found is None:
            raise not_found(f"Collection `{name}` doesn't exist!")
        return found

    def create(self, request: pb.CreateCollection) -> None:
        """The shard first, then the manifest: a crash in between leaves an orphan, not a hole."""
        name = request.collection_name
        if not name or len(name) > 255:
            raise invalid("a collection name has 1 to 255 characters")
        if self.knows(name):
            raise Refused(grpc.StatusCode.ALREADY_EXISTS, f"Wrong input: Collection `{name}` already exists!")
        config = schema.edge_config(request)
        entry = Entry(directory=f"{SHARD_PREFIX}{uuid.uuid4()}", create=request.SerializeToString())
        path = self._directory / entry.directory
        path.mkdir(mode=0o700)
        shard = edge.EdgeShard.create(str(path), config)
        self._save(replace(self._manifest, collections={**self._manifest.collections, name: entry}))
        self._open[name] = self.opened(name, shard, entry)

    def drop(self, name: str) -> bool:
        """The manifest first: what it no longer lists is removed at the next start at the latest."""
        if name not in self._open:
            return False
        directory = self._directory / self._manifest.collections[name].directory
        collections = {key: entry for key, entry in self._manifest.collections.items() if key != name}
        aliases = {alias: target for alias, target in self._manifest.aliases.items() if target != name}
        self._save(Manifest(collections=collections, aliases=aliases))
        self._open.pop(name).shard.close()
        shutil.rmtree(directory)
        return True

    def replace_aliases(self, aliases: Mapping[str, str]) -> None:
        self._save(replace(self._manifest, aliases=dict(aliases)))

    def create_index(self, request: pb.CreateFieldIndexCollection) -> None:
        collection, operation = self.collection(request.collection_name), schema.field_index(request)
        collection.update(operation)
        self._save_indexes(collection.name, {**self._indexes(collection.name), request.field_name: request})
        collection.fields[request.field_name] = schema.field_kind(request)

    def drop_index(self, name: str, field: str) -> None:
        collection = self.collection(name)
        kept = {key: request for key, request in self._indexes(collection.name).items() if key != field}
        # Filters stop relying on the index before it is gone.
        collection.fields.pop(field, None)
        self._save_indexes(collection.name, kept)
        collection.update(edge.UpdateOperation.delete_field_index(field))

    def indexes(self, collection: Collection) -> Mapping[str, pb.CreateFieldIndexCollection]:
        return self._indexes(collection.name)

    @property
    def directory(self) -> Path:
        return self._directory

    def entry(self, name: str) -> Entry | None:
        """The same object for as long as nothing about the collection but its points changes."""
        return self._manifest.collections.get(name)

    def opened(self, name: str, shard: edge.EdgeShard, entry: Entry) -> Collection:
        """An open shard as the collection of `entry`; it is not served yet."""
        create = pb.CreateCollection.FromString(entry.create)
        requests = (pb.CreateFieldIndexCollection.FromString(value) for value in entry.indexes.values())
        fields = {request.field_name: schema.field_kind(request) for request in requests}
        return Collection(name, create, shard, schema.vector_fields(create), fields)

    def points_outside_graphs(self, name: str) -> int:
        """As of the last flush: points that a search looks at one by one, and what was deleted of such."""
        directory = self._directory / self._manifest.collections[name].directory
        return sum(path.stat().st_size // _VERSION_BYTES for path in directory.glob(_VERSIONS))

    def reconfigure(self, collection: Collection, create: pb.CreateCollection) -> None:
        """Refused where it does not make sense; holds from the next graphs on."""
        schema.edge_config(create)
        entry = replace(self._manifest.collections[collection.name], create=create.SerializeToString())
        self._save(replace(self._manifest, collections={**self._manifest.collections, collection.name: entry}))
        collection.create = create

    def adopt(self, collection: Collection, entry: Entry) -> None:
        """Serve `collection` in the place of its namesake, which the caller closes."""
        self._save(replace(self._manifest, collections={**self._manifest.collections, collection.name: entry}))
        self._open[collection.name] = collection

    def flush(self) -> None:
        for collection in self._open.values():
            collection.flush()

    def close(self) -> None:
        self.flush()
        for collection in self._open.values():
            collection.shard.close()
        self._open.clear()

    @property
    def _path(self) -> Path:
        return self._directory / "manifest.json"

    def _save(self, changed: Manifest) -> None:
        manifest.save(self._path, changed)
        self._manifest = changed

    def _indexes(self, name: str) -> dict[str, pb.CreateFieldIndexCollection]:
        stored = self._manifest.collections[name].indexes
        return {key: pb.CreateFieldIndexCollection.FromString(value) for key, value in stored.items()}

    def _save_indexes(self, name: str, indexes: Mapping[str, pb.CreateFieldIndexCollection]) -> None:
        stored = {key: request.SerializeToString() for key, request in indexes.items()}
        entry = replace(self._manifest.collections[name], indexes=stored)
        self._save(replace(self._manifest, collections={**self._manifest.collections, name: entry}))
