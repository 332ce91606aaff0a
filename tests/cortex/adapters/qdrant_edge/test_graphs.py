"""Graphs, built beside a server that goes on serving: what is found, and what survives a kill at every step."""

import asyncio
import itertools
import os
import random
import signal
import uuid
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import grpc
import psutil
import pytest
from qdrant_client import AsyncQdrantClient, models

from cortex.adapters.qdrant import connect
from tests.cortex.adapters.qdrant_edge.process import KEY, EdgeProcess, edge_process

DIMENSIONS, POINTS, GROUPS = 8, 600, 20
NAME, TENANT = "graphs", str(uuid.UUID(int=7))
# The process looks often, and the engine builds from a kilobyte of vectors on.
OPTIONS = ("--graphs-from", "400", "--graphs-every", "0.05", "--flush-every", "0.2")
STEPS = ("copying", "copied", "building", "opening", "catching up", "swapped")


@pytest.fixture
async def edge(tmp_path: Path) -> AsyncIterator[EdgeProcess]:
    async with edge_process(tmp_path, options=OPTIONS) as running:
        yield running


@pytest.fixture
async def client(edge: EdgeProcess) -> AsyncIterator[AsyncQdrantClient]:
    async with connect(url=edge.url, key=KEY) as qdrant:
        await qdrant.client.create_collection(
            NAME,
            vectors_config={"dense": models.VectorParams(size=DIMENSIONS, distance=models.Distance.COSINE)},
            sparse_vectors_config={"sparse": models.SparseVectorParams(modifier=models.Modifier.IDF)},
            hnsw_config=models.HnswConfigDiff(m=0, payload_m=16, full_scan_threshold=1),
            optimizers_config=models.OptimizersConfigDiff(indexing_threshold=1, default_segment_number=1),
        )
        for field, params in (
            ("tenant", models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)),
            ("groups", models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, enable_hnsw=False)),
        ):
            await qdrant.client.create_payload_index(NAME, field, params)
        yield qdrant.client


def _structs(numbers: Sequence[int]) -> list[models.PointStruct]:
    structs = []
    for number in numbers:
        chance = random.Random(number)
        structs.append(
            models.PointStruct(
                id=number,
                vector={
                    "dense": [chance.gauss(0, 1) for _ in range(DIMENSIONS)],
                    "sparse": models.SparseVector(indices=[number % 7, 7 + number % 11], values=[1.0, 0.5]),
                },
                payload={"tenant": TENANT, "groups": [f"g{number % GROUPS}"], "number": number},
            )
        )
    return structs


async def _write(client: AsyncQdrantClient, numbers: Sequence[int]) -> None:
    await client.upsert(NAME, _structs(numbers), wait=True)


async def _numbers(client: AsyncQdrantClient) -> set[int]:
    numbers, after = set[int](), None
    while True:
        records, after = await client.scroll(NAME, limit=10_000, offset=after, with_payload=["number"])
        numbers |= {int((record.payload or {})["number"]) for record in records}
        if after is None:
            return numbers


async def _nearest(client: AsyncQdrantClient, number: int, *, exact: bool) -> list[int]:
    """Among what somebody in half of the groups may see."""
    seen = models.Filter(
        must=[
            models.FieldCondition(key="tenant", match=models.MatchValue(value=TENANT)),
            models.FieldCondition(key="groups", match=models.MatchAny(any=[f"g{group}" for group in range(0, 20, 2)])),
        ]
    )
    params = models.SearchParams(
        exact=exact, hnsw_ef=128, acorn=models.AcornSearchParams(enable=True, max_selectivity=1.0)
    )
    vector = _structs([number])[0].vector
    assert isinstance(vector, dict)
    found = await client.query_points(
        NAME, query=vector["dense"], using="dense", query_filter=seen, search_params=params, limit=10
    )
    return [int(point.id) for point in found.points]


async def _child(edge: EdgeProcess) -> int:
    """The process that builds, once it has begun."""
    return int((await edge.logged("building in process")).split()[-1])


def _folders(edge: EdgeProcess) -> list[Path]:
    return sorted((edge.folder / "data").glob("c-*"))


async def test_graphs_come_by_themselves_and_find_the_same(edge: EdgeProcess, client: AsyncQdrantClient) -> None:
    (before,) = _folders(edge)
    await _write(client, range(POINTS))
    await edge.logged("swapped")
    assert await _numbers(client) == set(range(POINTS))
    asked = range(10_000, 10_020)
    hits = 0
    for number in asked:
        exact = await _nearest(client, number, exact=True)
        assert all(point % 2 == 0 for point in exact)
        hits += len(set(exact) & set(await _nearest(client, number, exact=False)))
    assert hits >= 0.95 * 10 * len(asked)
    await edge.terminate()
    (after,) = _folders(edge)
    assert after != before
    assert list(after.glob("segments/*/vector_index-dense/*")), "no graph was built"
    await edge.restart()
    assert await _numbers(client) == set(range(POINTS))


async def test_what_is_written_meanwhile_is_in_the_copy_too(edge: EdgeProcess, client: AsyncQdrantClient) -> None:
    """Of every kind of write, in the order in which they came."""
    await _write(client, range(POINTS))
    await edge.logged("building")
    await _write(client, range(POINTS, POINTS + 5))
    await client.set_payload(NAME, {"groups": ["g-set"], "also": 1}, points=[1, POINTS])
    await client.overwrite_payload(NAME, {"tenant": TENANT, "number": 2, "groups": ["g-over"]}, points=[2])
    await client.delete_payload(NAME, ["groups"], points=[3])
    await client.delete(NAME, points_selector=[4, POINTS + 1])
    await client.update_vectors(NAME, [models.PointVectors(id=5, vector={"dense": [1.0] + [0.0] * 7})])
    await client.delete_vectors(NAME, ["sparse"], points=[6])
    await client.batch_update_points(
        NAME,
        [
            models.DeleteOperation(delete=models.PointIdsList(points=[7])),
            models.UpsertOperation(upsert=models.PointsList(points=_structs([8, POINTS + 9]))),
            models.SetPayloadOperation(set_payload=models.SetPayload(payload={"also": 2}, points=[8])),
        ],
    )
    wanted = [1, 2, 3, 4, 5, 6, 7, 8, *range(POINTS, POINTS + 10)]
    before = await client.retrieve(NAME, wanted, with_payload=True, with_vectors=True)
    await edge.logged("swapped")
    after = await client.retrieve(NAME, wanted, with_payload=True, with_vectors=True)
    assert {record.id: record for record in after} == {record.id: record for record in before}
    assert await _numbers(client) == {*range(POINTS + 5), POINTS + 9} - {4, 7, POINTS + 1}


async def _write_until_cut_off(client: AsyncQdrantClient, acknowledged: set[int], start: int) -> None:
    """One point after the other: few enough that the copy catches up soon on a busy machine."""
    for number in itertools.count(start):
        try:
            await _write(client, [number])
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            return
        acknowledged.add(number)


@pytest.mark.parametrize("step", STEPS)
async def test_a_kill_at_any_step_loses_nothing_and_leaves_nothing(
    edge: EdgeProcess, client: AsyncQdrantClient, step: str
) -> None:
    await _write(client, range(POINTS))
    acknowledged = set(range(POINTS))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_write_until_cut_off(client, acknowledged, 100_000))
        await edge.logged(step)
        await edge.kill()
    left = set(_folders(edge))
    await edge.restart()
    assert len(left & set(_folders(edge))) == 1  # whichever the manifest names
    stored = await _numbers(client)
    assert acknowledged <= stored
    assert len(stored - acknowledged) <= 1  # the write that was cut off


async def test_a_killed_child_is_given_up_and_the_shard_serves_on(edge: EdgeProcess, client: AsyncQdrantClient) -> None:
    (before,) = _folders(edge)
    await _write(client, range(POINTS))
    os.kill(await _child(edge), signal.SIGKILL)
    assert "ended with -9" in await edge.logged("no graphs")
    await _write(client, [POINTS])
    assert await _numbers(client) == set(range(POINTS + 1))
    assert _folders(edge) == [before]


async def test_the_child_ends_with_a_server_that_is_killed(edge: EdgeProcess, client: AsyncQdrantClient) -> None:
    await _write(client, range(POINTS))
    child = psutil.Process(await _child(edge))
    await edge.kill()
    psutil.wait_procs([child], timeout=10)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


async def test_a_collection_that_is_dropped_meanwhile_stays_dropped(
    edge: EdgeProcess, client: AsyncQdrantClient
) -> None:
    await _write(client, range(POINTS))
    await edge.logged("building")
    await client.delete_collection(NAME)
    assert "changed or dropped" in await edge.logged("no graphs")
    assert not _folders(edge)
    assert not (await client.get_collections()).collections


async def test_an_index_that_is_made_meanwhile_is_kept(edge: EdgeProcess, client: AsyncQdrantClient) -> None:
    await _write(client, range(POINTS))
    await edge.logged("building")
    await client.create_payload_index(NAME, "number", models.PayloadSchemaType.INTEGER)
    assert "changed or dropped" in await edge.logged("no graphs")
    seven = models.Filter(must=[models.FieldCondition(key="number", match=models.MatchValue(value=7))])
    assert (await client.count(NAME, count_filter=seven)).count == 1
