"""The right to be forgotten: asked for here, done by a workflow, certified at the end."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Depends
from pydantic import BaseModel, JsonValue, TypeAdapter

from cortex.domain.credential import Credential, Role
from cortex.domain.erasure import Erasure, ErasureState, Subject, SubjectKind
from cortex.domain.errors import Invalid, NotFound
from cortex.domain.identity import normalise_email
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Authenticator
from cortex.ports.erasure import ErasureControl, ErasureLedger
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import Body, Text

SHOWN = 100
_JSON: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


class ErasureBody(Body):
    """Exactly one of a document's id and a person's address."""

    document: uuid.UUID | None = None
    person: Text | None = None


class ErasureView(BaseModel):
    """`stores`: how much was found in each; `certificate` once nothing is left."""

    id: str
    subject: SubjectKind
    subject_id: str
    state: ErasureState
    requested_by: str
    requested_at: datetime
    finished_at: datetime | None
    stores: dict[str, int]
    certificate: dict[str, JsonValue] | None
    error: str | None


class ErasureList(BaseModel):
    items: list[ErasureView]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class ErasurePorts:
    authenticator: Authenticator
    ledger: ErasureLedger
    control: ErasureControl


def erasure_router(ports: ErasurePorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/erasures", tags=["erasure"], route_class=GuardedRoute)
    admin = Depends(requires(ports.authenticator, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.ADMIN, Role.AUDITOR))

    @router.post("", status_code=202)
    async def request(body: ErasureBody, credential: Credential = admin) -> ErasureView:
        """The same again while it runs is the same erasure; after a failure it begins anew."""
        subject = await _subject(ports, credential, body)
        line = AuditEntry(credential.email, "erasure.request", str(subject.id), {"kind": subject.kind.value})
        found = await ports.ledger.audited(line).request(credential.tenant_id, subject, by=credential.email)
        await ports.control.start(credential.tenant_id, found.id)
        return _view(found)

    @router.get("")
    async def list_erasures(credential: Credential = looking) -> ErasureList:
        found = await ports.ledger.erasures(credential.tenant_id, limit=SHOWN)
        return ErasureList(items=[_view(erasure) for erasure in found])

    @router.get("/{erasure}")
    async def get_erasure(erasure: str, credential: Credential = looking) -> ErasureView:
        return _view(await ports.ledger.erasure(credential.tenant_id, _id(erasure)))

    return router


async def _subject(ports: ErasurePorts, credential: Credential, body: ErasureBody) -> Subject:
    if (body.document is None) == (body.person is None):
        raise Invalid("body: name a document (its id) or a person (an address), one of them")
    if body.document is not None:
        return await ports.ledger.document(credential.tenant_id, body.document)
    return await ports.ledger.person(credential.tenant_id, normalise_email(body.person or ""))


def _id(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotFound("no such erasure") from None


def _view(erasure: Erasure) -> ErasureView:
    certificate = None if erasure.certificate is None else _JSON.validate_python(dict(erasure.certificate))
    return ErasureView(
        id=str(erasure.id),
        subject=erasure.subject.kind,
        subject_id=str(erasure.subject.id),
        state=erasure.state,
        requested_by=erasure.requested_by,
        requested_at=erasure.requested_at,
        finished_at=erasure.finished_at,
        stores=dict(erasure.stores),
        certificate=certificate,
        error=erasure.error,
    )
