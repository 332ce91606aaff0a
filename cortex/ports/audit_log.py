"""Append-only, hash-chained record of reads of document bodies and of administrative acts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

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
