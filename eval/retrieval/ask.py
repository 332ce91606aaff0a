"""Questions to a running platform: pages of one search, through its cursors, as deep as is wanted."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event

from cortex.cli.gateway import Gateway
from cortex.cli.source import mapping, mappings, strings
from cortex.domain.errors import Bug, Transient
from eval.retrieval.ingest import Ingested

PAGE = 50
DEPTH = 100
# On a busy machine a part may be late: the question is asked again, so that quality is measured and not the load.
TRIES = 5
TRY_AGAIN_S = 0.5
_NEVER = Event()
# What a question may hold; a longer one is cut there.
QUESTION_CHARACTERS_MAX = 2_000


@dataclass(frozen=True, slots=True)
class Hit:
    """`scores` holds what the score was made of."""

    name: str
    score: float
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Answer:
    """`spent_ms` is the time of the first page, over HTTP; `degraded` names what was away."""

    hits: Sequence[Hit]
    spent_ms: float
    degraded: Sequence[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """Answers by question."""

    answers: Mapping[str, Answer] = field(default_factory=dict)

    @property
    def rankings(self) -> dict[str, list[str]]:
        return {question: [hit.name for hit in answer.hits] for question, answer in self.answers.items()}

    @property
    def spent_ms(self) -> list[float]:
        return [answer.spent_ms for answer in self.answers.values()]

    @property
    def degraded(self) -> Counter[str]:
        """How many questions were answered without each part."""
        return Counter(part for answer in self.answers.values() for part in answer.degraded)


def ask(
    gateway: Gateway,
    questions: Mapping[str, str],
    ingested: Ingested,
    *,
    mode: str = "hybrid",
    depth: int = DEPTH,
    askers: int = 1,
) -> Asked:
    """Every question within the set's own source, by so many at once: times are those of an idle platform with one."""

    def answer(text: str) -> Answer:
        return _answer(gateway, text[:QUESTION_CHARACTERS_MAX], ingested, mode=mode, depth=depth)

    with ThreadPoolExecutor(askers) as several:
        return Asked(dict(zip(questions, several.map(answer, questions.values()), strict=True)))


def _answer(gateway: Gateway, text: str, ingested: Ingested, *, mode: str, depth: int) -> Answer:
    body: dict[str, object] = {
        "query": text,
        "mode": mode,
        "limit": min(PAGE, depth),
        "filters": {"source_ids": [ingested.source_id]},
        "explain": True,
        # Questions of a set are no operators, and its judgements know of no copies.
        "operators": False,
        "fold": False,
    }
    first, spent_ms = _whole(gateway, body)
    results, cursor = mappings(first["results"]), first["next_cursor"]
    while cursor is not None and len(results) < depth:
        page, _ = _whole(gateway, body | {"cursor": cursor, "limit": min(PAGE, depth - len(results))})
        results += mappings(page["results"])
        cursor = page["next_cursor"]
    return Answer([_hit(result, ingested.names) for result in results], spent_ms, strings(first["degraded"]))


def _whole(gateway: Gateway, body: Mapping[str, object]) -> tuple[dict[str, object], float]:
    """The answer and its milliseconds: of the first try from which nothing was missing, or else of the last."""
    for remaining in reversed(range(TRIES)):
        began = time.perf_counter()
        try:
            found = gateway.post("/v1/search", body)
        except Transient:
            if not remaining:
                raise
            _NEVER.wait(TRY_AGAIN_S)
            continue
        spent_ms = (time.perf_counter() - began) * 1000
        if not found["degraded"] or not remaining:
            return found, spent_ms
    raise Bug("a question was not asked at all")


def _hit(result: Mapping[str, object], names: Mapping[str, str]) -> Hit:
    scores = {name: float(str(value)) for name, value in mapping(result["scores"]).items()}
    return Hit(names[str(result["document_id"])], float(str(result["score"])), scores)
