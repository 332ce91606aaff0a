"""The engine's thread: bounded, in order, and dead after a panic."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
import qdrant_edge as edge

from cortex.adapters.qdrant_edge.engine_thread import EngineThread
from cortex.adapters.qdrant_edge.refusal import Refused


@pytest.fixture
def panicked() -> asyncio.Event:
    return asyncio.Event()


@pytest.fixture
async def engine(panicked: asyncio.Event) -> AsyncIterator[EngineThread]:
    thread = EngineThread(queue_max=2, on_panic=panicked.set)
    yield thread
    await thread.close()


async def test_a_full_queue_says_when_to_come_back(engine: EngineThread) -> None:
    gate = threading.Event()
    async with asyncio.TaskGroup() as tasks:
        held = [tasks.create_task(engine.run(gate.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refused) as caught:
            await engine.run(list)
        gate.set()
    assert (caught.value.code, caught.value.retry_after_s) == (grpc.StatusCode.RESOURCE_EXHAUSTED, 1)
    assert [task.result() for task in held] == [True, True]
    assert await engine.run(list) == []


async def test_work_whose_caller_gave_up_is_dropped_if_it_has_not_begun(engine: EngineThread) -> None:
    gate, done = threading.Event(), []
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(engine.run(gate.wait))
        waiting = tasks.create_task(engine.run(lambda: done.append(True)))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        gate.set()
    assert await engine.run(lambda: list(done)) == []


async def test_errors_of_the_engine_have_the_codes_of_the_server(engine: EngineThread, tmp_path: Path) -> None:
    config = edge.EdgeConfig(vectors={"dense": edge.EdgeVectorParams(size=2, distance=edge.Distance.Dot)})
    shard = edge.EdgeShard.create(str(tmp_path), config)
    shard.update(edge.UpdateOperation.upsert_points([edge.Point(1, {"dense": [1.0, 0.0]}, {})]))

    def nearest(vector: list[float], using: str) -> None:
        shard.query(edge.QueryRequest(limit=1, query=edge.Query.Nearest(vector, using)))

    def set_payload() -> None:
        shard.update(edge.UpdateOperation.set_payload([9], {"a": 1}))

    for work, code in (
        (lambda: nearest([1.0], "dense"), grpc.StatusCode.INVALID_ARGUMENT),
        (lambda: nearest([1.0], "nonesuch"), grpc.StatusCode.INVALID_ARGUMENT),
        (lambda: shard.facet(edge.FacetRequest("nonesuch")), grpc.StatusCode.INVALID_ARGUMENT),
        (set_payload, grpc.StatusCode.NOT_FOUND),
        (lambda: [][0], grpc.StatusCode.INTERNAL),
    ):
        with pytest.raises(Refused) as caught:
            await engine.run(work)
        assert caught.value.code is code
    await engine.run(shard.close)


async def test_nothing_runs_after_a_panic(engine: EngineThread, panicked: asyncio.Event, tmp_path: Path) -> None:
    shard = edge.EdgeShard.create(str(tmp_path), edge.EdgeConfig(sparse_vectors={"s": edge.EdgeSparseVectorParams()}))
    poison = edge.Point(1, {"s": edge.SparseVector([1, 2], [1.0])}, {})

    def write() -> None:
        shard.update(edge.UpdateOperation.upsert_points([poison]))

    with pytest.raises(Refused, match="panicked") as caught:
        await engine.run(write)
    assert caught.value.code is grpc.StatusCode.INTERNAL
    await panicked.wait()
    with pytest.raises(Refused) as caught:
        await engine.run(list)
    assert caught.value.code is grpc.StatusCode.UNAVAILABLE


async def test_what_changes_something_waits_while_changes_are_held(engine: EngineThread) -> None:
    order: list[str] = []
    async with asyncio.TaskGroup() as tasks:
        async with engine.changes_held():
            write = tasks.create_task(engine.change(lambda: order.append("write")))
            await engine.run(lambda: order.append("read"))
            assert not write.done()
        await write
    assert order == ["read", "write"]


async def test_changes_have_their_turn_between_two_holds(engine: EngineThread) -> None:
    async with asyncio.TaskGroup() as tasks:
        async with engine.changes_held():
            write = tasks.create_task(engine.change(lambda: True))
            await asyncio.sleep(0)
        async with engine.changes_held():
            await engine.run(list)
            await write


async def test_the_servers_own_work_is_not_refused_by_a_full_queue(engine: EngineThread) -> None:
    gate = threading.Event()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(2):
            tasks.create_task(engine.run(gate.wait))
        own = tasks.create_task(engine.run_unbounded(lambda: True))
        await asyncio.sleep(0)
        gate.set()
    assert own.result()
