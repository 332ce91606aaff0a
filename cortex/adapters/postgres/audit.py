"""The hash-chained audit log (ports/audit_log.py)."""

import copy
from dataclasses import replace
from typing import Self

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.database import Database
from cortex.domain.audit import GENESIS, AuditLine, Chain, entry_hash
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
PAGE_LINES = 1_000
_COLUMNS = "sequence, at, actor, action, object, details, previous_hash, hash"
_AFTER = text(f"SELECT {_COLUMNS} FROM audit WHERE sequence > :after ORDER BY sequence LIMIT :most")
_HEAD = text(f"SELECT {_COLUMNS} FROM audit ORDER BY sequence DESC LIMIT 1")


async def append_entries(
    connection: AsyncConnection, tenant: TenantId, entries: list[AuditEntry], clock: Clock
) -> None:
    """In the caller's transaction, and last in it: from here on, others wait for its end."""
    await connection.execute(_LOCK, {"tenant": str(tenant)})
    last = (await connection.execute(_LAST)).one_or_none()
    newest, previous = (last.sequence, bytes(last.hash)) if last else (0, GENESIS)
    rows = []
    for sequence, entry in enumerate(entries, start=newest + 1):
        at = clock.now()
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


class LeavesLines:
    """Implements LeavesLine for adapters, which call `_leave_line` in the transaction of what they change."""

    _clock: Clock
    _line: AuditEntry | None = None

    def audited(self, entry: AuditEntry) -> Self:
        made = copy.copy(self)
        made._line = entry
        return made

    async def _leave_line(
        self, connection: AsyncConnection, tenant: TenantId, *, made: object = "", **details: str | int | bool
    ) -> None:
        """Last in the transaction, as `append_entries`. `made` is what the line is about where it could not say so."""
        if self._line is not None:
            about = self._line.object or str(made)
            line = replace(self._line, object=about, details={**self._line.details, **details})
            await append_entries(connection, tenant, [line], self._clock)


class PostgresAuditLog:
    """Implements AuditLog and AuditReader."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def append(self, tenant: TenantId, entries: list[AuditEntry]) -> None:
        async with self._database.tenant(tenant) as connection:
            await append_entries(connection, tenant, entries, self._clock)

    async def lines(self, tenant: TenantId, *, after: int, limit: int) -> list[AuditLine]:
        async with self._database.tenant(tenant) as connection:
            rows = (await connection.execute(_AFTER, {"after": after, "most": limit})).all()
        return [_line(row) for row in rows]

    async def head(self, tenant: TenantId) -> AuditLine | None:
        """The newest entry; None before the first."""
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_HEAD)).one_or_none()
        return None if row is None else _line(row)

    async def verify(self, tenant: TenantId) -> tuple[int, int | None]:
        """How many entries fit, and the sequence of the first that is altered or missing."""
        chain = Chain()
        while lines := await self.lines(tenant, after=chain.entries, limit=PAGE_LINES):
            if not all(map(chain.follow, lines)):
                break
        return chain.entries, chain.broken_at


def _line(row: Row[tuple[object, ...]]) -> AuditLine:
    return AuditLine(
        sequence=row.sequence,
        at=row.at,
        actor=row.actor,
        action=row.action,
        object=row.object,
        details=row.details,
        previous_hash=bytes(row.previous_hash),
        hash=bytes(row.hash),
    )
