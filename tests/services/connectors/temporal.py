"""A Temporal server that skips time, and a worker over memory."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from temporalio.api.testservice.v1 import LockTimeSkippingRequest, UnlockTimeSkippingRequest
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError, WorkflowHistory
from temporalio.testing import WorkflowEnvironment

from cortex.adapters.temporal import TemporalSyncControl, WorkerLimits, working
from cortex.ports.connector import Connector
from cortex.ports.source_store import Run, Source
from cortex.ports.sync_control import TASK_QUEUE, remove_id, sync_id
from cortex.testing.sources import MemorySources
from services.connectors.compose import WORKFLOWS, Ports, activities
from services.connectors.settings import ConnectorsSettings

LIMITS = WorkerLimits(activities_max=8, workflow_tasks_max=16, workflows_cached_max=100, shutdown_grace_s=1)


async def time_skipping() -> WorkflowEnvironment:
    server = Path(sys.executable).parent / "temporal-test-server"
    return await WorkflowEnvironment.start_time_skipping(test_server_existing_path=str(server))


@asynccontextmanager
async def skipping(client: Client) -> AsyncIterator[None]:
    """Time that nothing but timers and retries would fill passes at once."""
    await client.test_service.unlock_time_skipping(UnlockTimeSkippingRequest())
    try:
        yield
    finally:
        await client.test_service.lock_time_skipping(LockTimeSkippingRequest())


class Bench:
    """One source after another, worked on as in production."""

    def __init__(self, client: Client, sources: MemorySources) -> None:
        self.client = client
        self.sources = sources
        self.control = TemporalSyncControl(client)

    async def settled(self, source: Source, name: Callable[..., str] = sync_id) -> str | None:
        """Waits for the end of the workflow; the failure's message, or None."""
        handle = self.client.get_workflow_handle(name(source.tenant_id, source.id))
        while True:
            try:
                async with skipping(self.client):
                    await handle.result()
            except WorkflowFailureError as error:
                return str(error.cause)
            except RuntimeError:
                # The test server lets a poll run out in the time that it skips.
                if (await handle.describe()).status is WorkflowExecutionStatus.RUNNING:
                    continue
            return None

    async def synced(self, source: Source, *, full: bool = False) -> Run:
        run_id = await self.control.start_sync(source.tenant_id, source.id, full=full)
        await self.settled(source)
        return await self.sources.run(source.tenant_id, run_id)

    async def removed(self, source: Source) -> str | None:
        return await self.settled(source, remove_id)

    async def history(self, source: Source) -> WorkflowHistory:
        return await self.client.get_workflow_handle(sync_id(source.tenant_id, source.id)).fetch_history()


@asynccontextmanager
async def bench(client: Client, connectors: dict[str, Connector], sources: MemorySources) -> AsyncIterator[Bench]:
    settings = ConnectorsSettings(temporal_url="", heartbeat_every_s=0.2, documents_removed_per_page=2)
    made = activities(settings, Ports(sources, sources, connectors))
    async with working(client, task_queue=TASK_QUEUE, workflows=WORKFLOWS, activities=made, limits=LIMITS):
        yield Bench(client, sources)
