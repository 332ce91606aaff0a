"""Builds the service from its ports and runs its worker."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from temporalio.client import Client

from cortex.adapters.postgres.sources import PostgresSources
from cortex.adapters.telemetry import Telemetry
from cortex.adapters.temporal import WorkerLimits, connect, working
from cortex.ports.source_store import SourceStore
from cortex.ports.source_writer import SourceWriter
from cortex.ports.sync_control import TASK_QUEUE
from cortex.runtime.backbone import backbone, source_writer
from cortex.runtime.settings import PlatformSettings
from services.connectors.activities import SourceActivities
from services.connectors.page import Syncing
from services.connectors.registry import Connectors, connectors
from services.connectors.removal import Removing
from services.connectors.settings import ConnectorsSettings
from services.connectors.workflows import BackfillWorkflow, PeriodicSyncWorkflow, RemoveWorkflow, SyncWorkflow

WORKFLOWS: Sequence[type] = (SyncWorkflow, BackfillWorkflow, PeriodicSyncWorkflow, RemoveWorkflow)


@dataclass(frozen=True, slots=True)
class Ports:
    store: SourceStore
    writer: SourceWriter


def activities(settings: ConnectorsSettings, ports: Ports, known: Connectors) -> list[Callable[..., object]]:
    syncing = Syncing(ports.store, ports.writer, known)
    removing = Removing(ports.store, ports.writer, settings.documents_removed_per_page)
    made = SourceActivities(
        ports.store, syncing=syncing, removing=removing, heartbeat_every_s=settings.heartbeat_every_s
    )
    return made.all()


async def work(
    client: Client, settings: ConnectorsSettings, ports: Ports, *, ready: asyncio.Event, stop: asyncio.Event
) -> None:
    """Works until `stop`; then activities have their grace, and what they did not finish is done again elsewhere."""
    limits = WorkerLimits(
        activities_max=settings.activities_max,
        workflow_tasks_max=settings.workflow_tasks_max,
        workflows_cached_max=settings.workflows_cached_max,
        shutdown_grace_s=settings.shutdown_grace_s,
    )
    made = activities(settings, ports, connectors())
    async with working(client, task_queue=TASK_QUEUE, workflows=WORKFLOWS, activities=made, limits=limits):
        ready.set()
        await stop.wait()


async def serve(settings: ConnectorsSettings, ports: Ports, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    client = await connect(settings.temporal_url, namespace=settings.namespace)
    await work(client, settings, ports, ready=ready, stop=stop)


async def run(platform: PlatformSettings, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """The service as a process of its own."""
    async with AsyncExitStack() as stack:
        stack.enter_context(Telemetry("connectors", platform.otlp_url))
        shared = await stack.enter_async_context(backbone(platform))
        ports = Ports(PostgresSources(shared.database), source_writer(shared))
        await serve(ConnectorsSettings(temporal_url=platform.temporal_url), ports, ready=ready, stop=stop)
