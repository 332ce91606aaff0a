"""Temporal: the client, workers whose errors are ours, and the control of syncs.

Temporal's store is open to whoever runs it and keeps what it is given, so ids, counts and the messages of our own
errors (which are safe to show) are all that goes in.
"""

import asyncio
import logging
import traceback
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from temporalio import activity
from temporalio.client import (
    Client,
    Interceptor,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleUpdate,
    ScheduleUpdateInput,
    WorkflowExecutionStatus,
)
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.contrib.opentelemetry import TracingInterceptor, TracingWorkflowInboundInterceptor
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    Worker,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)
from temporalio.worker import Interceptor as WorkerInterceptor

from cortex.domain.errors import CortexError, Transient
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.erasure import ERASE_WORKFLOW, ErasureWork
from cortex.ports.reconciliation import RECONCILE_WORKFLOW, ReconcileWork
from cortex.ports.sync_control import (
    BACKFILL_WORKFLOW,
    PERIODIC_WORKFLOW,
    REMOVE_WORKFLOW,
    REQUEST_SIGNAL,
    SYNC_WORKFLOW,
    TASK_QUEUE,
    PassRequest,
    RunKind,
    SourceWork,
    WorkState,
    remove_id,
    sync_id,
)

logger = logging.getLogger(__name__)

SCHEDULE_JITTER = timedelta(seconds=10)
RECONCILE_JITTER = timedelta(minutes=10)
_RUNNING = frozenset([WorkflowExecutionStatus.RUNNING, WorkflowExecutionStatus.CONTINUED_AS_NEW])


class _TracedWorkflow(TracingWorkflowInboundInterceptor):
    def __init__(self, next: WorkflowInboundInterceptor) -> None:
        super().__init__(next)
        self.text_map_propagator = TraceContextTextMapPropagator()


class TraceContext(TracingInterceptor):
    """Trace context alone: baggage would bring whatever a caller likes into Temporal's store."""

    def __init__(self) -> None:
        super().__init__()
        self.text_map_propagator = TraceContextTextMapPropagator()

    def workflow_interceptor_class(
        self, input: WorkflowInterceptorClassInput
    ) -> type[TracingWorkflowInboundInterceptor]:
        super().workflow_interceptor_class(input)
        return _TracedWorkflow


TemporalClient = Client


async def connect(url: str, *, namespace: str, traced: bool = True, lazy: bool = False) -> Client:
    """`url` is HOST:PORT. `traced`: one trace spans whoever starts a workflow, the workflow and its activities.

    `lazy`: nothing is opened before the first call.
    """
    interceptors: list[Interceptor] = [TraceContext()] if traced else []
    try:
        return await Client.connect(url, namespace=namespace, interceptors=interceptors, lazy=lazy)
    except (RPCError, RuntimeError) as error:
        raise Transient(f"Temporal at {url} is out of reach") from error


class _TranslatedErrors(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> object:
        try:
            return await super().execute_activity(input)
        except Transient as error:
            after = timedelta(seconds=error.retry_after_s) if error.retry_after_s is not None else None
            raise ApplicationError(str(error), type="Transient", next_retry_delay=after) from None
        except CortexError as error:
            raise ApplicationError(str(error), type=type(error).__name__, non_retryable=True) from None
        except (ApplicationError, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 - the process boundary
            # Neither the message nor its causes are passed on or logged: they may hold content.
            frames = "".join(traceback.format_tb(error.__traceback__))
            logger.error("activity %s: %s\n%s", activity.info().activity_type, type(error).__name__, frames)
            message = f"an unexpected {type(error).__name__}; the log of the worker says where"
            raise ApplicationError(message, type="Bug", non_retryable=True) from None


class TranslatedErrors(WorkerInterceptor):
    """Our errors become Temporal's: all but Transient are final. Causes, which may hold content, stay here."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _TranslatedErrors(super().intercept_activity(next))


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    activities_max: int
    workflow_tasks_max: int
    workflows_cached_max: int
    shutdown_grace_s: float


@asynccontextmanager
async def working(
    client: Client,
    *,
    task_queue: str,
    workflows: Sequence[type],
    activities: Sequence[Callable[..., object]],
    limits: WorkerLimits,
) -> AsyncIterator[None]:
    """A worker for as long as the block lasts; at its end, activities have the grace to finish."""
    worker = Worker(
        client,
        task_queue=task_queue,
        workflows=workflows,
        activities=activities,
        interceptors=[TranslatedErrors()],
        max_concurrent_activities=limits.activities_max,
        max_concurrent_workflow_tasks=limits.workflow_tasks_max,
        max_cached_workflows=limits.workflows_cached_max,
        graceful_shutdown_timeout=timedelta(seconds=limits.shutdown_grace_s),
    )
    async with worker:
        yield


@asynccontextmanager
async def _reached() -> AsyncIterator[None]:
    try:
        yield
    except RPCError as error:
        raise Transient(f"Temporal: {error.status.name.lower()}") from error


def _schedule_id(tenant: TenantId, source: SourceId) -> str:
    return f"every-{tenant}-{source}"


def _work(tenant: TenantId, source: SourceId) -> SourceWork:
    return SourceWork(str(tenant), str(source))


class TemporalSyncControl:
    """SyncControl."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def start_sync(self, tenant: TenantId, source: SourceId, *, full: bool = False) -> str:
        kind = RunKind.FULL if full else RunKind.INCREMENTAL
        return await self._start(SYNC_WORKFLOW, tenant, source, kind=kind)

    async def start_backfill(self, tenant: TenantId, source: SourceId) -> str:
        return await self._start(BACKFILL_WORKFLOW, tenant, source, kind=RunKind.BACKFILL)

    async def _start(self, workflow: str, tenant: TenantId, source: SourceId, *, kind: RunKind) -> str:
        run_id = str(uuid.uuid4())
        async with _reached():
            await self._client.start_workflow(
                workflow,
                _work(tenant, source),
                id=sync_id(tenant, source),
                task_queue=TASK_QUEUE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                start_signal=REQUEST_SIGNAL,
                start_signal_args=[PassRequest(run_id, kind.value)],
            )
        return run_id

    async def start_remove(self, tenant: TenantId, source: SourceId) -> None:
        await self.sync_every(tenant, source, every_s=None)
        async with _reached():
            await self._client.start_workflow(
                REMOVE_WORKFLOW,
                _work(tenant, source),
                id=remove_id(tenant, source),
                task_queue=TASK_QUEUE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            )

    async def sync_every(self, tenant: TenantId, source: SourceId, *, every_s: int | None) -> None:
        async with _reached():
            if every_s is None:
                await self._unschedule(tenant, source)
            else:
                await self._schedule(tenant, source, timedelta(seconds=every_s))

    async def _schedule(self, tenant: TenantId, source: SourceId, every: timedelta) -> None:
        identifier = _schedule_id(tenant, source)
        schedule = Schedule(
            action=ScheduleActionStartWorkflow(
                PERIODIC_WORKFLOW, _work(tenant, source), id=identifier, task_queue=TASK_QUEUE
            ),
            spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every)], jitter=min(SCHEDULE_JITTER, every / 10)),
            policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=every),
        )
        await _scheduled(self._client, schedule, identifier)

    async def _unschedule(self, tenant: TenantId, source: SourceId) -> None:
        try:
            await self._client.get_schedule_handle(_schedule_id(tenant, source)).delete()
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise

    async def sync_state(self, tenant: TenantId, source: SourceId) -> WorkState:
        return await self._state(sync_id(tenant, source))

    async def remove_state(self, tenant: TenantId, source: SourceId) -> WorkState:
        return await self._state(remove_id(tenant, source))

    async def _state(self, identifier: str) -> WorkState:
        async with _reached():
            try:
                status = (await self._client.get_workflow_handle(identifier).describe()).status
            except RPCError as error:
                if error.status is not RPCStatusCode.NOT_FOUND:
                    raise
                return WorkState.NONE
        if status in _RUNNING:
            return WorkState.RUNNING
        return WorkState.DONE if status is WorkflowExecutionStatus.COMPLETED else WorkState.FAILED


class TemporalErasureControl:
    """ErasureControl."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def start(self, tenant: TenantId, erasure: uuid.UUID) -> None:
        async with _reached():
            await self._client.start_workflow(
                ERASE_WORKFLOW,
                ErasureWork(str(tenant), str(erasure)),
                id=f"erase-{tenant}-{erasure}",
                task_queue=TASK_QUEUE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
            )


class TemporalReconcileControl:
    """ReconcileControl."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def start(self, tenant: TenantId) -> str:
        async with _reached():
            handle = await self._client.start_workflow(
                RECONCILE_WORKFLOW,
                ReconcileWork(str(tenant)),
                id=f"reconcile-{tenant}",
                task_queue=TASK_QUEUE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            )
        return handle.first_execution_run_id or ""

    async def every(self, tenant: TenantId, every_s: int) -> None:
        """What it starts has a name of its own, and may come beside a run that was asked for: steps are idempotent."""
        period, identifier = timedelta(seconds=every_s), f"reconcile-every-{tenant}"
        async with _reached():
            await _scheduled(
                self._client,
                Schedule(
                    action=ScheduleActionStartWorkflow(
                        RECONCILE_WORKFLOW, ReconcileWork(str(tenant)), id=identifier, task_queue=TASK_QUEUE
                    ),
                    spec=ScheduleSpec(
                        intervals=[ScheduleIntervalSpec(period)], jitter=min(RECONCILE_JITTER, period / 10)
                    ),
                    policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=period),
                ),
                identifier,
            )


async def _scheduled(client: Client, schedule: Schedule, identifier: str) -> None:
    """Made, or put in the place of the one there is."""

    async def replaced(_: ScheduleUpdateInput) -> ScheduleUpdate:
        return ScheduleUpdate(schedule)

    try:
        await client.create_schedule(identifier, schedule)
    except ScheduleAlreadyRunningError:
        await client.get_schedule_handle(identifier).update(replaced)
