"""When tenants are counted, and how what was weighed by another average is indexed again."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from cortex.domain.errors import Transient
from cortex.domain.event import StageEvent
from cortex.domain.identity import DocumentId, SourceId, TenantId
from cortex.domain.term_length import AVERAGE_TERMS, TermLengths
from services.embed.lengths import BATCH, LengthUpkeep

TENANT, SOURCE = TenantId(uuid.uuid4()), SourceId(uuid.uuid4())


def revision() -> StageEvent:
    return StageEvent("chunked", TENANT, SOURCE, DocumentId(uuid.uuid4()), 1)


@dataclass
class Tenant:
    """Implements TermLengthStore for one tenant, whose documents have one passage each."""

    mean: float = AVERAGE_TERMS
    used: float = AVERAGE_TERMS
    live: list[StageEvent] = field(default_factory=list)
    weighed: dict[StageEvent, float] = field(default_factory=dict)
    counted: int = 0

    def write(self, passages: int) -> None:
        for event in [revision() for _ in range(passages)]:
            self.live.append(event)
            self.weighed[event] = self.used

    async def lengths(self, tenant: TenantId) -> TermLengths:
        self.counted += 1
        return TermLengths(self.used, self.mean, len(self.live))

    async def take_up(self, tenant: TenantId, average: float) -> None:
        self.used = average

    async def weighed_otherwise(self, tenant: TenantId, *, after: DocumentId, limit: int) -> list[StageEvent]:
        live = sorted(self.live, key=lambda event: event.document_id)
        return [event for event in live if event.document_id > after and self.weighed[event] != self.used][:limit]

    async def handle(self, event: StageEvent) -> None:
        self.weighed[event] = self.used


@pytest.fixture
def store() -> Tenant:
    return Tenant()


@pytest.fixture
def upkeep(store: Tenant) -> LengthUpkeep:
    async def tenants() -> Sequence[TenantId]:
        return [TENANT]

    return LengthUpkeep(store, tenants)


async def turns(upkeep: LengthUpkeep, store: Tenant) -> int:
    """Until there is nothing more to do at once."""
    taken = 1
    while await upkeep.turn(store.handle):
        taken += 1
    return taken


async def test_what_is_live_is_indexed_again_a_batch_a_turn(store: Tenant, upkeep: LengthUpkeep) -> None:
    store.mean = 30.0
    store.write(5 * BATCH)
    await turns(upkeep, store)
    assert set(store.weighed.values()) == {30.0}


async def test_a_tenant_is_counted_at_first_and_again_once_a_tenth_is_new(store: Tenant, upkeep: LengthUpkeep) -> None:
    store.write(300)
    await turns(upkeep, store)
    store.mean = 30.0
    upkeep.written(TENANT, 30)
    await turns(upkeep, store)
    assert (store.counted, store.used) == (1, AVERAGE_TERMS)
    upkeep.written(TENANT, 1)
    await turns(upkeep, store)
    assert (store.counted, store.used, set(store.weighed.values())) == (2, 30.0, {30.0})


async def test_what_a_crash_left_is_taken_up_by_the_next_process(store: Tenant, upkeep: LengthUpkeep) -> None:
    store.write(300)
    store.used = store.mean = 30.0
    await turns(upkeep, store)
    assert set(store.weighed.values()) == {30.0}


async def test_what_was_under_way_while_the_average_changed_is_found_the_next_time(
    store: Tenant, upkeep: LengthUpkeep
) -> None:
    store.mean = 30.0
    store.write(300)
    late = store.live[-1]
    await turns(upkeep, store)
    store.weighed[late] = AVERAGE_TERMS
    upkeep.written(TENANT, 31)
    await turns(upkeep, store)
    assert set(store.weighed.values()) == {30.0}


async def test_whatever_fails_is_stepped_over_and_tried_again(store: Tenant, upkeep: LengthUpkeep) -> None:
    store.mean = 30.0
    store.write(300)
    poison = min(store.live, key=lambda event: event.document_id)
    refused = 0

    async def handle(event: StageEvent) -> None:
        nonlocal refused
        if event == poison and refused < 3:
            refused += 1
            raise Transient("away")
        await store.handle(event)

    while await upkeep.turn(handle):
        assert refused <= 3
    assert {event for event in store.live if store.weighed[event] != 30.0} == {poison}
    await turns(upkeep, store)
    assert set(store.weighed.values()) == {30.0}
