"""Groups in pages, sharing, reconciliation and limits, as they are served; every write is audited."""

import uuid
from dataclasses import dataclass, field
from typing import cast

import httpx
import pytest

from cortex.domain.credential import Role
from cortex.domain.identity import TenantId
from cortex.ports.erasure import ErasureControl
from cortex.ports.source_types import SourceTypes
from cortex.ports.sync_control import SyncControl
from services.control_plane import compose
from tests.services.control_plane.conftest import Site

pytestmark = pytest.mark.servers

CREW = "/v1/sources/wiki/groups/crew"


@dataclass
class Control:
    """Implements ReconcileControl."""

    started: list[TenantId] = field(default_factory=list)

    async def start(self, tenant: TenantId) -> str:
        self.started.append(tenant)
        return "run-1"

    async def every(self, tenant: TenantId, every_s: int) -> None:
        return


@pytest.fixture
def control(site: Site) -> Control:
    """Serves everything; what syncs and erases is not asked here."""
    control = Control()
    work = compose.Work(cast(SyncControl, object()), cast(ErasureControl, object()), control)
    for router in compose.routers(site.shared, site.signing, work=work, types=cast(SourceTypes, object())):
        site.app.include_router(router)
    return control


async def put(client: httpx.AsyncClient, path: str, body: object, *, status: int = 204) -> httpx.Response:
    answer = await client.put(path, json=body)
    assert answer.status_code == status, answer.text
    return answer


@pytest.mark.usefixtures("control")
async def test_groups_come_whole_in_pages_and_as_changes(site: Site) -> None:
    admin = site.person()
    await put(admin, CREW, {"members": ["user:ann@acme.example"], "version": 1})
    await put(admin, CREW, {"members": ["user:ben@acme.example"], "version": 1}, status=409)
    await put(admin, CREW, {"generation": 5, "members": ["user:ben@acme.example"], "last": False})
    await put(admin, CREW, {"generation": 5, "members": [], "last": True})
    await put(admin, CREW, {"generation": 4, "members": [], "last": True}, status=409)
    answer = await admin.patch(CREW, json={"add": ["user:cem@acme.example"], "remove": ["user:ben@acme.example"]})
    assert answer.status_code == 204
    assert (await admin.patch(f"{CREW}-of-nobody", json={"add": []})).status_code == 404
    assert (await site.audited())[-1] == "group.patch"


@pytest.mark.usefixtures("control")
@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"members": ["ann"]}, "members[0]"),
        ({"members": ["viewers:wiki/space"]}, "viewers:"),
        ({"members": [], "last": True}, "last"),
        ({"members": [], "generation": -1}, "generation"),
        ({"members": ["user:a@b.example"] * 100_001}, "members"),
        ({"generation": 1, "members": [f"user:p{n}@b.example" for n in range(10_001)], "last": True}, "10000"),
        ({"members": ["group:wiki/crew"]}, "cycle"),
    ],
)
async def test_bad_groups_are_refused_with_the_place(site: Site, body: dict[str, object], place: str) -> None:
    answer = await put(site.person(), CREW, body, status=422)
    assert place in answer.text


@pytest.mark.usefixtures("control")
async def test_a_policy_on_sharing_and_an_approval(site: Site) -> None:
    admin = site.person()
    document = {"content": "Soup on Friday.", "acl": {"public": "tenant"}}
    await put(admin, "/v1/sources/wiki/documents/menu.md", document, status=202)
    await put(admin, "/admin/v1/sharing/policy", {"policy": "ask"})
    await put(admin, "/admin/v1/sharing/policy", {"policy": "sometimes"}, status=422)
    found = (await admin.get("/admin/v1/sharing")).json()
    assert found["policy"] == "ask"
    assert found["sources"][0]["waiting"] == 1
    [thing] = (await admin.get("/admin/v1/sharing/things")).json()["items"]
    assert (thing["kind"], thing["external_id"], thing["public"]) == ("document", "menu.md", "tenant")
    await put(admin, f"/admin/v1/sharing/document/{thing['id']}", {"approved": True})
    await put(admin, f"/admin/v1/sharing/document/{uuid.uuid4()}", {"approved": True}, status=404)
    assert (await admin.get("/admin/v1/sharing/things", params={"approved": True})).json()["items"][0]["approved"]
    assert (await admin.get("/admin/v1/sharing/things", params={"cursor": "x"})).status_code == 422
    assert (await site.audited())[-2:] == ["sharing.policy", "sharing.approve"]


async def test_reconciliation_is_asked_for_and_looked_at(site: Site, control: Control) -> None:
    admin = site.person()
    assert (await admin.get("/admin/v1/reconcile/last")).status_code == 404
    answer = await admin.post("/admin/v1/reconcile")
    assert (answer.status_code, answer.json()) == (202, {"run_id": "run-1"})
    assert control.started == [site.tenant]
    await put(admin, "/admin/v1/reconcile/ages", {"acl_age_s_max": 3600, "reconcile_every_s": 600})
    ages = (await admin.get("/admin/v1/reconcile/ages")).json()
    assert ages == {"acl_age_s_max": 3600, "reconcile_every_s": 600}
    assert (await admin.get("/admin/v1/reconcile/stale")).json() == {"items": []}
    assert (await site.audited())[-2:] == ["reconcile.start", "reconcile.ages"]


@pytest.mark.usefixtures("control")
async def test_too_many_requests_are_told_when_to_come_again(site: Site) -> None:
    admin, limits = site.person(), {"requests_per_minute": 60, "requests_at_once": 2, "questions_per_day": None}
    # Before anybody's limits were read: those that were are kept for half a minute.
    async with site.shared.database.tenant(site.tenant) as connection:
        await connection.exec_driver_sql(
            "INSERT INTO tenant_settings (tenant_id, requests_per_minute, requests_at_once)"
            " SELECT id, 60, 2 FROM tenants"
        )
    assert (await admin.get("/admin/v1/limits")).json() == limits
    answers = [await admin.get("/admin/v1/limits") for _ in range(5)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    assert int(refused[0].headers["retry-after"]) >= 1
    assert refused[0].json()["type"] == "urn:cortex:problem:throttled"


@pytest.mark.usefixtures("control")
async def test_synonyms_are_set_whole_checked_and_audited(site: Site) -> None:
    admin = site.person()
    assert (await admin.get("/admin/v1/synonyms")).json() == {"groups": []}
    await put(admin, "/admin/v1/synonyms", {"groups": [["PTO", "Paid  Time Off"], ["laptop", "notebook"]]})
    assert (await admin.get("/admin/v1/synonyms")).json() == {
        "groups": [["pto", "paid time off"], ["laptop", "notebook"]]
    }
    for groups in ([["alone"]], [["same", "Same"]], [["a"] * 21], [["a", "b" * 201]]):
        await put(admin, "/admin/v1/synonyms", {"groups": groups}, status=422)
    assert (await site.audited())[-1:] == ["synonyms.put"]


@pytest.mark.usefixtures("control")
async def test_who_is_no_administrator_decides_nothing(site: Site) -> None:
    for role in (Role.MEMBER, Role.OWNER, Role.AUDITOR):
        client = site.person(role.value, role)
        await put(client, "/admin/v1/sharing/policy", {"policy": "hide"}, status=403)
        await put(client, "/admin/v1/limits", {"requests_per_minute": 1, "requests_at_once": 1}, status=403)
        await put(client, "/admin/v1/synonyms", {"groups": []}, status=403)
        assert (await client.post("/admin/v1/reconcile")).status_code == 403
