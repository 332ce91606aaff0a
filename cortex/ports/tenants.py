"""Tenants, by their name."""

from typing import Protocol

from cortex.domain.identity import TenantId


class Tenants(Protocol):
    async def make(self, name: str, *, title: str) -> TenantId:
        """Idempotent; the id follows from the name. Raises Transient."""
        ...
