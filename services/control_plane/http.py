"""Routes of administration under /admin/v1. Every write leaves a line in the audit."""

from fastapi import APIRouter, Depends

from cortex.domain.acl import Group, Person, PrincipalRef, UserRef, ViewersRef
from cortex.domain.credential import Credential, Role
from cortex.domain.errors import Conflict, Invalid
from cortex.domain.identity import group_id, slug, source_id
from cortex.ports.audit_log import AuditEntry
from cortex.ports.source_store import Run, Source
from services.control_plane.administer import requires
from services.control_plane.bodies import (
    AddedSource,
    FailureView,
    GroupBody,
    PersonBody,
    PersonView,
    RunView,
    SourceBody,
    SourceDetail,
    SourceList,
    SourceView,
    StartedRun,
    SyncBody,
)
from services.control_plane.ports import ControlPorts

RUNS_SHOWN = 20
FAILURES_SHOWN = 200
SYNC_EVERY_S = 300


def admin_router(ports: ControlPorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1")
    router.include_router(_people(ports))
    router.include_router(_sources(ports))
    return router


def _people(ports: ControlPorts) -> APIRouter:
    router = APIRouter(tags=["people"])
    admin = Depends(requires(ports.authenticator, Role.ADMIN))

    @router.put("/people/{email}")
    async def put_person(email: str, body: PersonBody, credential: Credential = admin) -> PersonView:
        tenant = credential.tenant_id
        record = await ports.directory.put_person(tenant, email, name=body.name, guest=body.guest)
        await _audit(ports, credential, "person.put", str(record.id))
        return PersonView(id=str(record.id), email=record.email, name=record.name, guest=record.guest)

    @router.put("/groups/{external_id}", status_code=204)
    async def put_group(external_id: str, body: GroupBody, credential: Credential = admin) -> None:
        members = [await _member(ports, credential, reference) for reference in body.references()]
        await ports.directory.put_group(credential.tenant_id, None, external_id, members, name=body.name)
        await _audit(ports, credential, "group.put", external_id)

    return router


def _sources(ports: ControlPorts) -> APIRouter:
    router = APIRouter(prefix="/sources", tags=["sources"])
    owner = Depends(requires(ports.authenticator, Role.OWNER, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.OWNER, Role.ADMIN, Role.AUDITOR))

    @router.post("", status_code=201)
    async def add_source(body: SourceBody, credential: Credential = owner) -> AddedSource:
        tenant, identifier = credential.tenant_id, source_id(credential.tenant_id, slug(body.name))
        warnings = await ports.types.check(body.type, body.config)
        if not await ports.sources.add(tenant, identifier, name=body.name, type_=body.type, config=body.config):
            raise Conflict(f"a source named {body.name!r} is there already; choose another name")
        await ports.sync.sync_every(tenant, identifier, every_s=_period_s(body))
        await _audit(ports, credential, "source.add", body.name)
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
        run_id = await ports.sync.start_sync(tenant, identifier, full=body.full)
        await _audit(ports, credential, "source.sync", name)
        return StartedRun(run_id=run_id)

    @router.get("/{name}/runs/{run_id}")
    async def get_run(name: str, run_id: str, credential: Credential = looking) -> RunView:
        return _run(await ports.sources.run(credential.tenant_id, run_id))

    @router.delete("/{name}", status_code=202)
    async def remove_source(name: str, credential: Credential = owner) -> None:
        tenant, identifier = credential.tenant_id, source_id(credential.tenant_id, name)
        await ports.sources.source(tenant, identifier)
        await ports.sync.start_remove(tenant, identifier)
        await _audit(ports, credential, "source.remove", name)

    return router


async def _member(ports: ControlPorts, credential: Credential, reference: PrincipalRef) -> Person | Group:
    tenant = credential.tenant_id
    match reference:
        case UserRef(email=email):
            return Person((await ports.directory.person(tenant, email)).id)
        case ViewersRef():
            raise Invalid("members: viewers: may stand in an acl's allow only")
        case _:
            owner = source_id(tenant, reference.source) if reference.source else None
            return Group(group_id(tenant, owner, reference.external))


async def _audit(ports: ControlPorts, credential: Credential, action: str, place: str) -> None:
    entry = AuditEntry(actor=credential.email, action=action, object=place)
    await ports.audit.append(credential.tenant_id, [entry])


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
            "error": run.error,
        }
    )
