"""Tells the next stage that a revision is ready for it."""

from typing import Protocol

from cortex.domain.event import StageEvent


class StagePublisher(Protocol):
    async def publish(self, event: StageEvent) -> None:
        """Durable when it returns; the same event again is harmless. Raises Transient."""
        ...
