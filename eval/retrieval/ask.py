"""Questions to a running platform: pages of one search, through its cursors, as deep as is wanted."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
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


@dataclass(slots=True)
class Asked:
    """`spent_ms` is the time of each question's first page, over HTTP; `degraded` counts questions by what was away."""

    hits: dict[str, list[Hit]] = field(default_factory=dict)
    spent_ms: list[float] = field(default_factory=list)
    degraded: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def rankings(self) -> dict[str, list[str]]:
        return {question: [hit.name for hit in hits] for question, hits in self.hits.items()}


def ask(
    gateway: Gateway,
    questions: Mapping[str, str],
    ingested: Ingested,
    *,
    mode: str = "hybrid",
    depth: int = DEPTH,
    observe: Callable[[str], None] = lambda _: None,
) -> Asked:
    """Every question, one after the other, within the set's own source."""
    asked = Asked()
    for name, text in questions.items():
        asked.hits[name] = _question(gateway, text[:QUESTION_CHARACTERS_MAX], ingested, mode, depth, asked)
        observe(name)
    return asked


def _question(gateway: Gateway, text: str, ingested: Ingested, mode: str, depth: int, asked: Asked) -> list[Hit]:
    hits: list[Hit] = []
    cursor: object = None
    while len(hits) < depth:
        body: dict[str, object] = {
            "query": text,
            "mode": mode,
            "limit": min(PAGE, depth - len(hits)),
            "filters": {"source_ids": [ingested.source_id]},
            "explain": True,
        }
        if cursor is not None:
            body["cursor"] = cursor
        found, spent_ms = _whole(gateway, body)
        if cursor is None:
            asked.spent_ms.append(spent_ms)
            for part in strings(found["degraded"]):
                asked.degraded[part] += 1
        hits += [_hit(result, ingested.names) for result in mappings(found["results"])]
        cursor = found["next_cursor"]
        if cursor is None:
            break
    return hits


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
