"""How much each principal of a tenant may ask for."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field, StrictInt

from cortex.domain.credential import Credential, Role
from cortex.domain.limits import Limits
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Authenticator
from cortex.ports.limits import LimitStore
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import Body

Count = Annotated[StrictInt, Field(ge=1, le=1_000_000)]


class LimitsBody(Body):
    """`questions_per_day` null: no quota."""

    requests_per_minute: Count
    requests_at_once: Count
    questions_per_day: Annotated[StrictInt, Field(ge=0, le=1_000_000)] | None = None


def limits_router(authenticator: Authenticator, limits: LimitStore) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/limits", tags=["limits"], route_class=GuardedRoute)
    admin = Depends(requires(authenticator, Role.ADMIN))
    looking = Depends(requires(authenticator, Role.ADMIN, Role.AUDITOR))

    @router.get("")
    async def get_limits(credential: Credential = looking) -> LimitsBody:
        found = await limits.limits(credential.tenant_id)
        return LimitsBody(
            requests_per_minute=found.requests_per_minute,
            requests_at_once=found.requests_at_once,
            questions_per_day=found.questions_per_day,
        )

    @router.put("", status_code=204)
    async def put_limits(body: LimitsBody, credential: Credential = admin) -> None:
        line = AuditEntry(actor=credential.email, action="limits.put", object="tenant")
        await limits.audited(line).set_limits(credential.tenant_id, Limits(**body.model_dump()))

    return router
