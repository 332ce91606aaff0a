"""Cross-encoders over HTTP, against the published shapes of Text Embeddings Inference, Cohere and vLLM."""

import json
from collections.abc import Callable

import httpx
import pytest

from cortex.adapters.reranking.engines import COHERE, TEI, EngineSettings, HttpCrossEncoder, Shape
from cortex.domain.errors import Bug, CortexError, Denied, Exhausted, Transient

Handler = Callable[[httpx.Request], httpx.Response]
QUESTION = "who keeps bees?"


def worth(text: str) -> float:
    return len(text) / 100


def tei(request: httpx.Request) -> httpx.Response:
    body = json.loads(request.content)
    assert request.url.path == "/rerank"
    assert body.keys() <= {"query", "texts", "truncate", "raw_scores", "return_text", "truncation_direction"}
    if len(body["texts"]) > 32:
        return httpx.Response(
            413, json={"error": "batch size > maximum allowed batch size", "error_type": "Validation"}
        )
    rows = [{"index": n, "score": worth(text)} for n, text in enumerate(body["texts"])]
    return httpx.Response(200, json=sorted(rows, key=lambda row: -row["score"]))


def cohere(request: httpx.Request) -> httpx.Response:
    body = json.loads(request.content)
    assert request.url.path == "/v1/rerank"
    assert body.keys() <= {"model", "query", "documents", "top_n", "return_documents"}
    assert request.headers["Authorization"] == "Bearer k-1"
    rows = [{"index": n, "relevance_score": worth(text)} for n, text in enumerate(body["documents"])]
    best = sorted(rows, key=lambda row: -row["relevance_score"])[: body["top_n"]]
    return httpx.Response(200, json={"id": "07734bd2", "results": best, "meta": {"api_version": {"version": "1"}}})


def vllm(request: httpx.Request) -> httpx.Response:
    body = json.loads(request.content)
    assert (request.url.path, body["model"]) == ("/v1/rerank", "bge-reranker")
    rows = [
        {"index": n, "document": {"text": text}, "relevance_score": worth(text)}
        for n, text in enumerate(body["documents"])
    ]
    usage = {"total_tokens": 56}
    return httpx.Response(200, json={"id": "rerank-1", "model": body["model"], "usage": usage, "results": rows[::-1]})


def engine(handler: Handler, shape: Shape, *, model: str = "", key: str = "") -> HttpCrossEncoder:
    chosen = EngineSettings("http://engine.internal:8080/", model=model, key=key)
    return HttpCrossEncoder(chosen, shape, transport=httpx.MockTransport(handler))


@pytest.mark.parametrize(
    ("handler", "shape", "settings"),
    [(tei, TEI, {}), (cohere, COHERE, {"key": "k-1"}), (vllm, COHERE, {"model": "bge-reranker"})],
    ids=["tei", "cohere", "vllm"],
)
async def test_scores_come_back_in_the_order_of_the_passages(
    handler: Handler, shape: Shape, settings: dict[str, str]
) -> None:
    passages = ["bees" * n for n in (2, 9, 1, 5)]
    async with engine(handler, shape, **settings) as found:
        assert await found.score(QUESTION, passages) == [worth(passage) for passage in passages]
        assert await found.score(QUESTION, []) == []


async def test_many_passages_go_in_batches_that_the_engine_takes() -> None:
    passages = ["x" * n for n in range(70)]
    async with engine(tei, TEI) as found:
        assert await found.score(QUESTION, passages) == [worth(passage) for passage in passages]


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [{"index": 0, "score": 0.5}],
        [{"index": 0, "score": 0.5}, {"index": 0, "score": 0.5}],
        [{"index": 0, "score": 0.5}, {"index": 2, "score": 0.5}],
        [{"index": 0, "score": 0.5}, {"index": 1, "score": "high"}],
        [{"index": 0, "score": 0.5}, 7],
        {"results": []},
        None,
    ],
)
async def test_another_shape_is_no_order(answer: object) -> None:
    async with engine(lambda _: httpx.Response(200, json=answer), TEI) as found:
        with pytest.raises(Transient, match="shape"):
            await found.score(QUESTION, ["a", "b"])


async def test_a_score_that_is_no_number_and_a_text_that_is_no_json_are_refused() -> None:
    for content in (b'[{"index": 0, "score": NaN}]', b"<html>busy</html>"):
        async with engine(lambda _, content=content: httpx.Response(200, content=content), TEI) as found:  # type: ignore[misc]
            with pytest.raises(Transient, match="shape"):
                await found.score(QUESTION, ["a"])


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, Denied), (403, Denied), (413, Exhausted), (429, Transient), (424, Transient), (503, Transient), (422, Bug)],
)
async def test_a_refusal_is_told_without_the_engines_words(status: int, kind: type[CortexError]) -> None:
    async with engine(lambda _: httpx.Response(status, text="secret passage"), COHERE) as found:
        with pytest.raises(kind, match=str(status)) as raised:
            await found.score(QUESTION, ["secret passage"])
    assert "secret" not in str(raised.value)


async def test_an_engine_that_does_not_answer_may_later() -> None:
    def refused(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    async with engine(refused, TEI) as found:
        with pytest.raises(Transient, match="ConnectError"):
            await found.score(QUESTION, ["a"])


async def test_a_redirect_is_not_followed() -> None:
    """Passages go to the engine that was named."""
    moved = httpx.Response(307, headers={"Location": "http://elsewhere.example/rerank"})
    async with engine(lambda _: moved, TEI) as found:
        with pytest.raises(Transient):
            await found.score(QUESTION, ["a"])


def test_the_key_stays_out_of_what_is_printed() -> None:
    assert "k-1" not in repr(EngineSettings("http://engine", key="k-1"))
