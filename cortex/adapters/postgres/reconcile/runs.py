"""Runs of the reconciler, and sources whose permissions are too old (ports/reconciliation.py)."""

from collections.abc import Sequence

from sqlalchemy import text

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.freshness import STALE_SOURCE
from cortex.domain.identity import TenantId
from cortex.domain.reconcile import Reconciled
from cortex.ports.reconciliation import ReconcileRun, StaleSource

RUNS_KEPT = 100

_START = text("INSERT INTO reconcile_runs (tenant_id, id) VALUES (:tenant, :run) ON CONFLICT DO NOTHING")
_FORGET = text(
    "DELETE FROM reconcile_runs WHERE id IN"
    f" (SELECT id FROM reconcile_runs ORDER BY started_at DESC OFFSET {RUNS_KEPT})"
)
_DRIFT = text("SELECT drift FROM reconcile_runs WHERE id = :run FOR UPDATE")
_ADD = text("UPDATE reconcile_runs SET checked = checked + :checked, drift = CAST(:drift AS jsonb) WHERE id = :run")
_FINISH = text(
    "UPDATE reconcile_runs SET state = CASE WHEN CAST(:error AS text) IS NULL THEN 'done' ELSE 'failed' END,"
    " error = :error, finished_at = now() WHERE id = :run AND state = 'running'"
)
_LAST = text(
    "SELECT id, state, started_at, finished_at, checked, drift, error FROM reconcile_runs"
    " ORDER BY started_at DESC LIMIT 1"
)
_STALE = text(
    "SELECT s.name, s.acl_as_of, (SELECT count(*) FROM documents d WHERE d.source_id = s.id"
    f" AND d.tombstoned_at IS NULL) FROM sources s WHERE {STALE_SOURCE} ORDER BY s.name"
)


class PostgresReconcileRuns:
    """Implements ReconcileRuns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def start(self, tenant: TenantId, run_id: str) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_START, {"tenant": tenant, "run": run_id})
            await connection.execute(_FORGET)

    async def add(self, tenant: TenantId, run_id: str, step: Reconciled) -> None:
        async with self._database.tenant(tenant) as connection:
            drift = dict((await connection.execute(_DRIFT, {"run": run_id})).scalar_one())
            for kind, count in step.drift.items():
                drift[kind.value] = drift.get(kind.value, 0) + count
            await connection.execute(_ADD, {"run": run_id, "checked": step.checked, "drift": as_json(drift)})

    async def finish(self, tenant: TenantId, run_id: str, *, error: str | None) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_FINISH, {"run": run_id, "error": error})

    async def last(self, tenant: TenantId) -> ReconcileRun | None:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_LAST)).one_or_none()
        return None if row is None else ReconcileRun(*row)

    async def stale(self, tenant: TenantId) -> Sequence[StaleSource]:
        async with self._database.tenant(tenant) as connection:
            return [StaleSource(*row) for row in await connection.execute(_STALE)]
