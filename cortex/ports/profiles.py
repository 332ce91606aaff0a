"""Who an asker is, as they may be told themselves."""

from dataclasses import dataclass
from typing import Protocol

from cortex.domain.identity import PersonId, TenantId


@dataclass(frozen=True, slots=True)
class Profile:
    """`email` None: a program, or a person without an address."""

    name: str
    email: str | None
    guest: bool
    tenant_name: str
    tenant_title: str


class Profiles(Protocol):
    async def profile(self, tenant: TenantId, person: PersonId) -> Profile:
        """NotFound when unknown. Raises Transient."""
        ...
