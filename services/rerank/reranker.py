"""Late interaction over stored token vectors."""

import asyncio
from collections.abc import Sequence

from cortex.domain.encoding import QueryEncoding
from cortex.domain.errors import Exhausted
from cortex.domain.identity import TenantId
from cortex.ports.token_vector_store import TokenVectorStore
from services.rerank.frequency import TokenWeights
from services.rerank.maxsim import maxsim, query_vectors


class LateInteraction:
    """Implements Reranker."""

    def __init__(self, store: TokenVectorStore, weights: TokenWeights, *, candidates_max: int) -> None:
        self._store = store
        self._weights = weights
        self._candidates_max = candidates_max

    async def score(
        self, tenant: TenantId, *, query: QueryEncoding, model_key: str, embedded_sha256s: Sequence[str]
    ) -> list[float | None]:
        if len(embedded_sha256s) > self._candidates_max:
            raise Exhausted(f"{len(embedded_sha256s)} candidates to rerank, at most {self._candidates_max}")
        vectors = query_vectors(query)
        stored = await self._store.load(tenant, model_key=model_key, embedded_sha256s=set(embedded_sha256s))
        if not stored:
            return [None] * len(embedded_sha256s)
        weights = await self._weights.of(tenant, model_key=model_key, token_ids=query.token_ids)
        passages = list(stored.values())
        scores = await asyncio.to_thread(maxsim, vectors, weights, passages)
        by_sha256 = dict(zip(stored, scores, strict=True))
        return [by_sha256.get(sha256) for sha256 in embedded_sha256s]
