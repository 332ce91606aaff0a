"""API keys: shown once, scoped, revocable; and roles, which give administration."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from cortex.domain.credential import Role
from tests.services.control_plane.conftest import Site

pytestmark = pytest.mark.servers


async def test_a_key_is_shown_once_and_kept_as_a_hash(site: Site) -> None:
    admin = site.person()
    made = (await admin.post("/admin/v1/keys", json={"name": "reports", "scopes": ["read"]})).json()
    assert made["key"].startswith("ck_")
    listed = (await admin.get("/admin/v1/keys")).json()["items"]
    assert [key["id"] for key in listed] == [made["id"]]
    assert "key" not in listed[0]
    _, _, secret = made["key"].split("_", 2)
    async with site.shared.database.tenant(site.tenant) as connection:
        stored = (await connection.exec_driver_sql("SELECT api_keys::text FROM api_keys")).scalar_one()
    assert secret not in stored
    assert (await site.client(made["key"]).get("/auth/session")).json()["email"] == "reports@service.invalid"


async def test_the_last_use_is_recorded(site: Site) -> None:
    admin, key = site.person(), await site.key("read")
    assert (await admin.get("/admin/v1/keys")).json()["items"][0]["used_at"] is None
    before = datetime.now(UTC)
    for _ in range(3):
        await site.client(key).get("/auth/session")
    used = (await admin.get("/admin/v1/keys")).json()["items"][0]["used_at"]
    assert before - timedelta(seconds=1) <= datetime.fromisoformat(used)


async def test_a_revoked_key_is_out_at_once(site: Site) -> None:
    admin, key = site.person(), await site.key("read")
    client = site.client(key)
    assert (await client.get("/auth/session")).status_code == 200
    identifier = (await admin.get("/admin/v1/keys")).json()["items"][0]["id"]
    assert (await admin.delete(f"/admin/v1/keys/{identifier}")).status_code == 204
    assert (await admin.delete(f"/admin/v1/keys/{identifier}")).status_code == 204
    assert (await client.get("/auth/session")).status_code == 401
    assert (await admin.get("/admin/v1/keys")).json()["items"][0]["revoked_at"]


async def test_a_key_may_only_expire_in_the_future(site: Site) -> None:
    past = (datetime.now(UTC) - timedelta(seconds=1)).isoformat()
    body = {"name": "late", "scopes": ["read"], "expires_at": past}
    assert (await site.person().post("/admin/v1/keys", json=body)).status_code == 422


async def test_a_name_is_taken_until_its_key_is_revoked(site: Site) -> None:
    admin, body = site.person(), {"name": "reports", "scopes": ["read"]}
    first = (await admin.post("/admin/v1/keys", json=body)).json()
    assert (await admin.post("/admin/v1/keys", json=body)).status_code == 409
    await admin.delete(f"/admin/v1/keys/{first['id']}")
    second = (await admin.post("/admin/v1/keys", json=body)).json()
    assert second["person"] == first["person"]


@pytest.mark.parametrize(
    "key",
    [
        "ck_",
        "ck_x_y",
        "ck_00000000000000000000000000000000_" + "a" * 43,
        "ck_00000000000000000000000000000000_" + "a" * 44,
        "ck_" + "ü" * 32 + "_" + "a" * 43,
    ],
)
async def test_a_made_up_key_is_refused(site: Site, key: str) -> None:
    header = (b"Authorization", f"Bearer {key}".encode())
    answer = await site.client().get("/auth/session", headers=[header])
    assert answer.status_code == 401


async def test_a_key_with_another_secret_is_refused(site: Site) -> None:
    key = await site.key("read")
    changed = key[:-1] + ("A" if key[-1] != "A" else "B")
    assert (await site.client(changed).get("/auth/session")).status_code == 401


async def test_scopes_bound_what_a_role_allows(site: Site) -> None:
    reading = site.client(await site.key("read", role="admin"))
    assert (await reading.get("/admin/v1/people")).status_code == 200
    put = await reading.put("/admin/v1/people/ann@acme.example", json={"name": "Ann"})
    assert (put.status_code, "scope write" in put.json()["detail"]) == (403, True)
    scim = await site.scim()
    assert (await scim.get("/scim/v2/Users")).status_code == 200
    assert (await scim.get("/admin/v1/people")).status_code == 403
    assert (await reading.get("/scim/v2/Users")).status_code == 403
    assert (await site.person().get("/scim/v2/Users")).status_code == 403, "not by a role, whichever"


async def test_one_makes_keys_for_oneself_without_administration(site: Site) -> None:
    admin = site.person()
    made = await admin.post("/auth/keys", json={"name": "laptop"})
    assert made.status_code == 201
    key = site.client(made.json()["key"])
    session = (await key.get("/auth/session")).json()
    assert session["email"] == "admin@acme.example"
    assert (session["role"], session["scopes"]) == ("member", ["read"])
    assert (await key.get("/admin/v1/people")).status_code == 403
    assert (await key.post("/auth/keys", json={"name": "more"})).status_code == 403
    within = datetime.fromisoformat(made.json()["expires_at"]) - datetime.now(UTC)
    assert within < timedelta(days=367)


async def test_another_person_s_key_is_unknown(site: Site) -> None:
    made = (await site.person().post("/auth/keys", json={"name": "laptop"})).json()
    other = site.person("bob", Role.MEMBER)
    assert (await other.get("/auth/keys")).json()["items"] == []
    assert (await other.delete(f"/auth/keys/{made['id']}")).status_code == 404
    assert (await site.client(made["key"]).get("/auth/session")).status_code == 200


async def test_keys_of_another_tenant_are_unknown(site: Site) -> None:
    made = (await site.person().post("/admin/v1/keys", json={"name": "reports", "scopes": ["read"]})).json()
    elsewhere = replace(site, tenant_name=f"{site.tenant_name}-b").person()
    assert (await elsewhere.get("/admin/v1/keys")).json()["items"] == []
    assert (await elsewhere.delete(f"/admin/v1/keys/{made['id']}")).status_code == 404
    assert (await site.client(made["key"]).get("/auth/session")).status_code == 200


async def test_lists_come_in_pages(site: Site) -> None:
    admin = site.person()
    for name in ("ann", "bob", "cid", "dan"):
        await admin.put(f"/admin/v1/people/{name}@acme.example", json={"name": name})
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = (await admin.get("/admin/v1/people", params={"limit": 2, "cursor": cursor})).json()
        assert len(page["items"]) <= 2
        found += [person["email"] for person in page["items"]]
        cursor = page["next_cursor"]
    assert sorted(found) == [f"{name}@acme.example" for name in ("admin", "ann", "bob", "cid", "dan")]
    assert (await admin.get("/admin/v1/people", params={"cursor": "x"})).status_code == 422


async def test_a_role_is_given_and_taken(site: Site) -> None:
    admin = site.person()
    await admin.put("/admin/v1/people/ann@acme.example", json={"name": "Ann"})
    given = await admin.put("/admin/v1/roles/ann@acme.example", json={"role": "auditor"})
    assert given.json()["role"] == "auditor"
    auditors = (await admin.get("/admin/v1/roles/auditor")).json()["items"]
    assert [person["email"] for person in auditors] == ["ann@acme.example"]
    assert (await admin.put("/admin/v1/roles/nobody@acme.example", json={"role": "admin"})).status_code == 404
    assert (await admin.put("/admin/v1/roles/admin@acme.example", json={"role": "member"})).status_code == 409
    assert "role.set" in await site.audited()
