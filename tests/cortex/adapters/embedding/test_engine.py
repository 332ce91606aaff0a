"""Embedding engines over real HTTP: what they are asked, what is asked again, and whose fault a refusal is."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest

from cortex.adapters.egress import EgressPolicy
from cortex.adapters.embedding.engine import HttpEmbedder
from cortex.adapters.embedding.shapes import OPENAI, TEI, Shape
from cortex.adapters.openai_http import engine_client
from cortex.domain.embedding_engine import Declared, EmbeddingEngine
from cortex.domain.encoding import unpack_floats
from cortex.domain.errors import Denied, Exhausted, Invalid, Transient
from tests.embedding_engine import DIMENSIONS, MODEL, WordEngine, embedding_engine

DECLARED = Declared(MODEL, "1", DIMENSIONS, query_prefix="query: ", passage_prefix="passage: ")
POLICY = EgressPolicy().naming("127.0.0.1")


class Words:
    """Implements TokenCounter: a token a word."""

    special_tokens = 2

    def count(self, text: str) -> int:
        return len(text.split())

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        found, end = [], 0
        for word in text.split():
            start = text.index(word, end)
            end = start + len(word)
            found.append((start, end))
        return found


class Pauses(list[float]):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@asynccontextmanager
async def embedder(
    server: WordEngine, shape: Shape = OPENAI, *, pauses: Pauses | None = None, **changed: Any
) -> AsyncIterator[HttpEmbedder]:
    async with embedding_engine(server), engine_client(POLICY) as client:
        url = server.url if shape is TEI else f"{server.url}/v1/"
        engine = replace(EmbeddingEngine(url, DECLARED, frozenset({"en"})), **changed)
        waits = Pauses() if pauses is None else pauses
        yield HttpEmbedder(engine, shape, client=client, counter=Words(), pause=waits)


def expected(server: WordEngine, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    vector = server.vector(text)
    unit: np.ndarray[Any, np.dtype[np.float32]] = vector / np.linalg.norm(vector)
    return unit


@pytest.mark.parametrize("shape", [OPENAI, TEI], ids=["openai", "tei"])
@pytest.mark.parametrize("floats", [False, True], ids=["base64", "numbers"])
async def test_each_text_goes_with_its_prefix_and_comes_back_as_its_vector(shape: Shape, floats: bool) -> None:
    server = WordEngine(floats=floats, key="sk-1")
    async with embedder(server, shape, key="sk-1") as found:
        passages = await found.encode_passages(["one bee", "two boats"])
        question = await found.encode_query("bees?")
    assert server.requests == [["passage: one bee", "passage: two boats"], ["query: bees?"]]
    for encoding, text in zip(passages, server.requests[0], strict=True):
        np.testing.assert_allclose(unpack_floats(encoding.dense), expected(server, text), atol=1e-6)
        assert encoding.stored.tokens == 0
    np.testing.assert_allclose(unpack_floats(question.dense), expected(server, "query: bees?"), atol=1e-6)


async def test_many_passages_go_in_batches_and_the_engines_own_limit_is_found() -> None:
    server = WordEngine(texts_max=3)
    texts = [f"text {n}" for n in range(10)]
    async with embedder(server, batch=8) as found:
        encodings = await found.encode_passages(texts)
    for encoding, text in zip(encodings, texts, strict=True):
        np.testing.assert_allclose(unpack_floats(encoding.dense), expected(server, f"passage: {text}"), atol=1e-6)
    assert [len(asked) for asked in server.requests] == [8, 4, 2, 2, 4, 2, 2, 2]


async def test_prefix_and_special_tokens_take_room_in_the_window() -> None:
    server = WordEngine()
    async with embedder(server, declared=replace(DECLARED, tokens_max=6)) as found:
        fits, cut = await found.encode_passages(["a b c", "a b c d"])
        await found.encode_query("a b c d e")
    assert server.requests == [["passage: a b c", "passage: a b c"], ["query: a b c"]]
    assert (fits.truncated, cut.truncated) == (False, True)


async def test_a_busy_engine_is_asked_again_after_what_it_asks_for() -> None:
    pauses = Pauses()
    server = WordEngine(statuses=[429, 503, 500], headers={"Retry-After": "7"})
    async with embedder(server, pauses=pauses) as found:
        assert len(await found.encode_passages(["a"])) == 1
    assert pauses == [7.0, 7.0, 7.0]


async def test_without_a_word_from_the_engine_the_pauses_double_and_then_the_caller_is_told() -> None:
    pauses = Pauses()
    server = WordEngine(statuses=[503] * 9)
    async with embedder(server, pauses=pauses) as found:
        with pytest.raises(Transient, match="503"):
            await found.encode_passages(["a"])
    assert (pauses, len(server.requests)) == ([0.5, 1.0, 2.0], 4)


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [("120", 120, 120), ("soon", None, None), ("nan", None, None), ("-3", 0, 0), ("99999999", 600, 600)],
)
async def test_a_long_wait_is_the_callers(header: str, least: float | None, most: float | None) -> None:
    server = WordEngine(statuses=[429] * 9, headers={"Retry-After": header})
    async with embedder(server) as found:
        with pytest.raises(Transient) as raised:
            await found.encode_passages(["a"])
    assert (raised.value.retry_after_s, raised.value.retry_after_s) == (least, most)
    assert len(server.requests) == (1 if (least or 0) > 30 else 4)


async def test_a_wait_may_be_given_as_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=300), usegmt=True)
    async with embedder(WordEngine(statuses=[429], headers={"Retry-After": date})) as found:
        with pytest.raises(Transient) as raised:
            await found.encode_passages(["a"])
    assert 200 < (raised.value.retry_after_s or 0) <= 300


async def test_a_question_is_one_request() -> None:
    server = WordEngine(statuses=[503])
    async with embedder(server) as found:
        with pytest.raises(Transient):
            await found.encode_query("a")
        assert len(server.requests) == 1
        assert await found.encode_query("a")


async def test_an_engine_that_is_silent_or_gone_may_answer_later() -> None:
    server = WordEngine(room=asyncio.Semaphore(0))
    async with embedder(server, timeout_s=0.05) as found:
        with pytest.raises(Transient, match="in time"):
            await found.encode_query("a")
        server.let_in(9)
    async with engine_client(POLICY) as client:
        engine = EmbeddingEngine(server.url, DECLARED, frozenset({"en"}))
        with pytest.raises(Transient, match="ConnectError"):
            await HttpEmbedder(engine, OPENAI, client=client, counter=Words()).encode_query("a")


@pytest.mark.parametrize(("status", "named"), [(401, "CORTEX_EMBEDDER_KEY"), (404, "model"), (301, "EMBEDDER_URL")])
async def test_what_the_operator_has_to_mend_is_no_documents_fault(status: int, named: str) -> None:
    """Nothing is buried for it, and the check at the start names it."""
    async with embedder(WordEngine(statuses=[status] * 3)) as found:
        with pytest.raises(Transient, match=named):
            await found.encode_passages(["secret"])
        with pytest.raises(Transient, match=named) as raised:
            await found.encode_query("secret")
        with pytest.raises(Invalid, match=named):
            await found.check()
    assert "secret" not in str(raised.value)


async def test_other_dimensions_than_declared_are_never_stored() -> None:
    async with embedder(WordEngine(dimensions=32)) as found:
        with pytest.raises(Invalid, match=r"answers with 32 dimensions, and CORTEX_EMBEDDER_DIMENSIONS says 24"):
            await found.check()
        with pytest.raises(Transient, match="32 dimensions"):
            await found.encode_passages(["a"])


async def test_a_passage_that_is_too_long_after_all_is_shortened_and_says_so() -> None:
    server = WordEngine(words_max=6)
    async with embedder(server) as found:
        short, long = await found.encode_passages(["a", "far too many words for it " * 3])
    assert (short.truncated, long.truncated) == (False, True)
    assert server.requests[-1][0].startswith("passage: far too")
    assert len(server.requests[-1][0].split()) <= 6


async def test_a_passage_that_is_refused_however_short_is_too_much() -> None:
    async with embedder(WordEngine(words_max=2)) as found:
        with pytest.raises(Exhausted, match="however short"):
            await found.encode_passages(["many words " * 40])


async def test_an_engine_that_refuses_everything_has_the_passages_wait() -> None:
    async with embedder(WordEngine(words_max=0)) as found:
        with pytest.raises(Transient, match="400"):
            await found.encode_passages(["a"])


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"data": []},
        {"data": [{"index": 1, "embedding": [0.5] * DIMENSIONS}]},
        {"data": [{"index": 0}]},
        {"data": [{"index": 0, "embedding": "not base64"}]},
        {"data": [{"index": 0, "embedding": "AAAA"}]},
        {"data": [{"index": 0, "embedding": [True] * DIMENSIONS}]},
        {"data": [{"index": 0, "embedding": [0] * DIMENSIONS}]},
        {"data": [{"index": 0, "embedding": [1e300] * DIMENSIONS}]},
        [[0.5] * DIMENSIONS],
    ],
)
async def test_another_shape_is_no_vector(answer: object) -> None:
    async with embedder(WordEngine(answer=answer)) as found:
        with pytest.raises(Transient, match="shape"):
            await found.encode_query("a")


async def test_a_question_goes_before_passages_that_have_not_started() -> None:
    server = WordEngine(room=asyncio.Semaphore(0))
    async with embedder(server, batch=1, batches=1) as found, asyncio.TaskGroup() as tasks:
        passages = tasks.create_task(found.encode_passages(["p1", "p2"]))
        await server.until_asked(1)
        question = tasks.create_task(found.encode_query("q"))
        assert await server.until_asked(2) == [["passage: p1"], ["query: q"]]
        server.let_in(9)
        await question
        assert len(await passages) == 2


async def test_a_cancelled_call_frees_its_place() -> None:
    server = WordEngine(room=asyncio.Semaphore(0))
    async with embedder(server, passages_waiting_max=2, queries_waiting_max=1) as found:
        waiting = asyncio.create_task(found.encode_passages(["a", "b"]))
        question = asyncio.create_task(found.encode_query("a"))
        await server.until_asked(2)
        for refused in (found.encode_passages(["c"]), found.encode_query("c")):
            with pytest.raises(Transient, match="too many"):
                await refused
        for task in (waiting, question):
            task.cancel()
        await asyncio.gather(waiting, question, return_exceptions=True)
        server.let_in(9)
        assert len(await found.encode_passages(["c", "d"])) == 2
        assert await found.encode_query("c")


async def test_a_key_goes_nowhere_that_was_not_named() -> None:
    """Neither to an address that the operator did not name, nor into what is printed."""
    async with engine_client(EgressPolicy()) as client, embedding_engine(WordEngine()) as server:
        engine = EmbeddingEngine(server.url, DECLARED, frozenset({"en"}), key="sk-1")
        with pytest.raises(Denied):
            await HttpEmbedder(engine, TEI, client=client, counter=Words())._ask(["a"])
        assert server.requests == []
    assert "sk-1" not in repr(engine)


def test_what_decides_about_the_vectors_is_in_the_key() -> None:
    engine = EmbeddingEngine("http://engine", DECLARED, frozenset({"en"}))
    keys = {
        replace(engine, declared=replace(DECLARED, **changed)).card.key
        for changed in (
            {},
            {"model": "other"},
            {"revision": "2"},
            {"dimensions": 32},
            {"tokens_max": 300},
            {"query_prefix": ""},
            {"passage_prefix": ""},
        )
    }
    assert len(keys) == 7
    assert replace(engine, url="http://moved", key="k", languages=frozenset({"*"})).card.key == engine.card.key
