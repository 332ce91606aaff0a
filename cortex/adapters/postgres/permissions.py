"""Applies the permission outbox to the engine, in sequence, one applier a tenant (architecture section 4)."""

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.domain.errors import Transient
from cortex.domain.identity import TenantId
from cortex.domain.relation import Operation, Relation, RelationUpdate
from cortex.ports.permission_engine import UPDATES_MAX, PermissionEngine

# Waiters queue on the lock; whoever gets it finds the mark moved, or moves it.
APPLY_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('permissions:' || :tenant, 0))")
_LOCK_TIMEOUT = text("SELECT set_config('lock_timeout', :timeout, true)")
_MARK = text("SELECT applied FROM permission_marks WHERE tenant_id = :tenant")
_PENDING = text(
    "SELECT sequence, operation, resource_type, resource_id, relation, subject_type, subject_id, subject_relation"
    " FROM permission_outbox WHERE sequence > :applied ORDER BY sequence LIMIT :most"
)
_LAST_PENDING = text("SELECT max(sequence) FROM permission_outbox")
_SAVE = text("UPDATE permission_marks SET applied = :applied, token = :token WHERE tenant_id = :tenant")
SAVE_TOKEN = text("UPDATE permission_marks SET token = :token WHERE tenant_id = :tenant")
_FORGET = text("DELETE FROM permission_outbox WHERE sequence <= :applied")
_BEHIND = text("SELECT tenant_id, permissions, repairs FROM cortex_tenants_behind()")


class PermissionApplier:
    """A crash between the engine's write and the saved mark is replayed by the same code: updates are idempotent."""

    def __init__(self, database: Database, engine: PermissionEngine, *, wait_s: float = 10.0) -> None:
        self._database = database
        self._engine = engine
        self._wait_s = wait_s

    async def apply_until(self, tenant: TenantId, sequence: int | None) -> None:
        """Returns once everything up to `sequence` is applied. Raises Transient.

        None, for a write that changed nothing: what is left of earlier ones. One that could not be applied in time and
        is sent again changes nothing, and may not be acknowledged before the first is.
        """
        if sequence is None:
            sequence = await self._last_pending(tenant)
        if sequence is None:
            return
        applied = -1
        while applied < sequence:
            reached = await self._apply_once(tenant)
            if reached == applied:
                raise Transient("the permission outbox did not advance", retry_after_s=1.0)
            applied = reached

    async def apply_all(self, tenant: TenantId) -> None:
        """Whatever a crash or an unreachable engine left behind."""
        before = -1
        while (applied := await self._apply_once(tenant)) != before:
            before = applied

    async def tenants_behind(self) -> list[TenantId]:
        async with self._database.spanning() as connection:
            return [row.tenant_id for row in await connection.execute(_BEHIND) if row.permissions]

    async def _last_pending(self, tenant: TenantId) -> int | None:
        async with self._database.tenant(tenant) as connection:
            last: int | None = (await connection.execute(_LAST_PENDING)).scalar_one()
            return last

    async def _apply_once(self, tenant: TenantId) -> int:
        """Applies at most UPDATES_MAX updates and returns the mark."""
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_LOCK_TIMEOUT, {"timeout": f"{int(self._wait_s * 1000)}ms"})
            await connection.execute(APPLY_LOCK, {"tenant": str(tenant)})
            applied = int((await connection.execute(_MARK, {"tenant": tenant})).scalar_one())
            rows = (await connection.execute(_PENDING, {"applied": applied, "most": UPDATES_MAX})).all()
            if not rows:
                return applied
            token = await self._engine.write([RelationUpdate(Operation(row[1]), Relation(*row[2:])) for row in rows])
            applied = int(rows[-1].sequence)
            await connection.execute(_SAVE, {"applied": applied, "token": token, "tenant": tenant})
            await connection.execute(_FORGET, {"applied": applied})
            return applied
