"""An answer as text and as events: pure, so that a stream, a record and a second reading say the same."""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from pydantic import TypeAdapter

from cortex.domain.identity import DocumentId
from cortex.ports.answer_store import AnswerEvent, AnswerRecord
from cortex.runtime.edge.problems import ProblemBody
from services.query_gateway.standing import Standing, untold
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


def documents_of(answer: StoredAnswer, *, considered: bool = False) -> list[DocumentId]:
    """What it names. `considered`: with what was found beside the sources."""
    named = [source.document_id for source in answer.sources]
    named += [citation.document_id for citation in citations_of([answer])]
    named += [passage.document_id for passage in answer.considered if considered]
    return [DocumentId(document) for document in dict.fromkeys(named)]


def citations_of(answers: Iterable[StoredAnswer]) -> list[CitationBody]:
    return [citation for answer in answers for sentence in answer.sentences for citation in sentence.citations]


def presented(answer: StoredAnswer, record: AnswerRecord) -> AnswerBody:
    """`answer` holds only what its reader may see."""
    told = answer.model_dump(exclude={"sentences", "considered", "engine"})
    return AnswerBody.model_validate(
        {
            "answer": answer_text(answer.sentences),
            "asked_at": record.created_at,
            "state": record.state,
            "rating": record.rating,
            "citations": citations_of([answer]),
            **told,
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
    """Filters one answer's events, in order, by what still stands of it for a reader."""

    def __init__(self) -> None:
        self._sources: list[AnswerSource] = []
        self._cited: dict[int, SentenceBody] = {}
        self._shown: set[int] = set()
        self._citations_sent = 0

    def learn(self, events: Sequence[AnswerEvent]) -> None:
        """What is next; a sentence comes with its citations."""
        for at, one in enumerate(events):
            if one.type == SOURCES:
                self._sources = sources_of(one)
            elif one.type == TOKEN:
                self._cited[one.sequence] = _sentence(one, events[at + 1 :])

    @property
    def documents(self) -> list[DocumentId]:
        """Of the sources, which are told before anything cites them."""
        return [DocumentId(source.document_id) for source in self._sources]

    def citations(self, events: Sequence[AnswerEvent]) -> list[CitationBody]:
        """On which those events rest: sources rest on all that is known."""
        everything = any(one.type == SOURCES for one in events)
        resting = self._cited.values() if everything else [self._cited[e.sequence] for e in events if e.type == TOKEN]
        return [citation for sentence in resting for citation in sentence.citations]

    def filtered(self, events: Sequence[AnswerEvent], now: Standing) -> list[AnswerEvent]:
        """Of events that belong together, what this reader may see."""
        first = events[0]
        if first.type == SOURCES:
            cited = {one.n for sentence in now.sentences(self._cited.values()) for one in sentence.citations}
            sources = now.sources(self._sources, cited)
            self._shown = {source.n for source in sources}
            return [sources_event(first.sequence, sources)]
        if first.type == TOKEN:
            return self._sentence(events, now.sentence(self._cited[first.sequence]))
        if first.type == DONE:
            return [event(first.sequence, DONE, self._done(DoneEvent.model_validate_json(first.data), now))]
        return [one for one in events if one.type != CITATION]

    def _sentence(self, events: Sequence[AnswerEvent], left: SentenceBody | None) -> list[AnswerEvent]:
        numbers = set(TokenEvent.model_validate_json(events[0].data).sources)
        if left is None or not numbers or not numbers <= self._shown or {one.n for one in left.citations} != numbers:
            return []
        self._citations_sent += len(left.citations)
        bodies = zip(events[1:], left.citations, strict=True)
        return [events[0], *(event(one.sequence, CITATION, body) for one, body in bodies)]

    def _done(self, done: DoneEvent, now: Standing) -> DoneEvent:
        openable = {source.n for source in self._sources if source.document_id in now.live}
        seen = self._shown & openable
        update: dict[str, object] = {
            "citations": self._citations_sent,
            "nearest": [n for n in done.nearest if n in seen],
        }
        return done.model_copy(update=update | untold(seen, self._sources))


def _sentence(token: AnswerEvent, following: Sequence[AnswerEvent]) -> SentenceBody:
    """The text and its citations, which follow it at once."""
    citations = takewhile(lambda one: one.type == CITATION, following)
    numbers = TokenEvent.model_validate_json(token.data)
    marks = "".join(f"[{n}]" for n in numbers.sources)
    return SentenceBody(
        text=numbers.text.strip().removesuffix(marks).strip(),
        citations=[CitationBody.model_validate_json(one.data) for one in citations],
    )


def together(events: Sequence[AnswerEvent]) -> list[list[AnswerEvent]]:
    """A sentence and its citations are one group, any other event is one by itself."""
    groups: list[list[AnswerEvent]] = []
    for one in events:
        if one.type == CITATION and groups and groups[-1][0].type == TOKEN:
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def rests_on_documents(one: AnswerEvent) -> bool:
    return one.type in (SOURCES, TOKEN, CITATION, DONE)


def encoded(one: AnswerEvent) -> bytes:
    """One server-sent event. JSON has no raw line breaks, so one `data:` line is enough."""
    return f"id: {one.sequence}\nevent: {one.type}\ndata: {one.data}\n\n".encode()


def error_event(sequence: int, problem: ProblemBody) -> AnswerEvent:
    return event(sequence, ERROR, ErrorEvent(problem=problem))
