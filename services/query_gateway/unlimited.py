"""No rate and no quota: for whoever composes the gateway without."""

from cortex.domain.identity import PersonId, TenantId


class Unlimited:
    """Implements PrincipalLimits."""

    async def request(self, tenant: TenantId, person: PersonId) -> None:
        return

    async def question(self, tenant: TenantId, person: PersonId) -> None:
        return
