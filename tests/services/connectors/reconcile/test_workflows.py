"""A run goes through all parts, keeps its counts, and says why it failed; over a Temporal server that skips time."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from temporalio.client import Client, WorkflowFailureError

from cortex.adapters.temporal import TemporalReconcileControl, working
from cortex.domain.errors import Bug, Transient
from cortex.domain.identity import TenantId
from cortex.domain.reconcile import Drift, Part, Reconciled
from cortex.ports.reconciliation import ReconcileRun, StaleSource
from cortex.ports.sync_control import TASK_QUEUE
from services.connectors.reconcile.activities import ReconcileActivities
from services.connectors.reconcile.workflows import ReconcileWorkflow
from tests.services.connectors.temporal import LIMITS, skipping, time_skipping

pytestmark = pytest.mark.servers


@dataclass
class Steps:
    """Two steps a part, one of which has drifted; `errors` are raised first, one a call."""

    errors: list[Exception] = field(default_factory=list)
    taken: list[tuple[Part, str | None]] = field(default_factory=list)
    endless: bool = False

    async def step(self, tenant: TenantId, part: Part, after: str | None) -> Reconciled:
        if self.errors:
            raise self.errors.pop(0)
        self.taken.append((part, after))
        if after is None:
            return Reconciled(10, {Drift.ENGINE_MISSING: 1}, "half")
        return Reconciled(10, {}, None)


@dataclass
class Runs:
    """Implements ReconcileRuns in memory."""

    steps: list[Reconciled] = field(default_factory=list)
    started: list[str] = field(default_factory=list)
    ended: list[tuple[str, str | None]] = field(default_factory=list)

    async def start(self, tenant: TenantId, run_id: str) -> None:
        self.started.append(run_id)

    async def add(self, tenant: TenantId, run_id: str, step: Reconciled) -> None:
        self.steps.append(step)

    async def finish(self, tenant: TenantId, run_id: str, *, error: str | None) -> None:
        self.ended.append((run_id, error))

    async def last(self, tenant: TenantId) -> ReconcileRun | None:
        return ReconcileRun(self.started[-1], "running", datetime.now(UTC), None, 0, {}, None)

    async def stale(self, tenant: TenantId) -> list[StaleSource]:
        return []


@pytest.fixture(scope="module")
async def client() -> AsyncIterator[Client]:
    async with await time_skipping() as environment:
        yield environment.client


async def run(client: Client, steps: Steps, runs: Runs) -> str | None:
    """Runs one; its failure, or None."""
    tenant = TenantId(uuid.uuid4())
    made = ReconcileActivities(steps, runs).all()
    async with working(client, task_queue=TASK_QUEUE, workflows=[ReconcileWorkflow], activities=made, limits=LIMITS):
        run_id = await TemporalReconcileControl(client).start(tenant)
        handle = client.get_workflow_handle(f"reconcile-{tenant}")
        try:
            async with skipping(client):
                await handle.result()
        except WorkflowFailureError as error:
            assert runs.started == [run_id]
            return str(error.cause)
        assert runs.started == [run_id]
        return None


async def test_it_goes_through_every_part_in_order(client: Client) -> None:
    steps, runs = Steps(), Runs()
    assert await run(client, steps, runs) is None
    assert steps.taken == [(part, after) for part in Part for after in (None, "half")]
    assert sum(step.checked for step in runs.steps) == 20 * len(Part)
    assert [error for _, error in runs.ended] == [None]


async def test_a_server_that_is_away_is_waited_for(client: Client) -> None:
    steps, runs = Steps(errors=[Transient("away"), Transient("away")]), Runs()
    assert await run(client, steps, runs) is None
    assert len(steps.taken) == 2 * len(Part)


async def test_a_run_that_cannot_go_on_says_why(client: Client) -> None:
    steps, runs = Steps(errors=[Bug("half a tuple")]), Runs()
    assert "half a tuple" in (await run(client, steps, runs) or "")
    assert [error for _, error in runs.ended] == ["half a tuple"]
