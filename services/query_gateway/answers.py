"""`/v1/answers/{id}`: the record, re-checked for whoever reads it; its stream; and the brake."""

import re
import uuid
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Header
from fastapi.responses import Response

from cortex.domain.credential import Reader
from cortex.domain.errors import NotFound, Transient
from cortex.domain.identity import AnswerId
from cortex.ports.answer_store import AnswerRecord, AnswerStore
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway.answering import Answering
from services.query_gateway.event_stream import EventStream
from services.query_gateway.following import Following
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.settings import AnswerSettings
from services.query_gateway.standing import standing
from services.query_gateway.transcript import (
    citations_of,
    documents_of,
    presented,
    stored_answer,
    without_record,
)
from services.query_gateway.visibility import Visibility
from services.query_gateway.wire import AnswerBody, AnswerState, StoredAnswer

_EVENT_ID = re.compile(r"[0-9]{1,18}")


class Records:
    """Stored answers as a reader may see them now."""

    def __init__(self, *, store: AnswerStore, visibility: Visibility) -> None:
        self._store = store
        self._visibility = visibility

    async def get(self, reader: Reader, answer: AnswerId) -> AnswerRecord:
        """The reader's own; NotFound for anyone else's."""
        return await self._store.get(reader.tenant_id, reader.credential.person_id, answer)

    async def read(self, reader: Reader, answer: AnswerId) -> AnswerBody:
        record = await self.get(reader, answer)
        if record.state == "failed":
            raise Transient("The answer failed; ask again.")
        return (await self.of(reader, [record]))[0]

    async def of(self, reader: Reader, records: Sequence[AnswerRecord]) -> list[AnswerBody]:
        """All of them on one check. One that failed is empty."""
        answers = await self.checked(reader, records)
        return [
            without_record(record) if answer is None else presented(answer, record)
            for record, answer in zip(records, answers, strict=True)
        ]

    async def checked(
        self, reader: Reader, records: Sequence[AnswerRecord], *, considered: bool = False
    ) -> list[StoredAnswer | None]:
        """What is left of each for this reader; None where it is being given, or failed.

        Whoever shows anything of a stored answer gets it here. `considered`: with what was found beside the sources.
        """
        stored = [stored_answer(record) for record in records]
        answers = [answer for answer in stored if answer is not None]
        documents = dict.fromkeys(d for answer in answers for d in documents_of(answer, considered=considered))
        live = await self._visibility.visible(reader, list(documents))
        now = await standing(self._visibility, reader, live, citations_of(answers))
        return [None if answer is None else now.answer(answer) for answer in stored]


def answer_id(text: str) -> AnswerId:
    """What is no id is not there, like any other."""
    try:
        return AnswerId(uuid.UUID(text))
    except ValueError:
        raise NotFound from None


def router(
    *, identify: Identify, records: Records, following: Following, answering: Answering, settings: AnswerSettings
) -> APIRouter:
    routes = APIRouter(prefix="/v1/answers", tags=["answers"], responses=DOCUMENTED, route_class=GuardedRoute)

    @routes.get("/{answer}", operation_id="get_answer")
    async def get(answer: str, asking: Annotated[Asking, Depends(identify)]) -> AnswerBody:
        return await records.read(asking.reader, answer_id(answer))

    @routes.get("/{answer}/stream", operation_id="stream_answer", response_class=Response)
    async def stream(
        answer: str,
        asking: Annotated[Asking, Depends(identify)],
        last_event_id: Annotated[str, Header()] = "",
    ) -> Response:
        identifier = answer_id(answer)
        await records.get(asking.reader, identifier)
        after = int(last_event_id) if _EVENT_ID.fullmatch(last_event_id) else 0
        events = following.stream(asking.reader, identifier, after=after, trace_id=asking.trace_id)
        return EventStream(events, slow_reader_s=settings.slow_reader_s, answer=identifier)

    @routes.post("/{answer}/stop", operation_id="stop_answer")
    async def stop(answer: str, asking: Annotated[Asking, Depends(identify)]) -> AnswerState:
        """Idempotent; returns the state that the answer ended in."""
        identifier = answer_id(answer)
        await records.get(asking.reader, identifier)
        live = answering.live(identifier)
        if live is not None:
            live.stop()
            await live.wait()
        record = await records.get(asking.reader, identifier)
        return AnswerState.model_validate({"answer_id": identifier, "state": record.state})

    return routes
