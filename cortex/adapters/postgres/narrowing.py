"""Documents by author, and places by name (ports/narrowing_store.py)."""

from collections.abc import Sequence

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.suggestions import LAST_CHARACTER
from cortex.domain.identity import ContainerId, DocumentId, SourceId, TenantId

# Who is asked for by a name is looked for by the addresses of whoever has that name as well. An address is that
# address: whom the directory knows by it is not told, nor is what somebody else calls themselves.
_CALLED = (
    "SELECT called, position('@' IN called) > 1 AS address FROM"
    " (SELECT cortex_folded(asked) AS called FROM unnest(CAST(:people AS text[])) AS asked) a"
    " UNION SELECT e.email, true FROM persons p JOIN person_emails e ON e.person_id = p.id"
    " WHERE cortex_folded(p.name) = ANY (SELECT cortex_folded(asked) FROM unnest(CAST(:people AS text[])) AS asked"
    " WHERE position('@' IN asked) <= 1)"
)
_AUTHORED = text(
    f"SELECT d.id FROM documents d WHERE d.tombstoned_at IS NULL AND d.indexed_revision > 0 AND d.id IN ("
    f" SELECT s.document_id FROM ({_CALLED}) c JOIN suggestions s ON s.kind = 'author'"
    f" AND s.start >= c.called AND s.start < c.called || '{LAST_CHARACTER}'"
    " JOIN documents own ON own.id = s.document_id WHERE NOT c.address OR cortex_folded(own.author) = c.called)"
    " ORDER BY d.updated_at DESC NULLS LAST, d.id LIMIT :limit OFFSET :skip"
)
_SOURCES = text("SELECT id FROM sources WHERE name = ANY(:names) AND state <> 'removing'")
_CONTAINERS = text(
    "SELECT id FROM containers WHERE tombstoned_at IS NULL AND (CAST(:after AS uuid) IS NULL OR id > :after)"
    " AND EXISTS (SELECT FROM unnest(CAST(:names AS text[])) AS named"
    " WHERE cortex_folded(external_id) = named OR right(cortex_folded(external_id), length(named) + 1) = '/' || named)"
    " ORDER BY id LIMIT :limit"
)


class PostgresNarrowing:
    """Implements NarrowingStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def authored(
        self, tenant: TenantId, people: Sequence[str], *, limit: int, skip: int = 0
    ) -> Sequence[DocumentId]:
        values = {"people": list(people), "limit": limit, "skip": skip}
        async with self._database.tenant(tenant) as connection:
            return [DocumentId(found) for found in (await connection.execute(_AUTHORED, values)).scalars()]

    async def containers(
        self, tenant: TenantId, names: Sequence[str], *, limit: int, after: ContainerId | None = None
    ) -> Sequence[ContainerId]:
        values = {"names": _paths(names), "limit": limit, "after": after}
        async with self._database.tenant(tenant) as connection:
            return [ContainerId(found) for found in (await connection.execute(_CONTAINERS, values)).scalars()]

    async def sources(self, tenant: TenantId, names: Sequence[str]) -> Sequence[SourceId]:
        async with self._database.tenant(tenant) as connection:
            found = await connection.execute(_SOURCES, {"names": _paths(names)})
            return [SourceId(source) for source in found.scalars()]


def _paths(names: Sequence[str]) -> list[str]:
    return [name.lower().strip("/") for name in names]
