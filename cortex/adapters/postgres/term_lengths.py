"""Lengths of a tenant's passages (ports/term_length_store.py)."""

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.domain.event import StageEvent
from cortex.domain.identity import DocumentId, TenantId
from cortex.domain.term_length import AVERAGE_TERMS, TermLengths

_USED = "coalesce((SELECT average_terms FROM tenant_settings), :start)"
_LENGTHS = text(f"SELECT {_USED} AS used, coalesce(avg(terms), 0) AS mean, count(terms) AS passages FROM chunks")
_TAKE_UP = text(
    "INSERT INTO tenant_settings (tenant_id, average_terms) VALUES (:tenant, :average)"
    " ON CONFLICT (tenant_id) DO UPDATE SET average_terms = excluded.average_terms"
)
# A revision that is not live yet is weighed when it becomes so.
_OTHERWISE = text(
    "SELECT d.source_id, d.id, d.revision FROM documents d"
    " WHERE d.id > :after AND d.tombstoned_at IS NULL AND d.indexed_revision = d.revision"
    " AND EXISTS (SELECT FROM chunks c"
    f" WHERE c.document_id = d.id AND c.revision = d.revision AND coalesce(c.average_terms, :start) <> {_USED})"
    " ORDER BY d.id LIMIT :most"
)


class PostgresTermLengths:
    """Implements TermLengthStore. Counting reads every chunk of the tenant: not for every document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def lengths(self, tenant: TenantId) -> TermLengths:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_LENGTHS, {"start": AVERAGE_TERMS})).one()
        return TermLengths(float(row.used), float(row.mean), int(row.passages))

    async def take_up(self, tenant: TenantId, average: float) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_TAKE_UP, {"tenant": tenant, "average": average})

    async def weighed_otherwise(self, tenant: TenantId, *, after: DocumentId, limit: int) -> list[StageEvent]:
        values = {"start": AVERAGE_TERMS, "after": after, "most": limit}
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_OTHERWISE, values)
            return [StageEvent("chunked", tenant, *row) for row in rows]
