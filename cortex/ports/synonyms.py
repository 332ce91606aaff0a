"""Words that a tenant calls the same."""

from typing import Protocol

from cortex.domain.identity import TenantId
from cortex.domain.synonyms import Groups
from cortex.ports.audit_log import LeavesLine


class Synonyms(Protocol):
    """Raises Transient."""

    async def synonyms(self, tenant: TenantId) -> Groups:
        """None where nobody set any."""
        ...


class SynonymStore(Synonyms, LeavesLine, Protocol):
    """For whoever administers."""

    async def set_synonyms(self, tenant: TenantId, groups: Groups) -> None:
        """Takes the place of all there were."""
        ...
