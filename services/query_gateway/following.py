"""Reading an answer's events: live or from the store, from any point, and never more than may be seen now."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime, timedelta
from uuid import UUID

from cortex.domain.credential import Reader
from cortex.domain.errors import CortexError, Transient
from cortex.domain.identity import AnswerId, DocumentId
from cortex.ports.answer_store import AnswerEvent, AnswerStore
from cortex.ports.clock import Clock
from cortex.runtime.edge.problems import problem_of
from services.query_gateway.answering import Answering
from services.query_gateway.live import LiveAnswer
from services.query_gateway.metrics import Metrics
from services.query_gateway.settings import AnswerSettings
from services.query_gateway.transcript import DONE, ERROR, Withholder, encoded, error_event, rests_on_documents
from services.query_gateway.visibility import Visibility

HEARTBEAT = b": still here\n\n"


class Following:
    """Streams for readers, each with a re-check of its own."""

    def __init__(
        self,
        *,
        answering: Answering,
        store: AnswerStore,
        visibility: Visibility,
        clock: Clock,
        metrics: Metrics,
        settings: AnswerSettings,
    ) -> None:
        self._answering = answering
        self._store = store
        self._visibility = visibility
        self._clock = clock
        self._metrics = metrics
        self._settings = settings

    async def stream(
        self,
        reader: Reader,
        answer: AnswerId,
        *,
        after: int,
        trace_id: str,
        checked_at: datetime | None = None,
        live: LiveAnswer | None = None,
    ) -> AsyncGenerator[bytes, None]:
        """Server-sent events after `after`. `checked_at`: when the answer's sources were last re-checked, if they were.

        `live` is given by whoever started the answer; otherwise it is looked up, and read from the store if it is over.
        A failing re-check ends the stream with an error and nothing else.
        """
        last = after
        try:
            async with aclosing(self.shown(reader, answer, after=after, checked_at=checked_at, live=live)) as events:
                async for one in events:
                    last = last if one is None else one.sequence
                    yield HEARTBEAT if one is None else encoded(one)
        except CortexError as error:
            yield encoded(error_event(last + 1, problem_of(error, trace=trace_id)))

    async def shown(
        self,
        reader: Reader,
        answer: AnswerId,
        *,
        after: int,
        checked_at: datetime | None = None,
        live: LiveAnswer | None = None,
    ) -> AsyncGenerator[AnswerEvent | None, None]:
        """The events themselves, as this reader may see them; None where nothing happened for a while."""
        guard = _Guard(self._visibility, self._clock, reader, self._settings.recheck_after_s, checked_at)
        async with aclosing(self._events(reader, answer, live)) as events:
            async for one in events:
                if one is None:
                    yield None
                    continue
                shown = await guard.shown(one)
                if one.sequence <= after:
                    continue
                if shown is None:
                    self._metrics.withheld(1)
                else:
                    yield shown

    def _events(
        self, reader: Reader, answer: AnswerId, live: LiveAnswer | None
    ) -> AsyncGenerator[AnswerEvent | None, None]:
        """From the first event to the last; None where nothing happened for a while."""
        known = live or self._answering.live(answer)
        if known is None:
            return self._from_store(reader, answer)
        return known.follow(0, heartbeat_s=self._settings.heartbeat_s)

    async def _from_store(self, reader: Reader, answer: AnswerId) -> AsyncGenerator[AnswerEvent | None, None]:
        """An answer of another process, or one that is over. One that was cut off by a crash ends with an error."""
        position, quiet_s = 0, 0.0
        give_up = self._settings.generation_timeout_s + self._settings.grace_s
        while True:
            # The state is read before the events: whatever came before it ended is then among them.
            record = await self._store.get(reader.tenant_id, reader.credential.person_id, answer)
            events = await self._store.events(reader.tenant_id, answer, after=position)
            for one in events:
                position = one.sequence
                yield one
                if one.type in (DONE, ERROR):
                    return
            late = self._clock.now() - record.created_at > timedelta(seconds=give_up)
            if not events and (late or record.state != "running"):
                raise Transient("The answer was cut off; ask again.")
            if not events:
                await asyncio.sleep(self._settings.follow_poll_s)
                quiet_s += self._settings.follow_poll_s
            if quiet_s >= self._settings.heartbeat_s:
                quiet_s = 0.0
                yield None


class _Guard:
    """One reader's view of one answer. Asks again before anything of a document goes out on a check that is old."""

    def __init__(
        self,
        visibility: Visibility,
        clock: Clock,
        reader: Reader,
        recheck_after_s: float,
        checked_at: datetime | None,
    ) -> None:
        self._visibility = visibility
        self._clock = clock
        self._reader = reader
        self._recheck_after = timedelta(seconds=recheck_after_s)
        self._checked_at = checked_at
        self._allowed: frozenset[UUID] = frozenset()
        self._withholder = Withholder()

    async def shown(self, one: AnswerEvent) -> AnswerEvent | None:
        learned = self._withholder.learn(one)
        if learned and self._checked_at is not None:
            self._allowed = frozenset(self._withholder.documents)
        if rests_on_documents(one):
            await self._refresh()
        return self._withholder.filtered(one, self._allowed)

    async def _refresh(self) -> None:
        now = self._clock.now()
        if self._checked_at is not None and now - self._checked_at <= self._recheck_after:
            return
        documents = [DocumentId(document) for document in self._withholder.documents]
        self._allowed = frozenset(await self._visibility.visible(self._reader, documents))
        self._checked_at = now
