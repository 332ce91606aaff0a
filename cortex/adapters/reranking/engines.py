"""Cross-encoders behind HTTP: Text Embeddings Inference at `/rerank`, and the shape of Cohere and vLLM at `/v1/rerank`.

Both answer with pairs of index and score, best first.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import httpx

from cortex.domain.errors import Bug, CortexError, Denied, Exhausted, Transient

ANSWER_BYTES_MAX = 1024 * 1024


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """`url` is the engine's root. `batch` is how many passages one request holds: TEI refuses more than 32 unless told.

    `model` is sent where the engine serves several; `key` as a bearer token.
    """

    url: str
    model: str = ""
    key: str = field(default="", repr=False)
    timeout_s: float = 5.0
    batch: int = 32


@dataclass(frozen=True, slots=True)
class Shape:
    """How an engine wants to be asked, and what it answers."""

    path: str
    passages: str
    """The field that holds the passages."""
    fixed: Mapping[str, object]
    rows: str
    """The field of the answer that holds the scores; empty where the answer is the list itself."""
    score: str
    counts: str = ""
    """The field that says how many are wanted back, where all is not what comes by itself."""


TEI = Shape(
    path="/rerank",
    passages="texts",
    fixed={"truncate": True, "raw_scores": False, "return_text": False},
    rows="",
    score="score",
)
COHERE = Shape(
    path="/v1/rerank",
    passages="documents",
    fixed={},
    rows="results",
    score="relevance_score",
    counts="top_n",
)
"""vLLM serves it too."""


class HttpCrossEncoder:
    """Implements CrossEncoder. Batches go one after the other: the engine batches across askers by itself."""

    def __init__(
        self, settings: EngineSettings, shape: Shape, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._settings = settings
        self._shape = shape
        headers = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
        # No proxy of the environment: passages go to the engine that was named, and nowhere else.
        self._client = httpx.AsyncClient(
            base_url=settings.url.rstrip("/"),
            headers=headers,
            timeout=settings.timeout_s,
            trust_env=False,
            follow_redirects=False,
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def score(self, query: str, passages: Sequence[str]) -> list[float]:
        scores: list[float] = []
        for start in range(0, len(passages), self._settings.batch):
            some = passages[start : start + self._settings.batch]
            answer = await self._answer(self._body(query, some))
            rows = answer.get(self._shape.rows) if self._shape.rows and isinstance(answer, dict) else answer
            scores += _in_order(rows, len(some), name=self._shape.score)
        return scores

    def _body(self, query: str, passages: Sequence[str]) -> dict[str, object]:
        body: dict[str, object] = {"query": query, self._shape.passages: list(passages), **self._shape.fixed}
        if self._shape.counts:
            body[self._shape.counts] = len(passages)
        if self._settings.model:
            body["model"] = self._settings.model
        return body

    async def _answer(self, body: Mapping[str, object]) -> object:
        try:
            response = await self._client.post(self._shape.path, json=body)
        except httpx.HTTPError as error:
            raise Transient(f"the reranking engine does not answer ({type(error).__name__})") from error
        if response.status_code >= 400:
            raise _refusal(response.status_code)
        if len(response.content) > ANSWER_BYTES_MAX:
            raise Transient("the reranking engine answered with more than scores")
        try:
            return response.json()
        except ValueError as error:
            raise _other_shape() from error


def _in_order(rows: object, count: int, *, name: str) -> list[float]:
    """Scores by index. An engine that leaves one out, or gives one twice, ranks something else than was asked."""
    if not isinstance(rows, list):
        raise _other_shape()
    scores: dict[int, float] = {}
    for row in rows:
        index, score = (row.get("index"), row.get(name)) if isinstance(row, dict) else (None, None)
        if not isinstance(index, int) or isinstance(score, bool) or not isinstance(score, int | float):
            raise _other_shape()
        if index in scores or not math.isfinite(score):
            raise _other_shape()
        scores[index] = float(score)
    if scores.keys() != set(range(count)):
        raise _other_shape()
    return [scores[n] for n in range(count)]


def _other_shape() -> Transient:
    return Transient("the reranking engine answered in another shape than its interface has")


def _refusal(status: int) -> CortexError:
    """The engine's own words stay out of it: they may quote the passages."""
    if status in (401, 403):
        return Denied(f"the reranking engine refuses the key (status {status})")
    if status == 413:
        return Exhausted("the reranking engine refuses so many passages (status 413)")
    if status in (408, 424, 429) or status >= 500:
        return Transient(f"the reranking engine is busy or down (status {status})")
    return Bug(f"the reranking engine refuses the request (status {status})")
