"""Reconciliation: asking for a run, the last one's counts, and sources whose permissions are too old to be believed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field, StrictInt

from cortex.domain.credential import Credential, Role
from cortex.domain.errors import NotFound
from cortex.domain.limits import Ages
from cortex.ports.audit_log import AuditEntry, AuditLog
from cortex.ports.authenticator import Authenticator
from cortex.ports.limits import AgeStore
from cortex.ports.reconciliation import ReconcileControl, ReconcileRuns
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import Body


class StartedReconcile(BaseModel):
    run_id: str


class ReconcileView(BaseModel):
    """`drift` counts what was found and mended, by kind."""

    id: str
    state: Literal["running", "done", "failed"]
    started_at: datetime
    finished_at: datetime | None
    checked: int
    drift: dict[str, int]
    error: str | None


class StaleView(BaseModel):
    source: str
    acl_as_of: datetime
    documents: int


class StaleList(BaseModel):
    items: list[StaleView]


class AgesBody(Body):
    """`acl_age_s_max` hides what could not be read for longer; `reconcile_every_s` takes effect within minutes."""

    acl_age_s_max: Annotated[StrictInt, Field(ge=60, le=10**9)]
    reconcile_every_s: Annotated[StrictInt, Field(ge=60, le=10**8)]


@dataclass(frozen=True, slots=True)
class ReconcilePorts:
    authenticator: Authenticator
    control: ReconcileControl
    runs: ReconcileRuns
    ages: AgeStore
    audit: AuditLog


def reconcile_router(ports: ReconcilePorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/reconcile", tags=["reconcile"], route_class=GuardedRoute)
    admin = Depends(requires(ports.authenticator, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.ADMIN, Role.AUDITOR))

    @router.post("", status_code=202)
    async def start(credential: Credential = admin) -> StartedReconcile:
        # Before: the run is another server's, so the line says that it was asked for.
        line = AuditEntry(actor=credential.email, action="reconcile.start", object="tenant")
        await ports.audit.append(credential.tenant_id, [line])
        run_id = await ports.control.start(credential.tenant_id)
        return StartedReconcile(run_id=run_id)

    @router.get("/last")
    async def last(credential: Credential = looking) -> ReconcileView:
        run = await ports.runs.last(credential.tenant_id)
        if run is None:
            raise NotFound("nothing was reconciled yet")
        return ReconcileView.model_validate(run, from_attributes=True)

    @router.get("/stale")
    async def stale(credential: Credential = looking) -> StaleList:
        """Sources that could not be read for longer than the tenant allows: their documents are hidden."""
        found = await ports.runs.stale(credential.tenant_id)
        return StaleList(items=[StaleView.model_validate(one, from_attributes=True) for one in found])

    @router.get("/ages")
    async def get_ages(credential: Credential = looking) -> AgesBody:
        ages = await ports.ages.ages(credential.tenant_id)
        return AgesBody(acl_age_s_max=ages.acl_age_s_max, reconcile_every_s=ages.reconcile_every_s)

    @router.put("/ages", status_code=204)
    async def put_ages(body: AgesBody, credential: Credential = admin) -> None:
        line = AuditEntry(actor=credential.email, action="reconcile.ages", object="tenant")
        ages = Ages(body.acl_age_s_max, body.reconcile_every_s)
        await ports.ages.audited(line).set_ages(credential.tenant_id, ages)

    return router
