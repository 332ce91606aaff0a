"""Late interaction over stored token vectors."""

import asyncio
from collections.abc import Sequence

from cortex.domain.encoding import QueryEncoding
from cortex.domain.errors import Exhausted, Invalid
from cortex.domain.identity import TenantId
from cortex.ports.reranker import Late
from cortex.ports.token_vector_store import TokenVectorStore
from services.rerank.frequency import TokenWeights
from services.rerank.maxsim import maxsim, query_vectors
from services.rerank.neighbours import neighbours


class LateInteraction:
    """Implements Reranker."""

    def __init__(
        self, store: TokenVectorStore, weights: TokenWeights, *, candidates_max: int, neighbours: int = 0
    ) -> None:
        self._store = store
        self._weights = weights
        self._candidates_max = candidates_max
        self._neighbours = neighbours

    async def score(
        self,
        tenant: TenantId,
        *,
        query: QueryEncoding,
        model_key: str,
        embedded_sha256s: Sequence[str],
        groups: Sequence[int] = (),
    ) -> Late:
        if len(embedded_sha256s) > self._candidates_max:
            raise Exhausted(f"{len(embedded_sha256s)} candidates to rerank, at most {self._candidates_max}")
        if groups and len(groups) != len(embedded_sha256s):
            raise Invalid(f"{len(groups)} groups for {len(embedded_sha256s)} candidates; send one each, or none")
        if not query.token_ids:
            return Late((None,) * len(embedded_sha256s))
        vectors = query_vectors(query)
        stored = await self._store.load(tenant, model_key=model_key, embedded_sha256s=set(embedded_sha256s))
        if not stored:
            return Late((None,) * len(embedded_sha256s))
        passages = list(stored.values())
        tokens = {token for passage in passages for token in passage.token_ids}.union(query.token_ids)
        values = await self._weights.of(tenant, model_key=model_key, token_ids=list(tokens))
        worth = dict(zip(tokens, values, strict=True))
        weights = [worth[token] for token in query.token_ids]
        scores = await asyncio.to_thread(maxsim, vectors, weights, passages)
        by_sha256 = dict(zip(stored, scores, strict=True))
        near = await asyncio.to_thread(
            neighbours,
            [stored.get(sha256) for sha256 in embedded_sha256s],
            worth,
            groups=groups or range(len(embedded_sha256s)),
            count=self._neighbours,
        )
        return Late(tuple(by_sha256.get(sha256) for sha256 in embedded_sha256s), near)
