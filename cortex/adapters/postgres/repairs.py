"""Brings a container's change to the documents below it: bounded batches, each its own transaction."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.events import queue_events
from cortex.domain.event import ContentEvent
from cortex.domain.identity import TenantId
from cortex.domain.revision import Counters, EventKind
from cortex.ports.clock import Clock

_TAKE = text("SELECT id, container_id, after_document_id FROM acl_repairs ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED")
# Containers reached downwards, through parents and through `viewers:`; then the documents that rest on any of them.
_BELOW = text(
    """
    WITH RECURSIVE below (id) AS (
        SELECT CAST(:container AS uuid)
        UNION
        SELECT next.id FROM below CROSS JOIN LATERAL (
            SELECT c.id FROM containers c WHERE c.parent_id = below.id
            UNION ALL
            SELECT r.referrer_id FROM acl_references r
            WHERE r.container_id = below.id AND r.referrer_kind = 'container'
        ) AS next (id)
    ), resting (id) AS (
        SELECT d.id FROM documents d JOIN below ON d.container_id = below.id
        UNION
        SELECT r.referrer_id FROM acl_references r JOIN below ON r.container_id = below.id
        WHERE r.referrer_kind = 'document'
    )
    UPDATE documents d SET acl_revision = acl_revision + 1, metadata_revision = metadata_revision + 1
    WHERE d.id IN (
        SELECT resting.id FROM resting JOIN documents x ON x.id = resting.id
        WHERE x.tombstoned_at IS NULL AND (CAST(:after AS uuid) IS NULL OR resting.id > :after)
        ORDER BY resting.id LIMIT :most
    )
    RETURNING d.id, d.source_id, d.revision, d.metadata_revision, d.acl_revision, d.raw_key, d.content_sha256,
        d.metadata_sha256, d.mime, d.pipeline_version
    """
)
_ADVANCE = text("UPDATE acl_repairs SET after_document_id = :after WHERE id = :id")
_DONE = text("DELETE FROM acl_repairs WHERE id = :id")
_BEHIND = text("SELECT tenant_id, repairs FROM cortex_tenants_behind()")


class IndexRepairs:
    """Each batch gives its documents a new ACL revision and an event; `embed` computes the filter anew."""

    def __init__(self, database: Database, clock: Clock, *, batch: int = 500) -> None:
        self._database = database
        self._clock = clock
        self._batch = batch

    async def tenants_behind(self) -> list[TenantId]:
        async with self._database.spanning() as connection:
            return [row.tenant_id for row in await connection.execute(_BEHIND) if row.repairs]

    async def repair_batch(self, tenant: TenantId) -> bool:
        """True when there may be more to do."""
        async with self._database.tenant(tenant) as connection:
            repair = (await connection.execute(_TAKE)).one_or_none()
            if repair is None:
                return False
            values = {"container": repair.container_id, "after": repair.after_document_id, "most": self._batch}
            rows = (await connection.execute(_BELOW, values)).all()
            now = self._clock.now()
            kinds = (EventKind.ACL, EventKind.METADATA)
            await queue_events(connection, [_event(tenant, row._asdict(), kind, now) for row in rows for kind in kinds])
            if len(rows) < self._batch:
                await connection.execute(_DONE, {"id": repair.id})
            else:
                await connection.execute(_ADVANCE, {"id": repair.id, "after": max(row.id for row in rows)})
            return True


async def queue_change(
    connection: AsyncConnection, tenant: TenantId, row: Mapping[str, object], kind: EventKind, *, now: datetime
) -> None:
    """An event about a document, whose row `row` is."""
    await queue_events(connection, [_event(tenant, row, kind, now)])


def _event(tenant: TenantId, row: Mapping[str, object], kind: EventKind, now: datetime) -> ContentEvent:
    counters = Counters(row["revision"], row["metadata_revision"], row["acl_revision"])  # type: ignore[arg-type]
    return ContentEvent(
        tenant_id=tenant,
        source_id=row["source_id"],  # type: ignore[arg-type]
        document_id=row["id"],  # type: ignore[arg-type]
        counters=counters,
        kind=kind,
        raw_key=str(row["raw_key"]),
        content_sha256=str(row["content_sha256"]),
        metadata_sha256=str(row["metadata_sha256"]),
        mime=str(row["mime"]),
        pipeline_version=str(row["pipeline_version"]),
        occurred_at=now,
    )
