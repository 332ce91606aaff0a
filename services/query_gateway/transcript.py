"""An answer as text and as events: pure, so that a stream, a record and a second reading say the same."""

import re
from collections.abc import Collection, Sequence
from uuid import UUID

from pydantic import TypeAdapter

from cortex.ports.answer_store import AnswerEvent, AnswerRecord
from cortex.runtime.edge.problems import ProblemBody
from services.query_gateway.wire import (
    AnswerBody,
    AnswerSource,
    Body,
    CitationBody,
    DoneEvent,
    ErrorEvent,
    SentenceBody,
    StoredAnswer,
    TokenEvent,
    UsageBody,
)

META, SOURCES, TOKEN, CITATION, DONE, ERROR = "meta", "sources", "token", "citation", "done", "error"
_UNTOLD: dict[str, object] = {"confidence": None, "evidence": {}}
"""Both are measured over all sources, and would tell something of one that its reader may not open."""

_SOURCES: TypeAdapter[list[AnswerSource]] = TypeAdapter(list[AnswerSource])
_SENTENCE_END = re.compile(r"[.!?…:;。！？]['\"”’)»」』]*$")


def event(sequence: int, kind: str, body: Body) -> AnswerEvent:
    return AnswerEvent(sequence, kind, body.model_dump_json())


def sources_event(sequence: int, sources: list[AnswerSource]) -> AnswerEvent:
    return AnswerEvent(sequence, SOURCES, _SOURCES.dump_json(sources).decode())


def sources_of(event: AnswerEvent) -> list[AnswerSource]:
    return _SOURCES.validate_json(event.data)


def marked(sentence: SentenceBody) -> str:
    """The sentence and its numbers, as in `Deploys go out on Tuesdays. [2]`."""
    numbers = dict.fromkeys(citation.n for citation in sentence.citations)
    return sentence.text + " " + "".join(f"[{n}]" for n in numbers)


def separator(before: SentenceBody | None) -> str:
    """Nothing at the start; a new line after a list's item, a table's row or a message; a space between sentences."""
    if before is None:
        return ""
    return " " if _SENTENCE_END.search(before.text) and "\n" not in before.text else "\n"


def answer_text(sentences: Sequence[SentenceBody]) -> str:
    text, before = "", None
    for sentence in sentences:
        text += separator(before) + marked(sentence)
        before = sentence
    return text


def sentence_events(sequence: int, sentence: SentenceBody, *, before: SentenceBody | None) -> list[AnswerEvent]:
    """The text, then its citations; `sequence` is that of the first."""
    numbers = list(dict.fromkeys(citation.n for citation in sentence.citations))
    token = event(sequence, TOKEN, TokenEvent(text=separator(before) + marked(sentence), sources=numbers))
    citations = [event(sequence + n, CITATION, body) for n, body in enumerate(sentence.citations, start=1)]
    return [token, *citations]


def documents_of(answer: StoredAnswer) -> list[UUID]:
    cited = [citation.document_id for sentence in answer.sentences for citation in sentence.citations]
    return list(dict.fromkeys([source.document_id for source in answer.sources] + cited))


def supported(sentences: Sequence[SentenceBody], allowed: Collection[UUID]) -> list[SentenceBody]:
    """A sentence goes with any citation that its reader may not open."""
    return [one for one in sentences if all(c.document_id in allowed for c in one.citations)]


def presented(answer: StoredAnswer, record: AnswerRecord, *, allowed: Collection[UUID]) -> AnswerBody:
    """What a reader who may open `allowed` gets."""
    kept = supported(answer.sentences, allowed)
    sources = [source for source in answer.sources if source.document_id in allowed]
    told = answer.model_dump(exclude={"sentences", "sources", "considered", "engine", "nearest"})
    return AnswerBody.model_validate(
        {
            "answer": answer_text(kept),
            "asked_at": record.created_at,
            "state": record.state,
            "rating": record.rating,
            "sources": sources,
            "citations": [citation for sentence in kept for citation in sentence.citations],
            "nearest": [source.n for source in sources if source.n in answer.nearest],
            **told,
            **(_UNTOLD if len(sources) < len(answer.sources) else {}),
        }
    )


def without_record(record: AnswerRecord) -> AnswerBody:
    """One that is being given, or that failed."""
    return AnswerBody.model_validate(
        {
            "answer_id": record.answer_id,
            "conversation_id": record.conversation_id,
            "question": record.question,
            "asked_at": record.created_at,
            "state": record.state,
            "rating": record.rating,
            "answer": "",
            "abstained": False,
            "reason": None,
            "sources": [],
            "citations": [],
            "unsupported_dropped": 0,
            "degraded": [],
            "usage": UsageBody(),
            "stages_ms": {},
            "trace_id": "",
        }
    )


def stored_answer(record: AnswerRecord) -> StoredAnswer | None:
    """None where it is being given, or failed."""
    if record.state == "failed" or not record.record:
        return None
    return StoredAnswer.model_validate_json(record.record)


class Withholder:
    """Filters one answer's events, in order, for a reader who may open some of its sources."""

    def __init__(self) -> None:
        self._documents: dict[int, UUID] = {}
        self._citations_sent = 0
        self._withheld = False

    def learn(self, one: AnswerEvent) -> bool:
        """Whether the event named the sources, as it must before anything cites them."""
        if one.type != SOURCES:
            return False
        self._documents = {source.n: source.document_id for source in sources_of(one)}
        return True

    @property
    def documents(self) -> list[UUID]:
        return list(self._documents.values())

    def filtered(self, one: AnswerEvent, allowed: Collection[UUID]) -> AnswerEvent | None:
        """The event as this reader may see it, or None."""
        match one.type:
            case "sources":
                kept = [source for source in sources_of(one) if source.document_id in allowed]
                return sources_event(one.sequence, kept)
            case "token":
                numbers = TokenEvent.model_validate_json(one.data).sources
                self._withheld = not all(self._documents.get(n) in allowed for n in numbers)
                return None if self._withheld else one
            case "citation":
                if self._withheld or CitationBody.model_validate_json(one.data).document_id not in allowed:
                    return None
                self._citations_sent += 1
                return one
            case "done":
                return event(one.sequence, DONE, self._done(DoneEvent.model_validate_json(one.data), allowed))
        return one

    def _done(self, done: DoneEvent, allowed: Collection[UUID]) -> DoneEvent:
        seen = {n for n, document in self._documents.items() if document in allowed}
        update: dict[str, object] = {
            "citations": self._citations_sent,
            "nearest": [n for n in done.nearest if n in seen],
        }
        return done.model_copy(update=update | (_UNTOLD if len(seen) < len(self._documents) else {}))


def rests_on_documents(one: AnswerEvent) -> bool:
    return one.type in (SOURCES, TOKEN, CITATION, DONE)


def encoded(one: AnswerEvent) -> bytes:
    """One server-sent event. JSON has no raw line breaks, so one `data:` line is enough."""
    return f"id: {one.sequence}\nevent: {one.type}\ndata: {one.data}\n\n".encode()


def error_event(sequence: int, problem: ProblemBody) -> AnswerEvent:
    return event(sequence, ERROR, ErrorEvent(problem=problem))
