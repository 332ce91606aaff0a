"""Who asks is settled before the body: no byte of it is asked for, whatever its length is said to be."""

from collections.abc import Mapping
from typing import NoReturn

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.types import Message

from cortex.adapters.postgres.settings import PostgresSettings
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.domain.credential import Role
from cortex.domain.limits import Limits
from cortex.ports.audit_log import AuditEntry
from cortex.runtime.edge.guarded import GuardedRoute, guards_of
from tests.services.control_plane.conftest import Site

pytestmark = pytest.mark.servers
LARGE = {"content-type": "application/json", "content-length": str(60 * 1024 * 1024)}
ABOUT_EVERYONE = "/auth/local/session"
"""Takes a person's name, or a token: what it asks is in its body."""


async def unread() -> NoReturn:
    pytest.fail("the body was asked for")


async def answered(app: FastAPI, method: str, path: str, headers: Mapping[str, str]) -> int:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "scheme": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), value.encode()) for name, value in {"host": "127.0.0.1", **headers}.items()],
    }
    await app(scope, unread, send)
    status: int = sent[0]["status"]
    return status


def writing(app: FastAPI) -> list[tuple[str, str]]:
    return [
        (method, (route.path_format or "").replace("{", "").replace("}", ""))
        for route in iter_route_contexts(app.routes)
        if isinstance(route.original_route, APIRoute)
        for method in route.methods or ()
        if method in ("POST", "PUT", "PATCH", "DELETE") and route.path_format != ABOUT_EVERYONE
    ]


@pytest.mark.parametrize("length", [LARGE, {"content-type": "application/json", "transfer-encoding": "chunked"}])
@pytest.mark.parametrize("shown", [{}, {"authorization": "Bearer expired"}])
async def test_no_byte_of_a_stranger_is_read(whole_app: FastAPI, shown: dict[str, str], length: dict[str, str]) -> None:
    routes = writing(whole_app)
    assert len(routes) > 40
    for method, path in routes:
        # A length above the bound of its route is refused as it is.
        refused = (401, 413) if "content-length" in length else (401,)
        assert await answered(whole_app, method, path, {**shown, **length}) in refused, f"{method} {path}"
    assert await answered(whole_app, "PUT", "/v1/sources/wiki/documents/a", {**shown, **length}) == 401


@pytest.mark.parametrize("path", ["/v1/sources/wiki/documents/a", "/v1/sources/wiki/groups/a", "/scim/v2/Users"])
async def test_no_byte_of_somebody_without_the_role_is_read(whole_app: FastAPI, site: Site, path: str) -> None:
    token = {"authorization": f"Bearer {site.token('mia', Role.MEMBER)}"}
    method = "POST" if path.startswith("/scim") else "PUT"
    assert await answered(whole_app, method, path, {**token, **LARGE}) == 403


async def test_whoever_has_asked_too_often_is_told_before_the_body(whole_app: FastAPI, site: Site) -> None:
    await PostgresTenants(site.shared.database).make(site.tenant_name, title="Acme")
    settings = PostgresSettings(site.shared.database, site.shared.clock)
    line = AuditEntry("admin@acme.example", "limits.put", "tenant")
    await settings.audited(line).set_limits(site.tenant, Limits(requests_per_minute=1, requests_at_once=1))
    token = {"authorization": f"Bearer {site.token('mia', Role.MEMBER)}"}
    answers = [await answered(whole_app, "PUT", "/v1/sources/wiki/documents/a", {**token, **LARGE}) for _ in range(2)]
    assert answers == [403, 429]


def test_whatever_has_a_guard_asks_it_first(whole_app: FastAPI) -> None:
    for route in iter_route_contexts(whole_app.routes):
        original = route.original_route
        if isinstance(original, APIRoute) and any(True for _ in guards_of(original.dependant)):
            assert isinstance(original, GuardedRoute), original.path
