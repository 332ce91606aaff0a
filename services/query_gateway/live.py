"""An answer in the making: its events so far, whoever follows them, and how long it may go on."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from cortex.domain.identity import AnswerId
from cortex.ports.answer_store import AnswerEvent


class LiveAnswer:
    """Readers hold a position in one shared list, so a slow one costs nothing and delays nobody."""

    def __init__(self, answer: AnswerId, *, grace_s: float) -> None:
        self.answer_id = answer
        self.events: list[AnswerEvent] = []
        self.reserved = 0
        """The highest sequence that was given out, to events that a stop kept from being shown as well."""
        self.finished = False
        self.stopped = False
        self._grace_s = grace_s
        self._readers = 0
        self._changed = asyncio.Event()
        self._bound: asyncio.Timeout | None = None
        self._latest_end: float | None = None

    def add(self, events: Sequence[AnswerEvent]) -> None:
        self.events.extend(events)
        self._wake()

    def finish(self) -> None:
        self.finished = True
        self._wake()

    def bind(self, bound: asyncio.Timeout) -> None:
        """`bound` ends the generation; readers who leave move it closer, those who come back move it away again."""
        self._bound = bound
        self._latest_end = bound.when()
        if self.stopped:
            self._end_at(0.0)

    def unbind(self) -> None:
        self._bound = None

    def stop(self) -> None:
        self.stopped = True
        self._end_at(0.0)

    async def follow(self, after: int, *, heartbeat_s: float) -> AsyncGenerator[list[AnswerEvent], None]:
        """Events with a higher sequence, as many as there are, until the end; none where nothing happened for
        `heartbeat_s`. What was added together comes together.
        """
        self._arrive()
        try:
            while True:
                changed = self._changed
                fresh = [event for event in self.events if event.sequence > after]
                if fresh:
                    after = fresh[-1].sequence
                    yield fresh
                    continue
                if self.finished:
                    return
                if not await _within(changed, heartbeat_s):
                    yield []
        finally:
            self._leave()

    async def wait(self) -> None:
        """Until the answer is complete; counts as a reader."""
        self._arrive()
        try:
            while not self.finished:
                await self._changed.wait()
        finally:
            self._leave()

    def _arrive(self) -> None:
        self._readers += 1
        if self._latest_end is not None and not self.stopped:
            self._end_at(self._latest_end)

    def _leave(self) -> None:
        self._readers -= 1
        if self._readers == 0 and not self.stopped:
            self._end_at(asyncio.get_running_loop().time() + self._grace_s)

    def _end_at(self, when: float) -> None:
        if self._bound is not None and not self._bound.expired():
            self._bound.reschedule(when if self._latest_end is None else min(when, self._latest_end))

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


async def _within(changed: asyncio.Event, timeout_s: float) -> bool:
    try:
        async with asyncio.timeout(timeout_s):
            await changed.wait()
    except TimeoutError:
        return False
    return True
