"""OpenAI's API over answers of ours, so that existing clients work: `/v1/chat/completions` and `/v1/models`."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError

from cortex.domain.errors import CortexError, Invalid, Transient
from cortex.ports.answer_store import AnswerEvent
from cortex.ports.clock import Clock
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED, problem_of
from services.query_gateway.answering import Answering, Assignment
from services.query_gateway.chat import Chat
from services.query_gateway.event_stream import EventStream
from services.query_gateway.following import HEARTBEAT, Following
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.settings import AnswerSettings
from services.query_gateway.transcript import CITATION, DONE, ERROR, META, SOURCES, TOKEN, sources_of
from services.query_gateway.wire import (
    QUERY_CHARACTERS_MAX,
    AnswerSource,
    ChatRequest,
    CitationBody,
    DoneEvent,
    MetaEvent,
    TokenEvent,
    UsageBody,
)

MODEL = "cortex"
MESSAGES_MAX, EARLIER_MAX = 200, 6
CONTENT_CHARACTERS_MAX = 100_000
NOTHING = "I found nothing that answers this among what you may open."


class _Lenient(BaseModel):
    """Clients send whatever their library knows; what means nothing here is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class ContentPart(_Lenient):
    type: str
    text: Annotated[str, Field(max_length=CONTENT_CHARACTERS_MAX)] = ""


class ChatMessage(_Lenient):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str, Field(max_length=CONTENT_CHARACTERS_MAX)] | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, str):
            return self.content.replace("\x00", "")
        return "\n".join(part.text for part in self.content or [] if part.type == "text").replace("\x00", "")


class StreamOptions(_Lenient):
    include_usage: StrictBool = False


class CompletionRequest(_Lenient):
    """The last message of the user is the question. Instructions and tools of a caller change nothing of an answer."""

    model: Annotated[str, Field(max_length=200)] = MODEL
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=MESSAGES_MAX)]
    stream: StrictBool = False
    stream_options: StreamOptions = StreamOptions()


class UrlCitation(BaseModel):
    """Code points `start_index` to `end_index` of the message's content; the rest says where the quote stands."""

    start_index: int
    end_index: int
    url: str
    title: str
    quote: str
    document_id: str
    chunk_id: str


class Annotation(BaseModel):
    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class CompletionMessage(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str
    annotations: list[Annotation]


class CompletionChoice(BaseModel):
    index: Literal[0] = 0
    message: CompletionMessage
    finish_reason: Literal["stop", "length"]


class CompletionUsage(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class CompletionExtra(BaseModel):
    """What OpenAI's form has no place for."""

    answer_id: str
    conversation_id: str
    abstained: bool
    reason: str | None
    degraded: list[str]
    unsupported_dropped: int


class Completion(BaseModel):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: CompletionUsage
    cortex: CompletionExtra


class Model(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: Literal["cortex"] = "cortex"


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[Model]


class _Transcript:
    """One answer's events as a growing text with annotations."""

    def __init__(self) -> None:
        self.text = ""
        self.meta: MetaEvent | None = None
        self.done: DoneEvent | None = None
        self.annotations: list[Annotation] = []
        self._sources: dict[int, AnswerSource] = {}
        self._start = 0

    def take(self, one: AnswerEvent) -> tuple[str, list[Annotation]]:
        """The text and the annotations that the event adds."""
        if one.type == META:
            self.meta = MetaEvent.model_validate_json(one.data)
        elif one.type == SOURCES:
            self._sources = {source.n: source for source in sources_of(one)}
        elif one.type == TOKEN:
            added = TokenEvent.model_validate_json(one.data).text
            added = added if self.text else added.lstrip()
            self._start = len(self.text) + len(added) - len(added.lstrip())
            self.text += added
            return added, []
        elif one.type == CITATION:
            made = self._annotation(CitationBody.model_validate_json(one.data))
            self.annotations += made
            return "", made
        elif one.type == DONE:
            self.done = DoneEvent.model_validate_json(one.data)
            if not self.text:
                self.text = NOTHING
                return NOTHING, []
        return "", []

    def _annotation(self, citation: CitationBody) -> list[Annotation]:
        source = self._sources.get(citation.n)
        if source is None:
            return []
        found = UrlCitation(
            start_index=self._start,
            end_index=len(self.text),
            url=source.url,
            title=source.title,
            quote=citation.quote,
            document_id=str(citation.document_id),
            chunk_id=str(citation.chunk_id),
        )
        return [Annotation(url_citation=found)]

    @property
    def finish_reason(self) -> Literal["stop", "length"]:
        """An answer that was cut off is told apart from one that is whole."""
        cut_off = self.done is None or self.done.reason in ("interrupted", "stopped")
        return "length" if cut_off and self.text != NOTHING else "stop"

    @property
    def extra(self) -> CompletionExtra:
        meta, done = self.meta, self.done
        return CompletionExtra(
            answer_id="" if meta is None else str(meta.answer_id),
            conversation_id="" if meta is None else str(meta.conversation_id),
            abstained=done is None or done.abstained,
            reason=None if done is None else done.reason,
            degraded=[] if done is None else done.degraded,
            unsupported_dropped=0 if done is None else done.unsupported_dropped,
        )

    @property
    def usage(self) -> CompletionUsage:
        used = UsageBody() if self.done is None else self.done.usage
        total = used.prompt_tokens + used.completion_tokens
        return CompletionUsage(
            prompt_tokens=used.prompt_tokens, completion_tokens=used.completion_tokens, total_tokens=total
        )


class Completions:
    """The same answer as `/v1/chat` gives, in another form: same checks, same limits, same record."""

    def __init__(
        self, *, chat: Chat, answering: Answering, following: Following, clock: Clock, settings: AnswerSettings
    ) -> None:
        self._chat = chat
        self._answering = answering
        self._following = following
        self._clock = clock
        self._settings = settings

    async def respond(self, asking: Asking, body: CompletionRequest) -> Response:
        if body.model != MODEL:
            raise Invalid(f"model: there is one, named {MODEL}")
        assignment = await self._chat.assignment(asking, request_of(body.messages), earlier=earlier(body.messages))
        live = await self._answering.start(assignment)
        events = self._following.shown(asking.reader, assignment.answer_id, after=0, live=live)
        if body.stream:
            chunks = self._chunks(assignment, events, with_usage=body.stream_options.include_usage)
            return EventStream(chunks, slow_reader_s=self._settings.slow_reader_s)
        return JSONResponse((await self._whole(assignment, events)).model_dump(mode="json"))

    async def _whole(self, assignment: Assignment, events: AsyncGenerator[AnswerEvent | None, None]) -> Completion:
        transcript = _Transcript()
        async with aclosing(events) as shown:
            async for one in shown:
                if one is not None and one.type == ERROR:
                    raise Transient("The answer failed; ask again.")
                if one is not None:
                    transcript.take(one)
        message = CompletionMessage(content=transcript.text, annotations=transcript.annotations)
        return Completion(
            id=f"chatcmpl-{assignment.answer_id}",
            created=self._created(),
            model=MODEL,
            choices=[CompletionChoice(message=message, finish_reason=transcript.finish_reason)],
            usage=transcript.usage,
            cortex=transcript.extra,
        )

    async def _chunks(
        self, assignment: Assignment, events: AsyncGenerator[AnswerEvent | None, None], *, with_usage: bool
    ) -> AsyncGenerator[bytes, None]:
        head = {
            "id": f"chatcmpl-{assignment.answer_id}",
            "object": "chat.completion.chunk",
            "created": self._created(),
            "model": MODEL,
        }
        transcript = _Transcript()
        yield _data(head | _delta({"role": "assistant", "content": ""}))
        try:
            async with aclosing(events) as shown:
                async for one in shown:
                    if one is None:
                        yield HEARTBEAT
                        continue
                    if one.type == ERROR:
                        yield _data({"error": json.loads(one.data)["problem"]})
                        return
                    text, annotations = transcript.take(one)
                    if text:
                        yield _data(head | _delta({"content": text}))
                    if annotations:
                        dumped = [annotation.model_dump(mode="json") for annotation in annotations]
                        yield _data(head | _delta({"annotations": dumped}))
        except CortexError as error:
            problem = problem_of(error, trace=assignment.asking.trace_id)
            yield _data({"error": problem.model_dump(mode="json")})
            return
        last = head | _delta({}, finish_reason=transcript.finish_reason)
        yield _data(last | {"cortex": transcript.extra.model_dump(mode="json")})
        if with_usage:
            yield _data(head | {"choices": [], "usage": transcript.usage.model_dump(mode="json")})
        yield b"data: [DONE]\n\n"

    def _created(self) -> int:
        return int(self._clock.now().timestamp())


def _delta(delta: Mapping[str, object], *, finish_reason: str | None = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": dict(delta), "finish_reason": finish_reason}]}


def _data(body: Mapping[str, object]) -> bytes:
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n".encode()


def earlier(messages: Sequence[ChatMessage]) -> list[str]:
    """What the user asked before, oldest first. What an assistant is said to have answered is not relied upon."""
    asked = [message.text for message in messages if message.role == "user" and message.text.strip()]
    return [text[:QUERY_CHARACTERS_MAX] for text in asked[-EARLIER_MAX - 1 : -1]]


def request_of(messages: Sequence[ChatMessage]) -> ChatRequest:
    """Raises Invalid where nobody asks anything, or too much."""
    asked = next((message.text for message in reversed(messages) if message.role == "user"), "")
    try:
        return ChatRequest(question=asked)
    except ValidationError as error:
        raise Invalid(f"messages: the user's last one: {error.errors()[0]['msg']}") from error


def router(*, identify: Identify, completions: Completions, clock: Clock) -> APIRouter:
    routes = APIRouter(prefix="/v1", tags=["openai"], responses=DOCUMENTED, route_class=GuardedRoute)
    both: dict[int | str, dict[str, object]] = {
        200: {
            "model": Completion,
            "description": "The completion at once, or its chunks.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    }

    @routes.post("/chat/completions", operation_id="create_completion", response_model=None, responses=both)
    async def complete(body: CompletionRequest, asking: Annotated[Asking, Depends(identify)]) -> Response:
        return await completions.respond(asking, body)

    @routes.get("/models", operation_id="list_models")
    async def models(_asking: Annotated[Asking, Depends(identify)]) -> ModelList:
        return ModelList(data=[Model(id=MODEL, created=int(clock.now().timestamp()))])

    return routes
