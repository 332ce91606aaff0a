"""Documents by author, and places by name (ports/narrowing_store.py)."""

from collections.abc import Sequence

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.suggestions import LAST_CHARACTER
from cortex.domain.identity import ContainerId, DocumentId, SourceId, TenantId
from cortex.ports.narrowing_store import Places

# An author may be written as an address or as a name: who is known by one is looked for by the other as well.
_CALLED = (
    "SELECT cortex_folded(asked) AS called FROM unnest(CAST(:people AS text[])) AS asked"
    " UNION SELECT cortex_folded(p.name) FROM persons p JOIN person_emails e ON e.person_id = p.id"
    " WHERE e.email = ANY (SELECT cortex_folded(asked) FROM unnest(CAST(:people AS text[])) AS asked) AND p.name <> ''"
    " UNION SELECT e.email FROM persons p JOIN person_emails e ON e.person_id = p.id"
    " WHERE cortex_folded(p.name) = ANY (SELECT cortex_folded(asked) FROM unnest(CAST(:people AS text[])) AS asked)"
)
_AUTHORED = text(
    f"SELECT d.id FROM documents d WHERE d.tombstoned_at IS NULL AND d.indexed_revision > 0 AND d.id IN ("
    f" SELECT s.document_id FROM ({_CALLED}) c JOIN suggestions s ON s.kind = 'author'"
    f" AND s.start >= c.called AND s.start < c.called || '{LAST_CHARACTER}')"
    " ORDER BY d.updated_at DESC NULLS LAST, d.id LIMIT :limit"
)
_SOURCES = text("SELECT id FROM sources WHERE name = ANY(:names) AND state <> 'removing'")
_CONTAINERS = text(
    "SELECT id FROM containers WHERE tombstoned_at IS NULL"
    " AND EXISTS (SELECT FROM unnest(CAST(:names AS text[])) AS named"
    " WHERE cortex_folded(external_id) = named OR right(cortex_folded(external_id), length(named) + 1) = '/' || named)"
    " ORDER BY id LIMIT :limit"
)


class PostgresNarrowing:
    """Implements NarrowingStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def authored(self, tenant: TenantId, people: Sequence[str], *, limit: int) -> Sequence[DocumentId]:
        values = {"people": list(people), "limit": limit}
        async with self._database.tenant(tenant) as connection:
            return [DocumentId(found) for found in (await connection.execute(_AUTHORED, values)).scalars()]

    async def places(self, tenant: TenantId, names: Sequence[str], *, limit: int) -> Places:
        values = {"names": [name.lower().strip("/") for name in names], "limit": limit}
        async with self._database.tenant(tenant) as connection:
            sources = frozenset(SourceId(found) for found in (await connection.execute(_SOURCES, values)).scalars())
            if sources:
                return Places(sources=sources)
            found = (await connection.execute(_CONTAINERS, values)).scalars()
            return Places(containers=frozenset(ContainerId(container) for container in found))
