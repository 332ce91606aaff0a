"""The event bus over a real JetStream: at least once, in bounded numbers, and nothing lost."""

import asyncio
import os
import signal
import socket
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import nats
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import AckPolicy, ConsumerConfig

from cortex.adapters.nats import NatsBus, StagePublisher, retry_delay_s
from cortex.adapters.telemetry import span
from cortex.domain.errors import CortexError, Exhausted, Invalid, NotFound, Transient
from cortex.domain.event import StageEvent
from cortex.domain.identity import DocumentId, SourceId, TenantId
from cortex.ports.event_bus import Handler, Message, Subscription
from cortex.runtime.local import PlatformOptions, ServerName, platform
from tests.otlp import Collector, is_child

pytestmark = pytest.mark.servers

WAIT_S = 30.0
MARKER = "moonshot"


@dataclass(frozen=True, slots=True)
class Bench:
    """A bus, a client beside it, and a subject and subscription of the test's own."""

    bus: NatsBus
    client: Client
    tenant: str
    subscription: Subscription

    @property
    def subject(self) -> str:
        return f"cortex.parsed.{self.tenant}"

    async def publish(self, *bodies: str) -> None:
        for body in bodies:
            await self.bus.publish(self.subject, body.encode(), message_id=f"{self.tenant}-{body}")

    @asynccontextmanager
    async def dead_letters(self) -> AsyncIterator[Callable[[], Awaitable[Msg]]]:
        """The next dead letter, once it is there."""
        subscription = await self.client.subscribe(f"cortex.dead.{self.subscription.name}.{self.tenant}")
        await self.client.flush()
        yield lambda: subscription.next_msg(timeout=WAIT_S)
        await subscription.unsubscribe()


@pytest.fixture
async def bench(nats_url: str) -> AsyncIterator[Bench]:
    async with opened(nats_url) as made:
        yield made


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Bench]:
    tenant = uuid.uuid4().hex
    bus, client = await NatsBus.connect(url, timeout_s=2), await nats.connect(url)
    subscription = Subscription(
        name=f"test-{tenant}",
        subjects=(f"cortex.parsed.{tenant}",),
        concurrency=4,
        acknowledge_wait_s=WAIT_S,
        deliveries_max=3,
    )
    yield Bench(bus, client, tenant, subscription)
    await bus.close()
    await client.close()


@asynccontextmanager
async def consuming(bus: NatsBus, subscription: Subscription, handler: Handler) -> AsyncIterator[None]:
    """For as long as the block lasts; a test that waits too long fails."""
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as tasks:
        task = tasks.create_task(bus.consume(subscription, handler))
        yield
        task.cancel()


class Inbox:
    """A handler that keeps what it is given, and fails as the test says: first errors come first."""

    def __init__(self, *errors: Exception | None) -> None:
        self._errors = list(errors)
        self._given: asyncio.Queue[Message] = asyncio.Queue()

    async def __call__(self, message: Message) -> None:
        self._given.put_nowait(message)
        if self._errors and (error := self._errors.pop(0)) is not None:
            raise error

    async def next(self) -> Message:
        return await self._given.get()

    async def bodies(self, count: int) -> list[str]:
        return [(await self.next()).data.decode() for _ in range(count)]

    @property
    def empty(self) -> bool:
        return self._given.empty()


async def test_a_message_arrives_as_it_was_published(bench: Bench) -> None:
    inbox = Inbox()
    await bench.bus.publish(bench.subject, b"body", message_id=bench.tenant, headers={"kind": "first"})
    async with consuming(bench.bus, bench.subscription, inbox):
        message = await inbox.next()
    assert (message.subject, message.data, message.deliveries) == (bench.subject, b"body", 1)
    assert message.headers["kind"] == "first"


async def test_the_same_id_is_kept_once(bench: Bench) -> None:
    inbox = Inbox()
    await bench.publish("a", "a", "b", "a")
    async with consuming(bench.bus, bench.subscription, inbox):
        assert await inbox.bodies(2) == ["a", "b"]
    assert inbox.empty


async def test_what_was_handled_is_not_given_again(bench: Bench) -> None:
    first, second = Inbox(), Inbox()
    await bench.publish("a")
    async with consuming(bench.bus, bench.subscription, first):
        await first.next()
        await bench.publish("b")
        await first.next()
    await bench.publish("c")
    async with consuming(bench.bus, bench.subscription, second):
        assert await second.bodies(1) == ["c"]


async def test_a_transient_error_brings_the_message_back(bench: Bench) -> None:
    inbox = Inbox(Transient("away"))
    await bench.publish("a")
    async with consuming(bench.bus, bench.subscription, inbox):
        assert [(await inbox.next()).deliveries, (await inbox.next()).deliveries] == [1, 2]


def test_delays_grow_and_never_undercut_what_the_error_asks_for() -> None:
    growing = [retry_delay_s(deliveries, None) for deliveries in range(1, 10)]
    assert growing == sorted(growing)
    assert growing[0] < 1.0 < growing[-1] == growing[-2]
    assert retry_delay_s(1, 7.5) == 7.5
    assert retry_delay_s(9, 1.0) == growing[-1]


@pytest.mark.parametrize("error", [Invalid("wrong\r\nNats-Msg-Id: x"), Exhausted("too large"), NotFound("gone")])
async def test_what_cannot_be_handled_is_buried_with_its_reason(bench: Bench, error: CortexError) -> None:
    inbox = Inbox(error)
    async with bench.dead_letters() as dead, consuming(bench.bus, bench.subscription, inbox):
        await bench.publish("a")
        letter = await dead()
        await bench.publish("b")
        assert await inbox.bodies(2) == ["a", "b"]
    headers = letter.headers or {}
    assert letter.data == b"a"
    assert headers["Cortex-Subject"] == bench.subject
    assert headers["Cortex-Error"] == f"{type(error).__name__}: {' '.join(str(error).split())}"


async def test_a_foreign_error_is_buried_without_its_message(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    """It may hold content. Where it was raised is in the log."""
    inbox = Inbox(ValueError(MARKER))
    async with bench.dead_letters() as dead, consuming(bench.bus, bench.subscription, inbox):
        await bench.publish("a")
        letter = await dead()
    assert "ValueError" in (letter.headers or {})["Cortex-Error"]
    assert "test_nats.py" in caplog.text
    assert MARKER not in f"{letter.headers} {caplog.text}"


async def test_too_many_deliveries_end_among_the_dead(bench: Bench) -> None:
    inbox = Inbox(*(Transient("away") for _ in range(5)))
    twice = replace(bench.subscription, deliveries_max=2)
    async with bench.dead_letters() as dead, consuming(bench.bus, twice, inbox):
        await bench.publish("a")
        letter = await dead()
    assert (letter.headers or {})["Cortex-Error"] == "Transient: away"
    assert [(await inbox.next()).deliveries for _ in range(2)] == [1, 2]
    assert inbox.empty


async def test_a_message_that_nobody_survives_ends_among_the_dead(bench: Bench) -> None:
    """Given back by whoever is stopped, as it is by one that is killed, again and again."""
    once = replace(bench.subscription, deliveries_max=1)
    taken, inbox = Inbox(), Inbox()

    async def stuck(message: Message) -> None:
        await taken(message)
        await asyncio.Event().wait()

    await bench.publish("a")
    async with consuming(bench.bus, once, stuck):
        await taken.next()
    async with bench.dead_letters() as dead, consuming(bench.bus, once, inbox):
        letter = await dead()
    assert "never finished" in (letter.headers or {})["Cortex-Error"]
    assert inbox.empty


async def test_an_event_that_fails_again_after_a_replay_is_buried_again(bench: Bench) -> None:
    inbox = Inbox(Invalid("wrong"), Invalid("still wrong"))
    async with bench.dead_letters() as dead, consuming(bench.bus, bench.subscription, inbox):
        await bench.publish("a")
        first = await dead()
        await bench.bus.publish(bench.subject, first.data, message_id=uuid.uuid4().hex)
        second = await dead()
    places = [letter.headers["Nats-Msg-Id"] for letter in (first, second) if letter.headers]
    assert len(set(places)) == 2


async def test_long_work_is_not_given_to_somebody_else(bench: Bench) -> None:
    """Meanwhile a consumer that says nothing has the same wait pass twice."""
    silent = f"cortex.chunked.{bench.tenant}"
    stream = bench.client.jetstream()
    config = ConsumerConfig(
        durable_name=f"silent-{bench.tenant}", filter_subject=silent, ack_policy=AckPolicy.EXPLICIT, ack_wait=0.6
    )
    await stream.add_consumer("cortex-work", config)
    pull = await stream.pull_subscribe_bind(f"silent-{bench.tenant}", stream="cortex-work")
    inbox, done = Inbox(), asyncio.Event()

    async def slow(message: Message) -> None:
        await inbox(message)
        await done.wait()

    short = replace(bench.subscription, acknowledge_wait_s=0.6)
    async with consuming(bench.bus, short, slow):
        await bench.publish("a")
        assert (await inbox.next()).deliveries == 1
        await bench.bus.publish(silent, b"", message_id=f"{bench.tenant}-silent")
        deliveries = [(await pull.fetch(1, timeout=WAIT_S))[0].metadata.num_delivered for _ in range(3)]
        assert deliveries == [1, 2, 3]
        done.set()
        await bench.publish("b")
        assert await inbox.bodies(1) == ["b"]
    assert inbox.empty


async def test_two_consumers_of_one_name_share(bench: Bench) -> None:
    """Each handles one at a time, and both must be at work for either to finish."""
    meeting, inbox = asyncio.Barrier(2), Inbox()

    async def meet(message: Message) -> None:
        await meeting.wait()
        await inbox(message)

    alone = replace(bench.subscription, concurrency=1)
    async with consuming(bench.bus, alone, meet), consuming(bench.bus, alone, meet):
        await bench.publish(*"abcdef")
        assert sorted(await inbox.bodies(6)) == list("abcdef")
    assert inbox.empty


async def test_no_more_are_handled_at_once_than_asked_for(bench: Bench) -> None:
    running, most, inbox = set[str](), 0, Inbox()

    async def counted(message: Message) -> None:
        nonlocal most
        running.add(message.data.decode())
        most = max(most, len(running))
        for _ in range(10):
            await asyncio.sleep(0)
        running.remove(message.data.decode())
        await inbox(message)

    async with consuming(bench.bus, replace(bench.subscription, concurrency=2), counted):
        await bench.publish(*"abcdefgh")
        await inbox.bodies(8)
    assert most <= 2


async def test_whoever_is_stopped_gives_the_message_back(bench: Bench) -> None:
    first, second = Inbox(), Inbox()

    async def stuck(message: Message) -> None:
        await first(message)
        await asyncio.Event().wait()

    await bench.publish("a")
    async with consuming(bench.bus, bench.subscription, stuck):
        await first.next()
    async with consuming(bench.bus, bench.subscription, second):
        assert (await second.next()).deliveries == 2


async def test_the_trace_of_whoever_published_goes_on(bench: Bench, collector: Collector) -> None:
    inbox = Inbox()
    tenant = TenantId(uuid.UUID(hex=bench.tenant))
    event = StageEvent("parsed", tenant, SourceId(uuid.uuid4()), DocumentId(uuid.uuid4()), 1)
    with span("writer") as writer:
        await StagePublisher(bench.bus).publish(event)
    async with consuming(bench.bus, bench.subscription, inbox):
        await inbox.next()
    spans = collector.spans(writer.trace_id)
    consumer = spans[bench.subscription.name]
    assert consumer.kind == "consumer"
    assert is_child(consumer, spans["writer"])


async def test_a_restarted_server_has_lost_nothing(tmp_path: Path) -> None:
    """Neither what waited for a consumer, nor the consumer that was at work meanwhile."""
    options = PlatformOptions(
        data=tmp_path, servers=frozenset({ServerName.NATS}), roles=frozenset(), migrate=False, disposable=True
    )
    async with platform(options) as running, opened(running.urls["CORTEX_NATS_URL"]) as bench:
        early, late, waiting = Inbox(), Inbox(), f"cortex.chunked.{bench.tenant}"
        await bench.bus.publish(waiting, b"waited", message_id=f"{bench.tenant}-waited")
        async with consuming(bench.bus, bench.subscription, early):
            await bench.publish("before")
            assert await early.bodies(1) == ["before"]
            [server] = running.status()
            assert server.pid is not None
            os.kill(server.pid, signal.SIGKILL)
            await patiently(bench, "after")
            assert await early.bodies(1) == ["after"]
        other = replace(bench.subscription, name=f"late-{bench.tenant}", subjects=(waiting,))
        async with consuming(bench.bus, other, late):
            assert await late.bodies(1) == ["waited"]


async def patiently(bench: Bench, body: str) -> None:
    """As a writer's outbox does: again, under the same id, until it is taken."""
    while True:
        try:
            return await bench.publish(body)
        except Transient:
            continue


async def test_a_server_that_is_not_there_is_transient() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Transient, match="out of reach"):
        await NatsBus.connect(f"nats://127.0.0.1:{port}", timeout_s=1)


async def test_a_server_that_answers_is_well(bench: Bench) -> None:
    await bench.bus.ping()
