"""The process: starting, refusing, being killed, ending."""

import asyncio
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import httpx
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cortex.adapters.qdrant import Qdrant, connect
from cortex.adapters.qdrant_edge.__main__ import EXIT_CONFIGURATION, EXIT_IN_USE, EXIT_PANIC
from cortex.domain.errors import Denied, Transient
from cortex.domain.identity import ChunkId
from cortex.domain.vector import CollectionSpec, SearchScope
from cortex.testing.vector_index import ALICE, DIMENSIONS, QUESTION, found, new_document, new_tenant, point
from tests.cortex.adapters.qdrant_edge.process import KEY, EdgeProcess, edge_process, spawn, write_key

SPEC = CollectionSpec(alias="chunks", collection="chunks-1", dense_dimensions=DIMENSIONS)
TENANT = new_tenant()


@pytest.fixture
async def edge(tmp_path: Path) -> AsyncIterator[EdgeProcess]:
    async with edge_process(tmp_path) as running:
        yield running


@pytest.fixture
async def qdrant(edge: EdgeProcess) -> AsyncIterator[Qdrant]:
    async with connect(url=edge.url, key=KEY) as connected:
        await connected.collections().ensure_collection(SPEC)
        yield connected


async def write_until_cut_off(qdrant: Qdrant, acknowledged: list[ChunkId], enough: asyncio.Event) -> None:
    """Upsert batch after batch, noting what was acknowledged, until the server is gone."""
    document = new_document()
    batch = 0
    while True:
        points = [point(TENANT, document, ordinal=batch * 50 + place) for place in range(50)]
        try:
            await qdrant.writer(SPEC.alias).upsert(points)
        except Transient:
            return
        acknowledged += [chunk.chunk_id for chunk in points]
        batch += 1
        if batch == 6:
            enough.set()


async def test_kill_9_amid_writes_loses_nothing_acknowledged(edge: EdgeProcess, qdrant: Qdrant) -> None:
    acknowledged: list[ChunkId] = []
    enough = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(2):
            tasks.create_task(write_until_cut_off(qdrant, acknowledged, enough))
        await enough.wait()
        await edge.kill()
    await edge.restart()
    page = await qdrant.reader(SPEC.alias).revisions(TENANT, after=None, limit=10_000)
    stored = {row.chunk_id for row in page.rows}
    assert set(acknowledged) <= stored
    assert len(acknowledged) >= 300
    # Whatever else is there belongs to the writes that were cut off, one batch a writer.
    assert len(stored) - len(acknowledged) <= 100


async def test_a_restart_keeps_points_indexes_and_aliases(edge: EdgeProcess, qdrant: Qdrant) -> None:
    tenant = new_tenant()
    chunk = point(tenant, new_document())
    await qdrant.writer(SPEC.alias).upsert([chunk])
    before = await qdrant.client.get_collection(SPEC.collection)
    assert await edge.terminate() == (0, "")
    await edge.restart()
    result = await qdrant.reader(SPEC.alias).search(SearchScope(tenant, frozenset({ALICE})), QUESTION)
    assert found(result) == [{chunk.chunk_id}, {chunk.chunk_id}]
    after = await qdrant.client.get_collection(SPEC.collection)
    assert (after.config, after.payload_schema) == (before.config, before.payload_schema)


async def test_folders_without_a_collection_are_removed_at_the_start(edge: EdgeProcess, qdrant: Qdrant) -> None:
    await edge.terminate()
    orphan = edge.folder / "data" / f"c-{uuid.uuid4()}"
    orphan.mkdir()
    await edge.restart()
    assert not orphan.exists()
    assert await qdrant.collections().aliases() == {SPEC.alias: SPEC.collection}


POISON = """
import sys, qdrant_edge as edge
shard = edge.EdgeShard.load(sys.argv[1])
point = edge.Point(1, {"sparse": edge.SparseVector([1, 2], [1.0])}, {})
shard.update(edge.UpdateOperation.upsert_points([point]))
"""


async def test_a_shard_that_cannot_be_opened_ends_the_process_and_says_what_to_do(
    edge: EdgeProcess, qdrant: Qdrant
) -> None:
    """What the checks of every write are for: the engine logs this one, and panics at it for ever after."""
    await edge.terminate()
    (shard,) = (edge.folder / "data").glob("c-*")
    poisoning = await asyncio.create_subprocess_exec(
        sys.executable, "-c", POISON, str(shard), stderr=asyncio.subprocess.DEVNULL
    )
    assert await poisoning.wait() != 0
    process = await spawn(edge.folder)
    _, log = await process.communicate()
    assert process.returncode == EXIT_PANIC
    assert f"loading collection {SPEC.collection}" in log.decode()
    assert "move its folder away" in log.decode()


async def test_a_second_process_on_the_same_folder_says_so(edge: EdgeProcess) -> None:
    second = await spawn(edge.folder)
    _, log = await second.communicate()
    assert second.returncode == EXIT_IN_USE
    assert "already served by another" in log.decode()


async def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    write_key(tmp_path).chmod(0o640)
    process = await spawn(tmp_path)
    _, log = await process.communicate()
    assert process.returncode == EXIT_CONFIGURATION
    assert "may be read by others" in log.decode()


async def test_without_the_key_nothing_is_served_but_health(edge: EdgeProcess) -> None:
    for key in ("another key", None):
        async with connect(url=edge.url, key=key) as stranger:
            with pytest.raises(Denied):
                await stranger.collections().aliases()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{edge.port}") as channel:
        health = health_pb2_grpc.HealthStub(channel)
        answer = await health.Check(health_pb2.HealthCheckRequest(service="qdrant.Points"))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_probes_and_version_over_http(edge: EdgeProcess) -> None:
    async with httpx.AsyncClient(base_url=f"http://{edge.http}", trust_env=False) as client:
        for path in ("/healthz", "/readyz", "/livez"):
            assert (await client.get(path)).status_code == 200
        assert (await client.get("/")).json()["version"] == "1.20.0"
        assert (await client.get("/collections")).status_code == 404
        assert (await client.get("/readyz", headers={"host": "rebound.example"})).status_code == 421
