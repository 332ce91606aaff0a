"""Words that the tenant calls the same."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field

from cortex.domain.credential import Credential, Role
from cortex.domain.synonyms import GROUPS_MAX, MEMBERS_MAX, checked
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Authenticator
from cortex.ports.synonyms import SynonymStore
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import Body

Member = Annotated[str, Field(max_length=200)]
Group = Annotated[list[Member], Field(max_length=MEMBERS_MAX)]


class SynonymsBody(Body):
    """Each group is words and phrases that mean the same."""

    groups: Annotated[list[Group], Field(max_length=GROUPS_MAX)]


def synonyms_router(authenticator: Authenticator, synonyms: SynonymStore) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/synonyms", tags=["search"], route_class=GuardedRoute)
    admin = Depends(requires(authenticator, Role.ADMIN))
    looking = Depends(requires(authenticator, Role.ADMIN, Role.AUDITOR))

    @router.get("")
    async def get_synonyms(credential: Credential = looking) -> SynonymsBody:
        return SynonymsBody(groups=[list(group) for group in await synonyms.synonyms(credential.tenant_id)])

    @router.put("", status_code=204)
    async def put_synonyms(body: SynonymsBody, credential: Credential = admin) -> None:
        """Takes the place of all there were; searches follow within seconds."""
        groups = checked(body.groups)
        line = AuditEntry(credential.email, "synonyms.put", "tenant", {"groups": len(groups)})
        await synonyms.audited(line).set_synonyms(credential.tenant_id, groups)

    return router
