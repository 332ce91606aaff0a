"""Routes of people, groups and roles."""

from fastapi import APIRouter, Depends
from pydantic import BaseModel, StrictBool

from cortex.domain.acl import Group, Person, PrincipalRef, UserRef, ViewersRef
from cortex.domain.credential import Credential, Role
from cortex.domain.errors import Conflict, Invalid
from cortex.domain.identity import group_id, source_id
from cortex.ports.audit_log import AuditEntry
from cortex.ports.people import PersonDetail
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import Body, GroupBody, PersonBody, PersonView
from services.control_plane.identity_ports import IdentityPorts
from services.control_plane.paging import Cursor, Limit, after, page


class ActiveBody(Body):
    active: StrictBool


class RoleBody(Body):
    role: Role


class PersonDetailView(BaseModel):
    id: str
    email: str | None
    name: str
    role: str
    guest: bool
    active: bool
    service: bool
    sign_ins: int


class PersonList(BaseModel):
    items: list[PersonDetailView]
    next_cursor: str | None


class GroupDetailView(BaseModel):
    """`source_id` None: a group of the directory."""

    id: str
    external_id: str
    name: str
    source_id: str | None
    members: int


class GroupList(BaseModel):
    items: list[GroupDetailView]
    next_cursor: str | None


def people_router(ports: IdentityPorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1", tags=["people"], route_class=GuardedRoute)
    router.include_router(_people(ports))
    router.include_router(_groups(ports))
    router.include_router(_roles(ports))
    return router


def _people(ports: IdentityPorts) -> APIRouter:
    router = APIRouter(route_class=GuardedRoute)
    admin = Depends(requires(ports.authenticator, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.ADMIN, Role.AUDITOR))

    @router.get("/people")
    async def list_people(limit: Limit = 100, cursor: Cursor = "", credential: Credential = looking) -> PersonList:
        found = await ports.people.people(credential.tenant_id, after=after(cursor), limit=limit + 1)
        shown, following = page(found, limit)
        return PersonList(items=list(map(_view, shown)), next_cursor=following)

    @router.get("/people/{email}")
    async def get_person(email: str, credential: Credential = looking) -> PersonDetailView:
        return _view(await ports.people.person(credential.tenant_id, email))

    @router.put("/people/{email}")
    async def put_person(email: str, body: PersonBody, credential: Credential = admin) -> PersonView:
        tenant = credential.tenant_id
        directory = ports.directory.audited(_entry(credential, "person.put"))
        record = await directory.put_person(tenant, email, name=body.name, guest=body.guest)
        return PersonView(id=str(record.id), email=record.email, name=record.name, guest=record.guest)

    @router.patch("/people/{email}")
    async def set_active(email: str, body: ActiveBody, credential: Credential = admin) -> PersonDetailView:
        """Whoever is inactive is out at once: no session, no key and no token of theirs holds."""
        person = await ports.people.person(credential.tenant_id, email)
        if person.id == credential.person_id and not body.active:
            raise Conflict("another administrator must do this")
        line = _entry(credential, "person.activate" if body.active else "person.deactivate", str(person.id))
        await ports.people.audited(line).set_active(credential.tenant_id, person.id, active=body.active)
        return _view(await ports.people.person(credential.tenant_id, email))

    @router.delete("/people/{email}/sign-ins", status_code=204)
    async def forget_sign_ins(email: str, credential: Credential = admin) -> None:
        """Who the person is to the identity provider. Their next sign-in is known by its address again."""
        person = await ports.people.person(credential.tenant_id, email)
        line = _entry(credential, "identity.unlink", str(person.id))
        await ports.identities.audited(line).unlink(credential.tenant_id, person.id)

    return router


def _groups(ports: IdentityPorts) -> APIRouter:
    router = APIRouter(route_class=GuardedRoute)
    admin = Depends(requires(ports.authenticator, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.ADMIN, Role.AUDITOR))

    @router.get("/groups")
    async def list_groups(limit: Limit = 100, cursor: Cursor = "", credential: Credential = looking) -> GroupList:
        found = await ports.people.groups(credential.tenant_id, after=after(cursor), limit=limit + 1)
        shown, following = page(found, limit)
        items = [
            GroupDetailView(
                id=str(group.id),
                external_id=group.external_id,
                name=group.name,
                source_id=None if group.source is None else str(group.source),
                members=group.members,
            )
            for group in shown
        ]
        return GroupList(items=items, next_cursor=following)

    @router.put("/groups/{external_id}", status_code=204)
    async def put_group(external_id: str, body: GroupBody, credential: Credential = admin) -> None:
        members = [await _member(ports, credential, reference) for reference in body.references()]
        directory = ports.directory.audited(_entry(credential, "group.put", external_id))
        await directory.put_group(credential.tenant_id, None, external_id, members, name=body.name)

    return router


def _roles(ports: IdentityPorts) -> APIRouter:
    router = APIRouter(prefix="/roles", route_class=GuardedRoute)
    admin = Depends(requires(ports.authenticator, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.ADMIN, Role.AUDITOR))

    @router.get("/{role}")
    async def list_role(
        role: Role, limit: Limit = 100, cursor: Cursor = "", credential: Credential = looking
    ) -> PersonList:
        found = await ports.people.people(credential.tenant_id, after=after(cursor), limit=limit + 1, role=role)
        shown, following = page(found, limit)
        return PersonList(items=list(map(_view, shown)), next_cursor=following)

    @router.put("/{email}")
    async def set_role(email: str, body: RoleBody, credential: Credential = admin) -> PersonDetailView:
        """Where roles come from the identity provider's claims, the next sign-in says otherwise."""
        person = await ports.people.person(credential.tenant_id, email)
        if person.id == credential.person_id and body.role is not Role.ADMIN:
            raise Conflict("another administrator must do this")
        line = AuditEntry(credential.email, "role.set", str(person.id), {"role": body.role.value})
        await ports.people.audited(line).set_role(credential.tenant_id, person.id, body.role)
        return _view(await ports.people.person(credential.tenant_id, email))

    return router


async def _member(ports: IdentityPorts, credential: Credential, reference: PrincipalRef) -> Person | Group:
    tenant = credential.tenant_id
    match reference:
        case UserRef(email=email):
            return Person((await ports.directory.person(tenant, email)).id)
        case ViewersRef():
            raise Invalid("members: viewers: may stand in an acl's allow only")
        case _:
            owner = source_id(tenant, reference.source) if reference.source else None
            return Group(group_id(tenant, owner, reference.external))


def _entry(credential: Credential, action: str, place: str = "") -> AuditEntry:
    return AuditEntry(actor=credential.email, action=action, object=place)


def _view(person: PersonDetail) -> PersonDetailView:
    return PersonDetailView(
        id=str(person.id),
        email=person.email,
        name=person.name,
        role=person.role.value,
        guest=person.guest,
        active=person.active,
        service=person.service,
        sign_ins=person.sign_ins,
    )
