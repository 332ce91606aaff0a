"""Keeps the average length of passages that BM25 divides by current, tenant by tenant."""

import logging
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from cortex.domain.event import StageEvent
from cortex.domain.identity import DocumentId, TenantId
from cortex.domain.unexpected import outline
from cortex.ports.term_length_store import TermLengthStore

logger = logging.getLogger(__name__)

GROWTH = 10
"""A tenant is counted again once one part in so many of its passages was written since: counting reads them all."""

BATCH = 50
FIRST = DocumentId(uuid.UUID(int=0))

Tenants = Callable[[], Awaitable[Sequence[TenantId]]]
Handle = Callable[[StageEvent], Awaitable[object]]


class LengthUpkeep:
    """Where the average has moved too far, a new one is taken up, and what is live is indexed again, a batch a turn.

    Nothing is embedded for that. A tenant is gone through until nothing is found that was weighed otherwise: what was
    being indexed while the average changed is found the next time, and what a crash left, by the next process.
    """

    def __init__(self, store: TermLengthStore, tenants: Tenants) -> None:
        self._store = store
        self._tenants = tenants
        self._counted: dict[TenantId, int] = {}
        self._written: Counter[TenantId] = Counter()
        self._behind: dict[TenantId, DocumentId] = {}

    def written(self, tenant: TenantId, passages: int) -> None:
        self._written[tenant] += passages

    async def turn(self, handle: Handle) -> bool:
        """True when there is more to do at once. `handle` is the stage's own for `chunked` events."""
        for tenant in await self._tenants():
            if self._is_due(tenant):
                await self._count(tenant)
        went_on = [await self._catch_up(tenant, handle) for tenant in list(self._behind)]
        return any(went_on)

    def _is_due(self, tenant: TenantId) -> bool:
        counted = self._counted.get(tenant)
        return counted is None or self._written[tenant] * GROWTH > counted

    async def _count(self, tenant: TenantId) -> None:
        lengths = await self._store.lengths(tenant)
        due = lengths.due
        if due is not None:
            await self._store.take_up(tenant, due)
            logger.info("terms of tenant %s are weighed by %g a passage, and no longer %g", tenant, due, lengths.used)
        self._counted[tenant] = lengths.passages
        self._written[tenant] = 0
        self._behind.setdefault(tenant, FIRST)

    async def _catch_up(self, tenant: TenantId, handle: Handle) -> bool:
        """One batch, in the order of ids. Whatever fails is stepped over, and found again at the next pass."""
        after = self._behind[tenant]
        events = await self._store.weighed_otherwise(tenant, after=after, limit=BATCH)
        done = [await self._handled(event, handle) for event in events]
        if len(events) == BATCH:
            self._behind[tenant] = events[-1].document_id
        elif events or after != FIRST:
            self._behind[tenant] = FIRST
        else:
            del self._behind[tenant]
        return any(done)

    async def _handled(self, event: StageEvent, handle: Handle) -> bool:
        try:
            await handle(event)
        except Exception as error:  # noqa: BLE001 - one document's trouble must not hold up the others
            logger.error("document %s keeps its old weights for now: %s", event.document_id, outline(error))
            return False
        return True
