"""Workflows against Temporal's own test server, which skips the time that retries wait."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer

from cortex.domain.errors import CortexError, Denied, Exhausted, Invalid, NotFound, Transient
from cortex.domain.identity import tenant_id
from cortex.ports.source_store import RunCounts, Source
from cortex.ports.sync_control import TASK_QUEUE, SourceWork, WorkState, sync_id
from cortex.testing.sources import MemorySources
from services.connectors import limits
from services.connectors.compose import WORKFLOWS
from services.connectors.workflows import PeriodicSyncWorkflow
from tests.services.connectors.scripted import Scripted
from tests.services.connectors.temporal import Bench, bench, time_skipping

TENANT = tenant_id("acme")
HISTORIES = sorted((Path(__file__).parent / "histories").glob("*.json"))


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[WorkflowEnvironment]:
    async with await time_skipping() as environment:
        yield environment


@pytest.fixture
def connector() -> Scripted:
    return Scripted()


@pytest.fixture
async def at(server: WorkflowEnvironment, connector: Scripted) -> AsyncIterator[Bench]:
    async with bench(server.client, {"scripted": connector}, MemorySources()) as made:
        yield made


@pytest.fixture
def source(at: Bench, request: pytest.FixtureRequest) -> Source:
    return at.sources.add(TENANT, name=request.node.name, config={}, type="scripted")


async def test_a_sync_makes_every_page_durable_and_ends_its_run(at: Bench, source: Source, connector: Scripted) -> None:
    connector.pages = 3
    run = await at.synced(source)
    assert (run.state, run.error, run.counts) == ("done", None, RunCounts(3, 3, deleted=0, failed=3, containers=1))
    assert sorted(at.sources.documents(source)) == ["0.md", "1.md", "2.md"]
    assert await at.control.sync_state(TENANT, source.id) is WorkState.DONE


async def test_what_may_pass_is_retried(at: Bench, source: Source, connector: Scripted) -> None:
    connector.errors = [Transient("busy"), Transient("busy", retry_after_s=30), Transient("busy")]
    run = await at.synced(source)
    assert (run.state, connector.passes) == ("done", 4)


async def test_retries_are_bounded(at: Bench, source: Source, connector: Scripted) -> None:
    connector.errors = [Transient("the drive is busy") for _ in range(limits.STEP_ATTEMPTS_MAX)]
    run = await at.synced(source)
    assert (run.state, run.error) == ("failed", "the drive is busy")
    assert connector.passes == limits.STEP_ATTEMPTS_MAX
    assert await at.control.sync_state(TENANT, source.id) is WorkState.FAILED


@pytest.mark.parametrize("kind", [Invalid, NotFound, Denied, Exhausted])
async def test_what_will_not_pass_is_not_retried(
    at: Bench, source: Source, connector: Scripted, kind: type[CortexError]
) -> None:
    connector.errors = [kind("mend this")]
    run = await at.synced(source)
    assert (run.state, run.error, connector.passes) == ("failed", "mend this", 1)


async def test_what_was_not_expected_leaves_no_content_in_temporal(
    at: Bench, source: Source, connector: Scripted
) -> None:
    connector.errors = [ValueError("the salary of Ann")]
    run = await at.synced(source)
    assert run.state == "failed"
    assert "salary" not in str(run.error)
    assert "salary" not in (await at.history(source)).to_json()


async def test_temporal_holds_ids_alone(at: Bench, source: Source) -> None:
    run = await at.synced(source)
    history = (await at.history(source)).to_json()
    assert "bad.md" not in history
    assert "0.md" not in history
    assert run.id not in ("", None)


async def test_a_pass_asked_for_meanwhile_follows(at: Bench, source: Source, connector: Scripted) -> None:
    connector.gate = asyncio.Event()
    first = await at.control.start_sync(TENANT, source.id)
    await connector.entered.wait()
    second = await at.control.start_sync(TENANT, source.id, full=True)
    assert await at.control.sync_state(TENANT, source.id) is WorkState.RUNNING
    connector.gate.set()
    await at.settled(source)
    runs = [await at.sources.run(TENANT, run_id) for run_id in (first, second)]
    assert [(run.kind, run.state) for run in runs] == [("incremental", "done"), ("full", "done")]
    assert connector.passes == 2


async def test_a_backfill_is_a_run_of_its_own_kind(at: Bench, source: Source) -> None:
    run_id = await at.control.start_backfill(TENANT, source.id)
    await at.settled(source)
    run = await at.sources.run(TENANT, run_id)
    assert (run.kind, run.state) == ("backfill", "done")


async def test_a_long_pass_goes_on_in_a_new_execution(at: Bench, source: Source, connector: Scripted) -> None:
    connector.pages = limits.PAGES_PER_EXECUTION + 5
    run = await at.synced(source)
    assert (run.state, run.counts.seen, connector.passes) == ("done", connector.pages, 1)
    assert len(at.sources.documents(source)) == connector.pages
    assert len((await at.history(source)).events) < 100


async def test_a_cancelled_pass_ends_its_run(at: Bench, source: Source, connector: Scripted) -> None:
    connector.gate = asyncio.Event()
    run_id = await at.control.start_sync(TENANT, source.id)
    await connector.entered.wait()
    await at.client.get_workflow_handle(sync_id(TENANT, source.id)).cancel()
    await at.settled(source)
    run = await at.sources.run(TENANT, run_id)
    assert (run.state, run.error) == ("failed", "cancelled")


async def test_a_paused_source_is_not_synced(at: Bench, source: Source, connector: Scripted) -> None:
    await at.sources.set_state(TENANT, source.id, "paused")
    await at.control.start_sync(TENANT, source.id)
    assert await at.settled(source) is None
    assert connector.passes == 0


async def periodic(at: Bench, source: Source) -> None:
    await at.client.execute_workflow(
        PeriodicSyncWorkflow.run,
        SourceWork(str(TENANT), str(source.id)),
        id=f"every-{source.id}",
        task_queue=TASK_QUEUE,
    )


async def test_a_periodic_pass_is_left_out_while_another_is_on_its_way(
    at: Bench, source: Source, connector: Scripted
) -> None:
    await periodic(at, source)
    assert connector.passes == 1
    connector.entered.clear()
    connector.gate = asyncio.Event()
    await at.control.start_sync(TENANT, source.id)
    await connector.entered.wait()
    await periodic(at, source)
    connector.gate.set()
    await at.settled(source)
    assert connector.passes == 2


async def test_a_periodic_pass_that_fails_leaves_the_schedule_well(
    at: Bench, source: Source, connector: Scripted
) -> None:
    connector.errors = [Invalid("mend this")]
    await periodic(at, source)
    assert connector.passes == 1


async def test_removal_takes_documents_containers_and_the_source(
    at: Bench, source: Source, connector: Scripted
) -> None:
    connector.pages = 5
    await at.synced(source)
    await begin_removal(at, source)
    assert await at.removed(source) is None
    with pytest.raises(NotFound):
        await at.sources.source(TENANT, source.id)
    await begin_removal(at, source)
    assert await at.removed(source) is None


async def test_removal_stops_a_pass_that_is_on_its_way(at: Bench, source: Source, connector: Scripted) -> None:
    connector.gate = asyncio.Event()
    await at.control.start_sync(TENANT, source.id)
    await connector.entered.wait()
    await begin_removal(at, source)
    assert await at.removed(source) is None
    connector.gate.set()
    await at.settled(source)
    with pytest.raises(NotFound):
        await at.sources.source(TENANT, source.id)


async def test_a_workflow_that_nobody_ordered_removes_nothing(at: Bench, source: Source) -> None:
    """Whoever reaches Temporal can start one; that a source goes is decided where it is written down."""
    await at.synced(source)
    await at.client.start_workflow(
        "RemoveWorkflow",
        SourceWork(str(TENANT), str(source.id)),
        id=f"remove-{TENANT}-{source.id}",
        task_queue=TASK_QUEUE,
    )
    assert await at.removed(source) is None
    assert (await at.sources.source(TENANT, source.id)).state == "active"


async def begin_removal(at: Bench, source: Source) -> None:
    """As the route and `start_remove` do, without the schedule, which the test server does not know."""
    with suppress(NotFound):
        await at.sources.set_state(TENANT, source.id, "removing")
    await at.client.start_workflow(
        "RemoveWorkflow",
        SourceWork(str(TENANT), str(source.id)),
        id=f"remove-{TENANT}-{source.id}",
        task_queue=TASK_QUEUE,
    )


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_histories_of_earlier_versions_replay(path: Path) -> None:
    """A workflow that was begun under an earlier version must be able to go on under this one."""
    history = WorkflowHistory.from_json(path.stem, json.loads(path.read_text()))
    asyncio.run(Replayer(workflows=WORKFLOWS).replay_workflow(history))


def test_there_are_histories() -> None:
    assert {path.stem for path in HISTORIES} >= {"sync", "sync_failed", "sync_continued", "sync_queued", "remove"}
