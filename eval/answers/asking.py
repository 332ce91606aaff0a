"""Puts golden questions to a running gateway as their askers, through the routes that people use."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from cortex.cli.demo.asking import paths_by_id
from cortex.cli.demo.company import load
from cortex.cli.gateway import TENANT, Gateway
from cortex.cli.source import mapping, mappings
from cortex.domain.dated import as_of
from cortex.domain.errors import NotFound, Transient
from cortex.domain.identity import document_id, source_id, tenant_id
from eval.answers.given import Cited, Given, Said
from eval.golden_questions import GoldenQuestion

FOUND = 10
_NUMBERS = re.compile(r"\s*(?:\[\d+\])+\s*$")


@dataclass(slots=True)
class _Stream:
    """One answer's events, sorted."""

    conversation: str = ""
    rewritten: str = ""
    sources: list[dict[str, object]] = field(default_factory=list)
    sentences: list[tuple[str, list[dict[str, object]]]] = field(default_factory=list)
    done: dict[str, object] = field(default_factory=dict)

    def take(self, kind: str, data: str) -> None:
        event = json.loads(data)
        match kind:
            case "meta":
                self.conversation = str(event["conversation_id"])
                self.rewritten = str(event.get("rewritten_question") or "")
            case "sources":
                self.sources = mappings(event if isinstance(event, list) else event.get("sources"))
            case "token":
                self.sentences.append((_NUMBERS.sub("", str(event["text"])).strip(), []))
            case "citation" if self.sentences:
                self.sentences[-1][1].append(event)
            case "done":
                self.done = event
            case "error":
                raise Transient(str(mapping(event["problem"])["detail"]))


class _Reader:
    """One asker: their gateway, and every document that they were shown, opened once."""

    def __init__(self, gateway: Gateway, paths: Mapping[str, str]) -> None:
        self.gateway = gateway
        self._paths = paths
        self._pages: dict[str, dict[str, object] | None] = {}

    def path(self, document: object) -> str:
        return self._paths.get(str(document), str(document))

    def page(self, document: object) -> dict[str, object] | None:
        """None where the asker may not open it."""
        key = str(document)
        if key not in self._pages:
            try:
                self._pages[key] = self.gateway.get(f"/v1/documents/{key}")
            except NotFound:
                self._pages[key] = None
        return self._pages[key]

    def cited(self, citation: Mapping[str, object]) -> Cited:
        page, anchor = self.page(citation["document_id"]), mapping(citation["anchor"])
        blocks = mappings(page["blocks"]) if page else []
        texts = [str(block["text"]) for block in blocks if block["block_id"] == anchor["block_id"]]
        block, quote = "".join(texts[:1]), str(citation["quote"])
        exact = bool(quote) and block[int(str(anchor["start"])) : int(str(anchor["end"]))] == quote
        title = str(page["title"]) if page else ""
        return Cited(
            self.path(citation["document_id"]), quote, page is not None, exact, f"{title}\n{block}\n{_day(page)}"
        )


def ask_all(questions: Sequence[GoldenQuestion], *, data: Path, tenant: str = TENANT) -> Iterator[Given]:
    """One after the other."""
    paths = paths_by_id(load().sources, tenant) | _named(questions, tenant)
    with ExitStack() as stack:
        readers: dict[str, _Reader] = {}
        for question in questions:
            if question.asker not in readers:
                gateway = stack.enter_context(Gateway.at(data, email=question.asker, tenant=tenant))
                readers[question.asker] = _Reader(gateway, paths)
            yield ask(readers[question.asker], question)


def _named(questions: Sequence[GoldenQuestion], tenant: str) -> dict[str, str]:
    """Of whatever source: a document's id follows from its place, `SOURCE/PATH`."""
    identifier = tenant_id(tenant)
    named = {path for question in questions for path in (*question.sources, *question.forbidden)}
    places = [(path, *path.split("/", 1)) for path in named if "/" in path]
    return {
        str(document_id(identifier, source_id(identifier, source), external)): path for path, source, external in places
    }


def ask(reader: _Reader, question: GoldenQuestion) -> Given:
    """A follow-up is asked in the conversation that its history makes."""
    conversation = ""
    for turn in question.history:
        conversation = _stream(reader.gateway, turn.question, conversation).conversation
    began = time.perf_counter()
    answer = _stream(reader.gateway, question.question, conversation)
    took_ms = (time.perf_counter() - began) * 1000
    asked_as = answer.rewritten or question.question
    results = _results(reader.gateway, asked_as)
    named = [source["document_id"] for source in answer.sources] + [result["document_id"] for result in results]
    said = tuple(
        Said(text, tuple(reader.cited(citation) for citation in citations)) for text, citations in answer.sentences
    )
    documents = list(dict.fromkeys([*named, *(c["document_id"] for _, cs in answer.sentences for c in cs)]))
    confidence = answer.done.get("confidence")
    return Given(
        id=question.id,
        found=tuple(reader.path(result["document_id"]) for result in results),
        scores=_numbers(results[0].get("scores")) if results else {},
        said=said,
        abstained=bool(answer.done["abstained"]),
        reason=str(answer.done.get("reason") or ""),
        shown=tuple(map(reader.path, documents)),
        closed=tuple(reader.path(one) for one in documents if reader.page(one) is None),
        confidence=float(confidence) if isinstance(confidence, int | float) else None,
        evidence=_numbers(answer.done.get("evidence")),
        asked_as=asked_as,
        took_ms=took_ms,
        generate_ms=_numbers(answer.done.get("stages_ms")).get("generate", 0.0),
    )


def _day(page: Mapping[str, object] | None) -> str:
    """When the document changed, as an answer may say it."""
    at = page and page.get("updated_at")
    return as_of(datetime.fromisoformat(str(at)), "en") if at else ""


def _stream(gateway: Gateway, question: str, conversation: str) -> _Stream:
    body: dict[str, object] = {"question": question}
    if conversation:
        body["conversation_id"] = conversation
    answer = _Stream()
    for kind, data in gateway.events("/v1/chat", body):
        answer.take(kind, data)
    if not answer.done:
        raise Transient("the answer's stream ended before its end")
    return answer


def _results(gateway: Gateway, question: str) -> list[dict[str, object]]:
    found = gateway.post("/v1/search", {"query": question, "limit": FOUND, "explain": True})
    return mappings(found["results"])


def _numbers(value: object) -> dict[str, float]:
    values = value if isinstance(value, dict) else {}
    return {str(name): float(number) for name, number in values.items() if isinstance(number, int | float)}
