"""Parsed revisions to chunks: the stage around the chunker."""

import asyncio
from collections.abc import Callable

from cortex.domain.errors import NotFound
from cortex.domain.event import StageEvent
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
    ) -> None:
        self._revisions = revisions
        self._publisher = publisher
        self._counter = counter
        self._language_of = language_of
        self._limits = limits

    async def handle(self, event: StageEvent) -> None:
        tenant, document, revision = event.tenant_id, event.document_id, event.revision
        try:
            latest = await self._revisions.latest(tenant, document)
        except NotFound:
            return
        if latest.tombstoned or latest.revision != revision:
            return
        blocks = await self._revisions.blocks(tenant, document, revision)
        chunks = await asyncio.to_thread(
            chunk, latest.title, blocks, counter=self._counter, language_of=self._language_of, limits=self._limits
        )
        if await self._revisions.save_chunks(tenant, document, revision, chunks, title=latest.title):
            await self._publisher.publish(StageEvent("chunked", tenant, event.source_id, document, revision))
