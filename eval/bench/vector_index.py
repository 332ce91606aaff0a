"""Rates and latencies of the vector index, through the adapter, against a running server.

    python -m eval.bench.vector_index --url http://127.0.0.1:6334 --key-file F --points 5000 20000 [--pid PID]

Vectors are random, which is the worst case for nothing here: below the graph's threshold every search is a scan.
"""

import argparse
import asyncio
import random
import statistics
import time
import uuid
from pathlib import Path

import psutil

from cortex.adapters.qdrant import Qdrant, connect
from cortex.domain.identity import ChunkId, DocumentId, SourceId, TenantId
from cortex.domain.vector import (
    CollectionSpec,
    HybridRequest,
    IndexAcl,
    IndexPoint,
    SearchScope,
    SparseVector,
)

DIMENSIONS, TERMS, TERMS_IN_POINT, TERMS_IN_QUESTION = 384, 20_000, 60, 8
GROUPS, GROUPS_OF_ASKER, GROUPS_IN_CLAUSE = 60, 19, 3
QUESTIONS, LIMIT = 100, 100


def _sparse(chance: random.Random, count: int) -> SparseVector:
    terms = {min(int(chance.paretovariate(0.6)), TERMS) for _ in range(count)}
    return SparseVector(sorted(terms), [chance.uniform(0.5, 2.0) for _ in terms])


def _dense(chance: random.Random) -> list[float]:
    return [chance.gauss(0, 1) for _ in range(DIMENSIONS)]


def _point(chance: random.Random, tenant: TenantId, groups: list[str]) -> IndexPoint:
    clause = frozenset(chance.sample(groups, GROUPS_IN_CLAUSE))
    return IndexPoint(
        chunk_id=ChunkId(uuid.UUID(int=chance.getrandbits(128))),
        tenant_id=tenant,
        document_id=DocumentId(uuid.UUID(int=chance.getrandbits(128))),
        revision=1,
        ordinal=0,
        acl_revision=1,
        metadata_revision=1,
        dense=_dense(chance),
        sparse=_sparse(chance, TERMS_IN_POINT),
        acl=IndexAcl(clauses=(clause,), deny=frozenset()),
        source_type="files",
        source_id=SourceId(uuid.uuid5(tenant, "source")),
        embedded_sha256=f"{chance.getrandbits(256):064x}",
        language="en",
    )


def _percentile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


async def _ask(qdrant: Qdrant, collection: str, scope: SearchScope, chance: random.Random) -> tuple[float, float]:
    """Seconds for the two arms, and for the exact scores of their union."""
    reader = qdrant.reader(collection)
    request = HybridRequest(dense=_dense(chance), sparse=_sparse(chance, TERMS_IN_QUESTION), limit=LIMIT)
    started = time.perf_counter()
    found = await reader.search(scope, request)
    between = time.perf_counter()
    union = {point.chunk_id for point in (*found.dense, *found.sparse)}
    await reader.exact_scores(scope, union, dense=request.dense, sparse=request.sparse)
    return between - started, time.perf_counter() - between


async def _measure(qdrant: Qdrant, count: int, *, seed: int, process: psutil.Process | None) -> None:
    chance = random.Random(seed)
    tenant = TenantId(uuid.UUID(int=chance.getrandbits(128)))
    groups = [f"g:{uuid.UUID(int=chance.getrandbits(128))}" for _ in range(GROUPS)]
    collection = f"bench-{count}"
    spec = CollectionSpec(alias=f"{collection}-alias", collection=collection, dense_dimensions=DIMENSIONS)
    await qdrant.collections().ensure_collection(spec)
    points = [_point(chance, tenant, groups) for _ in range(count)]
    started = time.perf_counter()
    await qdrant.writer(collection).upsert(points)
    rate = count / (time.perf_counter() - started)
    scope = SearchScope(tenant, frozenset({*chance.sample(groups, GROUPS_OF_ASKER), "t"}))
    pairs = [await _ask(qdrant, collection, scope, chance) for _ in range(QUESTIONS)]
    for name, values in (
        ("two arms", [arms for arms, _ in pairs]),
        ("exact", [exact for _, exact in pairs]),
        ("in all", [arms + exact for arms, exact in pairs]),
    ):
        middle, slow = (1000 * _percentile(values, percent) for percent in (50, 95))
        print(f"{count:6} points  {name:9} p50 {middle:6.1f}  p95 {slow:6.1f} ms")
    print(f"{count:6} points  upsert    {rate:.0f} points/s")
    if process is not None:
        print(f"{count:6} points  resident  {process.memory_info().rss / 2**20:.0f} MiB")
    await qdrant.collections().drop_collection(collection)


async def _main(arguments: argparse.Namespace) -> None:
    process = psutil.Process(arguments.pid) if arguments.pid else None
    print(f"seed {arguments.seed}")
    async with connect(url=arguments.url, key=arguments.key_file.read_text().strip()) as qdrant:
        for count in arguments.points:
            await _measure(qdrant, count, seed=arguments.seed, process=process)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--key-file", type=Path, required=True)
    parser.add_argument("--points", type=int, nargs="+", default=[5000, 20_000])
    parser.add_argument("--pid", type=int, help="the server's process, to report its memory")
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(_main(parser.parse_args()))
