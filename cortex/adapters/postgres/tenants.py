"""Tenants: the one table that comes before all others."""

from dataclasses import dataclass

from sqlalchemy import text

from cortex.adapters.postgres.acl_rows import queue_updates
from cortex.adapters.postgres.database import Database
from cortex.domain.errors import NotFound
from cortex.domain.identity import TenantId, tenant_id
from cortex.domain.relation import Operation, RelationUpdate, sharing_relation

_ALL = text("SELECT id, name, title FROM cortex_tenants()")
_MAKE = (
    text("INSERT INTO tenants (id, name, title) VALUES (:id, :name, :title) ON CONFLICT DO NOTHING"),
    text("INSERT INTO permission_sequences (tenant_id) VALUES (:id) ON CONFLICT DO NOTHING"),
    text("INSERT INTO permission_marks (tenant_id) VALUES (:id) ON CONFLICT DO NOTHING"),
)


@dataclass(frozen=True, slots=True)
class Tenant:
    id: TenantId
    name: str
    title: str


class PostgresTenants:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def make(self, name: str, *, title: str) -> TenantId:
        """Idempotent; the id follows from the name."""
        identifier = tenant_id(name)
        async with self._database.tenant(identifier) as connection:
            for statement in _MAKE:
                made = await connection.execute(statement, {"id": identifier, "name": name, "title": title})
            if made.rowcount == 1:
                open_door = RelationUpdate(Operation.TOUCH, sharing_relation(identifier))
                await queue_updates(connection, identifier, identifier, [open_door])
        return identifier

    async def all(self) -> list[Tenant]:
        async with self._database.spanning() as connection:
            return [Tenant(*row) for row in await connection.execute(_ALL)]

    async def named(self, name: str) -> Tenant:
        for tenant in await self.all():
            if tenant.name == name:
                return tenant
        raise NotFound(f"tenant {name!r} is not known")
