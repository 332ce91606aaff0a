"""Routes of API keys: those of programs, which administrators make, and one's own."""

import uuid
from datetime import datetime, timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field, StrictBool

from cortex.domain.credential import PERSONAL, Credential, Role, Scope
from cortex.domain.errors import Denied, Invalid, NotFound
from cortex.domain.identity import PersonId, slug
from cortex.ports.api_keys import KeyId, KeyRecord, NewKey
from cortex.ports.audit_log import AuditEntry
from cortex.runtime.edge.fields import Moment
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import anyone, requires
from services.control_plane.bodies import Body, Text
from services.control_plane.identity_ports import IdentityPorts
from services.control_plane.paging import Cursor, Limit, after, page

OWN_KEY_MAX = timedelta(days=366)


class OwnKeyBody(Body):
    name: Text
    scopes: Annotated[set[Literal["read", "write"]], Field(min_length=1, default_factory=lambda: {"read"})]
    expires_at: Moment | None = None


class KeyBody(Body):
    """A program of its own, reached in ACLs as `user:NAME@service.invalid`. A guest sees what names it, and no more."""

    name: Text
    scopes: Annotated[set[Scope], Field(min_length=1)]
    role: Role = Role.MEMBER
    guest: StrictBool = True
    expires_at: Moment | None = None


class KeyView(BaseModel):
    id: str
    name: str
    person: str
    scopes: list[str]
    role: str
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None


class NewKeyView(KeyView):
    """`key` is shown here and never again."""

    key: str


class KeyList(BaseModel):
    items: list[KeyView]
    next_cursor: str | None


def keys_router(ports: IdentityPorts) -> APIRouter:
    router = APIRouter(route_class=GuardedRoute)
    router.include_router(_services(ports))
    router.include_router(_own(ports))
    return router


def _services(ports: IdentityPorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/keys", tags=["keys"], route_class=GuardedRoute)
    admin = Depends(requires(ports.authenticator, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.ADMIN, Role.AUDITOR))

    @router.post("", status_code=201)
    async def make_key(body: KeyBody, credential: Credential = admin) -> NewKeyView:
        key = NewKey(
            name=slug(body.name),
            scopes=frozenset(body.scopes),
            role=body.role,
            created_by=credential.email,
            expires_at=_later(ports, body.expires_at),
            guest=body.guest,
        )
        return await _made(ports, credential, key)

    @router.get("")
    async def list_keys(limit: Limit = 100, cursor: Cursor = "", credential: Credential = looking) -> KeyList:
        return await _listed(ports, credential, person=None, limit=limit, cursor=cursor)

    @router.delete("/{key_id}", status_code=204)
    async def revoke_key(key_id: str, credential: Credential = admin) -> None:
        await _revoked(ports, credential, key_id, person=None)

    return router


def _own(ports: IdentityPorts) -> APIRouter:
    """A person's own keys open what the person may open, without administration and for a year at most."""
    router = APIRouter(prefix="/auth/keys", tags=["keys"], route_class=GuardedRoute)
    signed_in = Depends(anyone(ports.authenticator))

    @router.post("", status_code=201)
    async def make_own_key(body: OwnKeyBody, credential: Credential = signed_in) -> NewKeyView:
        scopes = frozenset(map(Scope, body.scopes))
        if not scopes <= credential.scopes or credential.scopes < PERSONAL:
            raise Denied("a key makes no key with more than it has itself")
        latest = ports.clock.now() + OWN_KEY_MAX
        key = NewKey(
            name=body.name,
            scopes=scopes,
            role=Role.MEMBER,
            created_by=credential.email,
            expires_at=min(_later(ports, body.expires_at) or latest, latest),
            person=credential.person_id,
        )
        return await _made(ports, credential, key)

    @router.get("")
    async def list_own_keys(limit: Limit = 100, cursor: Cursor = "", credential: Credential = signed_in) -> KeyList:
        return await _listed(ports, credential, person=credential.person_id, limit=limit, cursor=cursor)

    @router.delete("/{key_id}", status_code=204)
    async def revoke_own_key(key_id: str, credential: Credential = signed_in) -> None:
        await _revoked(ports, credential, key_id, person=credential.person_id)

    return router


def _later(ports: IdentityPorts, moment: datetime | None) -> datetime | None:
    if moment is not None and moment <= ports.clock.now():
        raise Invalid("expires_at: choose a time to come")
    return moment


async def _made(ports: IdentityPorts, credential: Credential, key: NewKey) -> NewKeyView:
    details = {"name": key.name, "scopes": " ".join(sorted(key.scopes)), "role": key.role.value}
    line = AuditEntry(credential.email, "key.make", "", details)
    made = await ports.keys.audited(line).make(credential.tenant_id, key)
    return NewKeyView(**_view(made.record).model_dump(), key=made.key)


async def _listed(
    ports: IdentityPorts, credential: Credential, *, person: PersonId | None, limit: int, cursor: str
) -> KeyList:
    found = await ports.keys.keys(credential.tenant_id, person=person, after=after(cursor), limit=limit + 1)
    shown, following = page(found, limit)
    return KeyList(items=[_view(record) for record in shown], next_cursor=following)


async def _revoked(ports: IdentityPorts, credential: Credential, key_id: str, *, person: PersonId | None) -> None:
    try:
        identifier = KeyId(uuid.UUID(key_id))
    except ValueError:
        raise NotFound("there is no such key") from None
    line = AuditEntry(credential.email, "key.revoke", str(identifier))
    await ports.keys.audited(line).revoke(credential.tenant_id, identifier, person=person)


def _view(record: KeyRecord) -> KeyView:
    return KeyView(
        id=str(record.id),
        name=record.name,
        person=record.person,
        scopes=sorted(record.scopes),
        role=record.role.value,
        created_by=record.created_by,
        created_at=record.created_at,
        expires_at=record.expires_at,
        used_at=record.used_at,
        revoked_at=record.revoked_at,
    )
