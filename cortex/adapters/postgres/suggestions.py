"""Documents by the beginning of a word of their names (ports/suggestion_store.py).

The range is compared byte by byte in one index that starts with the tenant, so its cost does not grow with other
tenants' documents, nor with those that begin otherwise.
"""

from collections.abc import Sequence

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.domain.identity import DocumentId, TenantId
from cortex.ports.suggestion_store import Named

LAST_CHARACTER = "\U0010ffff"
OF_AN_AUTHOR = 4
LOOKED_AT = 400

_RANGE = (
    "SELECT s.start, s.document_id FROM suggestions s WHERE s.kind = :kind"
    f" AND s.start >= cortex_folded(:prefix) AND s.start < cortex_folded(:prefix) || '{LAST_CHARACTER}'"
    f" ORDER BY s.start, s.document_id LIMIT {LOOKED_AT}"
)
_LIVE = "d.tombstoned_at IS NULL AND NOT d.quarantined AND d.indexed_revision > 0"
_BY_TITLE = text(
    f"SELECT r.document_id FROM ({_RANGE}) r JOIN documents d ON d.id = r.document_id WHERE {_LIVE}"
    " GROUP BY r.document_id ORDER BY min(r.start), r.document_id LIMIT :limit"
)
_BY_AUTHOR = text(
    "SELECT document_id FROM ("
    " SELECT r.document_id, min(r.start) AS start, d.author,"
    " row_number() OVER (PARTITION BY d.author ORDER BY d.updated_at DESC NULLS LAST, d.id) AS nth"
    f" FROM ({_RANGE}) r JOIN documents d ON d.id = r.document_id WHERE {_LIVE}"
    " GROUP BY r.document_id, d.author, d.updated_at, d.id) AS ranked"
    f" WHERE nth <= {OF_AN_AUTHOR} ORDER BY start, author, nth LIMIT :limit"
)


class PostgresSuggestions:
    """Implements SuggestionStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def beginning(self, tenant: TenantId, named: Named, prefix: str, *, limit: int) -> Sequence[DocumentId]:
        statement = _BY_TITLE if named is Named.TITLE else _BY_AUTHOR
        values = {"kind": named.value, "prefix": prefix, "limit": limit}
        async with self._database.tenant(tenant) as connection:
            return [DocumentId(found) for found in (await connection.execute(statement, values)).scalars()]
