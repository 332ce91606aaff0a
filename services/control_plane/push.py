"""Push: `PUT /v1/sources/...` of contracts.md. A source comes into being with the first PUT of an owner or admin."""

from fastapi import APIRouter, Depends, Response

from cortex.domain.credential import Credential, Role
from cortex.domain.errors import Conflict, Invalid, NotFound
from cortex.domain.identity import SourceId, document_id, slug, source_id
from cortex.ports.audit_log import AuditEntry
from cortex.ports.source_writer import SourceWriter
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import (
    ContainerBody,
    DocumentBody,
    GroupChangeBody,
    PushedDocument,
    SourceGroupBody,
    VersionQuery,
    principals,
)
from services.control_plane.ports import ControlPorts

PUSH = "push"


class Push:
    """Resolves the source, writes, and leaves a line in the audit."""

    def __init__(self, ports: ControlPorts) -> None:
        self._ports = ports

    async def source(self, credential: Credential, name: str, *, make: bool) -> SourceId:
        identifier = source_id(credential.tenant_id, name)
        try:
            found = await self._ports.sources.source(credential.tenant_id, identifier)
        except NotFound:
            if not make:
                raise
            sources = self._ports.sources.audited(_entry(credential, "source.add", name))
            await sources.add(credential.tenant_id, identifier, name=slug(name), type_=PUSH, config={})
            return identifier
        if found.type != PUSH:
            raise Invalid(f"source {name!r} is of type {found.type}: it is read by its connector, not pushed to")
        if found.state == "removing":
            raise Conflict(f"source {name!r} is being removed")
        return identifier

    def writer(self, credential: Credential, action: str, place: str) -> SourceWriter:
        """Writes and the line about it are one transaction."""
        return self._ports.writer.audited(_entry(credential, action, place))


def _entry(credential: Credential, action: str, place: str) -> AuditEntry:
    return AuditEntry(actor=credential.email, action=action, object=place)


def push_router(ports: ControlPorts) -> APIRouter:
    """PUT answers 202 for what changed and 200 for the same body again."""
    router = APIRouter(prefix="/v1/sources/{source}", tags=["push"], route_class=GuardedRoute)
    push = Push(ports)
    pushing = Depends(requires(ports.authenticator, Role.OWNER, Role.ADMIN))

    @router.put("/documents/{external_id:path}", status_code=202)
    async def put_document(
        source: str,
        external_id: str,
        body: DocumentBody,
        response: Response,
        reset: bool = False,
        credential: Credential = pushing,
    ) -> PushedDocument:
        identifier = await push.source(credential, source, make=True)
        document = document_id(credential.tenant_id, identifier, external_id)
        writer = push.writer(credential, "document.put", f"{source}/{document}")
        written = await writer.put_document(credential.tenant_id, identifier, body.state(external_id), reset=reset)
        response.status_code = 202 if written.changed else 200
        return PushedDocument(document_id=str(written.document_id), revision=written.revision)

    @router.delete("/documents/{external_id:path}", status_code=204)
    async def delete_document(
        source: str, external_id: str, version: VersionQuery | None = None, credential: Credential = pushing
    ) -> None:
        identifier = await push.source(credential, source, make=False)
        writer = push.writer(credential, "document.delete", f"{source}/{external_id}")
        there = await writer.delete_document(
            credential.tenant_id, identifier, external_id, reason="pushed", version=version
        )
        if not there and version is None:
            raise NotFound("the document is not known")

    @router.put("/containers/{external_id:path}", status_code=204)
    async def put_container(
        source: str, external_id: str, body: ContainerBody, credential: Credential = pushing
    ) -> None:
        identifier = await push.source(credential, source, make=True)
        writer = push.writer(credential, "container.put", f"{source}/{external_id}")
        await writer.put_container(credential.tenant_id, identifier, body.state(external_id))

    @router.delete("/containers/{external_id:path}", status_code=204)
    async def delete_container(
        source: str, external_id: str, version: VersionQuery | None = None, credential: Credential = pushing
    ) -> None:
        identifier = await push.source(credential, source, make=False)
        writer = push.writer(credential, "container.delete", f"{source}/{external_id}")
        await writer.delete_container(credential.tenant_id, identifier, external_id, version=version)

    _groups(router, push, ports)
    return router


def _groups(router: APIRouter, push: Push, ports: ControlPorts) -> None:
    pushing = Depends(requires(ports.authenticator, Role.OWNER, Role.ADMIN))

    @router.put("/groups/{external_id:path}", status_code=204)
    async def put_group(source: str, external_id: str, body: SourceGroupBody, credential: Credential = pushing) -> None:
        tenant, page, members = credential.tenant_id, body.page(), body.references()
        identifier = await push.source(credential, source, make=True)
        writer = push.writer(credential, "group.put", f"{source}/{external_id}")
        if page is None:
            await writer.put_group(tenant, identifier, external_id, members, version=body.version)
        else:
            await writer.put_group_page(tenant, identifier, external_id, members, page)

    @router.patch("/groups/{external_id:path}", status_code=204)
    async def patch_group(
        source: str, external_id: str, body: GroupChangeBody, credential: Credential = pushing
    ) -> None:
        add, remove = principals(body.add, place="add"), principals(body.remove, place="remove")
        identifier = await push.source(credential, source, make=False)
        writer = push.writer(credential, "group.patch", f"{source}/{external_id}")
        await writer.patch_group(credential.tenant_id, identifier, external_id, add=add, remove=remove)
