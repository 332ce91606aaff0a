"""Sharing with everyone: the tenant's policy, what it concerns, and approvals."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from cortex.domain.identity import TenantId
from cortex.domain.sharing import SharedInSource, SharedKind, SharedThing, SharingPolicy
from cortex.ports.audit_log import LeavesLine


class SharingStore(LeavesLine, Protocol):
    """Raises Transient. What hides holds once the call returns; what shows, within the freshness budget."""

    async def policy(self, tenant: TenantId) -> SharingPolicy: ...

    async def set_policy(self, tenant: TenantId, policy: SharingPolicy) -> None:
        """However much is shared, a few relations decide. Idempotent."""
        ...

    async def counts(self, tenant: TenantId) -> Sequence[SharedInSource]:
        """Of every source, and of the directory (whose name is empty) if one of its groups holds nearly everybody."""
        ...

    async def things(
        self, tenant: TenantId, *, approved: bool, after: UUID | None, limit: int
    ) -> Sequence[SharedThing]:
        """Containers and documents in the order of their ids."""
        ...

    async def approve(self, tenant: TenantId, kind: SharedKind, identifier: UUID, *, approved: bool) -> None:
        """Of its present sharing; another kind of sharing needs another. NotFound for what is not there."""
        ...
