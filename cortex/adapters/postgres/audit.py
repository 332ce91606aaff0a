"""The hash-chained audit log (ports/audit_log.py)."""

from sqlalchemy import text

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.database import Database
from cortex.domain.audit import GENESIS, entry_hash
from cortex.domain.identity import TenantId
from cortex.ports.audit_log import AuditEntry
from cortex.ports.clock import Clock

# One writer a tenant at a time: the chain has no branches.
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('audit:' || :tenant, 0))")
_LAST = text("SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1")
_APPEND = text(
    "INSERT INTO audit (tenant_id, sequence, at, actor, action, object, details, previous_hash, hash)"
    " VALUES (:tenant, :sequence, :at, :actor, :action, :object, CAST(:details AS jsonb), :previous, :hash)"
)
_ALL = text(
    "SELECT sequence, at, actor, action, object, details, previous_hash, hash FROM audit"
    " WHERE sequence > :after ORDER BY sequence LIMIT 1000"
)


class PostgresAuditLog:
    """Implements AuditLog; `verify` walks the chain."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def append(self, tenant: TenantId, entries: list[AuditEntry]) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_LOCK, {"tenant": str(tenant)})
            last = (await connection.execute(_LAST)).one_or_none()
            sequence, previous = (last.sequence, bytes(last.hash)) if last else (0, GENESIS)
            rows = []
            for entry in entries:
                sequence += 1
                at = self._clock.now()
                link = entry_hash(
                    previous,
                    sequence=sequence,
                    at=at,
                    actor=entry.actor,
                    action=entry.action,
                    object_=entry.object,
                    details=entry.details,
                )
                rows.append(
                    {
                        "tenant": tenant,
                        "sequence": sequence,
                        "at": at,
                        "actor": entry.actor,
                        "action": entry.action,
                        "object": entry.object,
                        "details": as_json(dict(entry.details)),
                        "previous": previous,
                        "hash": link,
                    }
                )
                previous = link
            if rows:
                await connection.execute(_APPEND, rows)

    async def verify(self, tenant: TenantId) -> tuple[int, int | None]:
        """How many entries there are, and the sequence of the first that is altered or missing."""
        count, previous = 0, GENESIS
        while True:
            async with self._database.tenant(tenant) as connection:
                rows = (await connection.execute(_ALL, {"after": count})).all()
            if not rows:
                return count, None
            for row in rows:
                link = entry_hash(
                    previous,
                    sequence=count + 1,
                    at=row.at,
                    actor=row.actor,
                    action=row.action,
                    object_=row.object,
                    details=row.details,
                )
                if row.sequence != count + 1 or link != bytes(row.hash):
                    return count, count + 1
                count, previous = count + 1, link
