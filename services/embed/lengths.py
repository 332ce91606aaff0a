"""Keeps the average length of passages that BM25 divides by current, tenant by tenant."""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from cortex.domain.event import StageEvent
from cortex.domain.identity import TenantId
from cortex.ports.term_length_store import TermLengthStore

logger = logging.getLogger(__name__)

GROWTH = 10
"""A tenant is counted again once one part in so many of its passages was written since: counting reads them all."""

BATCH = 50

Tenants = Callable[[], Awaitable[Sequence[TenantId]]]
Handle = Callable[[StageEvent], Awaitable[None]]


class LengthUpkeep:
    """Where the average has moved too far, a new one is taken up, and what is live is indexed again, a batch a turn.

    Nothing is embedded for that. After a crash the passages themselves tell which are left: every tenant is counted at
    the first turn of a process.
    """

    def __init__(self, store: TermLengthStore, tenants: Tenants) -> None:
        self._store = store
        self._tenants = tenants
        self._counted: dict[TenantId, int] = {}
        self._written: Counter[TenantId] = Counter()
        self._behind: set[TenantId] = set()

    def written(self, tenant: TenantId, passages: int) -> None:
        self._written[tenant] += passages

    async def turn(self, handle: Handle) -> bool:
        """True when there is more to do at once. `handle` is the stage's own for `chunked` events."""
        for tenant in await self._tenants():
            if self._is_due(tenant):
                await self._count(tenant)
        for tenant in sorted(self._behind):
            await self._catch_up(tenant, handle)
        return bool(self._behind)

    def _is_due(self, tenant: TenantId) -> bool:
        counted = self._counted.get(tenant)
        return counted is None or self._written[tenant] * GROWTH > counted

    async def _count(self, tenant: TenantId) -> None:
        lengths = await self._store.lengths(tenant)
        due = lengths.due
        if due is not None:
            await self._store.take_up(tenant, due)
            logger.info("terms of tenant %s are weighed by %g a passage, and no longer %g", tenant, due, lengths.used)
        if due is not None or tenant not in self._counted:
            self._behind.add(tenant)
        self._counted[tenant] = lengths.passages
        self._written[tenant] = 0

    async def _catch_up(self, tenant: TenantId, handle: Handle) -> None:
        events = await self._store.weighed_otherwise(tenant, limit=BATCH)
        for event in events:
            await handle(event)
        if len(events) < BATCH:
            self._behind.discard(tenant)
