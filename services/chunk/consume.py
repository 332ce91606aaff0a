"""Parsed revisions to chunks: the stage around the chunker."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from cortex.domain.chunk import Chunk, embedded_text
from cortex.domain.errors import NotFound
from cortex.domain.event import StageEvent
from cortex.domain.identity import TenantId
from cortex.ports.contextualiser import Contextualiser
from cortex.ports.revision_store import RevisionStore
from cortex.ports.stage_publisher import StagePublisher
from cortex.ports.token_counter import TokenCounter
from services.chunk.chunker import chunk
from services.chunk.settings import ChunkLimits


class ChunkStage:
    """Handles `cortex.parsed.*`."""

    def __init__(
        self,
        revisions: RevisionStore,
        publisher: StagePublisher,
        *,
        counter: TokenCounter,
        language_of: Callable[[str], str],
        limits: ChunkLimits,
        contexts: Contextualiser | None = None,
    ) -> None:
        self._revisions = revisions
        self._publisher = publisher
        self._counter = counter
        self._language_of = language_of
        self._limits = limits
        self._contexts = contexts

    async def handle(self, event: StageEvent) -> None:
        tenant, document, revision = event.tenant_id, event.document_id, event.revision
        try:
            latest = await self._revisions.latest(tenant, document)
        except NotFound:
            return
        if latest.tombstoned or latest.revision != revision:
            return
        blocks = await self._revisions.blocks(tenant, document, revision)
        contexts = self._contexts if latest.contextual else None
        limits = self._limits if contexts is None else self._limits.with_room()
        chunks = await asyncio.to_thread(
            chunk, latest.title, blocks, counter=self._counter, language_of=self._language_of, limits=limits
        )
        if contexts is not None and chunks:
            chunks = await self._contextual(contexts, tenant, latest.title, chunks)
        if await self._revisions.save_chunks(tenant, document, revision, chunks, title=latest.title):
            await self._publisher.publish(StageEvent("chunked", tenant, event.source_id, document, revision))

    async def _contextual(
        self, contexts: Contextualiser, tenant: TenantId, title: str, chunks: Sequence[Chunk]
    ) -> tuple[Chunk, ...]:
        """Each with its context, but for one that does not fit into the embedder's window with it."""
        written = await contexts.contexts(tenant, title, [one.text for one in chunks])
        return tuple(self._with(one, context, title) for one, context in zip(chunks, written, strict=True))

    def _with(self, one: Chunk, context: str, title: str) -> Chunk:
        embedded = embedded_text(title, one.heading_path, one.text, context)
        tokens = self._counter.special_tokens + self._counter.count(embedded)
        return replace(one, context=context, tokens=tokens) if tokens <= self._limits.tokens_max else one
