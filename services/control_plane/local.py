"""Signing in without an identity provider, on one's own machine: choose who to be.

Whoever may read the data folder's key may be anyone, and that is the user that the platform runs as. A browser of the
same user is therefore let in without a key; one of another user shows a local token, which takes the key to make. These
routes exist in evaluation mode alone, which binds nothing but loopback.
"""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from cortex.domain.credential import Credential
from cortex.domain.errors import CrossSite, Denied, Unauthenticated
from cortex.domain.identity import TenantId, slug, tenant_id
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Authenticator, Presented
from cortex.ports.loopback import Connection, LocalTokenMaker, LoopbackPeers
from cortex.ports.people import PersonDetail
from cortex.runtime.edge.authenticate import Site, is_ours
from cortex.runtime.edge.guarded import Guard, GuardedRoute
from services.control_plane.administer import authenticated
from services.control_plane.bodies import Body
from services.control_plane.identity_ports import IdentityPorts
from services.control_plane.sessions import set_session

PEOPLE_SHOWN = 500
TOKEN_TTL = timedelta(hours=8)
LOOPBACK = "127.0.0.1"
_FORWARDING = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
Tenant = Annotated[str, Field(min_length=1, max_length=63)]
Email = Annotated[str, Field(min_length=3, max_length=320)]


@dataclass(frozen=True, slots=True)
class LocalEntry:
    """`authenticator` takes local tokens and nothing else."""

    authenticator: Authenticator
    peers: LoopbackPeers
    tokens: LocalTokenMaker
    port: int


class SameUser(Guard[None]):
    """A dependency of routes: the browser is of the user that the platform runs as. Raises Unauthenticated."""

    def __init__(self, entry: LocalEntry, site: Site) -> None:
        self._entry = entry
        self._site = site

    async def __call__(self, request: Request) -> None:
        await self.admitted(request)

    async def admit(self, request: Request) -> None:
        refuse_other_sites(request, self._site)
        if not await _is_same_user(self._entry, request):
            raise Unauthenticated(
                "this browser runs as another user than the platform; sign in with `cortex token EMAIL`"
            )


class ChosenPerson(Body):
    """`email` None: whoever the local token in `Authorization` is of."""

    email: Email | None = None
    tenant: Tenant = "default"


class NamedPerson(Body):
    email: Email
    tenant: Tenant = "default"


class LocalPerson(BaseModel):
    email: str
    name: str
    guest: bool


class LocalPeople(BaseModel):
    items: list[LocalPerson]


class LocalToken(BaseModel):
    token: str


class WaysToSignIn(BaseModel):
    """`choose`: this browser may choose who to be. `token`: local tokens are taken. `provider`: /auth/sign-in."""

    choose: bool
    token: bool
    provider: bool


def ways_router(ports: IdentityPorts, entry: LocalEntry | None) -> APIRouter:
    router = APIRouter(prefix="/auth", tags=["sign-in"], route_class=GuardedRoute)

    @router.get("/ways", operation_id="ways_to_sign_in")
    async def ways(request: Request) -> WaysToSignIn:
        choose = entry is not None and await _is_same_user(entry, request)
        return WaysToSignIn(choose=choose, token=entry is not None, provider=ports.foreign is not None)

    return router


def local_router(ports: IdentityPorts, entry: LocalEntry) -> APIRouter:
    router = APIRouter(prefix="/auth/local", tags=["sign-in"], route_class=GuardedRoute)
    same_user = SameUser(entry, ports.site)

    @router.get("/people", operation_id="local_people", dependencies=[Depends(same_user)])
    async def people(tenant: Annotated[str, Query(min_length=1, max_length=63)] = "default") -> LocalPeople:
        found = await ports.people.people(tenant_id(slug(tenant)), after="", limit=PEOPLE_SHOWN)
        shown = sorted(filter(_can_sign_in, found), key=lambda person: person.name.casefold())
        return LocalPeople(items=[LocalPerson(email=p.email or "", name=p.name, guest=p.guest) for p in shown])

    @router.post("/session", status_code=204, operation_id="start_local_session")
    async def start(request: Request, response: Response, body: ChosenPerson) -> None:
        refuse_other_sites(request, ports.site)
        if body.email is None:
            credential = await authenticated(entry.authenticator, request)
        else:
            await same_user(request)
            credential = await _chosen(ports, tenant_id(slug(body.tenant)), body.email)
        line = AuditEntry(credential.email, "session.start", str(credential.person_id))
        session = await ports.sessions.audited(line).start(credential.tenant_id, credential.person_id)
        if before := request.cookies.get(ports.site.session_cookie):
            await ports.sessions.end(before)
        set_session(response, ports.site, session)

    @router.post("/token", operation_id="make_local_token", dependencies=[Depends(same_user)])
    async def token(body: NamedPerson) -> LocalToken:
        """For looking at the same question as somebody else, beside one's own."""
        credential = await _chosen(ports, tenant_id(slug(body.tenant)), body.email)
        entries = [AuditEntry(credential.email, "token.make", str(credential.person_id))]
        await ports.audit.append(credential.tenant_id, entries)
        return LocalToken(token=entry.tokens.token(slug(body.tenant), body.email, ttl=TOKEN_TTL))

    return router


def refuse_other_sites(request: Request, site: Site) -> None:
    presented = Presented.of(request.method, request.headers)
    if presented.origin is not None and not is_ours(presented.origin, presented.host, site):
        raise CrossSite("this request comes from another site's page")


async def _chosen(ports: IdentityPorts, tenant: TenantId, email: str) -> Credential:
    person = await ports.people.person(tenant, email)
    if not _can_sign_in(person):
        raise Denied("this person cannot sign in")
    return Credential(tenant, person.id, person.email or "", person.role)


async def _is_same_user(entry: LocalEntry, request: Request) -> bool:
    """What a proxy says of where it comes from is not believed."""
    if request.client is None or any(name in request.headers for name in _FORWARDING):
        return False
    # The table is asked for this address alone: another of loopback may have the same port, and be somebody else's.
    if request.client.host != LOOPBACK:
        return False
    connection = Connection(client_port=request.client.port, server_port=entry.port)
    return await asyncio.to_thread(entry.peers.is_same_user, connection)


def _can_sign_in(person: PersonDetail) -> bool:
    return person.active and not person.service and person.email is not None
