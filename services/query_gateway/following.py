"""Reading an answer's events: live or from the store, from any point, and never more than may be seen now."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta

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
from services.query_gateway.standing import standing
from services.query_gateway.transcript import (
    DONE,
    ERROR,
    Withholder,
    encoded,
    error_event,
    rests_on_documents,
    together,
)
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
        self, reader: Reader, answer: AnswerId, *, after: int, trace_id: str, live: LiveAnswer | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Server-sent events after `after`.

        `live` is given by whoever started the answer; otherwise it is looked up, and read from the store if it is over.
        A failing re-check ends the stream with an error and nothing else.
        """
        last = after
        try:
            async with aclosing(self.shown(reader, answer, after=after, live=live)) as events:
                async for one in events:
                    last = last if one is None else one.sequence
                    yield HEARTBEAT if one is None else encoded(one)
        except CortexError as error:
            yield encoded(error_event(last + 1, problem_of(error, trace=trace_id)))

    async def shown(
        self, reader: Reader, answer: AnswerId, *, after: int, live: LiveAnswer | None = None
    ) -> AsyncGenerator[AnswerEvent | None, None]:
        """The events themselves, as this reader may see them; None where nothing happened for a while."""
        guard = _Guard(self._visibility, self._clock, reader, self._settings.recheck_after_s)
        async with aclosing(self._events(reader, answer, live)) as batches:
            async for batch in batches:
                if not batch:
                    yield None
                    continue
                guard.learn(batch)
                for group in together(batch):
                    shown = [one for one in await guard.shown(group) if one.sequence > after]
                    self._metrics.withheld(sum(one.sequence > after for one in group) - len(shown))
                    for one in shown:
                        yield one

    def _events(
        self, reader: Reader, answer: AnswerId, live: LiveAnswer | None
    ) -> AsyncGenerator[list[AnswerEvent], None]:
        """From the first event to the last, a sentence with its citations; none where nothing happened for a while."""
        known = live or self._answering.live(answer)
        if known is None:
            return self._from_store(reader, answer)
        return known.follow(0, heartbeat_s=self._settings.heartbeat_s)

    async def _from_store(self, reader: Reader, answer: AnswerId) -> AsyncGenerator[list[AnswerEvent], None]:
        """An answer of another process, or one that is over. One that was cut off by a crash ends with an error."""
        position, quiet_s = 0, 0.0
        give_up = self._settings.generation_timeout_s + self._settings.grace_s
        while True:
            # The state is read before the events: whatever came before it ended is then among them.
            record = await self._store.get(reader.tenant_id, reader.credential.person_id, answer)
            events = await self._store.events(reader.tenant_id, answer, after=position)
            if events:
                position = events[-1].sequence
                yield events
                if events[-1].type in (DONE, ERROR):
                    return
            late = self._clock.now() - record.created_at > timedelta(seconds=give_up)
            if not events and (late or record.state != "running"):
                raise Transient("The answer was cut off; ask again.")
            if not events:
                await asyncio.sleep(self._settings.follow_poll_s)
                quiet_s += self._settings.follow_poll_s
            if quiet_s >= self._settings.heartbeat_s:
                quiet_s = 0.0
                yield []


class _Guard:
    """One reader's view of one answer, checked again before each sentence.

    Rows are read every time. The engine is asked where a permission was written since it last was, and in any case when
    that is `recheck_after_s` ago.
    """

    def __init__(self, visibility: Visibility, clock: Clock, reader: Reader, recheck_after_s: float) -> None:
        self._visibility = visibility
        self._clock = clock
        self._reader = reader
        self._recheck_after = timedelta(seconds=recheck_after_s)
        self._asked_at: datetime | None = None
        self._token: str | None = None
        self._allowed: set[DocumentId] = set()
        self._withholder = Withholder()

    def learn(self, events: Sequence[AnswerEvent]) -> None:
        self._withholder.learn(events)

    async def shown(self, group: Sequence[AnswerEvent]) -> list[AnswerEvent]:
        if not any(map(rests_on_documents, group)):
            return list(group)
        documents = self._withholder.documents
        await self._ask(documents)
        live = await self._visibility.live(self._reader, documents)
        openable = {document: row for document, row in live.items() if document in self._allowed}
        citations = self._withholder.citations(group)
        return self._withholder.filtered(group, await standing(self._visibility, self._reader, openable, citations))

    async def _ask(self, documents: Sequence[DocumentId]) -> None:
        now, token = self._clock.now(), await self._visibility.token(self._reader)
        known = self._asked_at is not None and now - self._asked_at <= self._recheck_after
        if known and token == self._token:
            return
        self._allowed = await self._visibility.allowed(self._reader, documents, token=token)
        self._asked_at, self._token = now, token
