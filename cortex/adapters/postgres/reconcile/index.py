"""What the index should hold, by the rows."""

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.domain.identity import ChunkId, DocumentId, TenantId
from cortex.domain.reconcile import Truth
from cortex.ports.reconciliation import LiveChunk

_TRUTHS = text(
    "SELECT id, indexed_revision, acl_revision, metadata_revision, tombstoned_at IS NOT NULL FROM documents"
    " WHERE id = ANY(:documents)"
)
_LIVE_CHUNKS = text(
    "SELECT c.id, c.document_id, c.revision, d.source_id FROM chunks c JOIN documents d ON d.id = c.document_id"
    " AND d.indexed_revision = c.revision AND d.tombstoned_at IS NULL"
    " WHERE (CAST(:start AS uuid) IS NULL OR c.id >= CAST(:start AS uuid))"
    " AND (CAST(:before AS uuid) IS NULL OR c.id < CAST(:before AS uuid)) ORDER BY c.id LIMIT :most"
)


class PostgresIndexTruth:
    """Implements IndexTruth."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def truths(self, tenant: TenantId, documents: Collection[DocumentId]) -> Mapping[DocumentId, Truth]:
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_TRUTHS, {"documents": list(documents)})
            return {row.id: Truth(*row[1:]) for row in rows}

    async def live_chunks(
        self, tenant: TenantId, *, start: ChunkId | None, before: ChunkId | None, limit: int
    ) -> Sequence[LiveChunk]:
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_LIVE_CHUNKS, {"start": start, "before": before, "most": limit})
            return [LiveChunk(*row) for row in rows]
