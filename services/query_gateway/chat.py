"""`POST /v1/chat`: a cited answer, as events or whole."""

import uuid
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response

from cortex.domain.identity import AnswerId, ConversationId
from cortex.domain.query import Query
from cortex.ports.limits import PrincipalLimits
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway.answering import Answering, Assignment
from services.query_gateway.answers import Records
from services.query_gateway.assemble import assemble
from services.query_gateway.event_stream import EventStream
from services.query_gateway.filters import index_filters
from services.query_gateway.following import Following
from services.query_gateway.history import History
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.narrowing import Operators
from services.query_gateway.retrieve import Retriever
from services.query_gateway.rewriting import Meant, Turn, rewrite
from services.query_gateway.settings import AnswerSettings
from services.query_gateway.wire import AnswerBody, ChatRequest


class Chat:
    """Retrieval comes first, so that a question that may not be answered fails as a plain problem."""

    def __init__(
        self,
        *,
        retriever: Retriever,
        operators: Operators,
        answering: Answering,
        following: Following,
        records: Records,
        history: History,
        limits: PrincipalLimits,
        settings: AnswerSettings,
    ) -> None:
        self._retriever = retriever
        self._operators = operators
        self._answering = answering
        self._following = following
        self._records = records
        self._history = history
        self._limits = limits
        self._settings = settings

    async def assignment(self, asking: Asking, body: ChatRequest, *, earlier: Sequence[str] = ()) -> Assignment:
        """`earlier` questions are those of an asker who keeps the conversation themselves."""
        tenant, person = asking.reader.tenant_id, asking.reader.credential.person_id
        await self._limits.question(tenant, person)
        conversation = ConversationId(body.conversation_id or uuid.uuid4())
        rewritten = rewrite(body.question, [Turn(question) for question in earlier])
        meant = Meant(rewritten, None if rewritten == body.question else rewritten)
        if body.conversation_id is not None:
            with asking.stages.stage("rewrite"):
                meant = await self._history.meant(asking.reader, conversation, body.question)
        filters = index_filters(body.filters, as_of=body.as_of)
        query = Query(
            text=meant.text,
            filters=await self._operators.by(asking.reader, body.filters.authors, filters),
            as_of=body.as_of,
            passages_per_document=self._settings.passages_per_document,
        )
        retrieval = await self._retriever.retrieve(
            asking.reader, query, needed=self._settings.documents_max, stages=asking.stages
        )
        passages = assemble(retrieval.found, characters_max=self._settings.context_characters)
        return Assignment(
            asking=asking,
            answer_id=AnswerId(uuid.uuid4()),
            conversation_id=conversation,
            question=body.question,
            meant=meant,
            passages=passages,
            retrieval=retrieval,
        )

    async def stream(self, asking: Asking, body: ChatRequest) -> Response:
        assignment = await self.assignment(asking, body)
        live = await self._answering.start(assignment)
        events = self._following.stream(
            asking.reader, assignment.answer_id, after=0, trace_id=asking.trace_id, live=live
        )
        return EventStream(events, slow_reader_s=self._settings.slow_reader_s, answer=assignment.answer_id)

    async def whole(self, asking: Asking, body: ChatRequest) -> Response:
        assignment = await self.assignment(asking, body)
        live = await self._answering.start(assignment)
        await live.wait()
        answer = await self._records.read(asking.reader, assignment.answer_id)
        return JSONResponse(answer.model_dump(mode="json"))


def router(*, identify: Identify, chat: Chat) -> APIRouter:
    routes = APIRouter(tags=["answers"], responses=DOCUMENTED, route_class=GuardedRoute)
    both: dict[int | str, dict[str, object]] = {
        200: {
            "model": AnswerBody,
            "description": "The answer at once, or its events.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    }

    @routes.post("/v1/chat", operation_id="chat", response_model=None, responses=both)
    async def ask(request: Request, body: ChatRequest, asking: Annotated[Asking, Depends(identify)]) -> Response:
        if _wants_json(request.headers.get("accept", "")):
            return await chat.whole(asking, body)
        return await chat.stream(asking, body)

    return routes


def _wants_json(accept: str) -> bool:
    """JSON where it is named and events are not."""
    kinds = [part.split(";")[0].strip().lower() for part in accept.split(",")]
    return "application/json" in kinds and "text/event-stream" not in kinds
