"""Sharing with everyone: what there is of it, the policy of the tenant, and approvals. Ids and names, no content."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, StrictBool

from cortex.domain.credential import Credential, Role
from cortex.domain.errors import Invalid
from cortex.domain.sharing import SharedKind, SharingPolicy
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Authenticator
from cortex.ports.sharing_store import SharingStore
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import Body

Limit = Annotated[int, Query(ge=1, le=200)]


class PolicyBody(Body):
    policy: SharingPolicy


class ApprovalBody(Body):
    approved: StrictBool


class SharedSourceView(BaseModel):
    """`source` "" is the directory."""

    source: str
    documents_everyone: int
    documents_link: int
    approved: int
    waiting: int
    groups_everyone: int


class SharedView(BaseModel):
    kind: SharedKind
    id: UUID
    source: str
    external_id: str
    public: str
    approved: bool


class SharingView(BaseModel):
    policy: SharingPolicy
    sources: list[SharedSourceView]


class SharedList(BaseModel):
    items: list[SharedView]
    next_cursor: str | None


def sharing_router(authenticator: Authenticator, sharing: SharingStore) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/sharing", tags=["sharing"], route_class=GuardedRoute)
    admin = Depends(requires(authenticator, Role.ADMIN))
    looking = Depends(requires(authenticator, Role.ADMIN, Role.AUDITOR))

    def lined(credential: Credential, action: str, place: str, **details: str | bool) -> SharingStore:
        return sharing.audited(AuditEntry(actor=credential.email, action=action, object=place, details=details))

    @router.get("")
    async def get_sharing(credential: Credential = looking) -> SharingView:
        counts = await sharing.counts(credential.tenant_id)
        return SharingView(
            policy=await sharing.policy(credential.tenant_id),
            sources=[SharedSourceView.model_validate(one, from_attributes=True) for one in counts],
        )

    @router.put("/policy", status_code=204)
    async def put_policy(body: PolicyBody, credential: Credential = admin) -> None:
        store = lined(credential, "sharing.policy", "tenant", policy=body.policy.value)
        await store.set_policy(credential.tenant_id, body.policy)

    @router.get("/things")
    async def list_things(
        approved: bool = False, limit: Limit = 50, cursor: str | None = None, credential: Credential = looking
    ) -> SharedList:
        """What waits for an approval, or has one."""
        after = None if cursor is None else _cursor(cursor)
        found = await sharing.things(credential.tenant_id, approved=approved, after=after, limit=limit + 1)
        items = [SharedView.model_validate(one, from_attributes=True) for one in found[:limit]]
        return SharedList(items=items, next_cursor=str(items[-1].id) if len(found) > limit else None)

    @router.put("/{kind}/{identifier}", status_code=204)
    async def put_approval(
        kind: SharedKind, identifier: UUID, body: ApprovalBody, credential: Credential = admin
    ) -> None:
        store = lined(credential, "sharing.approve", f"{kind}/{identifier}", approved=body.approved)
        await store.approve(credential.tenant_id, kind, identifier, approved=body.approved)

    return router


def _cursor(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Invalid("send back what an earlier page gave", place="cursor") from None
