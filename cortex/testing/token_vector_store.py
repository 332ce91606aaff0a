"""Token vectors in memory, and what every store of them must keep to."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass

from cortex.domain.encoding import StoredTokens
from cortex.domain.identity import TenantId, tenant_id
from cortex.ports.token_vector_store import TokenVectorStore

TENANT, OTHER_TENANT = tenant_id("contract"), tenant_id("contract-other")
MODEL = "model@1:0123456789abcdef"

Put = Callable[[TenantId, str, Mapping[str, StoredTokens]], Awaitable[None]]
"""Stores a tenant's tokens under a model's key, by hash."""


class MemoryTokenVectorStore:
    """Implements TokenVectorStore. `loads` lists what was asked for, call by call."""

    def __init__(self) -> None:
        self._stored: dict[tuple[TenantId, str], dict[str, StoredTokens]] = {}
        self.loads: list[frozenset[str]] = []

    async def put(self, tenant: TenantId, model_key: str, tokens: Mapping[str, StoredTokens]) -> None:
        self._stored.setdefault((tenant, model_key), {}).update(tokens)

    async def load(
        self, tenant: TenantId, *, model_key: str, embedded_sha256s: Collection[str]
    ) -> dict[str, StoredTokens]:
        self.loads.append(frozenset(embedded_sha256s))
        stored = self._stored.get((tenant, model_key), {})
        return {sha256: stored[sha256] for sha256 in embedded_sha256s if sha256 in stored}

    async def sample(self, tenant: TenantId, *, model_key: str, limit: int) -> list[tuple[int, ...]]:
        stored = self._stored.get((tenant, model_key), {})
        chosen = sorted(stored)
        step = max(1, -(-len(chosen) // limit))
        return [stored[sha256].token_ids for sha256 in chosen[::step]]

    async def count(self, tenant: TenantId, *, model_key: str) -> int:
        return len(self._stored.get((tenant, model_key), {}))


@dataclass(frozen=True, slots=True)
class Subject:
    """An empty store, and how to fill it."""

    store: TokenVectorStore
    put: Put


class TokenVectorStoreContract:
    """Subclass as `Test...` and give it a fixture `subject`."""

    async def test_gives_what_is_stored_and_leaves_out_what_is_not(self, subject: Subject) -> None:
        await subject.put(TENANT, MODEL, {"a": _tokens(3), "b": _tokens(1)})
        loaded = await subject.store.load(TENANT, model_key=MODEL, embedded_sha256s={"a", "b", "c"})
        assert loaded == {"a": _tokens(3), "b": _tokens(1)}

    async def test_nothing_asked_nothing_given(self, subject: Subject) -> None:
        await subject.put(TENANT, MODEL, {"a": _tokens(3)})
        assert await subject.store.load(TENANT, model_key=MODEL, embedded_sha256s=set()) == {}

    async def test_another_tenant_has_none_of_it(self, subject: Subject) -> None:
        await subject.put(TENANT, MODEL, {"a": _tokens(3)})
        assert await subject.store.load(OTHER_TENANT, model_key=MODEL, embedded_sha256s={"a"}) == {}
        assert await subject.store.sample(OTHER_TENANT, model_key=MODEL, limit=10) == []
        assert await subject.store.count(OTHER_TENANT, model_key=MODEL) == 0

    async def test_another_model_has_none_of_it(self, subject: Subject) -> None:
        await subject.put(TENANT, MODEL, {"a": _tokens(3)})
        assert await subject.store.load(TENANT, model_key="other", embedded_sha256s={"a"}) == {}
        assert await subject.store.count(TENANT, model_key="other") == 0

    async def test_a_sample_is_bounded_and_repeatable(self, subject: Subject) -> None:
        await subject.put(TENANT, MODEL, {f"{n:02}": _tokens(n + 1) for n in range(25)})
        sample = await subject.store.sample(TENANT, model_key=MODEL, limit=10)
        assert 5 <= len(sample) <= 10
        assert sample == await subject.store.sample(TENANT, model_key=MODEL, limit=10)

    async def test_a_small_corpus_is_sampled_whole(self, subject: Subject) -> None:
        await subject.put(TENANT, MODEL, {"a": _tokens(2), "b": _tokens(4)})
        sample = await subject.store.sample(TENANT, model_key=MODEL, limit=10)
        assert sorted(map(len, sample)) == [2, 4]
        assert await subject.store.count(TENANT, model_key=MODEL) == 2


def _tokens(tokens: int) -> StoredTokens:
    return StoredTokens(token_bits=bytes(range(tokens)) * 2, token_ids=tuple(range(100, 100 + tokens)))
