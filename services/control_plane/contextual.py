"""Whether a source's passages get a context that a language model writes. Off, unless it was measured to pay."""

from dataclasses import dataclass

from fastapi import APIRouter, Depends
from pydantic import StrictBool

from cortex.domain.credential import Credential, Role
from cortex.domain.identity import source_id
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Authenticator
from cortex.ports.contextualiser import ContextSwitch
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import Body


class ContextBody(Body):
    contextual: StrictBool


@dataclass(frozen=True, slots=True)
class ContextPorts:
    authenticator: Authenticator
    switch: ContextSwitch


def contextual_router(ports: ContextPorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/sources/{name}/context", tags=["sources"], route_class=GuardedRoute)
    admin = Depends(requires(ports.authenticator, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.OWNER, Role.ADMIN, Role.AUDITOR))

    @router.get("", operation_id="get_source_context")
    async def get_context(name: str, credential: Credential = looking) -> ContextBody:
        source = source_id(credential.tenant_id, name)
        return ContextBody(contextual=await ports.switch.contextual(credential.tenant_id, source))

    @router.put("", status_code=204, operation_id="put_source_context")
    async def put_context(name: str, body: ContextBody, credential: Credential = admin) -> None:
        """What comes in gets one from now on; what is stored is made anew, in the background."""
        source = source_id(credential.tenant_id, name)
        line = AuditEntry(credential.email, "source.context", name, {"contextual": body.contextual})
        await ports.switch.audited(line).set_contextual(credential.tenant_id, source, contextual=body.contextual)

    return router
