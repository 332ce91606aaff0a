"""Which step of an erasure comes next. Kept small: the sandbox imports it anew for every workflow."""

from collections.abc import Callable

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError

with workflow.unsafe.imports_passed_through():
    from cortex.ports.erasure import ERASE_WORKFLOW, ErasureWork
    from services.connectors import limits
    from services.connectors.erasure.activities import ErasureActivities, ErasureRef


def _retries() -> RetryPolicy:
    """An erasure is promised: a store that is away is waited for, for days."""
    return RetryPolicy(
        initial_interval=limits.RETRY_FIRST,
        maximum_interval=limits.RETRY_MAX,
        backoff_coefficient=limits.RETRY_FACTOR,
        maximum_attempts=limits.ERASURE_ATTEMPTS_MAX,
    )


async def _step(activity: Callable[..., object], ref: ErasureRef) -> object:
    return await workflow.execute_activity(
        activity, ref, start_to_close_timeout=limits.PAGE_TIMEOUT, retry_policy=_retries()
    )


@workflow.defn(name=ERASE_WORKFLOW)
class EraseWorkflow:
    @workflow.run
    async def run(self, work: ErasureWork) -> None:
        here = ErasureRef(work.tenant_id, work.erasure_id)
        try:
            steps = await workflow.execute_activity_method(
                ErasureActivities.erasure_steps,
                here,
                start_to_close_timeout=limits.STEP_TIMEOUT,
                retry_policy=_retries(),
            )
            for step in steps:
                await _step(ErasureActivities.erase_store, ErasureRef(work.tenant_id, work.erasure_id, step))
            await _step(ErasureActivities.certify_erasure, here)
        except ActivityError as error:
            reason = error.cause.message if isinstance(error.cause, ApplicationError) else "did not answer in time"
            await _step(ErasureActivities.give_up_erasure, ErasureRef(work.tenant_id, work.erasure_id, reason))
            raise
