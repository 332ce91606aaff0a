"""Builds the service from its ports and runs its worker."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from functools import partial

from temporalio.client import Client

from cortex.adapters.grpc_server import GrpcServerSettings, serving
from cortex.adapters.postgres.erasing import of_document, of_person
from cortex.adapters.postgres.erasing.ledger import PostgresErasures
from cortex.adapters.postgres.reconcile.engine import EngineReconciler
from cortex.adapters.postgres.reconcile.index import PostgresIndexTruth
from cortex.adapters.postgres.reconcile.mirror import MirrorReconciler
from cortex.adapters.postgres.reconcile.permissions import PostgresReconciler
from cortex.adapters.postgres.reconcile.runs import PostgresReconcileRuns
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.adapters.postgres.secrets import PostgresSecrets
from cortex.adapters.postgres.sources import PostgresSources
from cortex.adapters.qdrant.client import Qdrant
from cortex.adapters.qdrant.client import connect as connect_qdrant
from cortex.adapters.sealing import EnvelopeSealer, KeyFile
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.adapters.signing import PlatformSigner
from cortex.adapters.source_types_rpc import register
from cortex.adapters.telemetry import Telemetry
from cortex.adapters.temporal import WorkerLimits, connect, working
from cortex.domain.erasure import SubjectKind
from cortex.domain.vector import COLLECTION_ALIAS
from cortex.ports.erasure import ErasableStore
from cortex.ports.source_secrets import SourceSecrets
from cortex.ports.source_store import SourceStore
from cortex.ports.source_writer import SourceWriter
from cortex.ports.sync_control import TASK_QUEUE
from cortex.runtime.backbone import Backbone, backbone, source_writer
from cortex.runtime.local.postgres_home import SYSTEM_FOLDER
from cortex.runtime.settings import PlatformSettings
from services.connectors.activities import SourceActivities
from services.connectors.erasure.activities import ErasureActivities
from services.connectors.erasure.erasing import Erasing
from services.connectors.erasure.workflows import EraseWorkflow
from services.connectors.page import Syncing
from services.connectors.reconcile.activities import ReconcileActivities
from services.connectors.reconcile.reconciling import Index, Reconciling
from services.connectors.reconcile.workflows import ReconcileWorkflow
from services.connectors.registry import Connectors, connectors
from services.connectors.removal import Removing
from services.connectors.settings import ConnectorsSettings
from services.connectors.sources.files.reach import Reach
from services.connectors.types import ConnectorTypes
from services.connectors.workflows import BackfillWorkflow, PeriodicSyncWorkflow, RemoveWorkflow, SyncWorkflow

WORKFLOWS: Sequence[type] = (
    SyncWorkflow,
    BackfillWorkflow,
    PeriodicSyncWorkflow,
    RemoveWorkflow,
    EraseWorkflow,
    ReconcileWorkflow,
)


@dataclass(frozen=True, slots=True)
class Ports:
    """Without `secrets` configurations hold none; without `erasing` or `reconciling` there is none of it."""

    store: SourceStore
    writer: SourceWriter
    connectors: Connectors
    secrets: SourceSecrets | None = None
    erasing: Erasing | None = None
    reconciling: ReconcileActivities | None = None


def activities(settings: ConnectorsSettings, ports: Ports) -> list[Callable[..., object]]:
    syncing = Syncing(ports.store, ports.writer, ports.connectors, ports.secrets)
    removing = Removing(ports.store, ports.writer, settings.documents_removed_per_page)
    made = SourceActivities(
        ports.store, syncing=syncing, removing=removing, heartbeat_every_s=settings.heartbeat_every_s
    )
    erasing = ErasureActivities(ports.erasing).all() if ports.erasing is not None else []
    reconciling = ports.reconciling.all() if ports.reconciling is not None else []
    return [*made.all(), *erasing, *reconciling]


def opened_ports(shared: Backbone, qdrant: Qdrant) -> Ports:
    """Over the servers that the platform has."""
    sealer = EnvelopeSealer(KeyFile(shared.settings.master_keys))
    writer = source_writer(shared)
    return Ports(
        PostgresSources(shared.database, shared.clock),
        writer,
        connectors(reach(shared.settings)),
        secrets=PostgresSecrets(shared.database, sealer, shared.clock),
        erasing=erasing(shared, qdrant, writer),
        reconciling=reconciling(shared, qdrant),
    )


def reconciling(shared: Backbone, qdrant: Qdrant) -> ReconcileActivities:
    """Over the collection that readers see, whatever it is called."""
    database, writer = shared.database, qdrant.writer(COLLECTION_ALIAS)
    mirror = MirrorReconciler(database, shared.permissions)
    steps = Reconciling(
        PostgresReconciler(mirror, EngineReconciler(database, shared.engine)),
        truth=PostgresIndexTruth(database),
        states=PostgresRevisions(database),
        index=Index(qdrant.reader(COLLECTION_ALIAS), writer, writer),
        publisher=shared.stages,
    )
    return ReconcileActivities(steps, PostgresReconcileRuns(database))


def erasing(shared: Backbone, qdrant: Qdrant, writer: SourceWriter) -> Erasing:
    """A further store, such as memories, is one more line here."""
    database = shared.database
    stores: Mapping[SubjectKind, Sequence[ErasableStore]] = {
        SubjectKind.DOCUMENT: (
            of_document.Permissions(database, writer),
            qdrant.document_points(),
            of_document.Payloads(database, shared.objects),
            of_document.texts(database),
            of_document.Answers(database),
            of_document.cached_answers(database),
            of_document.row(database),
        ),
        SubjectKind.PERSON: (
            of_person.Memberships(database, shared.permissions, shared.groups),
            of_person.credentials(database),
            of_person.conversations(database),
            of_person.cached_answers(database),
            of_person.Authorship(database, shared.clock),
            of_person.NamesInAcls(database),
            of_person.row(database),
        ),
    }
    return Erasing(PostgresErasures(database, shared.clock), stores, PlatformSigner(shared.settings.keys), shared.clock)


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
    made = activities(settings, ports)
    async with working(client, task_queue=TASK_QUEUE, workflows=WORKFLOWS, activities=made, limits=limits):
        ready.set()
        await stop.wait()


async def serve(settings: ConnectorsSettings, ports: Ports, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    client = await connect(settings.temporal_url, namespace=settings.namespace)
    await work(client, settings, ports, ready=ready, stop=stop)


def reach(settings: PlatformSettings) -> Reach:
    """The database of a platform that runs as root lies outside of its data folder."""
    return Reach(private=(settings.data, SYSTEM_FOLDER), roots=settings.files_roots)


def source_types(settings: PlatformSettings) -> ConnectorTypes:
    return ConnectorTypes(connectors(reach(settings)))


def serving_types(shared: Backbone) -> AbstractAsyncContextManager[int]:
    """For administration in another process. The credential is the platform's own."""
    signed = SignedMetadata(shared.settings.internal_key, shared.clock)
    server = GrpcServerSettings(address=shared.settings.address_of_connectors())
    return serving(server, [partial(register, types=source_types(shared.settings), check=signed.tenant)])


async def run(platform: PlatformSettings, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """The service as a process of its own."""
    async with AsyncExitStack() as stack:
        stack.enter_context(Telemetry("connectors", platform.otlp_url))
        shared = await stack.enter_async_context(backbone(platform))
        qdrant = await stack.enter_async_context(connect_qdrant(url=platform.qdrant_url, key=platform.qdrant_key))
        ports = opened_ports(shared, qdrant)
        if platform.connectors_url is not None:
            await stack.enter_async_context(serving_types(shared))
        await serve(ConnectorsSettings(temporal_url=platform.temporal_url), ports, ready=ready, stop=stop)
