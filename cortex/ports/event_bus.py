"""At-least-once delivery of small events, deduplicated by id within a window."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One delivery. `deliveries` counts from 1; `pending` is how many more wait behind it."""

    subject: str
    data: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    deliveries: int = 1
    pending: int = 0


Handler = Callable[[Message], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Subscription:
    """A durable consumer: `name` is shared by all processes of a service, which then share the messages.

    `concurrency` messages are handled at once; one is delivered again after `acknowledge_wait_s`, and handed to the
    dead letters after `deliveries_max`.
    """

    name: str
    subjects: tuple[str, ...]
    concurrency: int
    acknowledge_wait_s: float
    deliveries_max: int


class EventBus(Protocol):
    async def publish(
        self, subject: str, data: bytes, *, message_id: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """Durable when it returns. The same `message_id` within the window is kept once. Raises Transient."""
        ...

    async def consume(self, subscription: Subscription, handler: Handler) -> None:
        """Runs until cancelled. A handler that returns acknowledges.

        Transient is delivered again with growing delay; Invalid, Exhausted, NotFound and every other error, or too many
        deliveries, publish the message to `cortex.dead.<subscription>.<tenant>` with the error, and then acknowledge.
        """
        ...
