"""How long a tenant's passages are, and which of them were weighed by another average than the present one."""

from typing import Protocol

from cortex.domain.event import StageEvent
from cortex.domain.identity import DocumentId, TenantId
from cortex.domain.term_length import TermLengths


class TermLengthStore(Protocol):
    """Raises Transient."""

    async def lengths(self, tenant: TenantId) -> TermLengths: ...

    async def take_up(self, tenant: TenantId, average: float) -> None:
        """What is indexed from now on is weighed by it."""
        ...

    async def weighed_otherwise(self, tenant: TenantId, *, after: DocumentId, limit: int) -> list[StageEvent]:
        """Live revisions by the ids of their documents, from behind `after` on.

        Handled once more as the `chunked` events that they come as, each is weighed by the present average.
        """
        ...
