"""The engine against the mirror: in slices of objects, while nothing else is applied."""

from collections import Counter
from typing import Final, Protocol

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.permissions import APPLY_LOCK, SAVE_TOKEN
from cortex.domain.identity import TenantId
from cortex.domain.reconcile import Drift, Reconciled
from cortex.domain.relation import Operation, Relation, RelationUpdate, difference, object_id
from cortex.ports.permission_engine import UPDATES_MAX, PermissionEngine, PermissionReader

SLICE_MAX: Final = 50_000
DIGITS_MAX: Final = 2
RESOURCES: Final = ("tenant", "group", "generation", "gate", "container", "document")

_COUNT = text("SELECT count(*) FROM relation_tuples")
_MIRROR = text(
    "SELECT resource_type, resource_id, relation, subject_type, subject_id, subject_relation FROM relation_tuples"
    " WHERE starts_with(resource_id, :prefix)"
)
# Committed and not applied yet: what the engine says of these is about to change.
_ON_ITS_WAY = text(
    "SELECT resource_type, resource_id, relation, subject_type, subject_id, subject_relation FROM permission_outbox"
    " WHERE starts_with(resource_id, :prefix)"
)


class Engine(PermissionEngine, PermissionReader, Protocol):
    """Both sides of the permission engine."""


class EngineReconciler:
    """A slice is what begins with the same digits of an object's id, of which there are as few as will do."""

    def __init__(self, database: Database, engine: Engine, *, slice_max: int = SLICE_MAX) -> None:
        self._database = database
        self._engine = engine
        self._slice_max = slice_max

    async def step(self, tenant: TenantId, after: str | None) -> Reconciled:
        """`after` is the slice before, in hexadecimal."""
        async with self._database.tenant(tenant) as connection:
            digits = len(after) if after else await self._digits(connection)
        number = int(after, 16) + 1 if after else 0
        digits_here = f"{number:0{digits}x}" if digits else ""
        checked, drift = await self._slice(tenant, object_id(tenant, digits_here))
        last = number + 1 >= 16**digits
        return Reconciled(checked, drift, None if last else digits_here)

    async def _digits(self, connection: AsyncConnection) -> int:
        count = (await connection.execute(_COUNT)).scalar_one()
        return next((n for n in range(DIGITS_MAX) if count <= self._slice_max * 16**n), DIGITS_MAX)

    async def _slice(self, tenant: TenantId, prefix: str) -> tuple[int, Counter[Drift]]:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(APPLY_LOCK, {"tenant": str(tenant)})
            # In this order: what is committed in between is in the second, and left alone.
            mirror = await _relations(connection, _MIRROR, prefix)
            on_its_way = await _relations(connection, _ON_ITS_WAY, prefix)
            held: set[Relation] = set()
            for resource in RESOURCES:
                async for relation in self._engine.relations(resource, prefix=prefix):
                    held.add(relation)
            updates = [u for u in difference(frozenset(held), mirror) if u.relation not in on_its_way]
            await self._write(connection, tenant, updates)
        drift = Counter(
            Drift.ENGINE_MISSING if update.operation is Operation.TOUCH else Drift.ENGINE_EXTRA for update in updates
        )
        return len(mirror), drift

    async def _write(self, connection: AsyncConnection, tenant: TenantId, updates: list[RelationUpdate]) -> None:
        for start in range(0, len(updates), UPDATES_MAX):
            token = await self._engine.write(updates[start : start + UPDATES_MAX])
            await connection.execute(SAVE_TOKEN, {"tenant": tenant, "token": token})


async def _relations(connection: AsyncConnection, statement: object, prefix: str) -> frozenset[Relation]:
    rows = await connection.execute(statement, {"prefix": prefix})  # type: ignore[call-overload]
    return frozenset(Relation(*row) for row in rows)
