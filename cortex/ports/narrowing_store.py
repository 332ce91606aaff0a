"""What the operators of a search name: whose documents, and which places. Permission is the caller's to check.

Nothing says whether there is such a person or place: it only narrows what the asker may see anyway.
"""

from collections.abc import Sequence
from typing import Protocol

from cortex.domain.identity import ContainerId, DocumentId, SourceId, TenantId


class NarrowingStore(Protocol):
    async def authored(
        self, tenant: TenantId, people: Sequence[str], *, limit: int, skip: int = 0
    ) -> Sequence[DocumentId]:
        """By anyone who is called so: a word of the name begins so. An address is that address. Newest first."""
        ...

    async def containers(
        self, tenant: TenantId, names: Sequence[str], *, limit: int, after: ContainerId | None = None
    ) -> Sequence[ContainerId]:
        """Whose own id in their source is this, or ends with it as a path; in order of their ids."""
        ...

    async def sources(self, tenant: TenantId, names: Sequence[str]) -> Sequence[SourceId]:
        """Called so."""
        ...
