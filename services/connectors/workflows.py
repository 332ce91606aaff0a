"""What happens to a source and in which order. Kept small: the sandbox imports it anew for every workflow."""

import asyncio
from collections.abc import Callable

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    ChildWorkflowError,
    WorkflowAlreadyStartedError,
    is_cancelled_exception,
)

with workflow.unsafe.imports_passed_through():
    from cortex.ports.sync_control import (
        BACKFILL_WORKFLOW,
        PERIODIC_WORKFLOW,
        REMOVE_WORKFLOW,
        REQUEST_SIGNAL,
        SYNC_WORKFLOW,
        PassRequest,
        RunKind,
        SourceWork,
        sync_id,
    )
    from services.connectors import limits
    from services.connectors.activities import RunRef, SourceActivities, SourceRef


def _retries() -> RetryPolicy:
    """What must not be retried is marked so where it is raised (`cortex.adapters.temporal`)."""
    return RetryPolicy(
        initial_interval=limits.RETRY_FIRST,
        maximum_interval=limits.RETRY_MAX,
        backoff_coefficient=limits.RETRY_FACTOR,
        maximum_attempts=limits.STEP_ATTEMPTS_MAX,
    )


async def _step(activity: Callable[..., object], argument: RunRef | SourceRef) -> bool:
    return bool(
        await workflow.execute_activity(
            activity, argument, start_to_close_timeout=limits.STEP_TIMEOUT, retry_policy=_retries()
        )
    )


async def _page(activity: Callable[..., object], argument: RunRef | SourceRef) -> bool:
    return bool(
        await workflow.execute_activity(
            activity,
            argument,
            start_to_close_timeout=limits.PAGE_TIMEOUT,
            heartbeat_timeout=limits.HEARTBEAT_TIMEOUT,
            retry_policy=_retries(),
        )
    )


def _reason(error: BaseException) -> str:
    """What an administrator is shown of a run that failed."""
    if is_cancelled_exception(error):
        return "cancelled"
    cause = error.cause if isinstance(error, ActivityError) else error
    if isinstance(cause, ApplicationError):
        return cause.message
    return f"did not answer within its time: {type(cause).__name__}"


class _Passes:
    """Makes the passes that are asked for, one after the other, until none is left."""

    def __init__(self) -> None:
        self._pending: list[PassRequest] = []
        self._pages = 0

    def _ask(self, asked: PassRequest) -> None:
        known = any(waiting.run_id == asked.run_id for waiting in self._pending)
        if not known and len(self._pending) < limits.PASSES_QUEUED_MAX:
            self._pending.append(asked)

    async def _work(self, work: SourceWork) -> None:
        self._pending = [*work.pending, *self._pending]
        failed: str | None = None
        while self._pending:
            asked = self._pending[0]
            failed = await self._pass(work, RunRef(work.tenant_id, work.source_id, asked.run_id, asked.kind))
            del self._pending[0]
        if failed is not None:
            raise ApplicationError(failed, type="SyncFailed", non_retryable=True)

    async def _pass(self, work: SourceWork, run: RunRef) -> str | None:
        """Why it failed, or None. A run that is broken off is ended too, and not left as running."""
        try:
            if not await _step(SourceActivities.begin_run, run):
                return None
            while not await _page(SourceActivities.sync_page, run):
                self._pages += 1
                if self._pages >= limits.PAGES_PER_EXECUTION:
                    pending = tuple(self._pending)
                    workflow.continue_as_new(SourceWork(work.tenant_id, work.source_id, pending))
        except (ActivityError, asyncio.CancelledError) as error:
            reason = _reason(error)
            await _step(SourceActivities.end_run, RunRef(run.tenant_id, run.source_id, run.run_id, run.kind, reason))
            if is_cancelled_exception(error):
                raise
            return reason
        await _step(SourceActivities.end_run, run)
        return None


@workflow.defn(name=SYNC_WORKFLOW)
class SyncWorkflow(_Passes):
    @workflow.run
    async def run(self, work: SourceWork) -> None:
        await self._work(work)

    @workflow.signal(name=REQUEST_SIGNAL)
    def request(self, asked: PassRequest) -> None:
        self._ask(asked)


@workflow.defn(name=BACKFILL_WORKFLOW)
class BackfillWorkflow(_Passes):
    """The first pass of a source: the same work under a name of its own, with the same id, so never beside a sync."""

    @workflow.run
    async def run(self, work: SourceWork) -> None:
        await self._work(work)

    @workflow.signal(name=REQUEST_SIGNAL)
    def request(self, asked: PassRequest) -> None:
        self._ask(asked)


@workflow.defn(name=PERIODIC_WORKFLOW)
class PeriodicSyncWorkflow:
    """What a schedule starts. A schedule cannot choose a workflow's id, and the id is what keeps passes apart; so this
    starts the pass under its proper id, and leaves it at that when one is on its way."""

    @workflow.run
    async def run(self, work: SourceWork) -> None:
        asked = PassRequest(workflow.info().run_id, RunKind.INCREMENTAL.value)
        try:
            await workflow.execute_child_workflow(
                SyncWorkflow.run,
                SourceWork(work.tenant_id, work.source_id, (asked,)),
                id=sync_id(work.tenant_id, work.source_id),
            )
        except WorkflowAlreadyStartedError:
            workflow.logger.info("a pass is on its way already")
        except ChildWorkflowError as error:
            if is_cancelled_exception(error):
                raise
            # The run says why, where an administrator looks; the schedule has done its part.
            workflow.logger.warning("the pass failed")


@workflow.defn(name=REMOVE_WORKFLOW)
class RemoveWorkflow:
    """A pass on its way ends by itself at its next page, for the source is no longer active."""

    @workflow.run
    async def run(self, work: SourceWork) -> None:
        source = SourceRef(work.tenant_id, work.source_id)
        if not await _step(SourceActivities.begin_removal, source):
            return
        for _ in range(limits.PAGES_PER_EXECUTION):
            if await _page(SourceActivities.remove_page, source):
                return
        workflow.continue_as_new(work)
