"""JetStream: a work queue of content and stage events, a log of what was indexed, and dead letters."""

import asyncio
import logging
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)

from cortex.adapters.event_wire import stage_bytes
from cortex.adapters.telemetry import carried, consumer_span
from cortex.domain.errors import CortexError, Exhausted, Transient
from cortex.domain.event import StageEvent
from cortex.ports.event_bus import Handler, Message, Subscription

logger = logging.getLogger(__name__)

MESSAGE_ID: Final = "Nats-Msg-Id"
DUPLICATE_WINDOW_S: Final = 120.0
DAY_S: Final = 24 * 3600.0
DELAYS_S: Final = (0.2, 1.0, 5.0, 15.0, 60.0)
FETCH_WAIT_S: Final = 5.0
RECONNECT_WAIT_S: Final = 0.2
REASON_CHARACTERS_MAX: Final = 500
# A full work queue refuses new events, which wait in the outbox: nothing is lost, and writers are slowed down.
STREAMS: Final = (
    StreamConfig(
        name="cortex-work",
        subjects=["cortex.content.>", "cortex.parsed.>", "cortex.chunked.>"],
        retention=RetentionPolicy.WORK_QUEUE,
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        max_bytes=1024**3,
        duplicate_window=DUPLICATE_WINDOW_S,
    ),
    StreamConfig(
        name="cortex-indexed",
        subjects=["cortex.indexed.>"],
        storage=StorageType.FILE,
        max_bytes=256 * 1024**2,
        max_age=7 * DAY_S,
        duplicate_window=DUPLICATE_WINDOW_S,
    ),
    StreamConfig(
        name="cortex-dead",
        subjects=["cortex.dead.>"],
        storage=StorageType.FILE,
        max_bytes=256 * 1024**2,
        max_age=30 * DAY_S,
    ),
)


class NatsBus:
    """Implements EventBus. Make it with `connect`, which also makes the streams."""

    def __init__(self, client: Client, stream: JetStreamContext) -> None:
        self._client = client
        self._stream = stream

    @classmethod
    async def connect(cls, url: str, *, timeout_s: float = 10.0) -> "NatsBus":
        """Raises Transient while the server is out of reach."""
        client = Client()
        try:
            # By itself it would try for ever, as it does later when the server goes away.
            async with asyncio.timeout(timeout_s):
                await client.connect(
                    url,
                    connect_timeout=int(timeout_s),
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=RECONNECT_WAIT_S,  # type: ignore[arg-type]  # a fraction will do
                )
        except (TimeoutError, NatsError, OSError) as error:
            await client.close()
            raise Transient("NATS is out of reach", retry_after_s=1.0) from error
        bus = cls(client, client.jetstream(timeout=timeout_s))
        for config in STREAMS:
            await bus._ensure(config)
        return bus

    @classmethod
    def unconnected(cls) -> "NatsBus":
        """Of no server: every call raises Transient."""
        client = Client()
        return cls(client, client.jetstream())

    async def _ensure(self, config: StreamConfig) -> None:
        try:
            await self._stream.add_stream(config)
        except NatsError as error:
            raise Transient(f"the stream {config.name} could not be made: {error}") from error

    async def publish(
        self, subject: str, data: bytes, *, message_id: str, headers: Mapping[str, str] | None = None
    ) -> None:
        sent = {**carried(), **(headers or {}), MESSAGE_ID: message_id}
        try:
            await self._stream.publish(subject, data, headers=sent)
        except (TimeoutError, NatsError) as error:
            raise Transient("NATS did not take an event", retry_after_s=1.0) from error

    async def consume(self, subscription: Subscription, handler: Handler) -> None:
        """One fetch loop feeds `concurrency` handlers; what cannot be handled goes to the dead letters."""
        puller = await self._subscribe(subscription)
        async with asyncio.TaskGroup() as tasks:
            try:
                await self._feed(puller, subscription, handler, tasks)
            finally:
                # Takes the open request back before the handlers give theirs back: the server would send those, and
                # whatever comes next, to where nobody reads any more.
                with suppress(NatsError):
                    await puller.unsubscribe()

    async def _feed(
        self,
        puller: JetStreamContext.PullSubscription,
        subscription: Subscription,
        handler: Handler,
        tasks: asyncio.TaskGroup,
    ) -> None:
        running: set[asyncio.Task[None]] = set()
        while True:
            # More than were asked for may come: those of an earlier request, late.
            while len(running) >= subscription.concurrency:
                _, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            running = {task for task in running if not task.done()}
            messages = await self._fetch(puller, subscription.concurrency - len(running))
            await _unless_cancelled(messages)
            running |= {tasks.create_task(self._handle(subscription, handler, message)) for message in messages}

    async def _fetch(self, puller: JetStreamContext.PullSubscription, most: int) -> list[Msg]:
        try:
            return await puller.fetch(most, timeout=FETCH_WAIT_S)
        except TimeoutError:
            return []
        except NatsError:
            # The server went away: the client reconnects by itself, and the consumer is durable.
            await asyncio.sleep(DELAYS_S[0])
            return []

    async def _subscribe(self, subscription: Subscription) -> JetStreamContext.PullSubscription:
        config = ConsumerConfig(
            durable_name=subscription.name,
            filter_subjects=list(subscription.subjects),
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=subscription.acknowledge_wait_s,
            max_ack_pending=max(1, subscription.concurrency * 4),
        )
        try:
            await self._stream.add_consumer("cortex-work", config)
            return await self._stream.pull_subscribe_bind(subscription.name, stream="cortex-work")
        except NatsError as error:
            raise Transient(f"the consumer {subscription.name} could not be made: {error}") from error

    async def _handle(self, subscription: Subscription, handler: Handler, message: Msg) -> None:
        meta = message.metadata
        delivery = Message(
            message.subject,
            message.data,
            message.headers or {},
            int(meta.num_delivered or 1),
            int(meta.num_pending or 0),
        )
        if delivery.deliveries > subscription.deliveries_max:
            # Nobody lived to say that it failed: it is what they died of.
            failure: Exception | None = Exhausted(f"taken up {subscription.deliveries_max} times and never finished")
            await self._settle(subscription, message, delivery=delivery, failure=failure)
            return
        failure = None
        async with asyncio.TaskGroup() as tasks:
            beat = tasks.create_task(_keep_in_progress(message, subscription.acknowledge_wait_s / 3))
            try:
                with consumer_span(delivery.headers, subscription.name, subject=message.subject):
                    await handler(delivery)
            except asyncio.CancelledError:
                await message.nak()  # we are stopping: somebody else may take it at once
                raise
            except Exception as error:  # noqa: BLE001  the consumer's boundary: one poisonous event must not stop the rest
                failure = error
            beat.cancel()
        await self._settle(subscription, message, delivery=delivery, failure=failure)

    async def _settle(
        self, subscription: Subscription, message: Msg, *, delivery: Message, failure: Exception | None
    ) -> None:
        """Acknowledged, or given back for later, or buried and then acknowledged."""
        if isinstance(failure, Transient) and delivery.deliveries < subscription.deliveries_max:
            await message.nak(delay=retry_delay_s(delivery.deliveries, failure.retry_after_s))
            return
        if failure is not None:
            try:
                await self._bury(subscription, delivery, failure, sequence=message.metadata.sequence.stream)
            except Transient:
                return  # it will be delivered again, and is buried then
        await message.ack()

    async def _bury(self, subscription: Subscription, delivery: Message, error: Exception, *, sequence: int) -> None:
        """The event and why it could not be handled, where an administrator can see and replay it."""
        name, tenant = subscription.name, delivery.subject.split(".")[2]
        reason = _reason(error)
        frames = "" if isinstance(error, CortexError) else "\n" + "".join(traceback.format_tb(error.__traceback__))
        logger.error("%s buried a message of %s: %s%s", name, delivery.subject, reason, frames)
        headers = {"Cortex-Subject": delivery.subject, "Cortex-Error": reason}
        if parent := delivery.headers.get("traceparent"):
            headers["traceparent"] = parent
        # By its place in the stream: the same event may be replayed, and fail again, within the duplicate window.
        await self.publish(
            f"cortex.dead.{name}.{tenant}", delivery.data, message_id=f"dead-{name}-{sequence}", headers=headers
        )

    async def ping(self) -> None:
        """Raises Transient when the server does not answer."""
        try:
            await self._client.flush(timeout=2)
        except (TimeoutError, NatsError) as error:
            raise Transient("NATS is out of reach") from error

    async def close(self) -> None:
        """What was published has left when it returns, unless the server is away."""
        try:
            await self._client.drain()
        except NatsError:
            await self._client.close()


def _delay_s(delivery: Message) -> float:
    return DELAYS_S[min(delivery.deliveries, len(DELAYS_S)) - 1]


async def _unless_cancelled(messages: Sequence[Msg]) -> None:
    """The client's wait swallows a cancellation that comes together with a message (asyncio.wait_for until 3.11)."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        for message in messages:
            await message.nak()
        raise asyncio.CancelledError


def retry_delay_s(deliveries: int, asked_s: float | None) -> float:
    """What an error asks for is a lower bound: an outage must not use up the deliveries within seconds."""
    return max(DELAYS_S[min(deliveries, len(DELAYS_S)) - 1], asked_s or 0.0)


def _reason(error: Exception) -> str:
    """One line. The messages of our own errors are safe to show; any other may hold content."""
    if not isinstance(error, CortexError):
        return f"an unexpected {type(error).__name__}; the log says where"
    return " ".join(f"{type(error).__name__}: {error}".split())[:REASON_CHARACTERS_MAX]


async def _keep_in_progress(message: Msg, every_s: float) -> None:
    """Long work is not delivered to somebody else meanwhile."""
    while True:
        await asyncio.sleep(every_s)
        await message.in_progress()


class StagePublisher:
    """Implements cortex.ports.stage_publisher.StagePublisher over a bus."""

    def __init__(self, bus: NatsBus) -> None:
        self._bus = bus

    async def publish(self, event: StageEvent) -> None:
        await self._bus.publish(event.subject, stage_bytes(event), message_id=event.event_id)
