"""Routes of administration under /admin/v1. Every write leaves a line in the audit."""

from fastapi import APIRouter, Depends

from cortex.domain.credential import Credential, Role
from cortex.domain.errors import Conflict
from cortex.domain.identity import slug, source_id
from cortex.ports.audit_log import AuditEntry
from cortex.ports.source_store import Run, Source
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import (
    AddedSource,
    FailureView,
    RunView,
    SourceBody,
    SourceDetail,
    SourceList,
    SourceView,
    StartedRun,
    SyncBody,
)
from services.control_plane.ports import ControlPorts
from services.control_plane.secrets import secrets_line, split

RUNS_SHOWN = 20
FAILURES_SHOWN = 200
SYNC_EVERY_S = 300


def admin_router(ports: ControlPorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1", route_class=GuardedRoute)
    router.include_router(_sources(ports))
    return router


def _sources(ports: ControlPorts) -> APIRouter:
    router = APIRouter(prefix="/sources", tags=["sources"], route_class=GuardedRoute)
    owner = Depends(requires(ports.authenticator, Role.OWNER, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.OWNER, Role.ADMIN, Role.AUDITOR))

    @router.post("", status_code=201)
    async def add_source(body: SourceBody, credential: Credential = owner) -> AddedSource:
        tenant, identifier = credential.tenant_id, source_id(credential.tenant_id, slug(body.name))
        warnings = await ports.types.check(body.type, body.config)
        apart = split(body.config, await ports.types.secrets(body.type))
        sources = ports.sources.audited(_entry(credential, "source.add", body.name))
        if not await sources.add(tenant, identifier, name=body.name, type_=body.type, config=apart.config):
            raise Conflict(f"a source named {body.name!r} is there already; choose another name")
        line = secrets_line(credential, body.name, apart.secrets)
        await ports.secrets.audited(line).put(tenant, identifier, apart.secrets)
        await ports.sync.sync_every(tenant, identifier, every_s=_period_s(body))
        return AddedSource(id=str(identifier), name=body.name, warnings=warnings)

    @router.get("")
    async def list_sources(credential: Credential = looking) -> SourceList:
        return SourceList(
            items=[await _view(ports, source) for source in await ports.sources.sources(credential.tenant_id)]
        )

    @router.get("/{name}")
    async def get_source(name: str, credential: Credential = looking) -> SourceDetail:
        tenant, identifier = credential.tenant_id, source_id(credential.tenant_id, name)
        view = await _view(ports, await ports.sources.source(tenant, identifier))
        runs = await ports.sources.runs(tenant, identifier, limit=RUNS_SHOWN)
        failures = await ports.sources.failures(tenant, identifier, limit=FAILURES_SHOWN)
        return SourceDetail(
            **view.model_dump(),
            runs=[_run(run) for run in runs],
            failures=[FailureView(external_id=f.external_id, place=f.place, message=f.message) for f in failures],
        )

    @router.post("/{name}/sync", status_code=202)
    async def sync_source(name: str, body: SyncBody, credential: Credential = owner) -> StartedRun:
        tenant, identifier = credential.tenant_id, source_id(credential.tenant_id, name)
        source = await ports.sources.source(tenant, identifier)
        if source.state != "active":
            raise Conflict(f"source {name!r} is {source.state}")
        await _audit(ports, credential, "source.sync", name)
        run_id = await ports.sync.start_sync(tenant, identifier, full=body.full)
        return StartedRun(run_id=run_id)

    @router.get("/{name}/runs/{run_id}")
    async def get_run(name: str, run_id: str, credential: Credential = looking) -> RunView:
        return _run(await ports.sources.run(credential.tenant_id, run_id))

    @router.delete("/{name}", status_code=202)
    async def remove_source(name: str, credential: Credential = owner) -> None:
        tenant, identifier = credential.tenant_id, source_id(credential.tenant_id, name)
        await ports.sources.source(tenant, identifier)
        line = _entry(credential, "source.remove", name)
        await ports.sources.audited(line).set_state(tenant, identifier, "removing")
        await ports.sync.start_remove(tenant, identifier)

    return router


def _entry(credential: Credential, action: str, place: str) -> AuditEntry:
    return AuditEntry(actor=credential.email, action=action, object=place)


async def _audit(ports: ControlPorts, credential: Credential, action: str, place: str) -> None:
    """Before what a workflow does: it is another server's, so the line says that it was asked for."""
    await ports.audit.append(credential.tenant_id, [_entry(credential, action, place)])


async def _view(ports: ControlPorts, source: Source) -> SourceView:
    runs = await ports.sources.runs(source.tenant_id, source.id, limit=1)
    return SourceView(
        id=str(source.id),
        name=source.name,
        type=source.type,
        state=source.state,
        created_at=source.created_at,
        documents=await ports.sources.counts(source.tenant_id, source.id),
        last_run=_run(runs[0]) if runs else None,
    )


def _period_s(body: SourceBody) -> int:
    """The connector has checked the configuration already."""
    period = body.config.get("every_s")
    return period if isinstance(period, int) else SYNC_EVERY_S


def _run(run: Run) -> RunView:
    return RunView.model_validate(
        {
            "id": run.id,
            "kind": run.kind,
            "state": run.state,
            "started_at": run.started_at,
            "finished_at": run.finished_at,
            "seen": run.counts.seen,
            "changed": run.counts.changed,
            "deleted": run.counts.deleted,
            "failed": run.counts.failed,
            "containers": run.counts.containers,
            "error": run.error,
        }
    )
