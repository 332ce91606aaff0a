"""A tenant's synonyms, as further terms of the lexical arm."""

from datetime import datetime, timedelta

from cortex.domain.errors import Transient
from cortex.domain.identity import TenantId
from cortex.domain.synonyms import Groups, expansions
from cortex.domain.vector import SparseVector
from cortex.ports import synonyms
from cortex.ports.clock import Clock

WEIGHT = 0.5
"""Of a word that was not typed, beside one that was."""
KEPT = timedelta(seconds=10)
TENANTS_MAX = 1_000


class Synonyms:
    """Read anew every few seconds. Where they cannot be read, the words that were typed are enough."""

    def __init__(self, store: synonyms.Synonyms, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._known: dict[TenantId, tuple[datetime, Groups]] = {}

    async def of(self, tenant: TenantId, text: str) -> list[str]:
        """What else to look for."""
        return expansions(text, await self._groups(tenant))

    async def _groups(self, tenant: TenantId) -> Groups:
        now = self._clock.now()
        known = self._known.get(tenant)
        if known is not None and now - known[0] < KEPT:
            return known[1]
        try:
            groups = await self._store.synonyms(tenant)
        except Transient:
            return known[1] if known else ()
        if len(self._known) >= TENANTS_MAX:
            self._known.clear()
        self._known[tenant] = (now, groups)
        return groups


def widened(typed: SparseVector, more: SparseVector) -> SparseVector:
    """Terms of both; one that was typed keeps its weight."""
    held = set(typed.indices)
    added = [
        (index, WEIGHT * value) for index, value in zip(more.indices, more.values, strict=True) if index not in held
    ]
    return SparseVector(
        (*typed.indices, *(index for index, _ in added)), (*typed.values, *(value for _, value in added))
    )
