"""Append-only, hash-chained record of reads of document bodies and of administrative acts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

from cortex.domain.audit import Anchor, AuditLine
from cortex.domain.identity import TenantId


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`actor` and `object` are ids or names of administration, `details` counts and ids: never content or secrets."""

    actor: str
    action: str
    object: str
    details: Mapping[str, str | int | bool] = field(default_factory=dict)


class AuditLog(Protocol):
    async def append(self, tenant: TenantId, entries: list[AuditEntry]) -> None:
        """Durable when it returns; entries keep their order. Raises Transient."""
        ...


class LeavesLine(Protocol):
    """A port whose writes can leave a line in the audit."""

    def audited(self, entry: AuditEntry) -> Self:
        """The same port, whose writes and this line are one: neither is there without the other.

        Where `object` is empty, the line names what the write makes.
        """
        ...


class AuditReader(Protocol):
    async def lines(self, tenant: TenantId, *, after: int, limit: int) -> list[AuditLine]:
        """In order, with sequences above `after`. Raises Transient."""
        ...


class AuditAnchors(Protocol):
    """Heads of the chain, signed and kept apart from it: without them nobody would miss what is cut off its end."""

    async def keep(self, tenant: TenantId, line: AuditLine) -> None:
        """Idempotent. Raises Transient."""
        ...

    async def newest(self, tenant: TenantId, *, limit: int) -> Sequence[Anchor]:
        """Those whose signature holds, the highest first. Bug where one does not. Raises Transient."""
        ...
