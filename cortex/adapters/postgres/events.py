"""The event outbox: written in the transaction of what changed, relayed to the bus in order of arrival."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.event_wire import content_bytes
from cortex.adapters.postgres.database import Database
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


async def queue_event(connection: AsyncConnection, event: ContentEvent) -> None:
    """Delivered once the caller's transaction has committed, and not if it rolls back."""
    await connection.execute(
        _QUEUE,
        {
            "tenant": event.tenant_id,
            "event_id": event.event_id,
            "subject": event.subject,
            "payload": content_bytes(event),
            "traceparent": event.traceparent,
        },
    )
    await connection.execute(_NOTIFY)


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
