"""A tenant's own settings. A tenant without a row has the defaults of the table."""

from sqlalchemy import text

from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.domain.identity import TenantId
from cortex.domain.limits import Ages, Limits
from cortex.ports.clock import Clock

_LIMITS = text("SELECT requests_per_minute, requests_at_once, questions_per_day FROM tenant_settings")
_SET_LIMITS = text(
    "INSERT INTO tenant_settings (tenant_id, requests_per_minute, requests_at_once, questions_per_day)"
    " VALUES (:tenant, :per_minute, :at_once, :per_day) ON CONFLICT (tenant_id) DO UPDATE SET"
    " requests_per_minute = excluded.requests_per_minute, requests_at_once = excluded.requests_at_once,"
    " questions_per_day = excluded.questions_per_day"
)
_AGES = text("SELECT acl_age_s_max, reconcile_every_s FROM tenant_settings")
_SET_AGES = text(
    "INSERT INTO tenant_settings (tenant_id, acl_age_s_max, reconcile_every_s) VALUES (:tenant, :age, :every)"
    " ON CONFLICT (tenant_id) DO UPDATE SET acl_age_s_max = excluded.acl_age_s_max,"
    " reconcile_every_s = excluded.reconcile_every_s"
)


class PostgresSettings(LeavesLines):
    """Implements LimitStore and AgeStore."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def limits(self, tenant: TenantId) -> Limits:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_LIMITS)).one_or_none()
        return Limits() if row is None else Limits(*row)

    async def ages(self, tenant: TenantId) -> Ages:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_AGES)).one_or_none()
        return Ages() if row is None else Ages(*row)

    async def set_ages(self, tenant: TenantId, ages: Ages) -> None:
        values = {"tenant": tenant, "age": ages.acl_age_s_max, "every": ages.reconcile_every_s}
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_SET_AGES, values)
            await self._leave_line(connection, tenant)

    async def set_limits(self, tenant: TenantId, limits: Limits) -> None:
        values = {
            "tenant": tenant,
            "per_minute": limits.requests_per_minute,
            "at_once": limits.requests_at_once,
            "per_day": limits.questions_per_day,
        }
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_SET_LIMITS, values)
            await self._leave_line(connection, tenant)
