"""What the workflow of a reconciliation has done outside of itself. Arguments and results are ids, counts and flags."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from temporalio import activity

from cortex.domain.identity import TenantId
from cortex.domain.reconcile import Part, Reconciled
from cortex.ports.reconciliation import ReconcileRuns


class Steps(Protocol):
    async def step(self, tenant: TenantId, part: Part, after: str | None) -> Reconciled: ...


@dataclass(frozen=True, slots=True)
class ReconcileRef:
    """`part` and `after` are where a step begins; `error` is why a run ended."""

    tenant_id: str
    run_id: str
    part: str = ""
    after: str | None = None
    error: str | None = None

    @property
    def tenant(self) -> TenantId:
        return TenantId(uuid.UUID(self.tenant_id))


class ReconcileActivities:
    """Each may run again from its start at any time; a step that does finds nothing left to mend."""

    def __init__(self, reconciling: Steps, runs: ReconcileRuns) -> None:
        self._reconciling = reconciling
        self._runs = runs

    @activity.defn
    async def begin_reconcile(self, ref: ReconcileRef) -> None:
        await self._runs.start(ref.tenant, ref.run_id)

    @activity.defn
    async def reconcile_step(self, ref: ReconcileRef) -> str | None:
        """Where the part goes on; None at its end."""
        step = await self._reconciling.step(ref.tenant, Part(ref.part), ref.after)
        await self._runs.add(ref.tenant, ref.run_id, step)
        return step.after

    @activity.defn
    async def end_reconcile(self, ref: ReconcileRef) -> None:
        await self._runs.finish(ref.tenant, ref.run_id, error=ref.error)

    def all(self) -> list[Callable[..., object]]:
        return [self.begin_reconcile, self.reconcile_step, self.end_reconcile]
