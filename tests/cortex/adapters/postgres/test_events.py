"""The event outbox: what was committed is relayed, in order, under one id, until the bus has it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from sqlalchemy import text

from cortex.adapters.event_wire import content_event
from cortex.adapters.postgres.events import EventNotices, EventRelay
from cortex.adapters.telemetry import span
from cortex.domain.errors import Transient
from cortex.ports.event_bus import Handler, Subscription
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_source_writer import page
from tests.local_servers import PostgresUrls
from tests.otlp import Collector

pytestmark = pytest.mark.servers


@dataclass(frozen=True, slots=True)
class Published:
    subject: str
    data: bytes
    message_id: str
    headers: Mapping[str, str]


@dataclass
class Bus:
    """Implements EventBus. Takes `takes` messages, then it is away."""

    takes: int = 1_000_000
    published: list[Published] = field(default_factory=list)

    async def publish(
        self, subject: str, data: bytes, *, message_id: str, headers: Mapping[str, str] | None = None
    ) -> None:
        if self.takes == 0:
            raise Transient("away")
        self.takes -= 1
        self.published.append(Published(subject, data, message_id, headers or {}))

    async def consume(self, subscription: Subscription, handler: Handler) -> None:
        raise NotImplementedError

    def of(self, store: Store) -> list[Published]:
        return [each for each in self.published if store.tenant.hex in each.subject]


async def relay_all(store: Store, bus: Bus, *, batch: int = 200) -> None:
    relay = EventRelay(store.database, bus, batch=batch)
    while await relay.relay_batch():
        pass


@pytest.fixture
async def empty(store: Store) -> Store:
    """A store whose outbox holds nothing of other tests."""
    await relay_all(store, Bus())
    return store


async def test_events_leave_in_the_order_of_their_writes(empty: Store) -> None:
    bus = Bus()
    for body in ("one", "two", "three"):
        await empty.writer.put_document(empty.tenant, empty.source, page(body=body))
    await relay_all(empty, bus, batch=2)
    events = [content_event(each.data) for each in bus.of(empty)]
    assert [event.counters.revision for event in events] == [1, 2, 3]
    assert [each.subject for each in bus.of(empty)] == [f"cortex.content.{empty.tenant.hex}.UPSERT"] * 3
    assert [each.message_id for each in bus.of(empty)] == [event.event_id for event in events]


async def test_what_was_relayed_is_not_relayed_again(empty: Store) -> None:
    bus = Bus()
    await empty.writer.put_document(empty.tenant, empty.source, page())
    await relay_all(empty, bus)
    await relay_all(empty, bus)
    assert len(bus.of(empty)) == 1


async def test_a_write_that_rolled_back_leaves_no_event(empty: Store) -> None:
    bus = Bus()
    await empty.writer.put_documents(empty.tenant, empty.source, [page(acl=None)])
    await relay_all(empty, bus)
    assert bus.of(empty) == []


async def test_a_bus_that_goes_away_loses_nothing(empty: Store) -> None:
    """What it took before comes again under the same id."""
    for name in ("a.md", "b.md", "c.md"):
        await empty.writer.put_document(empty.tenant, empty.source, page(name))
    short, bus = Bus(takes=2), Bus()
    with pytest.raises(Transient):
        await relay_all(empty, short)
    await relay_all(empty, bus)
    assert len(bus.of(empty)) == 3
    assert [each.message_id for each in short.of(empty)] == [each.message_id for each in bus.of(empty)[:2]]


async def test_relays_share_and_take_nothing_twice(empty: Store) -> None:
    for number in range(12):
        await empty.writer.put_document(empty.tenant, empty.source, page(f"{number}.md"))
    buses = [Bus(), Bus(), Bus()]
    await asyncio.gather(*(relay_all(empty, bus, batch=2) for bus in buses))
    ids = [each.message_id for bus in buses for each in bus.of(empty)]
    assert len(ids) == len(set(ids)) == 12


async def test_the_writers_trace_leaves_with_its_events(empty: Store, collector: Collector) -> None:
    bus = Bus()
    with span("fetch") as fetch:
        await empty.writer.put_documents(empty.tenant, empty.source, [page()])
    await empty.writer.put_document(empty.tenant, empty.source, page("untraced.md"))
    await relay_all(empty, bus)
    traced, untraced = bus.of(empty)
    assert traced.headers["traceparent"] == content_event(traced.data).traceparent
    assert traced.headers["traceparent"].split("-")[1] == fetch.trace_id
    assert untraced.headers == {}


async def test_whoever_waits_is_told_of_a_write(empty: Store, postgres_url: PostgresUrls) -> None:
    notices = EventNotices(postgres_url.service)
    await notices.wait(30)  # listens from now on
    async with asyncio.timeout(25), asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(notices.wait(30))
        await empty.writer.put_document(empty.tenant, empty.source, page())
        await waiting
    await notices.close()


async def test_a_database_that_is_away_is_transient() -> None:
    notices = EventNotices("postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(Transient):
        await notices.wait(1)


async def test_the_outbox_is_empty_afterwards(empty: Store) -> None:
    await empty.writer.put_document(empty.tenant, empty.source, page())
    await relay_all(empty, Bus())
    async with empty.database.tenant(empty.tenant) as connection:
        assert (await connection.execute(text("SELECT count(*) FROM event_outbox"))).scalar_one() == 0
