"""What provisioning does to people and groups here, as identity providers really ask for it."""

import uuid
from dataclasses import replace
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from cortex.adapters.postgres.acl_rows import person_ids
from cortex.domain.errors import NotFound
from cortex.domain.identity import PersonId
from tests.services.control_plane.conftest import Site

NOBODY = "6f0d3f0e-5f6e-4a53-9a39-6f3f1d3c2b10"

pytestmark = pytest.mark.servers
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"


async def make_user(scim: httpx.AsyncClient, who: str, **more: Any) -> dict[str, Any]:
    answer = await scim.post("/scim/v2/Users", json={"schemas": [USER], "userName": f"{who}@acme.example", **more})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def make_group(scim: httpx.AsyncClient, name: str, *members: str) -> dict[str, Any]:
    body = {"schemas": [GROUP], "displayName": name, "members": [{"value": member} for member in members]}
    answer = await scim.post("/scim/v2/Groups", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def patch(scim: httpx.AsyncClient, path: str, *operations: dict[str, Any], **headers: str) -> httpx.Response:
    return await scim.patch(f"/scim/v2{path}", json={"schemas": [PATCH], "Operations": operations}, headers=headers)


async def groups_of(site: Site, person: str) -> set[str]:
    asker = await site.signing.directory.expand(site.tenant, PersonId(uuid.UUID(person)))
    return set(map(str, asker.groups))


def refused(answer: httpx.Response, status: int, scim_type: str | None = None) -> None:
    body = answer.json()
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/scim+json"
    assert body["schemas"] == [ERROR]
    assert (body["status"], body.get("scimType")) == (str(status), scim_type)


async def test_a_person_becomes_known_and_is_found_by_name(site: Site) -> None:
    scim = await site.scim()
    ann = await make_user(scim, "ann", name={"givenName": "Ann", "familyName": "Lee"}, externalId="E1")
    assert ann["meta"]["location"] == f"{site.url}/scim/v2/Users/{ann['id']}"
    person = (await site.person().get("/admin/v1/people/ann@acme.example")).json()
    assert (person["id"], person["name"]) == (ann["id"], "Ann Lee")
    for wanted in (
        'userName eq "ANN@acme.example"',
        'externalId eq "E1"',
        'name.familyName co "ee" and active eq true',
    ):
        found = (await scim.get("/scim/v2/Users", params={"filter": wanted})).json()
        assert [user["id"] for user in found["Resources"]] == [ann["id"]], wanted
    none = (await scim.get("/scim/v2/Users", params={"filter": 'userName sw "bob"'})).json()
    assert none["totalResults"] == 0


async def test_people_who_are_known_already_are_found_and_taken_over(site: Site) -> None:
    await site.person().put("/admin/v1/people/bob@acme.example", json={"name": "Bob"})
    scim = await site.scim()
    found = (await scim.get("/scim/v2/Users", params={"filter": 'userName eq "bob@acme.example"'})).json()
    (bob,) = found["Resources"]
    assert (bob["displayName"], bob["emails"][0]["value"]) == ("Bob", "bob@acme.example")
    refused(
        await scim.post("/scim/v2/Users", json={"schemas": [USER], "userName": "bob@acme.example"}), 409, "uniqueness"
    )
    changed = await patch(scim, f"/Users/{bob['id']}", {"op": "Replace", "path": "title", "value": "Buyer"})
    assert changed.json()["title"] == "Buyer"


async def test_whom_an_acl_named_first_becomes_this_person(site: Site) -> None:
    async with site.shared.database.tenant(site.tenant) as connection:
        named = (await person_ids(connection, site.tenant, ["eve@acme.example"]))["eve@acme.example"]
    assert (await make_user(await site.scim(), "eve"))["id"] == str(named)


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "active", "value": False},
        {"op": "Replace", "path": "active", "value": "False"},
        {"op": "replace", "value": {"active": False}},
    ],
    ids=str,
)
async def test_whoever_is_made_inactive_is_out_at_once(site: Site, operation: dict[str, Any]) -> None:
    scim = await site.scim()
    ann = await make_user(scim, "ann")
    await make_group(scim, "staff", ann["id"])
    client = site.person("ann")
    key = (await client.post("/auth/keys", json={"name": "laptop"})).json()["key"]
    session = await site.signing.identity.sessions.start(site.tenant, PersonId(uuid.UUID(ann["id"])))
    browser = site.client(Cookie=f"cortex-session={session.secret}")
    for one in (client, site.client(key), browser):
        assert (await one.get("/auth/session")).status_code == 200
    changed = await patch(scim, f"/Users/{ann['id']}", operation)
    assert changed.json()["active"] is False, changed.text
    for one in (client, site.client(key), browser):
        assert (await one.get("/auth/session")).status_code == 401
    with pytest.raises(NotFound):
        await groups_of(site, ann["id"])
    assert await tuples(site, "tenant", ann["id"]) == 0
    await patch(scim, f"/Users/{ann['id']}", {"op": "replace", "path": "active", "value": True})
    assert (await client.get("/auth/session")).status_code == 200
    assert (await site.client(key).get("/auth/session")).status_code == 401, "a key that was revoked stays so"
    assert await tuples(site, "tenant", ann["id"]) == 1


async def tuples(site: Site, kind: str, person: str) -> int:
    statement = text(
        "SELECT count(*) FROM relation_tuples WHERE resource_type = :kind AND subject_id LIKE '%' || :person"
    )
    async with site.shared.database.tenant(site.tenant) as connection:
        return int((await connection.execute(statement, {"kind": kind, "person": person})).scalar_one())


async def test_who_is_deleted_is_nobody_and_their_address_is_free(site: Site) -> None:
    scim = await site.scim()
    ann, bob = await make_user(scim, "ann"), await make_user(scim, "bob")
    staff = await make_group(scim, "staff", ann["id"], bob["id"])
    assert (await scim.delete(f"/scim/v2/Users/{ann['id']}")).status_code == 204
    refused(await scim.get(f"/scim/v2/Users/{ann['id']}"), 404)
    refused(await scim.delete(f"/scim/v2/Users/{ann['id']}"), 404)
    left = (await scim.get(f"/scim/v2/Groups/{staff['id']}")).json()["members"]
    assert [member["value"] for member in left] == [bob["id"]]
    again = await make_user(scim, "ann")
    assert again["id"] != ann["id"], "a reassigned address makes a new person"
    assert staff["id"] not in await groups_of(site, again["id"])


async def test_groups_hold_people_and_groups(site: Site) -> None:
    scim = await site.scim()
    ann, bob = await make_user(scim, "ann"), await make_user(scim, "bob")
    inner = await make_group(scim, "inner", ann["id"])
    outer = await make_group(scim, "outer", inner["id"], bob["id"])
    assert {member["type"] for member in outer["members"]} == {"User", "Group"}
    assert await groups_of(site, ann["id"]) == {inner["id"], outer["id"]}
    shown = (await scim.get(f"/scim/v2/Users/{ann['id']}")).json()["groups"]
    assert {(group["display"], group["type"]) for group in shown} == {("inner", "direct"), ("outer", "indirect")}
    assert (await scim.delete(f"/scim/v2/Groups/{inner['id']}")).status_code == 204
    assert await groups_of(site, ann["id"]) == set()
    assert await groups_of(site, bob["id"]) == {outer["id"]}


async def test_members_come_and_go_one_by_one(site: Site) -> None:
    """In the forms of Okta and of Entra."""
    scim = await site.scim()
    ann, bob = await make_user(scim, "ann"), await make_user(scim, "bob")
    staff = await make_group(scim, "staff")
    path = f"/Groups/{staff['id']}"
    add = {"op": "Add", "path": "members", "value": [{"value": ann["id"]}, {"value": bob["id"]}]}
    assert (await patch(scim, path, add)).status_code == 200
    assert staff["id"] in await groups_of(site, ann["id"])
    await patch(scim, path, {"op": "remove", "path": f'members[value eq "{ann["id"]}"]'})
    assert await groups_of(site, ann["id"]) == set()
    await patch(scim, path, {"op": "Remove", "path": "members", "value": [{"value": bob["id"]}]})
    assert await groups_of(site, bob["id"]) == set()
    await patch(scim, path, {"op": "replace", "value": {"id": staff["id"], "displayName": "Staff of Acme"}})
    renamed = (await scim.get(f"/scim/v2/Groups/{staff['id']}")).json()
    assert (renamed["displayName"], renamed.get("members")) == ("Staff of Acme", None)


async def test_groups_may_not_form_a_cycle(site: Site) -> None:
    scim = await site.scim()
    inner = await make_group(scim, "inner")
    outer = await make_group(scim, "outer", inner["id"])
    answer = await patch(
        scim, f"/Groups/{inner['id']}", {"op": "add", "path": "members", "value": [{"value": outer["id"]}]}
    )
    refused(answer, 400, "invalidValue")
    assert "cycle" in answer.json()["detail"]
    assert "members" not in (await scim.get(f"/scim/v2/Groups/{inner['id']}")).json()


@pytest.mark.parametrize(
    ("operations", "scim_type"),
    [
        (
            [
                {"op": "replace", "path": "displayName", "value": "Half"},
                {"op": "add", "path": "members", "value": [{"value": NOBODY}]},
            ],
            "invalidValue",
        ),
        (
            [
                {"op": "replace", "path": "displayName", "value": "Half"},
                {"op": "add", "path": "members", "value": [{"value": "x"}]},
            ],
            "invalidValue",
        ),
        ([{"op": "replace", "path": "displayName", "value": "Half"}, {"op": "remove"}], "noTarget"),
        ([{"op": "replace", "path": "displayName", "value": "Half"}, {"op": "move", "path": "x"}], "invalidValue"),
        (
            [{"op": "replace", "path": "displayName", "value": "Half"}, {"op": "remove", "path": "displayName"}],
            "mutability",
        ),
        ([{"op": "replace", "path": "id", "value": "x"}], "mutability"),
        ([{"op": "replace", "path": "displayName[", "value": "x"}], "invalidPath"),
        ([], "invalidValue"),
    ],
    ids=str,
)
async def test_a_patch_that_fails_leaves_nothing_half_done(
    site: Site, operations: list[dict[str, Any]], scim_type: str
) -> None:
    scim = await site.scim()
    staff = await make_group(scim, "staff")
    answer = await patch(scim, f"/Groups/{staff['id']}", *operations)
    assert answer.status_code == 400, answer.text
    assert answer.json()["scimType"] == scim_type, answer.text
    after = (await scim.get(f"/scim/v2/Groups/{staff['id']}")).json()
    assert (after["displayName"], after["meta"]["version"]) == ("staff", staff["meta"]["version"])


@pytest.mark.parametrize("path", ["/Users/x", f"/Users/{NOBODY}", f"/Groups/{NOBODY}", "/Nothing"])
async def test_what_is_unknown_is_not_found_in_the_form_of_scim(site: Site, path: str) -> None:
    scim = await site.scim()
    refused(await scim.get(f"/scim/v2{path}"), 404)
    if path != "/Nothing":
        refused(await scim.delete(f"/scim/v2{path}"), 404)
        operation = {"op": "replace", "path": "displayName", "value": "x"}
        refused(await patch(scim, path, operation), 404)


async def test_another_tenant_s_people_are_unknown(site: Site) -> None:
    ann = await make_user(await site.scim(), "ann")
    elsewhere = await replace(site, tenant_name=f"{site.tenant_name}-b").scim()
    refused(await elsewhere.get(f"/scim/v2/Users/{ann['id']}"), 404)
    body = {"schemas": [GROUP], "displayName": "spies", "members": [{"value": ann["id"]}]}
    refused(await elsewhere.post("/scim/v2/Groups", json=body), 400, "invalidValue")


async def test_a_change_of_an_old_version_is_refused(site: Site) -> None:
    scim = await site.scim()
    ann = await make_user(scim, "ann")
    old = ann["meta"]["version"]
    operation = {"op": "replace", "path": "title", "value": "Buyer"}
    assert (await patch(scim, f"/Users/{ann['id']}", operation, **{"If-Match": old})).status_code == 200
    operation["value"] = "Seller"
    refused(await patch(scim, f"/Users/{ann['id']}", operation, **{"If-Match": old}), 412)
    refused(await scim.request("DELETE", f"/scim/v2/Users/{ann['id']}", headers={"If-Match": old}), 412)
    refused(await patch(scim, f"/Users/{ann['id']}", operation, **{"If-Match": "x"}), 400, "invalidValue")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"schemas": []}', b'"x"', b"\xff"])
async def test_what_is_no_resource_is_refused(site: Site, body: bytes) -> None:
    answer = await (await site.scim()).post("/scim/v2/Users", content=body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["schemas"] == [ERROR]


@pytest.mark.parametrize("wanted", ["userName", "userName eq", 'x eq "y"', "userName eq 'x'", "((((", "active gt true"])
async def test_a_filter_that_cannot_be_read_is_refused(site: Site, wanted: str) -> None:
    refused(await (await site.scim()).get("/scim/v2/Users", params={"filter": wanted}), 400, "invalidFilter")


async def test_lists_come_in_pages(site: Site) -> None:
    scim = await site.scim()
    made = {(await make_user(scim, f"user-{number}"))["id"] for number in range(5)}
    found: set[str] = set()
    for start in (1, 3, 5, 7):
        page = (await scim.get("/scim/v2/Users", params={"startIndex": start, "count": 2})).json()
        assert page["totalResults"] == 6, "and the administrator"
        found |= {user["id"] for user in page.get("Resources", [])}
    assert made < found
    assert (await scim.get("/scim/v2/Users", params={"count": 0})).json().get("Resources", []) == []
    brief = (await scim.get("/scim/v2/Users", params={"attributes": "userName"})).json()["Resources"][0]
    assert brief.keys() == {"schemas", "id", "userName"}


async def test_a_password_is_never_kept(site: Site) -> None:
    ann = await make_user(await site.scim(), "ann", password="hunter2-hunter2")
    assert "password" not in ann
    async with site.shared.database.tenant(site.tenant) as connection:
        stored = (await connection.exec_driver_sql("SELECT string_agg(persons::text, '') FROM persons")).scalar_one()
    assert "hunter2" not in stored


async def test_every_change_is_in_the_audit(site: Site) -> None:
    scim = await site.scim()
    ann = await make_user(scim, "ann")
    staff = await make_group(scim, "staff")
    await patch(scim, f"/Groups/{staff['id']}", {"op": "add", "path": "members", "value": [{"value": ann["id"]}]})
    await scim.delete(f"/scim/v2/Users/{ann['id']}")
    acts = [act for act in await site.audited() if act.startswith("scim.")]
    assert acts == ["scim.user.make", "scim.group.make", "scim.group.replace", "scim.user.remove"]
