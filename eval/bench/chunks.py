"""Chunks by the hundred thousand, written straight into the index: the pipeline would measure the embedder.

Vectors vary in 48 dimensions around the centres of 500 topics, with noise in all: those of texts do not fill their
space either. Terms are drawn so that a few are in nearly every chunk. Each chunk admits four of a thousand groups.
"""

import asyncio
import random
import sys
import time
import uuid
import warnings
from urllib.parse import urlsplit

import numpy
from numpy.typing import NDArray
from qdrant_client import AsyncQdrantClient, models

from cortex.adapters.qdrant import Qdrant, payload
from cortex.adapters.qdrant.reader import HNSW_EF, OVERSAMPLING
from cortex.domain.identity import ChunkId, DocumentId, GroupId, SourceId, TenantId
from cortex.domain.vector import CollectionSpec, HybridRequest, IndexAcl, IndexPoint, SearchScope, SparseVector

DIMENSIONS, TERMS, TERMS_IN_POINT, TERMS_IN_QUESTION = 384, 20_000, 60, 8
VARYING, TOPICS, SPREAD, NOISE = 48, 500, 0.7, 1.5
GROUPS, GROUPS_IN_CLAUSE, LIMIT = 1_000, 4, 100
WRITTEN_AT_ONCE = 5_000
GRAPHS_POLL_S, GRAPHS_TIMEOUT_S = 1.0, 900.0
# Below both, the local index builds no more.
OUTSIDE_MAX, OUTSIDE_SHARE_MAX = 10_000, 0.1


class Chance:
    """Everything random, from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = numpy.random.default_rng(seed)
        self.tenant = TenantId(self.id())
        self.groups = [GroupId(self.id()) for _ in range(GROUPS)]
        self._basis = self.numbers.normal(size=(VARYING, DIMENSIONS))
        self._centres = self.numbers.normal(size=(TOPICS, VARYING))

    def id(self) -> uuid.UUID:
        return uuid.UUID(int=self.random.getrandbits(128), version=4)

    def vectors(self, count: int) -> NDArray[numpy.float64]:
        topics = self._centres[self.numbers.integers(0, TOPICS, count)]
        inner = topics + SPREAD * self.numbers.normal(size=(count, VARYING))
        return inner @ self._basis + NOISE * self.numbers.normal(size=(count, DIMENSIONS))

    def sparse(self, count: int) -> SparseVector:
        terms = {min(int(self.random.paretovariate(0.6)), TERMS) for _ in range(count)}
        return SparseVector(sorted(terms), [self.random.uniform(0.5, 2.0) for _ in terms])

    def points(self, count: int) -> list[IndexPoint]:
        return [self._point(vector.tolist()) for vector in self.vectors(count)]

    def question(self) -> HybridRequest:
        return HybridRequest(dense=self.vectors(1)[0].tolist(), sparse=self.sparse(TERMS_IN_QUESTION), limit=LIMIT)

    def scope(self, groups: int) -> SearchScope:
        """Somebody in that many groups."""
        carried = {f"g:{group}" for group in self.groups[:groups]}
        return SearchScope(self.tenant, frozenset({*carried, f"p:{self.id()}", "t", "m"}))

    def _point(self, dense: list[float]) -> IndexPoint:
        allowed = frozenset(f"g:{group}" for group in self.random.sample(self.groups, GROUPS_IN_CLAUSE))
        return IndexPoint(
            chunk_id=ChunkId(self.id()),
            tenant_id=self.tenant,
            document_id=DocumentId(self.id()),
            revision=1,
            ordinal=0,
            acl_revision=1,
            metadata_revision=1,
            dense=dense,
            sparse=self.sparse(TERMS_IN_POINT),
            acl=IndexAcl(clauses=(allowed,), deny=frozenset()),
            source_type="files",
            source_id=SourceId(uuid.uuid5(self.tenant, "source")),
            embedded_sha256=f"{self.random.getrandbits(256):064x}",
            language="en",
        )


async def fill(qdrant: Qdrant, collection: str, chance: Chance, points: int) -> float:
    """Seconds that the writes themselves took."""
    spec = CollectionSpec(alias=f"{collection}-alias", collection=collection, dense_dimensions=DIMENSIONS)
    await qdrant.collections().ensure_collection(spec)
    writer, took_s = qdrant.writer(collection), 0.0
    for start in range(0, points, WRITTEN_AT_ONCE):
        batch = chance.points(min(WRITTEN_AT_ONCE, points - start))
        began = time.perf_counter()
        await writer.upsert(batch)
        took_s += time.perf_counter() - began
        print(f"{start + len(batch)} points, {took_s:.0f} s", file=sys.stderr, flush=True)
    return took_s


async def outside_graphs(client: AsyncQdrantClient, collection: str) -> int:
    info = await client.get_collection(collection)
    return (info.points_count or 0) - (info.indexed_vectors_count or 0)


async def graphs_built(client: AsyncQdrantClient, collection: str, points: int) -> float:
    """Wait until few points are outside the graphs; the seconds that it took."""
    began, allowed = time.perf_counter(), max(OUTSIDE_MAX, OUTSIDE_SHARE_MAX * points)
    async with asyncio.timeout(GRAPHS_TIMEOUT_S):
        while True:
            if await outside_graphs(client, collection) < allowed:
                return time.perf_counter() - began
            await asyncio.sleep(GRAPHS_POLL_S)


def bare_client(url: str, key: str) -> AsyncQdrantClient:
    """No adapter reads without the asker's filter, so what is compared with asks the server itself."""
    address = urlsplit(url)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Api key is used with an insecure connection")
        return AsyncQdrantClient(
            host=address.hostname,
            grpc_port=address.port or 0,
            https=False,
            api_key=key,
            prefer_grpc=True,
            timeout=60,
            check_compatibility=False,
        )


def tenant_only(tenant: TenantId) -> models.Filter:
    return models.Filter(must=[models.FieldCondition(key=payload.TENANT, match=models.MatchValue(value=str(tenant)))])


def unfiltered_arms(tenant: TenantId, request: HybridRequest) -> list[models.QueryRequest]:
    """The two arms as the adapter sends them, with the tenant as their only filter."""
    only, sparse = tenant_only(tenant), request.sparse or SparseVector([], [])
    arms = [
        models.QueryRequest(
            query=list(request.dense or []),
            using=payload.DENSE,
            filter=only,
            params=models.SearchParams(
                hnsw_ef=HNSW_EF,
                quantization=models.QuantizationSearchParams(rescore=True, oversampling=OVERSAMPLING),
            ),
            limit=request.limit,
        ),
        models.QueryRequest(
            query=models.SparseVector(indices=list(sparse.indices), values=list(sparse.values)),
            using=payload.SPARSE,
            filter=only,
            params=models.SearchParams(exact=True, idf=models.IdfCorpusParams(corpus=only)),
            limit=request.limit,
        ),
    ]
    for arm in arms:
        arm.with_payload = models.PayloadSelectorInclude(include=list(payload.SCORED_FIELDS))
    return arms


def exact_params(arm: models.QueryRequest) -> models.SearchParams:
    """As the adapter asks for the scores of given chunks."""
    idf = arm.params.idf if arm.params else None
    return models.SearchParams(exact=True, idf=idf, quantization=models.QuantizationSearchParams(ignore=True))
