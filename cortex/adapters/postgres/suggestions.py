"""Documents by the beginning of a word of their names (ports/suggestion_store.py).

The range is compared byte by byte in one index that starts with the tenant, so its cost does not grow with other
tenants' documents.
"""

from collections.abc import Sequence

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.domain.identity import DocumentId, TenantId
from cortex.ports.suggestion_store import Candidate, Named

LAST_CHARACTER = "\U0010ffff"
OF_AN_AUTHOR = 4
LOOKED_AT = 400

_FROM = (
    "(SELECT s.start, s.document_id, {turn} AS turn FROM suggestions s WHERE s.kind = :kind"
    f" AND s.start {{side}} cortex_folded(:prefix) ORDER BY s.start, s.document_id LIMIT {LOOKED_AT})"
)
# Round the whole order of names, from the prefix on: as many rows are read whatever begins so.
_ROUND = (
    "SELECT start, document_id, row_number() OVER (ORDER BY turn, start, document_id) AS place,"
    f" turn = 0 AND start < cortex_folded(:prefix) || '{LAST_CHARACTER}' AS begins"
    f" FROM ({_FROM.format(turn=0, side='>=')} UNION ALL {_FROM.format(turn=1, side='<')}) AS sides"
    f" ORDER BY place LIMIT {LOOKED_AT}"
)
_LIVE = "d.tombstoned_at IS NULL AND NOT d.quarantined AND d.indexed_revision > 0"
_BY_TITLE = text(
    "SELECT r.document_id, bool_or(r.begins) AS begins"
    f" FROM ({_ROUND}) r JOIN documents d ON d.id = r.document_id WHERE {_LIVE}"
    " GROUP BY r.document_id ORDER BY min(r.place) LIMIT :limit"
)
_BY_AUTHOR = text(
    "SELECT document_id, begins FROM ("
    " SELECT r.document_id, bool_or(r.begins) AS begins, min(min(r.place)) OVER same AS first,"
    " d.author, row_number() OVER (same ORDER BY d.updated_at DESC NULLS LAST, d.id) AS nth"
    f" FROM ({_ROUND}) r JOIN documents d ON d.id = r.document_id WHERE {_LIVE}"
    " GROUP BY r.document_id, d.author, d.updated_at, d.id WINDOW same AS (PARTITION BY d.author)) AS ranked"
    f" WHERE nth <= {OF_AN_AUTHOR} ORDER BY first, author, nth LIMIT :limit"
)


class PostgresSuggestions:
    """Implements SuggestionStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def candidates(self, tenant: TenantId, named: Named, prefix: str, *, limit: int) -> Sequence[Candidate]:
        statement = _BY_TITLE if named is Named.TITLE else _BY_AUTHOR
        values = {"kind": named.value, "prefix": prefix, "limit": limit}
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(statement, values)
            return [Candidate(DocumentId(row.document_id), row.begins) for row in rows]
