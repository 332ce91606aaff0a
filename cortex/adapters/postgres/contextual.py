"""Whether a source's passages get a context (ports/contextualiser.py)."""

from sqlalchemy import text

from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.domain.errors import NotFound
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.clock import Clock

_GET = text("SELECT contextual FROM sources WHERE id = :source")
_LOCKED = text("SELECT contextual FROM sources WHERE id = :source FOR UPDATE")
_SET = text("UPDATE sources SET contextual = :contextual, privacy_behind = true WHERE id = :source")


class PostgresContextSwitch(LeavesLines):
    """Implements ContextSwitch."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def contextual(self, tenant: TenantId, source: SourceId) -> bool:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_GET, {"source": source})).one_or_none()
        if row is None:
            raise NotFound("the source is not known")
        return bool(row.contextual)

    async def set_contextual(self, tenant: TenantId, source: SourceId, *, contextual: bool) -> bool:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_LOCKED, {"source": source})).one_or_none()
            if row is None:
                raise NotFound("the source is not known")
            if row.contextual == contextual:
                return False
            await connection.execute(_SET, {"source": source, "contextual": contextual})
            await self._leave_line(connection, tenant)
            return True
