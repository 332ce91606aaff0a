"""Rates and quotas of principals."""

from typing import Protocol

from cortex.domain.identity import PersonId, TenantId
from cortex.domain.limits import Ages, Limits
from cortex.ports.audit_log import LeavesLine


class LimitStore(LeavesLine, Protocol):
    async def limits(self, tenant: TenantId) -> Limits:
        """Raises Transient."""
        ...

    async def set_limits(self, tenant: TenantId, limits: Limits) -> None:
        """Holds within half a minute. Raises Transient."""
        ...


class AgeStore(LeavesLine, Protocol):
    """Raises Transient."""

    async def ages(self, tenant: TenantId) -> Ages: ...

    async def set_ages(self, tenant: TenantId, ages: Ages) -> None: ...


class Buckets(Protocol):
    """Counters that processes share. Raises Transient."""

    async def take(self, key: str, *, per_s: float, most: float) -> float:
        """Takes a token from the bucket and returns 0, or takes none and returns after how many seconds to ask."""
        ...

    async def count(self, key: str, *, keep_s: float) -> int:
        """How often it was called with this key, which is forgotten after `keep_s`."""
        ...


class PrincipalLimits(Protocol):
    """Raises Throttled, and nothing else: what cannot be counted is let through."""

    async def request(self, tenant: TenantId, person: PersonId) -> None: ...

    async def question(self, tenant: TenantId, person: PersonId) -> None: ...
