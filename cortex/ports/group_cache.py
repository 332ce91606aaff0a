"""Expanded groups of a person, for a while: losing it loses nothing."""

from typing import Protocol

from cortex.domain.acl import Asker
from cortex.domain.identity import PersonId, TenantId


class GroupCache(Protocol):
    """Raises Transient when the cache is out of reach; callers then expand without it."""

    async def get(self, tenant: TenantId, person: PersonId) -> Asker | None: ...

    async def put(self, tenant: TenantId, asker: Asker, *, generation: int) -> None:
        """Kept for a time with jitter, unless the tenant's generation has moved on since `generation` was read."""
        ...

    async def generation(self, tenant: TenantId) -> int:
        """Read before the expansion that is to be put."""
        ...

    async def drop(self, tenant: TenantId) -> None:
        """Every asker of the tenant: a membership changed."""
        ...
