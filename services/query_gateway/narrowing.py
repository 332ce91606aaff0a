"""What operators of a search leave: of the index by its filters, of the candidates by what they hold."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from cortex.domain.credential import Reader
from cortex.domain.identity import ChunkId, ContainerId, DocumentId, SourceId
from cortex.domain.query_text import QueryText, Wanted, holds_excluded, holds_phrases, of_kind
from cortex.domain.vector import IndexFilters
from cortex.ports.document_reader import DocumentReader, LiveDocument, StoredChunk
from cortex.ports.narrowing_store import NarrowingStore
from services.query_gateway.deadline import within
from services.query_gateway.pool import Candidate
from services.query_gateway.visibility import Visibility

NAMED_MAX, NAMED_LOOKED_AT = 1_000, 5_000
PLACES_MAX, PLACES_LOOKED_AT = 200, 2_000
NOTHING = uuid.UUID(int=0)
"""No document, source or container has this id: what is not there narrows to nothing, and not to everything."""


class Operators:
    """From names to ids. What is unknown and what is hidden both leave nothing to see, and take nothing's place."""

    def __init__(self, store: NarrowingStore, visibility: Visibility, *, timeout_s: float) -> None:
        self._store = store
        self._visibility = visibility
        self._timeout_s = timeout_s

    async def narrowed(self, reader: Reader, read: QueryText, filters: IndexFilters) -> IndexFilters:
        filters = await self.by(reader, read.people, _in_time(filters, read.after, read.before))
        if read.places:
            filters = _placed(filters, *await self._places(reader, read.places))
        return filters

    async def by(self, reader: Reader, people: Sequence[str], filters: IndexFilters) -> IndexFilters:
        """What any of these people wrote, of what the filters leave."""
        if not people:
            return filters
        found = frozenset(await self._authored(reader, people))
        kept = found & filters.document_ids if filters.document_ids else found
        return replace(filters, document_ids=kept or frozenset([DocumentId(NOTHING)]))

    async def _authored(self, reader: Reader, people: Sequence[str]) -> list[DocumentId]:
        """Where they are more than one filter holds, only those that the asker may open count."""
        found: list[DocumentId] = []
        for skip in range(0, NAMED_LOOKED_AT, NAMED_MAX):
            async with within(self._timeout_s, "the document store"):
                some = await self._store.authored(reader.tenant_id, people, limit=NAMED_MAX, skip=skip)
            if skip == 0 and len(some) < NAMED_MAX:
                return list(some)
            found += await self._visibility.visible(reader, some)
            if len(some) < NAMED_MAX or len(found) >= NAMED_MAX:
                break
        return found[:NAMED_MAX]

    async def _places(self, reader: Reader, names: Sequence[str]) -> tuple[frozenset[SourceId], frozenset[ContainerId]]:
        """Folders that the asker may see, or else sources: of one that is hidden nothing will be found."""
        found: set[ContainerId] = set()
        after: ContainerId | None = None
        for _ in range(0, PLACES_LOOKED_AT, PLACES_MAX):
            async with within(self._timeout_s, "the document store"):
                some = await self._store.containers(reader.tenant_id, names, limit=PLACES_MAX, after=after)
            # Also where there is none: a check that is not made would tell that.
            found |= await self._visibility.containers(reader, some or [ContainerId(NOTHING)]) & set(some)
            if len(some) < PLACES_MAX or len(found) >= PLACES_MAX:
                break
            after = some[-1]
        async with within(self._timeout_s, "the document store"):
            sources = await self._store.sources(reader.tenant_id, names)
        return frozenset() if found else frozenset(sources), frozenset(found)


def _in_time(filters: IndexFilters, after: datetime | None, before: datetime | None) -> IndexFilters:
    starts = [moment for moment in (filters.updated_after, after) if moment is not None]
    ends = [moment for moment in (filters.updated_before, before) if moment is not None]
    return replace(filters, updated_after=max(starts, default=None), updated_before=min(ends, default=None))


def _placed(filters: IndexFilters, sources: frozenset[SourceId], containers: frozenset[ContainerId]) -> IndexFilters:
    """Within what the filters name already, where they name any."""
    if sources:
        kept = sources & filters.source_ids if filters.source_ids else sources
        return replace(filters, source_ids=kept or frozenset([SourceId(NOTHING)]))
    inside = containers & filters.container_ids if filters.container_ids else containers
    return replace(filters, container_ids=inside or frozenset([ContainerId(NOTHING)]))


class Holding:
    """Looks at the texts of all candidates, before any of them is checked or shown."""

    def __init__(self, documents: DocumentReader, *, timeout_s: float) -> None:
        self._documents = documents
        self._timeout_s = timeout_s

    async def kept(self, reader: Reader, ranked: Sequence[Candidate], wanted: Wanted) -> Sequence[Candidate]:
        """Those that hold what is wanted; a document with an excluded word among its candidates goes whole."""
        if not wanted or not ranked:
            return ranked
        documents = list(dict.fromkeys(candidate.point.document_id for candidate in ranked))
        async with within(self._timeout_s, "the document store"):
            chunks = await self._documents.chunks(reader.tenant_id, [one.point.chunk_id for one in ranked])
            live = await self._documents.live(reader.tenant_id, documents)
        return sifted(ranked, wanted, chunks, live)


def sifted(
    ranked: Sequence[Candidate],
    wanted: Wanted,
    chunks: dict[ChunkId, StoredChunk],
    live: dict[DocumentId, LiveDocument],
) -> list[Candidate]:
    """Pure: a candidate without a text or a row is none."""
    present = [one for one in ranked if one.point.chunk_id in chunks and one.point.document_id in live]
    refused = {
        document
        for document, row in live.items()
        if (wanted.kinds and not of_kind(row.mime, wanted.kinds)) or holds_excluded(wanted, row.title, "en")
    }
    if wanted.excluded:
        for one in present:
            chunk = chunks[one.point.chunk_id].chunk
            if holds_excluded(wanted, chunk.text, chunk.language):
                refused.add(one.point.document_id)
    return [
        one
        for one in present
        if one.point.document_id not in refused
        and holds_phrases(wanted, _texts(chunks[one.point.chunk_id], live[one.point.document_id]))
    ]


def _texts(stored: StoredChunk, row: LiveDocument) -> list[str]:
    return [stored.chunk.text, row.title, *stored.chunk.heading_path]
