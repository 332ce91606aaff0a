"""Privacy rules of sources, what was found, and quarantine (ports/privacy_store.py)."""

from sqlalchemy import text

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.privacy_rows import counts_of
from cortex.adapters.postgres.reprocessing import make_anew
from cortex.domain.errors import NotFound
from cortex.domain.identity import DocumentId, SourceId, TenantId
from cortex.domain.privacy import PrivacyRules, rules_from_json, rules_json
from cortex.ports.clock import Clock
from cortex.ports.privacy_store import PrivacyFigures, Quarantined

_RULES = text("SELECT privacy FROM sources WHERE id = :source")
_LOCKED = text("SELECT privacy FROM sources WHERE id = :source FOR UPDATE")
_SET = text("UPDATE sources SET privacy = CAST(:rules AS jsonb), privacy_behind = true WHERE id = :source")
_FIGURES = text(
    "SELECT count(*) FILTER (WHERE altered) AS altered, count(*) FILTER (WHERE quarantined) AS quarantined"
    " FROM documents WHERE source_id = :source AND tombstoned_at IS NULL"
)
_COUNTS = text(
    "SELECT c.key, sum(c.value::bigint) AS number FROM documents d, jsonb_each_text(d.privacy_counts) c"
    " WHERE d.source_id = :source AND d.tombstoned_at IS NULL GROUP BY c.key"
)
_BEHIND = text("SELECT privacy_behind FROM sources WHERE id = :source")
_QUARANTINED = text(
    "SELECT id, external_id, privacy_counts, ingested_at FROM documents WHERE source_id = :source AND quarantined"
    " AND tombstoned_at IS NULL AND (CAST(:after AS uuid) IS NULL OR id > :after) ORDER BY id LIMIT :most"
)
_RELEASE = text(
    "UPDATE documents SET released_sha256 = content_sha256 WHERE id = :document AND source_id = :source"
    " AND quarantined AND tombstoned_at IS NULL RETURNING id"
)


class PostgresPrivacy(LeavesLines):
    """Implements PrivacyStore."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def rules(self, tenant: TenantId, source: SourceId) -> PrivacyRules:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_RULES, {"source": source})).one_or_none()
        if row is None:
            raise NotFound("the source is not known")
        return rules_from_json(row.privacy)

    async def set_rules(self, tenant: TenantId, source: SourceId, rules: PrivacyRules) -> bool:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_LOCKED, {"source": source})).one_or_none()
            if row is None:
                raise NotFound("the source is not known")
            changed = rules_from_json(row.privacy) != rules
            if changed:
                await connection.execute(_SET, {"source": source, "rules": as_json(rules_json(rules))})
            await self._leave_line(connection, tenant, changed=changed)
            return changed

    async def figures(self, tenant: TenantId, source: SourceId) -> PrivacyFigures:
        async with self._database.tenant(tenant) as connection:
            behind = (await connection.execute(_BEHIND, {"source": source})).one_or_none()
            if behind is None:
                raise NotFound("the source is not known")
            row = (await connection.execute(_FIGURES, {"source": source})).one()
            counts = {item.key: int(item.number) for item in await connection.execute(_COUNTS, {"source": source})}
        return PrivacyFigures(counts_of(counts), row.altered, row.quarantined, behind.privacy_behind)

    async def quarantined(
        self, tenant: TenantId, source: SourceId, *, after: DocumentId | None, limit: int
    ) -> list[Quarantined]:
        async with self._database.tenant(tenant) as connection:
            if (await connection.execute(_BEHIND, {"source": source})).one_or_none() is None:
                raise NotFound("the source is not known")
            rows = await connection.execute(_QUARANTINED, {"source": source, "after": after, "most": limit})
            return [
                Quarantined(row.id, row.external_id, counts_of(row.privacy_counts), row.ingested_at) for row in rows
            ]

    async def release(self, tenant: TenantId, source: SourceId, document: DocumentId) -> None:
        async with self._database.tenant(tenant) as connection:
            values = {"document": document, "source": source}
            if (await connection.execute(_RELEASE, values)).one_or_none() is None:
                raise NotFound("no such document is in quarantine")
            await make_anew(connection, tenant, document, key=None, now=self._clock.now())
            await self._leave_line(connection, tenant)
