"""What the operators of a search name: whose documents, and which places. Permission is the caller's to check.

Nothing says whether there is such a person or place: it only narrows what the asker may see anyway.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.identity import ContainerId, DocumentId, SourceId, TenantId


@dataclass(frozen=True, slots=True)
class Places:
    """Either sources, or containers, or neither."""

    sources: frozenset[SourceId] = frozenset()
    containers: frozenset[ContainerId] = frozenset()


class NarrowingStore(Protocol):
    async def authored(self, tenant: TenantId, people: Sequence[str], *, limit: int) -> Sequence[DocumentId]:
        """By anyone who is called so: a word of the name begins so, or an address is this. Newest first."""
        ...

    async def places(self, tenant: TenantId, names: Sequence[str], *, limit: int) -> Places:
        """Sources called so; containers whose own id in their source is this, or ends with it as a path."""
        ...
