"""Search, exact scores and the pages that reconciliation reads."""

from collections.abc import Collection, Mapping, Sequence

from qdrant_client import AsyncQdrantClient, models

from cortex.adapters.qdrant import filters, payload
from cortex.adapters.qdrant.errors import translated
from cortex.domain.identity import ChunkId, TenantId
from cortex.domain.vector import (
    ExactScores,
    HybridRequest,
    HybridResult,
    IndexFilters,
    RevisionPage,
    ScoredPoint,
    SearchScope,
    SparseVector,
)

HNSW_EF = 128
OVERSAMPLING = 2.0
# ACORN finds its way through a graph most of which the asker may not see, at four times the cost of a plain walk: that
# one finds as much where the filter leaves more than this share.
ACORN_SELECTIVITY_MAX = 0.4
# Below the collection's threshold of an exact scan none of this matters. int8 needs its best candidates compared again
# in full.
_DENSE = models.SearchParams(
    hnsw_ef=HNSW_EF,
    acorn=models.AcornSearchParams(enable=True, max_selectivity=ACORN_SELECTIVITY_MAX),
    quantization=models.QuantizationSearchParams(rescore=True, oversampling=OVERSAMPLING),
)
_DENSE_EXACT = models.SearchParams(exact=True, quantization=models.QuantizationSearchParams(ignore=True))


def _sparse_params(tenant: TenantId) -> models.SearchParams:
    """Term frequencies of the tenant alone: those of all would tell one tenant what another writes about."""
    return models.SearchParams(exact=True, idf=models.IdfCorpusParams(corpus=filters.tenant_filter(tenant)))


def _sparse_query(
    tenant: TenantId, sparse: SparseVector, *, matching: models.Filter, limit: int
) -> models.QueryRequest:
    return models.QueryRequest(
        query=payload.sparse_vector(sparse),
        using=payload.SPARSE,
        filter=matching,
        params=_sparse_params(tenant),
        limit=limit,
    )


def arms(asker: SearchScope, request: HybridRequest) -> dict[str, models.QueryRequest]:
    """The queries of a search by the name of their vector. Both carry the whole filter."""
    matching = filters.scope_filter(asker, request.filters)
    made = {}
    if request.dense is not None:
        made[payload.DENSE] = models.QueryRequest(
            query=[float(value) for value in request.dense],
            using=payload.DENSE,
            filter=matching,
            params=_DENSE,
            limit=request.limit,
        )
    if request.sparse is not None and request.sparse.indices:
        made[payload.SPARSE] = _sparse_query(asker.tenant_id, request.sparse, matching=matching, limit=request.limit)
    for arm in made.values():
        arm.with_payload = models.PayloadSelectorInclude(include=list(payload.SCORED_FIELDS))
    return made


def _ranked(response: models.QueryResponse) -> list[ScoredPoint]:
    points = [payload.scored_point(point) for point in response.points]
    return sorted(points, key=lambda point: (-point.score, point.chunk_id))


def _scores(response: models.QueryResponse) -> dict[ChunkId, float]:
    return {payload.chunk_id(point.id): point.score for point in response.points}


class QdrantReader:
    """The port VectorReader."""

    def __init__(self, client: AsyncQdrantClient, collection: str) -> None:
        self._client = client
        self._collection = collection

    async def search(self, scope: SearchScope, request: HybridRequest) -> HybridResult:
        asked = arms(scope, request) if scope.principals else {}
        found = await self._batch(list(asked.values()))
        ranked = {arm: _ranked(response) for arm, response in zip(asked, found, strict=True)}
        return HybridResult(dense=ranked.get(payload.DENSE, []), sparse=ranked.get(payload.SPARSE, []))

    async def exact_scores(
        self,
        scope: SearchScope,
        chunk_ids: Collection[ChunkId],
        *,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
    ) -> Mapping[ChunkId, ExactScores]:
        if not scope.principals or not chunk_ids:
            return {}
        queries = _exact_queries(scope, chunk_ids, dense=dense, sparse=sparse)
        first, *rest = await self._batch(queries)
        cosines, weights = _scores(first), _scores(rest[0]) if rest else {}
        return {
            chunk: ExactScores(dense=0.0 if dense is None else cosine, sparse=weights.get(chunk, 0.0))
            for chunk, cosine in cosines.items()
        }

    async def revisions(self, tenant: TenantId, *, after: ChunkId | None, limit: int) -> RevisionPage:
        with translated():
            records, following = await self._client.scroll(
                self._collection,
                scroll_filter=filters.tenant_filter(tenant),
                offset=None if after is None else str(after),
                limit=limit,
                with_payload=list(payload.REVISION_FIELDS),
            )
        return RevisionPage(
            rows=[payload.indexed_revision(record) for record in records],
            after=None if following is None else payload.chunk_id(str(following)),
        )

    async def count(self, tenant: TenantId) -> int:
        with translated():
            counted = await self._client.count(self._collection, count_filter=filters.tenant_filter(tenant), exact=True)
        return counted.count

    async def _batch(self, queries: Sequence[models.QueryRequest]) -> list[models.QueryResponse]:
        if not queries:
            return []
        with translated():
            return await self._client.query_batch_points(self._collection, queries)


def _exact_queries(
    asker: SearchScope,
    chunk_ids: Collection[ChunkId],
    *,
    dense: Sequence[float] | None,
    sparse: SparseVector | None,
) -> list[models.QueryRequest]:
    """The first says which chunks lie in the scope, by cosine or, without a vector, as a plain read."""
    matching = filters.scope_filter(asker, IndexFilters(), chunk_ids=chunk_ids)
    limit = len(chunk_ids)
    first = models.QueryRequest(filter=matching, limit=limit)
    if dense is not None:
        first = models.QueryRequest(
            query=[float(value) for value in dense],
            using=payload.DENSE,
            filter=matching,
            params=_DENSE_EXACT,
            limit=limit,
        )
    if sparse is None or not sparse.indices:
        return [first]
    return [first, _sparse_query(asker.tenant_id, sparse, matching=matching, limit=limit)]
