"""What the hot path reads of documents. Permission is the caller's to check; the tenant wall is the store's."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from cortex.domain.answer import SourceLabel
from cortex.domain.chunk import Chunk
from cortex.domain.document import Anchor, Block
from cortex.domain.identity import ChunkId, DocumentId, PersonId, TenantId


@dataclass(frozen=True, slots=True)
class LiveDocument:
    """A document with neither tombstone nor quarantine; `indexed_revision` 0 until it was first indexed.

    `original_hidden`: the file holds more than the stored text may, and the source's rules do not give it out.
    """

    document_id: DocumentId
    source: SourceLabel
    external_id: str
    title: str
    url: str
    author: str | None
    mime: str
    created_at: datetime | None
    updated_at: datetime | None
    indexed_revision: int
    raw_key: str
    original_hidden: bool = False


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk of one revision; `anchors` parallel `chunk.spans`."""

    chunk_id: ChunkId
    document_id: DocumentId
    revision: int
    chunk: Chunk
    anchors: tuple[Anchor, ...]


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that a document is said to hold, in that revision of it."""

    document_id: DocumentId
    revision: int
    quote: str


class DocumentReader(Protocol):
    """Absent, tombstoned and other tenants' ids are simply not in the answer. Raises Transient."""

    async def live(self, tenant: TenantId, documents: Sequence[DocumentId]) -> dict[DocumentId, LiveDocument]: ...

    async def chunks(self, tenant: TenantId, chunks: Sequence[ChunkId]) -> dict[ChunkId, StoredChunk]: ...

    async def blocks(self, tenant: TenantId, document: DocumentId, revision: int) -> list[Block]:
        """All blocks of that revision, in order."""
        ...

    async def quoted(self, tenant: TenantId, quotations: Sequence[Quotation]) -> dict[DocumentId, list[Block]]:
        """Of each document's revision: the blocks that hold one of its quotes word for word, and all headings."""
        ...

    async def sources(self, tenant: TenantId) -> list[SourceLabel]:
        """Those that are not being removed, by name. Who may see anything of them is not decided here."""
        ...

    async def permission_token(self, tenant: TenantId, person: PersonId) -> str | None:
        """The token of the last applied permission write; read uncached, once a query.

        Raises Unauthenticated when the person is active no more, so that nothing begun before is finished for them.
        """
        ...
