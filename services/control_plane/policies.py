"""A source's privacy rules, what was found under them, and the quarantine."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field

from cortex.domain.credential import Credential, Role
from cortex.domain.errors import NotFound
from cortex.domain.identity import DocumentId, SourceId, source_id
from cortex.domain.privacy import Action, Kind, Originals, PrivacyRules, rules_from_json
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Authenticator
from cortex.ports.privacy_store import PrivacyStore
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import Body

PAGE_MAX = 500


class PrivacyBody(Body):
    """Kinds that are not named keep their default: secrets are redacted, the rest is detected."""

    actions: dict[Kind, Action] = Field(default_factory=dict)
    originals: Originals = Originals.HIDE

    def rules(self) -> PrivacyRules:
        return rules_from_json(
            {"actions": {kind.value: action for kind, action in self.actions.items()}, "originals": self.originals}
        )


class PrivacyView(BaseModel):
    """`counts` of what was found, never what; `behind`: some documents are still as earlier rules made them."""

    actions: dict[Kind, Action]
    originals: Originals
    counts: dict[Kind, int]
    altered: int
    quarantined: int
    behind: bool


class QuarantinedView(BaseModel):
    document_id: str
    external_id: str
    counts: dict[Kind, int]
    ingested_at: datetime


class QuarantineList(BaseModel):
    items: list[QuarantinedView]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class PolicyPorts:
    authenticator: Authenticator
    privacy: PrivacyStore


def policies_router(ports: PolicyPorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/sources/{name}", tags=["privacy"], route_class=GuardedRoute)
    admin = Depends(requires(ports.authenticator, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.OWNER, Role.ADMIN, Role.AUDITOR))

    @router.get("/privacy")
    async def get_privacy(name: str, credential: Credential = looking) -> PrivacyView:
        return await _view(ports, credential, source_id(credential.tenant_id, name))

    @router.put("/privacy", status_code=202)
    async def put_privacy(name: str, body: PrivacyBody, credential: Credential = admin) -> PrivacyView:
        """What comes in follows the rules from now on; what is stored is made anew from its bytes."""
        identifier = source_id(credential.tenant_id, name)
        line = AuditEntry(credential.email, "privacy.put", name)
        await ports.privacy.audited(line).set_rules(credential.tenant_id, identifier, body.rules())
        return await _view(ports, credential, identifier)

    @router.get("/quarantine")
    async def list_quarantine(
        name: str,
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 100,
        cursor: str | None = None,
        credential: Credential = looking,
    ) -> QuarantineList:
        found = await ports.privacy.quarantined(
            credential.tenant_id,
            source_id(credential.tenant_id, name),
            after=document_id(cursor) if cursor else None,
            limit=limit,
        )
        items = [
            QuarantinedView(
                document_id=str(one.document_id),
                external_id=one.external_id,
                counts=dict(one.counts),
                ingested_at=one.ingested_at,
            )
            for one in found
        ]
        return QuarantineList(items=items, next_cursor=items[-1].document_id if len(items) == limit else None)

    @router.post("/quarantine/{document}/release", status_code=202)
    async def release(name: str, document: str, credential: Credential = admin) -> None:
        """These bytes are let in, with what held them back redacted. Other bytes are looked at afresh."""
        identifier = source_id(credential.tenant_id, name)
        line = AuditEntry(credential.email, "quarantine.release", f"{name}/{document}")
        await ports.privacy.audited(line).release(credential.tenant_id, identifier, document_id(document))

    return router


def document_id(text: str) -> DocumentId:
    try:
        return DocumentId(uuid.UUID(text))
    except ValueError:
        raise NotFound("no such document") from None


async def _view(ports: PolicyPorts, credential: Credential, source: SourceId) -> PrivacyView:
    rules = await ports.privacy.rules(credential.tenant_id, source)
    figures = await ports.privacy.figures(credential.tenant_id, source)
    return PrivacyView(
        actions=dict(rules.actions),
        originals=rules.originals,
        counts=dict(figures.counts),
        altered=figures.altered,
        quarantined=figures.quarantined,
        behind=figures.behind,
    )
