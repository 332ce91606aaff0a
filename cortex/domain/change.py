"""What a source connector yields: a stream of changes, and what a document looks like once normalised."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from cortex.domain.acl import Acl


@dataclass(frozen=True, slots=True)
class ContainerState:
    """A folder, channel or space of the source. `acl` None: nothing of its own."""

    external_id: str
    parent: str | None
    acl: Acl | None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentState:
    """A document as its source has it now. Times are UTC.

    `data` is the raw bytes, `name` the file name that parsers may look at. `version` is the source's own;
    `fingerprint` lets the connector tell cheaply that nothing changed, and means nothing to anyone else.
    """

    external_id: str
    data: bytes
    name: str
    mime: str | None
    title: str | None
    url: str | None
    author: str | None
    created_at: datetime | None
    updated_at: datetime | None
    container: str | None
    acl: Acl | None
    version: int | None = None
    fingerprint: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class UpsertContainer:
    """`last`: it takes effect after the documents that were yielded before it, else before all of its page."""

    container: ContainerState
    last: bool = False


@dataclass(frozen=True, slots=True)
class Upsert:
    document: DocumentState


@dataclass(frozen=True, slots=True)
class Tombstone:
    """It is gone at the source. `container` True: a container, whose documents were named before."""

    external_id: str
    reason: str
    container: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """One item that could not be read: counted where an administrator looks, and stops nothing else."""

    external_id: str
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where to go on. Committed only after everything yielded before it is durable. `done`: the pass is complete.

    `seen` counts the documents looked at since the last cursor, unchanged ones included.
    """

    opaque: str
    done: bool = False
    seen: int = 0


Change = UpsertContainer | Upsert | Tombstone | Failure | Cursor
