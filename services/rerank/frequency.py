"""What a token is worth in a tenant: rare ones tell passages apart."""

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from cortex.domain.errors import Transient
from cortex.domain.identity import TenantId
from cortex.ports.token_vector_store import TokenVectorStore
from services.rerank.settings import FrequencySettings


@dataclass(frozen=True, slots=True)
class Frequencies:
    """In how many of `sampled` passages each token occurs. `corpus` is how many passages there were in all."""

    sampled: int
    documents: Mapping[int, int]
    corpus: int

    def weight(self, token: int) -> float:
        """Inverse document frequency as in BM25, positive for every token."""
        documents = self.documents.get(token, 0)
        return math.log1p((self.sampled - documents + 0.5) / (documents + 0.5))

    def outgrown(self, corpus: int, *, growth: float) -> bool:
        return abs(corpus - self.corpus) > growth * self.corpus


def frequencies(passages: Sequence[Iterable[int]], *, corpus: int) -> Frequencies:
    documents: Counter[int] = Counter()
    for passage in passages:
        documents.update(set(passage))
    return Frequencies(len(passages), dict(documents), corpus)


@dataclass(slots=True)
class _Kept:
    frequencies: Frequencies
    counted_at_s: float


class TokenWeights:
    """Frequencies by tenant and model, kept in memory. `clock_s` is monotonic."""

    def __init__(
        self, store: TokenVectorStore, settings: FrequencySettings, *, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock_s = clock_s
        self._kept: OrderedDict[tuple[TenantId, str], _Kept] = OrderedDict()
        self._counting = asyncio.Lock()

    async def of(self, tenant: TenantId, *, model_key: str, token_ids: Sequence[int]) -> list[float]:
        """One weight a token, in order. What is known serves on where the store cannot be asked."""
        known = await self._current(tenant, model_key)
        return [known.weight(token) for token in token_ids]

    async def _current(self, tenant: TenantId, model_key: str) -> Frequencies:
        kept = self._kept.get((tenant, model_key))
        if kept is not None and (not self._due(kept) or self._counting.locked()):
            return kept.frequencies
        async with self._counting:
            kept = self._kept.get((tenant, model_key))
            if kept is not None and not self._due(kept):
                return kept.frequencies
            try:
                return await self._renewed(tenant, model_key, kept)
            except Transient:
                if kept is None:
                    raise
                return kept.frequencies

    def _due(self, kept: _Kept) -> bool:
        return self._clock_s() - kept.counted_at_s >= self._settings.recount_s

    async def _renewed(self, tenant: TenantId, model_key: str, kept: _Kept | None) -> Frequencies:
        settings = self._settings
        corpus = await self._store.count(tenant, model_key=model_key)
        if kept is not None and not kept.frequencies.outgrown(corpus, growth=settings.growth):
            kept.counted_at_s = self._clock_s()
            return kept.frequencies
        sample = await self._store.sample(tenant, model_key=model_key, limit=settings.sample_max)
        counted = await asyncio.to_thread(frequencies, sample, corpus=corpus)
        self._kept[tenant, model_key] = _Kept(counted, self._clock_s())
        self._kept.move_to_end((tenant, model_key))
        while len(self._kept) > settings.tenants_max:
            self._kept.popitem(last=False)
        return counted
