"""Which role may call which route: a table in the docs, and every route of the OpenAPI file in it."""

from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from cortex.domain.credential import Role, Scope
from services.control_plane.administer import Requires
from services.control_plane.local import SameUser
from services.query_gateway.identify import Identify, Operator
from tests.house.source_tree import ROOT
from tests.services.control_plane.conftest import Site

pytestmark = pytest.mark.servers
PAGE = ROOT / "docs" / "reference" / "roles.md"
UNSIGNED = {
    "/healthz",
    "/readyz",
    "/auth/ways",
    "/auth/sign-in",
    "/auth/callback",
    "/auth/local/session",
}
"""What needs no credential: probes, and the way to get one."""
CONTENT = (
    "/v1/search",
    "/v1/chat",
    "/v1/models",
    "/v1/answers",
    "/v1/documents",
    "/v1/suggest",
    "/v1/conversations",
    "/v1/shares",
    "/v1/me",
)


def is_content(route: str) -> bool:
    return route.split(" ")[1].startswith(CONTENT) or route == "GET /v1/sources"


def calls(dependant: Dependant) -> Iterator[object]:
    for inner in dependant.dependencies:
        yield inner.call
        yield from calls(inner)


def asked(dependant: Dependant, methods: set[str]) -> str:
    """What a route asks of a credential, as the page says it."""
    for call in calls(dependant):
        if isinstance(call, SameUser):
            return "whoever the platform runs as, in a browser, in evaluation mode"
        if isinstance(call, Identify):
            return f"whoever is signed in, with the scope `{call.scope}`"
        if isinstance(call, Requires | Operator):
            writes = not methods <= {"GET", "HEAD"}
            scope = call.scope or (Scope.WRITE if writes else Scope.READ)
            roles = [role.value for role in Role if role in call.roles]
            who = "whoever is signed in" if call.roles == frozenset(Role) else ", ".join(roles)
            return f"an API key with the scope `{scope}`" if scope is Scope.SCIM else f"{who}, with the scope `{scope}`"
    return "anybody"


def table(app: FastAPI) -> dict[str, str]:
    described = app.openapi()["paths"]
    found: dict[str, str] = {}
    for route in iter_route_contexts(app.routes):
        if isinstance(route.original_route, APIRoute) and route.original_route.include_in_schema:
            methods = route.methods or set()
            who = asked(route.original_route.dependant, methods)
            found |= {f"{method} {route.path_format}": who for method in methods}
    assert {f"{m.upper()} {path}" for path, methods in described.items() for m in methods} == found.keys()
    return dict(sorted(found.items(), key=lambda item: tuple(reversed(item[0].split(" ")))))


def test_the_page_says_of_every_route_who_may_call_it(whole_app: FastAPI) -> None:
    lines = [f"| `{route}` | {who} |" for route, who in table(whole_app).items()]
    written = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert written == lines, "docs/reference/roles.md should hold:\n" + "\n".join(lines)


def test_nothing_but_probes_and_the_way_in_is_open_to_anybody(whole_app: FastAPI) -> None:
    assert {route.split(" ")[1] for route, who in table(whole_app).items() if who == "anybody"} == UNSIGNED


def test_no_role_opens_content(whole_app: FastAPI) -> None:
    """Content is for people as they are; what administers is elsewhere."""
    content = {route: who for route, who in table(whole_app).items() if is_content(route)}
    assert set(content.values()) == {f"whoever is signed in, with the scope `{scope}`" for scope in ("read", "write")}
    assert len(content) > 5


async def test_every_route_refuses_who_shows_nothing_and_whose_role_is_another(whole_app: FastAPI, site: Site) -> None:
    """Before it looks at anything else of the request. The gateway's own routes have tests of their own."""
    tokens = {role: site.token(role.value, role) for role in Role}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(whole_app), base_url="http://127.0.0.1") as client:
        for route, who in table(whole_app).items():
            method, _, path = route.partition(" ")
            if who == "anybody" or is_content(route) or path == "/metrics":
                continue
            address = path.replace("{", "").replace("}", "")
            for token in (None, "x", "a.b.c", "ck_x"):
                headers = {} if token is None else {"Authorization": f"Bearer {token}"}
                answer = await client.request(method, address, headers=headers)
                assert answer.status_code == 401, f"{route} {token}: {answer.status_code}"
                assert answer.headers["www-authenticate"] == "Bearer"
            by_role = "whoever" not in who and not who.startswith("a browser")
            for role in {Role.MEMBER, Role.OWNER, Role.AUDITOR} if by_role else set():
                if role.value not in who.split(", with")[0].split(", "):
                    headers = {"Authorization": f"Bearer {tokens[role]}"}
                    answer = await client.request(method, address, headers=headers)
                    assert answer.status_code == 403, f"{route} {role}: {answer.status_code}"
