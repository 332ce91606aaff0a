"""A tenant's own settings. A tenant without a row has the defaults of the table."""

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.domain.identity import TenantId
from cortex.domain.limits import Limits

_LIMITS = text("SELECT requests_per_minute, requests_at_once, questions_per_day FROM tenant_settings")
_SET_LIMITS = text(
    "INSERT INTO tenant_settings (tenant_id, requests_per_minute, requests_at_once, questions_per_day)"
    " VALUES (:tenant, :per_minute, :at_once, :per_day) ON CONFLICT (tenant_id) DO UPDATE SET"
    " requests_per_minute = excluded.requests_per_minute, requests_at_once = excluded.requests_at_once,"
    " questions_per_day = excluded.questions_per_day"
)


class PostgresSettings:
    """Implements LimitStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def limits(self, tenant: TenantId) -> Limits:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_LIMITS)).one_or_none()
        return Limits() if row is None else Limits(*row)

    async def set_limits(self, tenant: TenantId, limits: Limits) -> None:
        values = {
            "tenant": tenant,
            "per_minute": limits.requests_per_minute,
            "at_once": limits.requests_at_once,
            "per_day": limits.questions_per_day,
        }
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_SET_LIMITS, values)
