"""Choosing who to be, on one's own machine."""

import httpx
import pytest

from tests.services.control_plane.conftest import Site

pytestmark = pytest.mark.servers
ELSEWHERE = {"Origin": "http://127.0.0.1:1"}


async def known(site: Site, *names: str, **more: object) -> None:
    for name in names:
        body = {"name": name.title(), "guest": False, **more}
        answer = await site.person().put(f"/admin/v1/people/{name}@acme.example", json=body)
        assert answer.status_code == 200, answer.text


async def people(site: Site, browser: httpx.AsyncClient) -> list[str]:
    answer = await browser.get("/auth/local/people", params={"tenant": site.tenant_name})
    assert answer.status_code == 200, answer.text
    return [person["name"] for person in answer.json()["items"]]


def chosen(site: Site, name: str = "ann") -> dict[str, str]:
    return {"email": f"{name}@acme.example", "tenant": site.tenant_name}


async def test_a_browser_of_the_same_user_may_be_anybody_who_is_known(site: Site) -> None:
    await known(site, "zoe", "ann")
    browser = site.client()
    assert (await browser.get("/auth/ways")).json() == {"choose": True, "token": True, "provider": True}
    assert await people(site, browser) == ["admin", "Ann", "Zoe"]
    assert (await browser.post("/auth/local/session", json=chosen(site))).status_code == 204
    session = (await browser.get("/auth/session")).json()
    assert (session["email"], bool(session["csrf_token"])) == ("ann@acme.example", True)
    assert "session.start" in await site.audited()


async def test_being_somebody_else_ends_the_session_before(site: Site) -> None:
    await known(site, "ann", "bob")
    browser, other = site.client(), site.client()
    await browser.post("/auth/local/session", json=chosen(site))
    other.cookies.update(browser.cookies)
    await browser.post("/auth/local/session", json=chosen(site, "bob"))
    assert (await browser.get("/auth/session")).json()["email"] == "bob@acme.example"
    assert (await other.get("/auth/session")).status_code == 401


async def test_who_is_not_known_cannot_be_chosen(site: Site) -> None:
    answer = await site.client().post("/auth/local/session", json=chosen(site, "nobody"))
    assert answer.status_code == 404


async def test_who_may_not_sign_in_is_neither_shown_nor_chosen(site: Site) -> None:
    await known(site, "ann", "bob")
    await site.key("read")
    gone = await site.person().patch("/admin/v1/people/bob@acme.example", json={"active": False})
    assert gone.status_code == 200
    browser = site.client()
    assert await people(site, browser) == ["admin", "Ann"]
    for route in ("/auth/local/session", "/auth/local/token"):
        assert (await browser.post(route, json=chosen(site, "bob"))).status_code == 403


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
async def test_what_comes_through_a_proxy_is_of_no_known_user(site: Site, header: str) -> None:
    """A tunnel or a proxy on this machine connects as its own user, whoever is at its other end."""
    await known(site, "ann")
    browser = site.client(**{header: "127.0.0.1"})
    assert (await browser.get("/auth/ways")).json()["choose"] is False
    assert (await browser.get("/auth/local/people")).status_code == 401
    for route in ("/auth/local/session", "/auth/local/token"):
        assert (await browser.post(route, json=chosen(site))).status_code == 401


async def test_another_address_of_loopback_is_of_no_known_user(site: Site) -> None:
    """The kernel's table is asked for 127.0.0.1, and the same port of 127.0.0.2 may be anybody's."""
    await known(site, "ann")
    transport = httpx.AsyncHTTPTransport(local_address="127.0.0.2")
    async with httpx.AsyncClient(base_url=site.url, transport=transport) as browser:
        assert (await browser.get("/auth/ways")).json()["choose"] is False
        assert (await browser.post("/auth/local/session", json=chosen(site))).status_code == 401


async def test_a_page_of_another_site_chooses_nobody(site: Site) -> None:
    await known(site, "ann")
    browser = site.client()
    for route in ("/auth/local/session", "/auth/local/token"):
        assert (await browser.post(route, json=chosen(site), headers=ELSEWHERE)).status_code == 403
    assert (await browser.get("/auth/local/people", headers=ELSEWHERE)).status_code == 403
    assert not browser.cookies


async def test_another_user_signs_in_with_a_token_that_takes_the_key_to_make(site: Site) -> None:
    browser = site.client(**{"Via": "1.1 tunnel"})
    answer = await browser.post(
        "/auth/local/session", json={}, headers={"Authorization": f"Bearer {site.token('carol')}"}
    )
    assert answer.status_code == 204, answer.text
    assert (await browser.get("/auth/session")).json()["email"] == "carol@acme.example"


@pytest.mark.parametrize("token", ["", "Bearer x.y.z", "Bearer ck_nothing"])
async def test_no_other_credential_makes_a_session(site: Site, token: str) -> None:
    headers = {"Authorization": token} if token else {}
    answer = await site.client().post("/auth/local/session", json={}, headers=headers)
    assert answer.status_code == 401


async def test_a_token_for_looking_beside_is_of_a_member(site: Site) -> None:
    await known(site, "ann")
    made = await site.client().post("/auth/local/token", json=chosen(site))
    assert made.status_code == 200, made.text
    beside = site.client(made.json()["token"])
    session = (await beside.get("/auth/session")).json()
    assert (session["email"], session["role"], session["csrf_token"]) == ("ann@acme.example", "member", None)
