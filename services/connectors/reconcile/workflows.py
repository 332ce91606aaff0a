"""Which part of a reconciliation comes next. Kept small: the sandbox imports it anew for every workflow."""

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError

with workflow.unsafe.imports_passed_through():
    from cortex.domain.reconcile import Part
    from cortex.ports.reconciliation import RECONCILE_WORKFLOW, ReconcileWork
    from services.connectors import limits
    from services.connectors.reconcile.activities import ReconcileActivities, ReconcileRef

_PARTS = tuple(part.value for part in Part)


def _retries() -> RetryPolicy:
    return RetryPolicy(
        initial_interval=limits.RETRY_FIRST,
        maximum_interval=limits.RETRY_MAX,
        backoff_coefficient=limits.RETRY_FACTOR,
        maximum_attempts=limits.STEP_ATTEMPTS_MAX,
    )


@workflow.defn(name=RECONCILE_WORKFLOW)
class ReconcileWorkflow:
    @workflow.run
    async def run(self, work: ReconcileWork) -> None:
        run_id = work.run_id or workflow.info().run_id
        if not work.part:
            await workflow.execute_activity_method(
                ReconcileActivities.begin_reconcile,
                ReconcileRef(work.tenant_id, run_id),
                start_to_close_timeout=limits.STEP_TIMEOUT,
                retry_policy=_retries(),
            )
        error = None
        try:
            await self._parts(work, run_id)
        except ActivityError as failed:
            error = failed.cause.message if isinstance(failed.cause, ApplicationError) else "did not answer in time"
        await workflow.execute_activity_method(
            ReconcileActivities.end_reconcile,
            ReconcileRef(work.tenant_id, run_id, error=error),
            start_to_close_timeout=limits.STEP_TIMEOUT,
            retry_policy=_retries(),
        )
        if error is not None:
            raise ApplicationError(error, type="ReconcileFailed", non_retryable=True)

    async def _parts(self, work: ReconcileWork, run_id: str) -> None:
        """All that are left; a long one goes on in a new execution."""
        steps = 0
        after = work.after
        for part in _PARTS[_PARTS.index(work.part) if work.part else 0 :]:
            while True:
                after = await workflow.execute_activity_method(
                    ReconcileActivities.reconcile_step,
                    ReconcileRef(work.tenant_id, run_id, part, after),
                    start_to_close_timeout=limits.PAGE_TIMEOUT,
                    retry_policy=_retries(),
                )
                steps += 1
                if after is None:
                    break
                if steps >= limits.PAGES_PER_EXECUTION:
                    workflow.continue_as_new(ReconcileWork(work.tenant_id, run_id, part, after))
