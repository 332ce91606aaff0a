"""Scores from stored tokens: order, gaps, walls between tenants, what tokens weigh, what stays in memory."""

import numpy as np
import pytest

from cortex.domain.encoding import QueryEncoding, StoredTokens
from cortex.domain.errors import Exhausted, Invalid, Transient
from cortex.domain.identity import TenantId, tenant_id
from cortex.testing.token_vector_store import MemoryTokenVectorStore
from services.rerank.compose import build
from services.rerank.frequency import TokenWeights, frequencies
from services.rerank.resident import ENTRY_BYTES, ResidentTokens
from services.rerank.settings import FrequencySettings, RerankSettings

ACME, OTHER = tenant_id("acme"), tenant_id("other")
MODEL = "m@1:0"
DIMENSIONS = 64


def vector(token: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Every token has a direction of its own."""
    return np.random.default_rng(token).choice([-1.0, 1.0], DIMENSIONS).astype(np.float32) / np.float32(8)


def passage(*tokens: int) -> StoredTokens:
    return StoredTokens(b"".join(np.packbits(vector(token) > 0).tobytes() for token in tokens), tokens)


def question(*tokens: int) -> QueryEncoding:
    vectors = np.stack([vector(token) for token in tokens])
    return QueryEncoding(vector(0).tobytes(), vectors.tobytes(), tokens)


class FailingStore(MemoryTokenVectorStore):
    """Answers until it is switched off."""

    def __init__(self) -> None:
        super().__init__()
        self.down = False
        self.counts = 0
        self.samples = 0

    async def count(self, tenant: TenantId, *, model_key: str) -> int:
        self.counts += 1
        if self.down:
            raise Transient("down")
        return await super().count(tenant, model_key=model_key)

    async def sample(self, tenant: TenantId, *, model_key: str, limit: int) -> list[tuple[int, ...]]:
        self.samples += 1
        return await super().sample(tenant, model_key=model_key, limit=limit)


async def test_a_model_without_token_vectors_scores_nothing_whatever_its_dimensions() -> None:
    store = MemoryTokenVectorStore()
    await store.put(ACME, MODEL, {"bare": StoredTokens(b"", ())})
    late = await build(RerankSettings(), store).score(
        ACME, query=QueryEncoding(bytes(4 * 12), b"", ()), model_key=MODEL, embedded_sha256s=["bare", "other"]
    )
    assert (late.scores, late.neighbours) == ((None, None), ())


async def test_passages_that_hold_the_questions_tokens_score_higher() -> None:
    store = MemoryTokenVectorStore()
    await store.put(ACME, MODEL, {"both": passage(1, 2, 9), "one": passage(1, 8, 9), "none": passage(7, 8, 9)})
    late = await build(RerankSettings(), store).score(
        ACME, query=question(1, 2), model_key=MODEL, embedded_sha256s=["none", "both", "one"]
    )
    none, both, one = (score if score is not None else -1.0 for score in late.scores)
    assert both > one > none
    assert both == pytest.approx(1.0, abs=1e-5)


async def test_what_is_not_stored_for_this_tenant_and_model_has_no_score() -> None:
    store = MemoryTokenVectorStore()
    await store.put(ACME, MODEL, {"a": passage(1)})
    await store.put(OTHER, MODEL, {"foreign": passage(1)})
    reranker = build(RerankSettings(), store)
    late = await reranker.score(
        ACME, query=question(1), model_key=MODEL, embedded_sha256s=["foreign", "a", "a", "missing"]
    )
    assert list(late.scores) == [None, pytest.approx(1.0), pytest.approx(1.0), None]
    other = await reranker.score(ACME, query=question(1), model_key="m@2:0", embedded_sha256s=["a"])
    assert other.scores == (None,)
    assert (await reranker.score(ACME, query=question(1), model_key=MODEL, embedded_sha256s=[])).scores == ()


async def test_a_rare_token_counts_more_than_one_that_every_passage_holds() -> None:
    store = MemoryTokenVectorStore()
    common = {f"c{n}": passage(1, 20 + n) for n in range(30)}
    await store.put(ACME, MODEL, common | {"rare": passage(2, 60)})
    late = await build(RerankSettings(), store).score(
        ACME, query=question(1, 2), model_key=MODEL, embedded_sha256s=["c0", "rare"]
    )
    scores = late.scores
    assert scores[0] is not None
    assert scores[1] is not None
    assert scores[1] > scores[0] + 0.3


async def test_candidates_come_with_those_most_like_them_beyond_their_own_group() -> None:
    store = MemoryTokenVectorStore()
    held = {"a": passage(1, 2, 3), "a-too": passage(1, 2, 4), "b": passage(1, 2, 5), "far": passage(7, 8, 9)}
    await store.put(ACME, MODEL, held)
    reranker = build(RerankSettings(neighbours=2), store)
    late = await reranker.score(
        ACME,
        query=question(1),
        model_key=MODEL,
        embedded_sha256s=["a", "a-too", "gone", "b", "far"],
        groups=[0, 0, 1, 2, 3],
    )
    near = [[place for place, _ in one] for one in late.neighbours]
    assert (near[0][0], near[1][0]) == (3, 3)
    assert set(near[3]) == {0, 1}
    assert all(place not in one for place, one in enumerate(near))
    assert 1 not in near[0]
    assert 0 not in near[1]
    assert all(2 not in one for one in near)
    assert near[2] == []
    assert all(len(one) <= 2 for one in near)
    assert all(0 < weight <= 1.0001 for one in late.neighbours for _, weight in one)


async def test_groups_that_do_not_fit_the_candidates_are_refused() -> None:
    reranker = build(RerankSettings(), MemoryTokenVectorStore())
    with pytest.raises(Invalid, match="2 groups for 1"):
        await reranker.score(ACME, query=question(1), model_key=MODEL, embedded_sha256s=["a"], groups=[0, 1])


async def test_more_candidates_than_the_limit_are_refused() -> None:
    reranker = build(RerankSettings(candidates_max=2), MemoryTokenVectorStore())
    with pytest.raises(Exhausted, match="at most 2"):
        await reranker.score(ACME, query=question(1), model_key=MODEL, embedded_sha256s=["a", "b", "c"])


async def test_tokens_stay_in_memory_up_to_the_limit_and_the_oldest_leave_first() -> None:
    store = MemoryTokenVectorStore()
    await store.put(ACME, MODEL, {name: passage(1, 2) for name in "abc"})
    size = passage(1, 2).size_bytes + ENTRY_BYTES
    resident = ResidentTokens(store, bytes_max=2 * size, idle_s_max=600)

    async def load(*names: str) -> None:
        assert set(await resident.load(ACME, model_key=MODEL, embedded_sha256s=names)) == set(names)

    await load("a", "b")
    await load("a", "b")
    await load("a", "c")
    assert resident.resident_bytes == 2 * size
    await load("a")
    await load("b")
    assert store.loads == [{"a", "b"}, {"c"}, {"b"}]


async def test_memory_is_walled_by_tenant_and_a_gap_is_asked_for_again() -> None:
    store = MemoryTokenVectorStore()
    await store.put(ACME, MODEL, {"a": passage(1)})
    resident = ResidentTokens(store, bytes_max=1_000_000, idle_s_max=600)
    assert await resident.load(ACME, model_key=MODEL, embedded_sha256s=["a", "late"]) == {"a": passage(1)}
    assert await resident.load(OTHER, model_key=MODEL, embedded_sha256s=["a"]) == {}
    await store.put(ACME, MODEL, {"late": passage(2)})
    assert "late" in await resident.load(ACME, model_key=MODEL, embedded_sha256s=["late"])


def test_frequencies_count_passages_not_occurrences() -> None:
    known = frequencies([(1, 1, 2), (1,), (3,)], corpus=3)
    assert known.documents == {1: 2, 2: 1, 3: 1}
    assert known.weight(9) > known.weight(2) == known.weight(3) > known.weight(1) > 0


async def test_frequencies_are_counted_anew_when_the_corpus_has_grown_by_a_fifth() -> None:
    store, now = FailingStore(), [0.0]
    await store.put(ACME, MODEL, {str(n): passage(1) for n in range(10)})
    weights = TokenWeights(store, FrequencySettings(recount_s=30), clock_s=lambda: now[0])

    async def weight() -> float:
        return (await weights.of(ACME, model_key=MODEL, token_ids=[1]))[0]

    before = await weight()
    await store.put(ACME, MODEL, {"more": passage(2), "and more": passage(2)})
    now[0] = 31.0
    assert await weight() == before
    await store.put(ACME, MODEL, {"still more": passage(2)})
    now[0] = 61.0 - 1
    assert await weight() == before
    assert (store.counts, store.samples) == (2, 1)
    now[0] = 61.0
    assert await weight() > before
    assert (store.counts, store.samples) == (3, 2)


async def test_known_frequencies_serve_on_while_the_store_is_down() -> None:
    store, now = FailingStore(), [0.0]
    await store.put(ACME, MODEL, {"a": passage(1)})
    weights = TokenWeights(store, FrequencySettings(), clock_s=lambda: now[0])
    before = await weights.of(ACME, model_key=MODEL, token_ids=[1])
    store.down, now[0] = True, 1e6
    assert await weights.of(ACME, model_key=MODEL, token_ids=[1]) == before
    with pytest.raises(Transient):
        await weights.of(OTHER, model_key=MODEL, token_ids=[1])


async def test_what_nobody_asks_for_any_more_goes_after_a_time() -> None:
    """So that what was erased does not stay in memory for as long as there is room."""
    store, now = MemoryTokenVectorStore(), 0.0
    await store.put(ACME, MODEL, {"erased": passage(1), "used": passage(2)})
    resident = ResidentTokens(store, bytes_max=1_000_000, idle_s_max=600, clock_s=lambda: now)
    await resident.load(ACME, model_key=MODEL, embedded_sha256s=["erased", "used"])
    both = resident.resident_bytes
    now = 400.0
    await resident.load(ACME, model_key=MODEL, embedded_sha256s=["used"])
    assert resident.resident_bytes == both
    now = 700.0
    await resident.load(ACME, model_key=MODEL, embedded_sha256s=["used"])
    assert resident.resident_bytes == both // 2
