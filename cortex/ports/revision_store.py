"""What the pipeline's stages read and write of one revision; a write is refused once it is not the latest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.chunk import Chunk
from cortex.domain.document import Block
from cortex.domain.identity import ChunkId, DocumentId, SourceId, TenantId
from cortex.domain.privacy import Screened
from cortex.domain.term_length import AVERAGE_TERMS
from cortex.domain.vector import IndexAcl, IndexMetadata


@dataclass(frozen=True, slots=True)
class LatestRevision:
    """A document as the pipeline sees it; `tombstoned` documents have no latest revision to work on.

    `released`: an administrator let these bytes out of quarantine. `contextual`: its source wants a context for each
    passage.
    """

    document_id: DocumentId
    source_id: SourceId
    external_id: str
    revision: int
    indexed_revision: int
    title: str
    given_title: str | None
    name: str
    mime: str
    raw_key: str
    content_sha256: str
    tombstoned: bool
    released: bool = False
    contextual: bool = False


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk as `embed` needs it."""

    chunk_id: ChunkId
    ordinal: int
    embedded: str
    embedded_sha256: str
    language: str


@dataclass(frozen=True, slots=True)
class IndexState:
    """What goes into the payload besides the vectors, read together, and the tenant's `average_terms` a passage."""

    source_type: str
    source_id: SourceId
    metadata: IndexMetadata
    metadata_revision: int
    acl: IndexAcl
    acl_revision: int
    tombstoned: bool
    average_terms: float = AVERAGE_TERMS


@dataclass(frozen=True, slots=True)
class Weighed:
    """By which average length the passages of a revision were weighed, and how many terms each has."""

    average_terms: float
    lengths: Mapping[ChunkId, int]


class RevisionStore(Protocol):
    """Raises Transient; NotFound for a document that was erased."""

    async def latest(self, tenant: TenantId, document: DocumentId) -> LatestRevision: ...

    async def save_parsed(self, tenant: TenantId, document: DocumentId, revision: int, screened: Screened) -> bool:
        """Blocks and title of the revision, and what was found in them; False when a newer one or a tombstone came.

        A document in quarantine is hidden once this returns.
        """
        ...

    async def blocks(self, tenant: TenantId, document: DocumentId, revision: int) -> list[Block]: ...

    async def save_chunks(
        self, tenant: TenantId, document: DocumentId, revision: int, chunks: Sequence[Chunk], *, title: str
    ) -> bool:
        """All chunks of the revision at once; False when a newer one or a tombstone came."""
        ...

    async def fail(self, tenant: TenantId, document: DocumentId, revision: int, *, stage: str, message: str) -> None:
        """Counted where an administrator looks; nothing happens when the revision is not the latest."""
        ...


class IndexStore(Protocol):
    """The part of a revision that `embed` owns. Raises Transient; NotFound for a document that was erased."""

    async def latest(self, tenant: TenantId, document: DocumentId) -> LatestRevision: ...

    async def chunks(self, tenant: TenantId, document: DocumentId, revision: int) -> list[IndexedChunk]: ...

    async def index_state(self, tenant: TenantId, document: DocumentId) -> IndexState: ...

    async def mark_indexed(
        self, tenant: TenantId, document: DocumentId, revision: int, *, model: str, weighed: Weighed
    ) -> bool:
        """Makes the revision live, under the row's lock; False when it is not the latest or there is a tombstone."""
        ...

    async def forget_below(self, tenant: TenantId, document: DocumentId, revision: int) -> None:
        """Drops blocks and chunks of older revisions; vectors that nothing needs are swept later. Idempotent."""
        ...
