"""Chunked revisions into the index, and what changes about a document without its text (architecture section 3)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from cortex.domain.encoding import PassageEncoding
from cortex.domain.errors import NotFound, Transient
from cortex.domain.event import ContentEvent, StageEvent
from cortex.domain.identity import DocumentId, TenantId
from cortex.domain.revision import EventKind
from cortex.domain.vector import IndexPoint
from cortex.ports.revision_store import IndexedChunk, IndexState, IndexStore, Weighed
from cortex.ports.stage_publisher import StagePublisher
from cortex.ports.vector_cache import VectorCache
from cortex.ports.vector_index import VectorPayloadWriter, VectorWriter
from services.embed.passages import Passage, PassageEncoder, Terms

logger = logging.getLogger(__name__)

PASSAGES_PER_CALL = 32
PROBE = "ready"
AWAY_S_MIN, AWAY_S_MAX = 1.0, 30.0

Pause = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Index:
    """Both sides of the index that `embed` writes: points, and payloads of whole documents."""

    points: VectorWriter
    payloads: VectorPayloadWriter


class IndexStage:
    """Handles `cortex.chunked.*` and the content events METADATA, ACL and DELETE. It holds no lock while it embeds."""

    def __init__(
        self,
        store: IndexStore,
        vectors: VectorCache,
        passages: PassageEncoder,
        index: Index,
        publisher: StagePublisher,
        *,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._store = store
        self._vectors = vectors
        self._passages = passages
        self._index = index
        self._publisher = publisher
        self._pause = pause

    async def chunked(self, event: StageEvent) -> int:
        """Upserts and waits; then the revision goes live under its row's lock, or its points go again.

        Returns how many passages went live.
        """
        tenant, document, revision = event.tenant_id, event.document_id, event.revision
        if not await self._is_latest(tenant, document, revision):
            return 0
        try:
            return await self._make_live(event)
        except NotFound:
            # Erased meanwhile, row and all: nothing of it may stay behind.
            await self._index.points.delete_document(tenant, document)
            return 0

    async def _make_live(self, event: StageEvent) -> int:
        tenant, document, revision = event.tenant_id, event.document_id, event.revision
        chunks = await self._store.chunks(tenant, document, revision)
        dense = await self._dense(tenant, chunks)
        state = await self._store.index_state(tenant, document)
        passages = [Passage(chunk.embedded, chunk.language) for chunk in chunks]
        terms = await self._passages.terms(passages, average_terms=state.average_terms)
        await self._index.points.upsert(_points(event, chunks, dense, terms, state))
        await self._repair(tenant, document, state)
        lengths = {chunk.chunk_id: one.length for chunk, one in zip(chunks, terms, strict=True)}
        weighed, model = Weighed(state.average_terms, lengths), self._passages.model.key
        if not await self._store.mark_indexed(tenant, document, revision, model=model, weighed=weighed):
            await self._index.points.delete_points(tenant, document, revision=revision)
            return 0
        await self._index.points.delete_older(tenant, document, below_revision=revision)
        await self._store.forget_below(tenant, document, revision)
        await self._publisher.publish(StageEvent("indexed", tenant, event.source_id, document, revision))
        return len(chunks)

    async def changed(self, event: ContentEvent) -> None:
        """What moved without the text. State is read now, so that a late event writes the newest, not its own."""
        tenant, document = event.tenant_id, event.document_id
        try:
            state = await self._store.index_state(tenant, document)
        except NotFound:
            await self._index.points.delete_document(tenant, document)
            return
        if state.tombstoned:
            await self._remove(tenant, document)
        elif event.kind is EventKind.ACL:
            await self._set_acl(tenant, document, state)
        elif event.kind is EventKind.METADATA:
            await self._set_metadata(tenant, document, state)

    async def _remove(self, tenant: TenantId, document: DocumentId) -> None:
        """Up to the revision that was deleted: the document may have come back with a higher one meanwhile."""
        latest = await self._store.latest(tenant, document)
        if latest.tombstoned:
            await self._index.points.delete_older(tenant, document, below_revision=latest.revision + 1)
            await self._store.forget_below(tenant, document, latest.revision + 1)

    async def _is_latest(self, tenant: TenantId, document: DocumentId, revision: int) -> bool:
        try:
            latest = await self._store.latest(tenant, document)
        except NotFound:
            return False
        return not latest.tombstoned and latest.revision == revision

    async def _dense(self, tenant: TenantId, chunks: Sequence[IndexedChunk]) -> dict[str, tuple[float, ...]]:
        """By hash; only what no chunk of the tenant had before is embedded."""
        texts = {chunk.embedded_sha256: chunk.embedded for chunk in chunks}
        model_key = self._passages.model.key
        found = await self._vectors.dense(tenant, model_key=model_key, embedded_sha256s=texts.keys())
        missing = sorted(texts.keys() - found.keys())
        for start in range(0, len(missing), PASSAGES_PER_CALL):
            some = missing[start : start + PASSAGES_PER_CALL]
            encodings = await self._encoded([texts[key] for key in some])
            pairs = dict(zip(some, encodings, strict=True))
            found |= await self._vectors.save(tenant, model_key=model_key, encodings=pairs)
        return found

    async def _encoded(self, texts: Sequence[str]) -> list[PassageEncoding]:
        """An embedder that is away is waited for: an outage buries no document, however long it lasts.

        Where it answers something else, the trouble is with these texts: they are given back, and at last buried.
        """
        away_s = AWAY_S_MIN
        while True:
            try:
                return await self._passages.vectors(texts)
            except Transient as error:
                if await self._answers():
                    raise
                logger.warning("documents wait: %s", error)
                await self._pause(max(away_s, min(error.retry_after_s or 0.0, AWAY_S_MAX)))
                away_s = min(2 * away_s, AWAY_S_MAX)

    async def _answers(self) -> bool:
        try:
            await self._passages.vectors([PROBE])
        except Transient:
            return False
        return True

    async def _repair(self, tenant: TenantId, document: DocumentId, written: IndexState) -> None:
        """The upsert carried what was read before it; whatever moved meanwhile is written again."""
        now = await self._store.index_state(tenant, document)
        if now.acl_revision != written.acl_revision:
            await self._set_acl(tenant, document, now)
        if now.metadata_revision != written.metadata_revision:
            await self._set_metadata(tenant, document, now)

    async def _set_acl(self, tenant: TenantId, document: DocumentId, state: IndexState) -> None:
        await self._index.payloads.set_acl(tenant, document, acl=state.acl, acl_revision=state.acl_revision)

    async def _set_metadata(self, tenant: TenantId, document: DocumentId, state: IndexState) -> None:
        revision = state.metadata_revision
        await self._index.payloads.set_metadata(tenant, document, metadata=state.metadata, metadata_revision=revision)


def _points(
    event: StageEvent,
    chunks: Sequence[IndexedChunk],
    dense: Mapping[str, tuple[float, ...]],
    terms: Sequence[Terms],
    state: IndexState,
) -> list[IndexPoint]:
    return [
        IndexPoint(
            chunk_id=chunk.chunk_id,
            tenant_id=event.tenant_id,
            document_id=event.document_id,
            revision=event.revision,
            ordinal=chunk.ordinal,
            acl_revision=state.acl_revision,
            metadata_revision=state.metadata_revision,
            dense=dense[chunk.embedded_sha256],
            sparse=term.sparse,
            acl=state.acl,
            source_type=state.source_type,
            source_id=state.source_id,
            embedded_sha256=chunk.embedded_sha256,
            language=chunk.language,
            container_ids=state.metadata.container_ids,
            author_ids=state.metadata.author_ids,
            created_at=state.metadata.created_at,
            updated_at=state.metadata.updated_at,
        )
        for chunk, term in zip(chunks, terms, strict=True)
    ]
