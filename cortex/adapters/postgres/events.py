"""The event outbox: written in the transaction of what changed, relayed to the bus in order of arrival."""

from collections.abc import Sequence

from psycopg import AsyncConnection, OperationalError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection as SqlConnection

from cortex.adapters.event_wire import content_bytes
from cortex.adapters.postgres.database import Database
from cortex.domain.errors import Transient
from cortex.domain.event import ContentEvent
from cortex.ports.event_bus import EventBus

CHANNEL = "cortex_events"
_QUEUE = text(
    "INSERT INTO event_outbox (tenant_id, event_id, subject, payload, traceparent)"
    " VALUES (:tenant, :event_id, :subject, :payload, :traceparent)"
)
_NOTIFY = text(f"NOTIFY {CHANNEL}")
_TAKE = text("SELECT id, event_id, subject, payload, traceparent FROM cortex_relay_take(:most)")
_DONE = text("SELECT cortex_relay_done(:published)")


async def queue_event(connection: SqlConnection, event: ContentEvent) -> None:
    """Delivered once the caller's transaction has committed, and not if it rolls back."""
    await queue_events(connection, [event])


async def queue_events(connection: SqlConnection, events: Sequence[ContentEvent]) -> None:
    """In their order."""
    if not events:
        return
    rows = [
        {
            "tenant": event.tenant_id,
            "event_id": event.event_id,
            "subject": event.subject,
            "payload": content_bytes(event),
            "traceparent": event.traceparent,
        }
        for event in events
    ]
    await connection.execute(_QUEUE, rows)
    await connection.execute(_NOTIFY)


class EventNotices:
    """Waits until the outbox has something, on a connection of its own."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: AsyncConnection[tuple[object, ...]] | None = None

    async def wait(self, timeout_s: float) -> None:
        """Returns at the next commit that queued an event, or one since the last wait, or after `timeout_s`."""
        try:
            if self._connection is None:
                self._connection = await AsyncConnection.connect(self._url, autocommit=True)
                await self._connection.execute(f"LISTEN {CHANNEL}")
                return  # something may have come before we listened
            async for _ in self._connection.notifies(timeout=timeout_s, stop_after=1):
                return
        except (OperationalError, OSError) as error:
            await self.close()
            raise Transient("Postgres is out of reach", retry_after_s=1.0) from error

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()


class EventRelay:
    """Moves events from the outbox to the bus. Several may run: rows are taken by one at a time."""

    def __init__(self, database: Database, bus: EventBus, *, batch: int = 200) -> None:
        self._database = database
        self._bus = bus
        self._batch = batch

    async def relay_batch(self) -> int:
        """Publishes the oldest events and forgets them; a crash in between publishes them again under the same ids."""
        async with self._database.spanning() as connection:
            rows = (await connection.execute(_TAKE, {"most": self._batch})).all()
            for row in rows:
                headers = {"traceparent": row.traceparent} if row.traceparent else None
                await self._bus.publish(row.subject, bytes(row.payload), message_id=row.event_id, headers=headers)
            if rows:
                await connection.execute(_DONE, {"published": [row.id for row in rows]})
            return len(rows)
