"""Makes documents anew from their stored bytes, under rules that have changed since."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.repairs import queue_change
from cortex.domain.identity import DocumentId, TenantId
from cortex.domain.privacy import rules_from_json
from cortex.domain.revision import EventKind
from cortex.ports.clock import Clock

_ALL_BEHIND = text("UPDATE sources SET privacy_behind = true WHERE NOT privacy_behind AND state <> 'removing'")
_SOURCE_BEHIND = text("SELECT id, privacy, contextual FROM sources WHERE privacy_behind ORDER BY id LIMIT 1")
_STALE = text(
    "SELECT id FROM documents WHERE source_id = :source AND tombstoned_at IS NULL AND privacy_key <> :key"
    " ORDER BY external_id LIMIT :most FOR UPDATE"
)
_ANEW = text(
    "UPDATE documents SET revision = revision + 1, stage = 'queued', privacy_key = coalesce(:key, privacy_key)"
    " WHERE id = :document RETURNING id, source_id, revision, metadata_revision, acl_revision, raw_key, content_sha256,"
    " metadata_sha256, mime, pipeline_version"
)
# Rules that were changed once more meanwhile stay due.
_CAUGHT_UP = text(
    "UPDATE sources SET privacy_behind = false WHERE id = :source AND privacy = CAST(:rules AS jsonb)"
    " AND contextual = :contextual"
)


class Reprocessing:
    """Each batch gives its documents a new revision and an event; the pipeline does the rest. A crash loses nothing."""

    def __init__(self, database: Database, clock: Clock, *, recogniser: str, batch: int = 100) -> None:
        self._database = database
        self._clock = clock
        self._recogniser = recogniser
        self._batch = batch

    async def look_again(self, tenant: TenantId) -> None:
        """Once a start: the recogniser may be another than before."""
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_ALL_BEHIND)

    async def reprocess_batch(self, tenant: TenantId) -> bool:
        """True when there may be more to do."""
        async with self._database.tenant(tenant) as connection:
            source = (await connection.execute(_SOURCE_BEHIND)).one_or_none()
            if source is None:
                return False
            rules = replace(rules_from_json(source.privacy), contextual=source.contextual)
            key = rules.key(self._recogniser)
            values = {"source": source.id, "key": key, "most": self._batch}
            stale = (await connection.execute(_STALE, values)).scalars().all()
            for document in stale:
                await make_anew(connection, tenant, document, key=key, now=self._clock.now())
            if len(stale) < self._batch:
                await connection.execute(
                    _CAUGHT_UP, values | {"rules": as_json(source.privacy), "contextual": source.contextual}
                )
            return True


async def make_anew(
    connection: AsyncConnection, tenant: TenantId, document: DocumentId, *, key: str | None, now: datetime
) -> None:
    """A new revision of the same bytes, parsed and screened again. `key` None: under the rules that it has."""
    row = (await connection.execute(_ANEW, {"document": document, "key": key})).one()
    await queue_change(connection, tenant, row._asdict(), EventKind.UPSERT, now=now)
