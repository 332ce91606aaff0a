"""Every route of the API, and how it is attacked. A route without an entry fails the tests."""

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx


class How(enum.StrEnum):
    """LOOK: may show content, and is looked at by `looking.py`. ID: takes ids, and foreign ones are like none.

    NAME: makes or changes what the asker's own tenant calls so. OWN: is about the asker or their tenant, without an id.
    """

    LOOK = "look"
    ID = "id"
    NAME = "name"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Route:
    """`ids` says which kind of id stands for each name in the path; `body` is one that would be accepted."""

    how: How
    ids: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    admin: bool = False


def _id(name: str, kind: str, **more: object) -> Route:
    return Route(How.ID, {name: kind}, admin=True, body=more or None)


def shows(name: str) -> bool:
    """Whether the route could show content to whoever has no role; each of these is looked at."""
    route = ROUTES[name]
    return route.how is How.LOOK or (route.how is How.ID and not route.admin and " /v1/" in name)


LOOK, NAME, OWN = Route(How.LOOK), Route(How.NAME), Route(How.OWN)
_CONVERSATION = Route(How.ID, {"conversation": "conversation"})
_EMPTY: Mapping[str, object] = {}
_SCIM_USER = {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "new@acme.example"}
_SCIM_GROUP = {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "New"}
_SCIM_PATCH = {
    "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    "Operations": [{"op": "replace", "path": "displayName", "value": "New"}],
}
_SOURCE = "/admin/v1/sources/{name}"

ROUTES: Mapping[str, Route] = {
    "POST /v1/search": LOOK,
    "POST /v1/chat": Route(How.ID, {"conversation_id in the body": "conversation"}, body={"question": "What crane?"}),
    "GET /v1/suggest": LOOK,
    "GET /v1/sources": LOOK,
    "GET /v1/me": LOOK,
    "GET /v1/conversations": LOOK,
    "GET /v1/conversations/{conversation}": _CONVERSATION,
    "PATCH /v1/conversations/{conversation}": Route(How.ID, _CONVERSATION.ids, body={"title": "Taken over"}),
    "DELETE /v1/conversations/{conversation}": _CONVERSATION,
    "GET /v1/conversations/{conversation}/export": _CONVERSATION,
    "POST /v1/conversations/{conversation}/share": _CONVERSATION,
    "DELETE /v1/conversations/{conversation}/share": _CONVERSATION,
    "GET /v1/shares/{token}": Route(How.ID, {"token": "share"}),
    "POST /v1/chat/completions": LOOK,
    "GET /v1/models": OWN,
    "GET /v1/documents/{document}": Route(How.ID, {"document": "document"}),
    "GET /v1/documents/{document}/original": Route(How.ID, {"document": "document"}),
    "GET /v1/answers/{answer}": Route(How.ID, {"answer": "answer"}),
    "GET /v1/answers/{answer}/stream": Route(How.ID, {"answer": "answer"}),
    "POST /v1/answers/{answer}/stop": Route(How.ID, {"answer": "answer"}),
    "GET /v1/answers/{answer}/explain": Route(How.ID, {"answer": "answer"}),
    "POST /v1/answers/{answer}/feedback": Route(How.ID, {"answer": "answer"}, body={"rating": "up"}),
    "DELETE /v1/answers/{answer}/feedback": Route(How.ID, {"answer": "answer"}),
    "DELETE /auth/keys/{key_id}": Route(How.ID, {"key_id": "key"}),
    "GET /healthz": LOOK,
    "GET /readyz": LOOK,
    "GET /metrics": LOOK,
    "GET /auth/session": LOOK,
    "GET /auth/keys": LOOK,
    "GET /auth/sign-in": OWN,
    "GET /auth/callback": OWN,
    "POST /auth/keys": NAME,
    "POST /auth/sign-out": OWN,
    "GET /auth/ways": OWN,
    "GET /auth/local/people": OWN,
    "POST /auth/local/session": OWN,
    "POST /auth/local/token": OWN,
    "PUT /v1/sources/{source}/containers/{external_id}": NAME,
    "PUT /v1/sources/{source}/documents/{external_id}": NAME,
    "PUT /v1/sources/{source}/groups/{external_id}": NAME,
    "PATCH /v1/sources/{source}/groups/{external_id}": Route(
        How.ID, {"source": "source", "external_id": "thing"}, admin=True, body={"add": [], "remove": []}
    ),
    "DELETE /v1/sources/{source}/documents/{external_id}": Route(
        How.ID, {"source": "source", "external_id": "thing"}, admin=True
    ),
    "DELETE /v1/sources/{source}/containers/{external_id}": Route(
        How.ID, {"source": "source", "external_id": "thing"}, admin=True
    ),
    "GET /admin/v1/audit": OWN,
    "POST /admin/v1/audit/verify": OWN,
    "GET /admin/v1/engines": OWN,
    "PUT /admin/v1/engines/{name}": NAME,
    "DELETE /admin/v1/engines/{name}": _id("name", "thing"),
    "POST /admin/v1/engines/{name}/check": _id("name", "thing"),
    "GET /admin/v1/generation/route": OWN,
    "PUT /admin/v1/generation/route": NAME,
    "GET /admin/v1/generation/budget": OWN,
    "PUT /admin/v1/generation/budget": NAME,
    "GET /admin/v1/generation/calibration": OWN,
    "PUT /admin/v1/generation/calibration": NAME,
    "DELETE /admin/v1/generation/calibration": NAME,
    "GET /admin/v1/generation/usage": OWN,
    "GET /admin/v1/erasures": OWN,
    "POST /admin/v1/erasures": Route(How.ID, {"document in the body": "document"}, admin=True),
    "GET /admin/v1/erasures/{erasure}": _id("erasure", "erasure"),
    "GET /admin/v1/groups": OWN,
    "PUT /admin/v1/groups/{external_id}": NAME,
    "GET /admin/v1/keys": OWN,
    "POST /admin/v1/keys": NAME,
    "DELETE /admin/v1/keys/{key_id}": _id("key_id", "key"),
    "GET /admin/v1/limits": OWN,
    "PUT /admin/v1/limits": NAME,
    "GET /admin/v1/people": OWN,
    "GET /admin/v1/people/{email}": _id("email", "email"),
    "PUT /admin/v1/people/{email}": NAME,
    "PATCH /admin/v1/people/{email}": _id("email", "email", active=True),
    "DELETE /admin/v1/people/{email}/sign-ins": _id("email", "email"),
    "POST /admin/v1/reconcile": NAME,
    "GET /admin/v1/reconcile/ages": OWN,
    "PUT /admin/v1/reconcile/ages": NAME,
    "GET /admin/v1/reconcile/last": OWN,
    "GET /admin/v1/reconcile/stale": OWN,
    "PUT /admin/v1/roles/{email}": _id("email", "email", role="member"),
    "GET /admin/v1/roles/{role}": OWN,
    "POST /admin/v1/secrets/rewrap": NAME,
    "GET /admin/v1/sharing": OWN,
    "PUT /admin/v1/sharing/policy": NAME,
    "GET /admin/v1/sharing/things": OWN,
    "PUT /admin/v1/sharing/{kind}/{identifier}": Route(
        How.ID, {"identifier": "document"}, admin=True, body={"approved": True}
    ),
    "GET /admin/v1/synonyms": OWN,
    "PUT /admin/v1/synonyms": NAME,
    "GET /admin/v1/sources": OWN,
    "POST /admin/v1/sources": NAME,
    f"GET {_SOURCE}": _id("name", "source"),
    f"DELETE {_SOURCE}": _id("name", "source"),
    f"GET {_SOURCE}/privacy": _id("name", "source"),
    f"PUT {_SOURCE}/privacy": _id("name", "source", actions={}),
    f"GET {_SOURCE}/context": _id("name", "source"),
    f"PUT {_SOURCE}/context": _id("name", "source", contextual=True),
    f"GET {_SOURCE}/quarantine": _id("name", "source"),
    f"POST {_SOURCE}/quarantine/{{document}}/release": Route(
        How.ID, {"name": "source", "document": "document"}, admin=True
    ),
    f"GET {_SOURCE}/runs/{{run_id}}": Route(How.ID, {"name": "source", "run_id": "run"}, admin=True),
    f"GET {_SOURCE}/secrets": _id("name", "source"),
    f"PUT {_SOURCE}/secrets": Route(How.ID, {"name": "source"}, admin=True, body=_EMPTY),
    f"POST {_SOURCE}/sync": Route(How.ID, {"name": "source"}, admin=True, body=_EMPTY),
    "POST /scim/v2/.search": OWN,
    "GET /scim/v2/Groups": OWN,
    "POST /scim/v2/Groups": NAME,
    "POST /scim/v2/Groups/.search": OWN,
    "GET /scim/v2/Groups/{identifier}": _id("identifier", "group"),
    "PUT /scim/v2/Groups/{identifier}": _id("identifier", "group", **_SCIM_GROUP),
    "PATCH /scim/v2/Groups/{identifier}": _id("identifier", "group", **_SCIM_PATCH),
    "DELETE /scim/v2/Groups/{identifier}": _id("identifier", "group"),
    "GET /scim/v2/ResourceTypes": OWN,
    "GET /scim/v2/ResourceTypes/{name}": OWN,
    "GET /scim/v2/Schemas": OWN,
    "GET /scim/v2/Schemas/{name}": OWN,
    "GET /scim/v2/ServiceProviderConfig": OWN,
    "GET /scim/v2/Users": OWN,
    "POST /scim/v2/Users": NAME,
    "POST /scim/v2/Users/.search": OWN,
    "GET /scim/v2/Users/{identifier}": _id("identifier", "person"),
    "PUT /scim/v2/Users/{identifier}": _id("identifier", "person", **_SCIM_USER),
    "PATCH /scim/v2/Users/{identifier}": _id("identifier", "person", **_SCIM_PATCH),
    "DELETE /scim/v2/Users/{identifier}": _id("identifier", "person"),
}


def route_of(asked: httpx.Request) -> str | None:
    """The entry that a request is for; one that names no variable before one that does."""
    for name in sorted(ROUTES, key=lambda name: name.count("{")):
        method, _, path = name.partition(" ")
        pattern = re.sub(r"{\w+}", "[^/]+", re.escape(path).replace(r"\{", "{").replace(r"\}", "}"))
        if asked.method == method and re.fullmatch(pattern, asked.url.path):
            return name
    return None
