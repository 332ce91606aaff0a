"""What permissions cost: the re-check of ten documents, and what the filter adds to a search.

    python -m eval.bench permissions [--points 100000] [--groups 200] [--seed 1] [--json]

Starts SpiceDB and the vector index by themselves. Points are written straight through the adapter, with random vectors:
a hundred thousand chunks through the pipeline would measure the embedder. The search without permissions is the same
two arms with the tenant alone as their filter.
"""

import argparse
import asyncio
import json
import random
import statistics
import sys
import time
import uuid
import warnings
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import urlsplit

from qdrant_client import AsyncQdrantClient, models

from cortex.adapters.qdrant import Qdrant, connect, payload
from cortex.adapters.qdrant.reader import HNSW_EF, OVERSAMPLING
from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.domain.acl import AclOf, Group, Inherit, Node, Person
from cortex.domain.identity import ChunkId, ContainerId, DocumentId, GroupId, PersonId, SourceId, TenantId
from cortex.domain.relation import Operation, Relation, RelationUpdate, acl_relations, group_relations
from cortex.domain.vector import (
    CollectionSpec,
    HybridRequest,
    IndexAcl,
    IndexPoint,
    SearchScope,
    SparseVector,
)
from cortex.ports.permission_engine import UPDATES_MAX, Check
from cortex.runtime.local import ServerName
from tests.local_servers import LocalServers

DIMENSIONS, TERMS, TERMS_IN_POINT, TERMS_IN_QUESTION = 384, 20_000, 60, 8
GROUPS, GROUPS_IN_CLAUSE, LIMIT = 1_000, 4, 100
SHOWN, FOLDERS_DEEP = 10, 4
TRIES, WRITTEN_AT_ONCE = 60, 5_000
COLLECTION = "bench-permissions"


class Chance:
    """Everything random, from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tenant = TenantId(self.id())
        self.groups = [GroupId(self.id()) for _ in range(GROUPS)]

    def id(self) -> uuid.UUID:
        return uuid.UUID(int=self.random.getrandbits(128), version=4)

    def dense(self) -> list[float]:
        return [self.random.gauss(0, 1) for _ in range(DIMENSIONS)]

    def sparse(self, count: int) -> SparseVector:
        terms = {min(int(self.random.paretovariate(0.6)), TERMS) for _ in range(count)}
        return SparseVector(sorted(terms), [self.random.uniform(0.5, 2.0) for _ in terms])

    def point(self) -> IndexPoint:
        allowed = frozenset(f"g:{group}" for group in self.random.sample(self.groups, GROUPS_IN_CLAUSE))
        return IndexPoint(
            chunk_id=ChunkId(self.id()),
            tenant_id=self.tenant,
            document_id=DocumentId(self.id()),
            revision=1,
            ordinal=0,
            acl_revision=1,
            metadata_revision=1,
            dense=self.dense(),
            sparse=self.sparse(TERMS_IN_POINT),
            acl=IndexAcl(clauses=(allowed,), deny=frozenset()),
            source_type="files",
            source_id=SourceId(uuid.uuid5(self.tenant, "source")),
            embedded_sha256=f"{self.random.getrandbits(256):064x}",
            language="en",
        )


async def _timed(act: Callable[[], Awaitable[object]]) -> list[float]:
    """Milliseconds of each try, after one that warms up."""
    await act()
    return [await _once(act()) for _ in range(TRIES)]


async def recheck_ms(urls: Mapping[str, str], chance: Chance, groups: int) -> list[float]:
    """Ten documents at the bottom of nested folders, for somebody in that many groups, as fresh as the last write."""
    engine = SpiceDbEngine(urls["CORTEX_SPICEDB_URL"], key=urls["CORTEX_SPICEDB_KEY"])
    person, tenant = PersonId(chance.id()), chance.tenant
    relations: set[Relation] = set()
    for group in chance.groups[:groups]:
        relations |= group_relations(tenant, group, frozenset({Person(person)}))
    above: ContainerId | None = None
    for _ in range(FOLDERS_DEEP):
        folder = ContainerId(chance.id())
        some = frozenset(map(Group, chance.random.sample(chance.groups[:groups], GROUPS_IN_CLAUSE)))
        relations |= acl_relations(tenant, "container", folder, Node(AclOf(allow=some, inherit=Inherit.EXTEND), above))
        above = folder
    documents = [DocumentId(chance.id()) for _ in range(SHOWN)]
    for document in documents:
        relations |= acl_relations(tenant, "document", document, Node(AclOf(), above))
    updates, token = [RelationUpdate(Operation.TOUCH, relation) for relation in sorted(relations)], ""
    for start in range(0, len(updates), UPDATES_MAX):
        token = await engine.write(updates[start : start + UPDATES_MAX])
    checks = [Check(document) for document in documents]

    async def check() -> None:
        if not all(await engine.check(tenant, person, checks, at_least_as_fresh=token)):
            raise RuntimeError("a document that may be seen was hidden")

    try:
        return await _timed(check)
    finally:
        await engine.close()


async def searches_ms(
    urls: Mapping[str, str], chance: Chance, *, points: int, groups: int
) -> tuple[list[float], list[float]]:
    """With the asker's filter, and with the tenant alone."""
    url, key = urls["CORTEX_QDRANT_URL"], urls["CORTEX_QDRANT_KEY"]
    async with connect(url=url, key=key) as qdrant:
        await _fill(qdrant, chance, points)
        carried = frozenset({*(f"g:{group}" for group in chance.groups[:groups]), f"p:{chance.id()}", "t", "m"})
        scope, reader = SearchScope(chance.tenant, carried), qdrant.reader(COLLECTION)
        bare = _bare(url, key)
        filtered, unfiltered = [], []
        for _ in range(TRIES):
            request = HybridRequest(dense=chance.dense(), sparse=chance.sparse(TERMS_IN_QUESTION), limit=LIMIT)
            filtered.append(await _once(reader.search(scope, request)))
            unfiltered.append(await _once(_unfiltered(bare, chance.tenant, request)))
        await bare.close()
        await qdrant.collections().drop_collection(COLLECTION)
        return filtered, unfiltered


async def _once(act: Awaitable[object]) -> float:
    began = time.perf_counter()
    await act
    return 1000 * (time.perf_counter() - began)


async def _fill(qdrant: Qdrant, chance: Chance, points: int) -> None:
    spec = CollectionSpec(alias=f"{COLLECTION}-alias", collection=COLLECTION, dense_dimensions=DIMENSIONS)
    await qdrant.collections().ensure_collection(spec)
    writer, began = qdrant.writer(COLLECTION), time.perf_counter()
    for start in range(0, points, WRITTEN_AT_ONCE):
        await writer.upsert([chance.point() for _ in range(min(WRITTEN_AT_ONCE, points - start))])
        print(f"{start + WRITTEN_AT_ONCE} points, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)


def _bare(url: str, key: str) -> AsyncQdrantClient:
    address = urlsplit(url)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Api key is used with an insecure connection")
        return AsyncQdrantClient(
            host=address.hostname,
            grpc_port=address.port or 0,
            https=False,
            api_key=key,
            prefer_grpc=True,
            check_compatibility=False,
        )


async def _unfiltered(client: AsyncQdrantClient, tenant: TenantId, request: HybridRequest) -> None:
    """No adapter reads without the asker's filter, so this asks the server itself."""
    only = models.Filter(must=[models.FieldCondition(key=payload.TENANT, match=models.MatchValue(value=str(tenant)))])
    sparse = request.sparse or SparseVector([], [])
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
    await client.query_batch_points(COLLECTION, arms)


def measured(points: int, groups: int, seed: int) -> dict[str, float]:
    servers, chance = LocalServers(), Chance(seed)
    try:
        spicedb, qdrant = servers.urls(ServerName.SPICEDB), servers.urls(ServerName.QDRANT)
        recheck = asyncio.run(recheck_ms(spicedb, chance, groups))
        filtered, bare = asyncio.run(searches_ms(qdrant, chance, points=points, groups=groups))
    finally:
        servers.close()
    return {
        "points": points,
        "groups": groups,
        "recheck_10_p50_ms": round(statistics.median(recheck), 1),
        "recheck_10_p95_ms": round(statistics.quantiles(recheck, n=20)[-1], 1),
        "search_filtered_p50_ms": round(statistics.median(filtered), 1),
        "search_unfiltered_p50_ms": round(statistics.median(bare), 1),
        "permissions_add_p50_ms": round(
            statistics.median(filtered) - statistics.median(bare) + statistics.median(recheck), 1
        ),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--groups", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one object and nothing else on stdout")
    arguments = parser.parse_args()
    figures = measured(arguments.points, arguments.groups, arguments.seed)
    if arguments.json:
        print(json.dumps({**figures, "seed": arguments.seed}))
    else:
        print("\n".join(f"{name:26} {value}" for name, value in figures.items()))
