"""What permissions cost: the re-check of ten documents, and what the filter adds to a search.

    python -m eval.bench permissions [--points 100000] [--groups 200] [--seed 1] [--json]

Starts SpiceDB and the vector index by themselves, writes chunks straight into the index and waits for its graphs. A
search is what the gateway asks of the index for one question: both arms, then the exact scores of all that they found.
Without permissions it is the same with the tenant as the only filter.
"""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping

from qdrant_client import AsyncQdrantClient, models

from cortex.adapters.qdrant import connect
from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.domain.acl import AclOf, Group, Inherit, Node, Person
from cortex.domain.identity import ContainerId, DocumentId, PersonId, TenantId
from cortex.domain.relation import Operation, Relation, RelationUpdate, acl_relations, group_relations
from cortex.domain.vector import HybridRequest, SearchScope
from cortex.ports.permission_engine import UPDATES_MAX, Check
from cortex.ports.vector_index import VectorReader
from cortex.runtime.local import ServerName
from eval.bench.chunks import (
    GROUPS_IN_CLAUSE,
    Chance,
    bare_client,
    exact_params,
    fill,
    graphs_built,
    tenant_only,
    unfiltered_arms,
)
from tests.local_servers import LocalServers

SHOWN, FOLDERS_DEEP = 10, 4
TRIES = 60
COLLECTION = "bench-permissions"


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
    """Both arms and the exact scores of what they found: with the asker's filter, and with the tenant alone."""
    url, key = urls["CORTEX_QDRANT_URL"], urls["CORTEX_QDRANT_KEY"]
    async with connect(url=url, key=key) as qdrant:
        await fill(qdrant, COLLECTION, chance, points)
        bare, scope, reader = bare_client(url, key), chance.scope(groups), qdrant.reader(COLLECTION)
        await graphs_built(bare, COLLECTION, points)
        filtered, unfiltered = [], []
        for question in range(2 * TRIES):
            request = chance.question()
            # Each takes its turn to be first: what it reads is then at hand for the other.
            for first in (question % 2 == 0, question % 2 == 1):
                if first:
                    filtered.append(await _once(_filtered(reader, scope, request)))
                else:
                    unfiltered.append(await _once(_unfiltered(bare, chance.tenant, request)))
        await bare.close()
        await qdrant.collections().drop_collection(COLLECTION)
        return filtered, unfiltered


async def _once(act: Awaitable[object]) -> float:
    began = time.perf_counter()
    await act
    return 1000 * (time.perf_counter() - began)


async def _filtered(reader: VectorReader, scope: SearchScope, request: HybridRequest) -> None:
    found = await reader.search(scope, request)
    union = {point.chunk_id for point in (*found.dense, *found.sparse)}
    await reader.exact_scores(scope, union, dense=request.dense, sparse=request.sparse)


async def _unfiltered(client: AsyncQdrantClient, tenant: TenantId, request: HybridRequest) -> None:
    arms = unfiltered_arms(tenant, request)
    found = await client.query_batch_points(COLLECTION, arms)
    union = list({point.id for arm in found for point in arm.points})
    for arm in arms:
        arm.filter = models.Filter(must=[tenant_only(tenant), models.HasIdCondition(has_id=union)])
        arm.params, arm.with_payload, arm.limit = exact_params(arm), None, len(union)
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
