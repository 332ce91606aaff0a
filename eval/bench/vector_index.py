"""The vector index: what it finds, how fast, and whether it goes on serving while its graphs are built.

    python -m eval.bench vector_index [--points 100000] [--groups 200] [--seed 1] [--json]

Starts the index in a process of its own. Calls go through it as the gateway makes them; what is compared with is the
same call with the tenant as the only filter, and for recall an exact search under the same filter.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from qdrant_client import AsyncQdrantClient, models

from cortex.adapters.qdrant import Qdrant, connect, filters
from cortex.adapters.qdrant.reader import arms
from cortex.domain.vector import HybridRequest, IndexFilters, SearchScope
from eval.bench.chunks import (
    Chance,
    bare_client,
    exact_params,
    fill,
    graphs_built,
    outside_graphs,
    tenant_only,
    unfiltered_arms,
)
from tests.cortex.adapters.qdrant_edge.process import KEY, EdgeProcess, edge_process

COLLECTION, TRIES, RECALLED = "bench", 100, 10
WRITTEN_WHILE_BUILDING, PAUSE_S = 10, 0.02


@dataclass(slots=True)
class Live:
    """Milliseconds of searches and of small writes, one after the other."""

    searches: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)


async def _ms(act: Awaitable[object]) -> float:
    began = time.perf_counter()
    await act
    return 1000 * (time.perf_counter() - began)


async def _while(waiting: asyncio.Task[float], qdrant: Qdrant, chance: Chance, scope: SearchScope) -> Live:
    """Search and write as long as `waiting` waits, and once at least."""
    live = Live()

    async def write() -> None:
        while not (waiting.done() and live.writes):
            live.writes.append(await _ms(qdrant.writer(COLLECTION).upsert(chance.points(WRITTEN_WHILE_BUILDING))))
            await asyncio.sleep(PAUSE_S)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(write())
        while not (waiting.done() and live.searches):
            live.searches.append(await _ms(qdrant.reader(COLLECTION).search(scope, chance.question())))
            await asyncio.sleep(PAUSE_S)
    return live


Ask = Callable[[HybridRequest], Sequence[models.QueryRequest]]


async def _spread(client: AsyncQdrantClient, questions: Sequence[HybridRequest], ask: Ask) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds, after one question that warms up."""
    await client.query_batch_points(COLLECTION, ask(questions[0]))
    took = [await _ms(client.query_batch_points(COLLECTION, ask(question))) for question in questions]
    return statistics.median(took), statistics.quantiles(took, n=20)[-1]


async def _recall(client: AsyncQdrantClient, questions: Sequence[HybridRequest], ask: Ask) -> float:
    """Of the ten nearest by an exact search under the same filter, how many the dense arm finds."""
    hits = 0
    for question in questions:
        dense = ask(question)[0]
        exact = dense.model_copy(update={"params": exact_params(dense)})
        found, truth = await client.query_batch_points(COLLECTION, [dense, exact])
        hits += len({point.id for point in found.points[:RECALLED]} & {point.id for point in truth.points[:RECALLED]})
    return hits / (RECALLED * len(questions))


def _resident_mb(process: psutil.Process) -> float:
    megabytes = 0.0
    for part in (process, *process.children()):
        with suppress(psutil.NoSuchProcess):  # the child that builds comes and goes
            megabytes += part.memory_info().rss / 2**20
    return megabytes


async def _peak_mb(process: psutil.Process, stop: asyncio.Event) -> float:
    """Of the server and the child that builds."""
    peak = 0.0
    while not stop.is_set():
        peak = max(peak, _resident_mb(process))
        await asyncio.sleep(0.5)
    return peak


async def measured(edge: EdgeProcess, arguments: argparse.Namespace) -> dict[str, float]:
    chance, process = Chance(arguments.seed), psutil.Process(edge.process.pid)
    scope, stop = chance.scope(arguments.groups), asyncio.Event()
    async with connect(url=edge.url, key=KEY) as qdrant:
        bare = bare_client(edge.url, KEY)
        peak = asyncio.create_task(_peak_mb(process, stop))
        upserts_s = await fill(qdrant, COLLECTION, chance, arguments.points)
        building = asyncio.create_task(graphs_built(bare, COLLECTION, arguments.points))
        live = await _while(building, qdrant, chance, scope)
        stop.set()
        figures = {
            "points": arguments.points,
            "groups": arguments.groups,
            "upserts_per_s": arguments.points / upserts_s,
            "graphs_after_s": await building,
            "search_while_built_p50_ms": statistics.median(live.searches),
            "search_while_built_max_ms": max(live.searches),
            "write_while_built_p50_ms": statistics.median(live.writes),
            "write_while_built_max_ms": max(live.writes),
            "outside_graphs": await outside_graphs(bare, COLLECTION),
            "segments": float((await bare.get_collection(COLLECTION)).segments_count or 0),
            "resident_peak_mb": await peak,
            "resident_after_mb": _resident_mb(process),
        }
        figures |= await _asked(bare, chance, scope)
        await bare.close()
    return figures


async def _asked(client: AsyncQdrantClient, chance: Chance, scope: SearchScope) -> dict[str, float]:
    questions, figures = [chance.question() for _ in range(TRIES)], dict[str, float]()
    asks: dict[str, Ask] = {
        "dense_tenant": lambda question: unfiltered_arms(scope.tenant_id, question)[:1],
        "dense_acl": lambda question: list(arms(scope, question).values())[:1],
        "sparse_tenant": lambda question: unfiltered_arms(scope.tenant_id, question)[1:],
        "sparse_acl": lambda question: list(arms(scope, question).values())[1:],
        "both_tenant": lambda question: unfiltered_arms(scope.tenant_id, question),
        "both_acl": lambda question: list(arms(scope, question).values()),
    }
    for name, ask in asks.items():
        figures[f"{name}_p50_ms"], figures[f"{name}_p95_ms"] = await _spread(client, questions, ask)
    for name in ("dense_tenant", "dense_acl"):
        figures[f"{name}_recall@10"] = await _recall(client, questions, asks[name])
    figures["both_acl_to_tenant"] = figures["both_acl_p50_ms"] / figures["both_tenant_p50_ms"]
    matching = (await client.count(COLLECTION, filters.scope_filter(scope, IndexFilters()), exact=True)).count
    figures["share_seen"] = matching / (await client.count(COLLECTION, tenant_only(scope.tenant_id), exact=True)).count
    return figures


async def main(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="cortex-bench-") as folder:
        async with edge_process(Path(folder)) as edge:
            figures = await measured(edge, arguments)
            code, log = await edge.terminate()
            print(log, file=sys.stderr)
            if code:
                raise RuntimeError(f"the server ended with {code}")
            began = time.perf_counter()
            await edge.restart()
            figures["reopened_s"] = time.perf_counter() - began
    rounded = {name: round(value, 3 if value < 10 else 1) for name, value in figures.items()}
    if arguments.json:
        print(json.dumps({**rounded, "seed": arguments.seed}))
    else:
        print("\n".join(f"{name:28} {value}" for name, value in rounded.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--groups", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one object and nothing else on stdout")
    asyncio.run(main(parser.parse_args()))
