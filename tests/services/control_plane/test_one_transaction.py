"""An act of administration and its line in the audit are one: where the line cannot be written, nothing was done."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
import psycopg
import pytest
from psycopg import sql

from cortex.domain.identity import SourceId, TenantId, document_id, source_id
from cortex.ports.sync_control import WorkState
from services.control_plane import compose
from tests.local_servers import PostgresUrls
from tests.services.control_plane.conftest import Site

pytestmark = pytest.mark.servers
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


@dataclass
class Syncs:
    """Implements SyncControl."""

    started: list[str]

    async def start_sync(self, tenant: TenantId, source: SourceId, *, full: bool = False) -> str:
        self.started.append("sync")
        return "run-1"

    async def start_backfill(self, tenant: TenantId, source: SourceId) -> str:
        self.started.append("backfill")
        return "run-2"

    async def start_remove(self, tenant: TenantId, source: SourceId) -> None:
        self.started.append("remove")

    async def sync_every(self, tenant: TenantId, source: SourceId, *, every_s: int | None) -> None:
        self.started.append("every")

    async def sync_state(self, tenant: TenantId, source: SourceId) -> WorkState:
        return WorkState.NONE

    async def remove_state(self, tenant: TenantId, source: SourceId) -> WorkState:
        return WorkState.NONE


@dataclass
class Erasures:
    """Implements ErasureControl."""

    started: list[str]

    async def start(self, tenant: TenantId, erasure: uuid.UUID) -> None:
        self.started.append("erasure")


@dataclass
class Reconciles:
    """Implements ReconcileControl."""

    started: list[str]

    async def start(self, tenant: TenantId) -> str:
        self.started.append("reconcile")
        return "run-3"

    async def every(self, tenant: TenantId, every_s: int) -> None:
        self.started.append("every")


class Types:
    """Implements SourceTypes."""

    async def check(self, type_: str, config: Mapping[str, object]) -> list[str]:
        return []

    async def secrets(self, type_: str) -> frozenset[str]:
        return frozenset({"token"})


@dataclass
class Office:
    """Who acts, on what there is."""

    site: Site
    admin: httpx.AsyncClient
    scim: httpx.AsyncClient
    started: list[str]
    ids: dict[str, str] = field(default_factory=dict)


Act = Callable[[Office], tuple[httpx.AsyncClient, str, str, object]]
"""Which client sends which method to which path, with what body."""


def admin(method: str, path: str, body: object = None) -> Act:
    return lambda office: (office.admin, method, path.format(**office.ids), body)


def scim(method: str, path: str, body: object = None) -> Act:
    return lambda office: (office.scim, method, path.format(**office.ids), body)


WIKI, ANN = "/v1/sources/wiki", "/admin/v1/people/ann@acme.example"
ACL = {"allow": ["user:ann@acme.example"]}
RENAME = {"schemas": [PATCH], "Operations": [{"op": "replace", "path": "displayName", "value": "New"}]}
TABLES = (
    "SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_name)"
    " WHERE c.column_name = 'tenant_id' AND t.table_type = 'BASE TABLE' AND c.table_schema = 'public' ORDER BY 1"
)
DIGEST = "SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {0} t WHERE tenant_id = {1}"
ACTS: tuple[tuple[str, Act], ...] = (
    ("person.put", admin("PUT", ANN, {"name": "Ann Lee"})),
    ("person.deactivate", admin("PATCH", ANN, {"active": False})),
    ("person.activate", admin("PATCH", ANN, {"active": True})),
    ("role.set", admin("PUT", "/admin/v1/roles/ann@acme.example", {"role": "auditor"})),
    ("identity.unlink", admin("DELETE", f"{ANN}/sign-ins")),
    ("group.put", admin("PUT", "/admin/v1/groups/crew", {"name": "Crew", "members": ["user:ann@acme.example"]})),
    ("key.make", admin("POST", "/admin/v1/keys", {"name": "robot", "scopes": ["read"]})),
    ("key.make", admin("POST", "/auth/keys", {"name": "mine"})),
    ("key.revoke", admin("DELETE", "/admin/v1/keys/{key}")),
    ("limits.put", admin("PUT", "/admin/v1/limits", {"requests_per_minute": 99_999, "requests_at_once": 9_999})),
    ("sharing.policy", admin("PUT", "/admin/v1/sharing/policy", {"policy": "ask"})),
    ("sharing.approve", admin("PUT", "/admin/v1/sharing/document/{shared}", {"approved": True})),
    ("reconcile.ages", admin("PUT", "/admin/v1/reconcile/ages", {"acl_age_s_max": 999, "reconcile_every_s": 999})),
    ("reconcile.start", admin("POST", "/admin/v1/reconcile")),
    ("source.add", admin("POST", "/admin/v1/sources", {"name": "box", "type": "box", "config": {"token": "t"}})),
    ("source.sync", admin("POST", "/admin/v1/sources/wiki/sync", {})),
    ("source.remove", admin("DELETE", "/admin/v1/sources/wiki")),
    ("secrets.put", admin("PUT", "/admin/v1/sources/wiki/secrets", {"token": "new"})),
    ("secrets.rewrap", admin("POST", "/admin/v1/secrets/rewrap")),
    ("privacy.put", admin("PUT", "/admin/v1/sources/wiki/privacy", {"actions": {"email": "redact"}})),
    ("quarantine.release", admin("POST", "/admin/v1/sources/wiki/quarantine/{held}/release")),
    ("source.add", admin("PUT", "/v1/sources/notes/groups/all", {"members": []})),
    ("document.put", admin("PUT", f"{WIKI}/documents/a.md", {"content": "Soup.", "acl": ACL})),
    ("document.delete", admin("DELETE", f"{WIKI}/documents/gone.md")),
    ("container.put", admin("PUT", f"{WIKI}/containers/space", {"acl": ACL})),
    ("container.delete", admin("DELETE", f"{WIKI}/containers/old")),
    ("group.put", admin("PUT", f"{WIKI}/groups/crew", {"members": ["user:ann@acme.example"]})),
    ("group.put", admin("PUT", f"{WIKI}/groups/big", {"generation": 1, "members": [], "last": False})),
    ("group.patch", admin("PATCH", f"{WIKI}/groups/patched", {"add": ["user:ann@acme.example"]})),
    (
        "engine.put",
        admin("PUT", "/admin/v1/engines/big", {"url": "https://engine.example/v1", "model": "m", "key": "k"}),
    ),
    ("engine.budget", admin("PUT", "/admin/v1/generation/budget", {"tokens_per_day": 5})),
    ("engine.route", admin("PUT", "/admin/v1/generation/route", {"engines": []})),
    ("erasure.request", admin("POST", "/admin/v1/erasures", {"person": "ann@acme.example"})),
    ("scim.user.make", scim("POST", "/scim/v2/Users", {"schemas": [USER], "userName": "cem@acme.example"})),
    ("scim.user.replace", scim("PUT", "/scim/v2/Users/{ben}", {"schemas": [USER], "userName": "ben@acme.example"})),
    ("scim.user.replace", scim("PATCH", "/scim/v2/Users/{ben}", RENAME)),
    ("scim.user.remove", scim("DELETE", "/scim/v2/Users/{ben}")),
    ("scim.group.make", scim("POST", "/scim/v2/Groups", {"schemas": [GROUP], "displayName": "Fire"})),
    ("scim.group.replace", scim("PATCH", "/scim/v2/Groups/{team}", RENAME)),
    ("scim.group.remove", scim("DELETE", "/scim/v2/Groups/{team}")),
)


@pytest.fixture
async def office(site: Site) -> Office:
    started: list[str] = []
    work = compose.Work(Syncs(started), Erasures(started), Reconciles(started))
    for router in compose.routers(site.shared, site.signing, work=work, types=Types()):
        site.app.include_router(router)
    found = Office(site, site.person(), await site.scim(), started)
    await _furnish(found)
    return found


async def _furnish(office: Office) -> None:
    """Something of each kind, for the acts that change or take away."""
    put = office.admin.put
    for name in ("ann", "ben"):
        answer = done(await put(f"/admin/v1/people/{name}@acme.example", json={"name": name}))
        office.ids[name] = answer.json()["id"]
    made = done(await office.admin.post("/admin/v1/keys", json={"name": "old", "scopes": ["read"]}))
    office.ids["key"] = made.json()["id"]
    for name, acl in (("gone.md", ACL), ("held.md", ACL), ("shared.md", {"public": "tenant"})):
        done(await put(f"{WIKI}/documents/{name}", json={"content": name, "acl": acl}))
    done(await put(f"{WIKI}/containers/old", json={"acl": ACL}))
    done(await put(f"{WIKI}/groups/patched", json={"members": []}))
    done(await put("/admin/v1/sources/wiki/secrets", json={"token": "old"}))
    team = done(await office.scim.post("/scim/v2/Groups", json={"schemas": [GROUP], "displayName": "Team"}))
    tenant = office.site.tenant
    wiki = source_id(tenant, "wiki")
    office.ids |= {"team": team.json()["id"], "held": str(document_id(tenant, wiki, "held.md"))}
    office.ids["shared"] = str(document_id(tenant, wiki, "shared.md"))
    async with office.site.shared.database.tenant(tenant) as connection:
        await connection.exec_driver_sql(f"UPDATE documents SET quarantined = true WHERE id = '{office.ids['held']}'")


def done(answer: httpx.Response) -> httpx.Response:
    assert answer.is_success, answer.text
    return answer


@contextmanager
def no_lines(url: str, tenant: TenantId) -> Iterator[None]:
    """The tenant's audit takes no further line."""
    name = sql.Identifier(f"no_lines_{tenant.hex}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            sql.SQL(
                "CREATE FUNCTION {0}() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN RAISE EXCEPTION 'no further line'; END $$"
            ).format(name)
        )
        connection.execute(
            sql.SQL(
                "CREATE TRIGGER {0} BEFORE INSERT ON audit FOR EACH ROW WHEN (NEW.tenant_id = {1})"
                " EXECUTE FUNCTION {0}()"
            ).format(name, sql.Literal(str(tenant)))
        )
        try:
            yield
        finally:
            connection.execute(sql.SQL("DROP FUNCTION {0} CASCADE").format(name))


def contents(url: str, tenant: TenantId) -> dict[str, str]:
    """A digest of every table's rows of the tenant, sequences that were given out aside."""
    with psycopg.connect(url) as connection:
        tables = connection.execute(TABLES).fetchall()
        digest = sql.SQL(DIGEST)
        found: dict[str, str] = {}
        for (table,) in tables:
            row = connection.execute(digest.format(sql.Identifier(table), sql.Literal(str(tenant)))).fetchone()
            assert row is not None
            found[table] = row[0]
    return found


async def acted(office: Office, act: Act) -> httpx.Response:
    client, method, path, body = act(office)
    return await client.request(method, path, json=body)


async def test_nothing_is_done_without_its_line(office: Office, postgres_url: PostgresUrls) -> None:
    url, tenant = postgres_url.admin, office.site.tenant
    before = contents(url, tenant)
    office.started.clear()
    with no_lines(url, tenant):
        for action, act in ACTS:
            assert (await acted(office, act)).status_code == 500, action
            assert contents(url, tenant) == before, action
    assert office.started == []


@pytest.mark.parametrize(("action", "act"), ACTS, ids=[f"{n}-{action}" for n, (action, _) in enumerate(ACTS)])
async def test_what_is_done_leaves_its_line(office: Office, action: str, act: Act) -> None:
    before = len(await office.site.audited())
    done(await acted(office, act))
    assert action in (await office.site.audited())[before:]


async def test_what_is_not_done_leaves_none(office: Office) -> None:
    before = await office.site.audited()
    nobody = uuid.uuid4()
    for act in (
        admin("PUT", f"/admin/v1/sharing/document/{nobody}", {"approved": True}),
        admin("DELETE", f"/admin/v1/keys/{nobody}"),
        admin("PUT", "/admin/v1/sources/nowhere/privacy", {}),
        admin("PATCH", f"{WIKI}/groups/nobody", {"add": []}),
        scim("DELETE", f"/scim/v2/Users/{nobody}"),
        scim("DELETE", f"/scim/v2/Groups/{nobody}"),
    ):
        assert (await acted(office, act)).status_code == 404
    assert await office.site.audited() == before


async def test_signing_in_and_out_are_one_with_their_lines(office: Office, postgres_url: PostgresUrls) -> None:
    url, tenant, browser = postgres_url.admin, office.site.tenant, office.site.client()
    office.site.provider.person = {"sub": "dan", "email": "dan@acme.example", "email_verified": True}
    with no_lines(url, tenant):
        assert (await office.site.sign_in(browser)).status_code == 500
        assert (await office.admin.get("/admin/v1/people/dan@acme.example")).status_code == 404
    assert (await office.site.sign_in(browser)).status_code == 303
    csrf = {"X-CSRF-Token": (await browser.get("/auth/session")).json()["csrf_token"]}
    with no_lines(url, tenant):
        assert (await browser.post("/auth/sign-out", headers=csrf)).status_code == 500
        assert (await browser.get("/auth/session")).status_code == 200
    assert (await browser.post("/auth/sign-out", headers=csrf)).status_code == 204
    assert (await office.site.audited())[-3:] == ["identity.link", "session.start", "session.end"]


async def test_a_session_on_ones_own_machine_is_one_with_its_line(office: Office, postgres_url: PostgresUrls) -> None:
    url, tenant, browser = postgres_url.admin, office.site.tenant, office.site.client()
    body = {"email": "ann@acme.example", "tenant": office.site.tenant_name}
    before = contents(url, tenant)
    with no_lines(url, tenant):
        assert (await browser.post("/auth/local/session", json=body)).status_code == 500
        assert contents(url, tenant) == before
    assert (await browser.post("/auth/local/session", json=body)).status_code == 204
    assert (await office.site.audited())[-1] == "session.start"
