"""Words that a tenant calls the same (ports/synonyms.py)."""

import json

from sqlalchemy import text

from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.domain.identity import TenantId
from cortex.domain.synonyms import Groups
from cortex.ports.clock import Clock

_GET = text("SELECT synonyms FROM tenant_settings")
_SET = text(
    "INSERT INTO tenant_settings (tenant_id, synonyms) VALUES (:tenant, CAST(:synonyms AS jsonb))"
    " ON CONFLICT (tenant_id) DO UPDATE SET synonyms = excluded.synonyms"
)


class PostgresSynonyms(LeavesLines):
    """Implements SynonymStore."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def synonyms(self, tenant: TenantId) -> Groups:
        async with self._database.tenant(tenant) as connection:
            found = (await connection.execute(_GET)).scalar_one_or_none()
        return tuple(tuple(group) for group in found or ())

    async def set_synonyms(self, tenant: TenantId, groups: Groups) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_SET, {"tenant": tenant, "synonyms": json.dumps(groups)})
            await self._leave_line(connection, tenant)
