"""Signing in at a provider, as browsers do it and as those do who should not get in."""

import uuid
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from cortex.domain.credential import Role
from cortex.domain.sign_in import SignInPolicy
from tests.oidc_provider import make_key
from tests.services.control_plane.conftest import Site

pytestmark = pytest.mark.servers
COOKIE = "cortex-session"


def someone(name: str = "ann", **more: Any) -> dict[str, Any]:
    email = f"{name}-{uuid.uuid4().hex[:6]}@acme.example"
    return {"sub": f"sub-{email}", "email": email, "email_verified": True, "name": name.title(), **more}


async def who(browser: httpx.AsyncClient) -> dict[str, Any]:
    answer = await browser.get("/auth/session")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_a_person_signs_in_and_out(site: Site) -> None:
    site.provider.person = someone()
    browser = site.client()
    answer = await site.sign_in(browser, return_to="/search?q=a")
    assert (answer.status_code, answer.headers["location"]) == (303, "/search?q=a")
    cookie = next(one for one in answer.headers.get_list("set-cookie") if one.startswith(COOKIE))
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(cookie.split("; "))
    session = await who(browser)
    assert session["email"] == site.provider.person["email"]
    assert session["role"] == "member"
    secret = browser.cookies[COOKIE]
    out = await browser.post("/auth/sign-out", headers={"X-CSRF-Token": session["csrf_token"]})
    assert out.status_code == 204
    replayed = await site.client().get("/auth/session", headers={"Cookie": f"{COOKIE}={secret}"})
    assert replayed.status_code == 401
    assert await site.audited() == ["identity.link", "session.start", "session.end"]


async def test_the_same_subject_is_the_same_person_whatever_the_address(site: Site) -> None:
    site.provider.person = someone()
    first, second = site.client(), site.client()
    await site.sign_in(first)
    site.provider.person = {**site.provider.person, "email": "married@acme.example"}
    await site.sign_in(second)
    assert (await who(first))["person_id"] == (await who(second))["person_id"]


async def test_a_reassigned_address_makes_a_new_person(site: Site) -> None:
    site.provider.person = someone()
    first, second = site.client(), site.client()
    await site.sign_in(first)
    site.provider.person = {**site.provider.person, "sub": "somebody-else"}
    await site.sign_in(second)
    assert (await who(first))["person_id"] != (await who(second))["person_id"]
    assert (await who(second))["email"] == site.provider.person["email"]


async def test_someone_known_by_their_address_is_linked_once(site: Site) -> None:
    site.provider.person = someone()
    email = site.provider.person["email"]
    known = await site.person().put(f"/admin/v1/people/{email}", json={"name": "Ann"})
    browser = site.client()
    await site.sign_in(browser)
    assert (await who(browser))["person_id"] == known.json()["id"]
    assert (await site.person().get(f"/admin/v1/people/{email}")).json()["sign_ins"] == 1


async def test_someone_provisioned_signs_in_as_that_person(site: Site) -> None:
    site.provider.person = someone()
    scim = await site.scim()
    body = {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": site.provider.person["email"]}
    made = await scim.post("/scim/v2/Users", json=body)
    browser = site.client()
    await site.sign_in(browser)
    assert (await who(browser))["person_id"] == made.json()["id"]


@pytest.mark.parametrize("verified", [False, None, "no"])
async def test_an_address_that_is_not_verified_lets_nobody_in(site: Site, verified: object) -> None:
    site.provider.person = someone(email_verified=verified)
    answer = await site.sign_in(site.client())
    assert answer.status_code == 403
    assert COOKIE not in str(answer.headers.get_list("set-cookie"))


async def test_the_address_may_come_from_userinfo(site: Site) -> None:
    site.provider.person, site.provider.in_userinfo = someone(), True
    browser = site.client()
    await site.sign_in(browser)
    assert (await who(browser))["email"] == site.provider.person["email"]


async def test_whoever_is_inactive_is_refused(site: Site) -> None:
    site.provider.person = someone()
    browser, admin = site.client(), site.person()
    await site.sign_in(browser)
    path = f"/admin/v1/people/{site.provider.person['email']}"
    assert (await admin.patch(path, json={"active": False})).json()["active"] is False
    assert (await browser.get("/auth/session")).status_code == 401
    assert (await site.sign_in(site.client())).status_code == 403
    assert (await site.client(site.provider.access_token()).get("/auth/session")).status_code == 401
    await admin.patch(path, json={"active": True})
    assert (await browser.get("/auth/session")).status_code == 401, "what has ended stays so"
    assert (await site.sign_in(site.client())).status_code == 303


@pytest.mark.parametrize(
    "change",
    [
        {"nonce": "another"},
        {"aud": "another"},
        {"iss": "https://evil.example"},
        {"exp": 1},
    ],
    ids=str,
)
async def test_an_id_token_that_does_not_hold_lets_nobody_in(site: Site, change: dict[str, Any]) -> None:
    site.provider.person = someone()
    site.provider.alter = lambda claims: claims.update(change)
    browser = site.client()
    assert (await site.sign_in(browser)).status_code == 403
    assert (await browser.get("/auth/session")).status_code == 401


async def test_a_key_that_was_rotated_away_signs_nobody_in(site: Site) -> None:
    site.provider.person = someone()
    stolen = site.provider.keys
    site.provider.keys = {"new": make_key()}
    assert (await site.sign_in(site.client())).status_code == 303
    token = site.provider.access_token()
    site.provider.keys = stolen
    forged = site.provider.access_token()
    site.provider.keys = {"new": make_key()}
    assert (await site.client(token).get("/auth/session")).status_code == 200
    assert (await site.client(forged).get("/auth/session")).status_code == 401


async def callback_of(site: Site, browser: httpx.AsyncClient) -> str:
    begun = await browser.get("/auth/sign-in")
    async with httpx.AsyncClient(trust_env=False) as elsewhere:
        return str((await elsewhere.get(begun.headers["location"])).headers["location"])


async def test_a_sign_in_is_finished_once(site: Site) -> None:
    site.provider.person = someone()
    browser = site.client()
    address = await callback_of(site, browser)
    state = browser.cookies["cortex-sign-in"]
    assert (await browser.get(address)).status_code == 303
    replayed = await site.client().get(address, headers={"Cookie": f"cortex-sign-in={state}"})
    assert replayed.status_code == 403


async def test_another_browser_cannot_finish_a_sign_in(site: Site) -> None:
    """Else a link would sign its reader in as whoever sent it."""
    site.provider.person = someone()
    address = await callback_of(site, site.client())
    stranger = site.client()
    await stranger.get("/auth/sign-in")
    assert (await stranger.get(address)).status_code == 403
    assert (await site.client().get(address)).status_code == 403


@pytest.mark.parametrize(
    "change", [{"state": "other"}, {"code": "other"}, {"iss": "https://evil.example"}, {"error": "x"}]
)
async def test_an_answer_that_was_changed_on_the_way_is_refused(site: Site, change: dict[str, str]) -> None:
    site.provider.person = someone()
    browser = site.client()
    parts = urlsplit(await callback_of(site, browser))
    query = {name: values[0] for name, values in parse_qs(parts.query).items()} | change
    assert (await browser.get(parts.path, params=query)).status_code == 403


async def test_pkce_binds_the_code_to_who_began(site: Site) -> None:
    """A code that was stolen on its way back is worth nothing in another sign-in."""
    site.provider.person = someone()
    victim, thief = site.client(), site.client()
    stolen = parse_qs(urlsplit(await callback_of(site, victim)).query)["code"][0]
    own = parse_qs(urlsplit(await callback_of(site, thief)).query)["state"][0]
    answer = await thief.get("/auth/callback", params={"state": own, "code": stolen})
    assert answer.status_code == 403


async def test_signing_in_again_ends_the_session_before(site: Site) -> None:
    site.provider.person = someone()
    browser = site.client()
    await site.sign_in(browser)
    before = browser.cookies[COOKIE]
    await site.sign_in(browser)
    assert browser.cookies[COOKIE] != before
    old = site.client(Cookie=f"{COOKIE}={before}")
    assert (await old.get("/auth/session")).status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"X-CSRF-Token": "wrong"}, 403),
        ({"Origin": "https://evil.example"}, 421),
        ({"Origin": "null"}, 421),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "SAME"}, 204),
    ],
    ids=str,
)
async def test_a_cookie_alone_changes_nothing(site: Site, headers: dict[str, str], status: int) -> None:
    site.provider.person = someone()
    browser = site.client()
    await site.sign_in(browser)
    sent = {name: site.url if value == "SAME" else value for name, value in headers.items()}
    assert (await browser.post("/auth/sign-out", headers=sent)).status_code == status
    assert (await browser.get("/auth/session")).status_code == (401 if status == 204 else 200)


async def test_a_cookie_counts_at_our_own_address_alone(site: Site) -> None:
    site.provider.person = someone()
    browser = site.client()
    await site.sign_in(browser)
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost:80, evil.example"):
        assert (await browser.get("/auth/session", headers={"Host": host})).status_code == 421


@pytest.mark.parametrize("value", ["", "x", "a" * 5_000, "'; DROP TABLE sessions; --", '"', "ü"])
async def test_a_made_up_cookie_is_no_session(site: Site, value: str) -> None:
    answer = await site.client().get("/auth/session", headers=[(b"Cookie", f"{COOKIE}={value}".encode())])
    assert answer.status_code == 401


async def test_a_token_beside_a_cookie_counts_alone(site: Site) -> None:
    site.provider.person = someone()
    browser = site.client()
    await site.sign_in(browser)
    answer = await browser.get("/auth/session", headers={"Authorization": "Bearer ck_wrong"})
    assert answer.status_code == 401


async def test_access_tokens_of_the_provider_are_accepted(site: Site) -> None:
    site.provider.person = someone()
    found = await who(site.client(site.provider.access_token()))
    assert found["email"] == site.provider.person["email"]
    id_token = site.provider.sign(site.provider.claims("https://cortex.example/api", nonce="n"))
    assert (await site.client(id_token).get("/auth/session")).status_code == 401


async def test_an_administrator_can_have_a_sign_in_forgotten(site: Site) -> None:
    site.provider.person = someone()
    browser = site.client()
    await site.sign_in(browser)
    before = (await who(browser))["person_id"]
    path = f"/admin/v1/people/{site.provider.person['email']}/sign-ins"
    assert (await site.person().delete(path)).status_code == 204
    assert (await browser.get("/auth/session")).status_code == 401
    site.provider.person = {**site.provider.person, "sub": "a-new-subject"}
    await site.sign_in(browser)
    assert (await who(browser))["person_id"] == before


class TestPolicies:
    @pytest.fixture
    def policy(self) -> SignInPolicy:
        return SignInPolicy(provision=False, roles={"admins": Role.ADMIN, "auditors": Role.AUDITOR})

    async def test_strangers_stay_out(self, site: Site) -> None:
        site.provider.person = someone()
        assert (await site.sign_in(site.client())).status_code == 403

    async def test_roles_follow_the_claim_at_each_sign_in(self, site: Site) -> None:
        site.provider.person = someone(realm_access={"roles": ["admins"]})
        email = site.provider.person["email"]
        await site.person().put(f"/admin/v1/people/{email}", json={"name": "Ann"})
        browser = site.client()
        await site.sign_in(browser)
        assert (await who(browser))["role"] == "admin"
        assert (await browser.get("/admin/v1/people")).status_code == 200
        bare = {name: value for name, value in site.provider.person.items() if name != "realm_access"}
        site.provider.person = bare
        assert (await who(site.client(site.provider.access_token())))["role"] == "admin", "it says nothing of roles"
        await site.sign_in(site.client())
        assert (await who(browser))["role"] == "member"
        assert (await browser.get("/admin/v1/people")).status_code == 403
