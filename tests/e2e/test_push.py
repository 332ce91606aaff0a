"""Push, as contracts.md states it: versions, principals, and every way to be wrong."""

import base64
import http.client
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from cortex.domain.credential import Role
from tests.e2e.company import EVERYONE, PUSHED, TIMEOUT_S, Company, Someone

DOCUMENTS = f"/v1/sources/{PUSHED}/documents"
TEXT = {"content": "# Almanac\n\nHigh water at noon.", "acl": EVERYONE}
OTHER = {"content": "# Almanac\n\nHigh water at one.", "acl": EVERYONE}
LARGEST_BODY = 64 * 1024 * 1024


def problem(response: httpx.Response, status: int) -> str:
    """The detail of a problem document, which is one of RFC 9457 and names its trace."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == status
    assert body["type"]
    assert body["title"]
    assert body["trace_id"] == response.headers["x-trace-id"]
    return str(body["detail"])


def test_a_first_put_makes_source_and_document(company: Company) -> None:
    response = company.admin.put(f"{DOCUMENTS}/almanac", TEXT)
    assert response.status_code == 202
    assert response.json() == {"document_id": company.document_id("almanac"), "revision": 1}
    (source,) = company.admin.get("/admin/v1/sources").json()["items"]
    assert (source["name"], source["type"]) == (PUSHED, "push")


def test_versions_decide_which_state_is_newer(company: Company) -> None:
    def put(body: dict[str, Any], version: int, **query: Any) -> httpx.Response:
        return company.admin.put(f"{DOCUMENTS}/almanac", {**body, "version": version}, **query)

    assert put(TEXT, 5).status_code == 202
    assert put(TEXT, 5).status_code == 200
    assert "older" in problem(put(OTHER, 4), 409)
    assert "another body" in problem(put(OTHER, 5), 409)
    assert put(OTHER, 6).json()["revision"] == 2
    assert put(OTHER, 7).status_code == 200
    assert company.admin.put(f"{DOCUMENTS}/almanac", TEXT).json()["revision"] == 3


def test_a_deletion_has_a_version_and_only_a_higher_one_brings_it_back(company: Company) -> None:
    place = f"{DOCUMENTS}/almanac"
    assert company.admin.put(place, {**TEXT, "version": 5}).status_code == 202
    assert "older" in problem(company.admin.delete(place, version=4), 409)
    assert company.admin.delete(place, version=6).status_code == 204
    assert "older" in problem(company.admin.put(place, {**TEXT, "version": 5}), 409)
    assert "a deletion" in problem(company.admin.put(place, {**TEXT, "version": 6}), 409)
    assert company.admin.put(place, {**TEXT, "version": 7}).status_code == 202
    assert company.admin.delete(place, version=8).status_code == 204
    assert company.admin.put(place, {**TEXT, "version": 1}, reset="true").status_code == 202
    company.indexed()
    assert company.person("ann").found("high water")


def test_a_deletion_that_comes_first_is_kept(company: Company) -> None:
    company.push("other", "something else")
    place = f"{DOCUMENTS}/almanac"
    assert company.admin.delete(place, version=3).status_code == 204
    assert "older" in problem(company.admin.put(place, {**TEXT, "version": 2}), 409)
    assert company.admin.put(place, {**TEXT, "version": 4}).status_code == 202


def test_groups_and_containers_have_versions_too(company: Company) -> None:
    source = f"/v1/sources/{PUSHED}"
    members = {"members": ["user:ann@acme.example"]}
    assert company.admin.put(f"{source}/groups/crew", {**members, "version": 2}).status_code == 204
    assert "older" in problem(company.admin.put(f"{source}/groups/crew", {"members": [], "version": 1}), 409)
    assert "another body" in problem(company.admin.put(f"{source}/groups/crew", {"members": [], "version": 2}), 409)
    assert company.admin.put(f"{source}/containers/hold", {"acl": EVERYONE, "version": 2}).status_code == 204
    shut: dict[str, object] = {"acl": {"allow": []}}
    assert "older" in problem(company.admin.put(f"{source}/containers/hold", {**shut, "version": 1}), 409)
    assert "another body" in problem(company.admin.put(f"{source}/containers/hold", {**shut, "version": 2}), 409)
    assert company.admin.delete(f"{source}/containers/hold", version=3).status_code == 204


def test_what_is_not_there_cannot_be_deleted(company: Company) -> None:
    problem(company.admin.delete(f"{DOCUMENTS}/nothing"), 404)
    company.push("something", "text")
    problem(company.admin.delete(f"{DOCUMENTS}/nothing"), 404)
    problem(company.admin.delete(f"/v1/sources/{PUSHED}/containers/nothing"), 404)


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"content": "text"}, "acl"),
        ({"acl": EVERYONE}, "content"),
        ({"content": "text", "file": "dGV4dA==", "acl": EVERYONE}, "content"),
        ({"file": "not base64!", "acl": EVERYONE}, "file"),
        ({"content": "text", "acl": EVERYONE, "colour": "red"}, "colour"),
        ({"content": "text", "acl": {"allows": []}}, "allows"),
        ({"content": "text", "acl": {"allow": "user:ann@acme.example"}}, "acl.allow"),
        ({"content": "text", "acl": {"allow": ["ann@acme.example"]}}, "acl.allow[0]"),
        ({"content": "text", "acl": {"allow": ["user:ann"]}}, "acl.allow[0]"),
        ({"content": "text", "acl": {"allow": [], "deny": ["viewers:notes/hold"]}}, "acl.deny"),
        ({"content": "text", "acl": {"public": "everyone"}}, "acl.public"),
        ({"content": "text", "acl": {"inherit": "some"}}, "acl.inherit"),
        ({"content": "text", "acl": {"complete": "yes"}}, "acl.complete"),
        ({"content": "text", "acl": []}, "acl"),
        ({"content": "text", "acl": EVERYONE, "version": -1}, "version"),
        ({"content": "text", "acl": EVERYONE, "version": "5"}, "version"),
        ({"content": "text", "acl": EVERYONE, "updated_at": "yesterday"}, "updated_at"),
        ({"content": "text", "acl": EVERYONE, "updated_at": "2026-01-01T00:00:00"}, "updated_at"),
        ({"content": "text", "acl": EVERYONE, "version": True}, "version"),
        ({"content": "text", "acl": EVERYONE, "version": 2**63}, "version"),
        ({"content": "text", "acl": EVERYONE, "title": "a\0b"}, "title"),
        ({"content": "text", "acl": EVERYONE, "url": "https://a.example/\0"}, "url"),
        ({"content": "text", "acl": EVERYONE, "container": "a\0b"}, "container"),
        ({"content": "text", "acl": {"allow": ["group:a\0b"]}}, "acl.allow[0]"),
        ({"content": 7, "acl": EVERYONE}, "content"),
        ([], ""),
        ("text", ""),
    ],
)
def test_a_wrong_body_is_refused_with_its_place(company: Company, body: object, place: str) -> None:
    assert place in problem(company.admin.put(f"{DOCUMENTS}/wrong", body), 422)


def test_a_refused_body_leaves_nothing_not_even_its_source(company: Company) -> None:
    problem(company.admin.put(f"{DOCUMENTS}/wrong", {"content": "text"}), 422)
    problem(company.admin.get(f"/admin/v1/sources/{PUSHED}"), 404)


@pytest.mark.parametrize("raw", [b"{", b"", b"\xff\xfe", b'{"content": NaN}'])
def test_what_is_no_json_is_refused(company: Company, raw: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    response = company.admin.request("PUT", f"{DOCUMENTS}/wrong", content=raw, headers=headers)
    assert response.status_code in (400, 422), response.text
    problem(response, response.status_code)


def test_a_huge_body_is_refused_before_it_is_read(company: Company) -> None:
    declared = {"Content-Type": "application/json", "Content-Length": str(LARGEST_BODY + 1)}
    connection = http.client.HTTPConnection(urlsplit(company.platform.url).netloc, timeout=TIMEOUT_S)
    connection.request("PUT", f"{DOCUMENTS}/huge", headers={**declared, **company.admin.authorization})
    answer = connection.getresponse()
    assert (answer.status, str(LARGEST_BODY) in answer.read().decode()) == (413, True)
    connection.close()
    ordinary = company.admin.request("POST", "/v1/search", json={"query": "x" * 300_000})
    problem(ordinary, 413)


def test_a_file_comes_as_base64(company: Company) -> None:
    page = base64.b64encode(b"<h1>Tides</h1><p>The harbour dries out at springs.</p>").decode()
    body = {"file": page, "mime": "text/html", "acl": EVERYONE}
    assert company.admin.put(f"{DOCUMENTS}/tides", body).status_code == 202
    company.indexed()
    document, ann = company.document_id("tides"), company.person("ann")
    assert ann.found("harbour dries") == [document]
    original = ann.get(f"/v1/documents/{document}/original")
    assert original.content == base64.b64decode(page)
    assert original.headers["content-type"] == "application/octet-stream", "a browser would run it"
    assert original.headers["content-disposition"].startswith("attachment")


def test_names_of_sources_and_documents_are_checked(company: Company) -> None:
    problem(company.admin.put("/v1/sources/Not A Slug/documents/x", TEXT), 422)
    problem(company.admin.put(f"{DOCUMENTS}/{'x' * 1025}", TEXT), 422)
    problem(company.admin.put(f"{DOCUMENTS}/bell%07", TEXT), 422)
    assert company.admin.put(f"{DOCUMENTS}/2026/11/логбук ☂.md", TEXT).status_code == 202


def test_cycles_are_refused(company: Company) -> None:
    source = f"/v1/sources/{PUSHED}"
    company.folder("outer", acl=EVERYONE)
    company.folder("inner", parent="outer")
    assert "itself" in problem(company.admin.put(f"{source}/containers/outer", {"parent": "inner"}), 422)
    assert "itself" in problem(company.admin.put(f"{source}/containers/outer", {"parent": "outer"}), 422)
    seen_by = {"acl": {"allow": [f"viewers:{PUSHED}/inner"]}}
    assert "itself" in problem(company.admin.put(f"{source}/containers/outer", seen_by), 422)
    company.admin.put(f"{source}/groups/one", {"members": [f"group:{PUSHED}/two"]})
    closing = company.admin.put(f"{source}/groups/two", {"members": [f"group:{PUSHED}/one"]})
    assert "cycle" in problem(closing, 422)
    alone = company.admin.put(f"{source}/groups/self", {"members": [f"group:{PUSHED}/self"]})
    assert "cycle" in problem(alone, 422)


def test_credentials_that_do_not_hold(company: Company) -> None:
    """401 wherever it is asked for, before anything else is looked at."""
    expired = Someone(company.platform.url, company.token("ann@acme.example", ttl=-timedelta(hours=1)), "")
    unknown = Someone(company.platform.url, "not-a-token", "")
    bare = httpx.Client(base_url=company.platform.url, trust_env=False)
    calls: list[tuple[str, str, object]] = [
        ("POST", "/v1/search", {"query": "tides"}),
        ("POST", "/v1/chat", {"question": "tides"}),
        ("GET", f"/v1/documents/{company.document_id('x')}", None),
        ("PUT", f"{DOCUMENTS}/x", TEXT),
        ("GET", "/admin/v1/sources", None),
    ]
    for method, path, body in calls:
        assert "expired" in problem(expired.request(method, path, json=body), 401)
        assert "cortex token" in problem(unknown.request(method, path, json=body), 401)
        refused = bare.request(method, path, json=body)
        problem(refused, 401)
        assert refused.headers["www-authenticate"] == "Bearer"
    for client in (expired, unknown, bare):
        client.close()


def test_roles_give_administration_and_no_more(company: Company) -> None:
    company.pushed("secret", "# Ledger\n\nThe strongbox opens to nobody.", acl={"allow": ["user:ann@acme.example"]})
    for role in (Role.MEMBER, Role.AUDITOR):
        assert "role" in problem(company.person("bob", role=role).put(f"{DOCUMENTS}/x", TEXT), 403)
        assert "role" in problem(company.person("bob", role=role).delete(f"{DOCUMENTS}/secret"), 403)
    problem(company.person("bob").get("/admin/v1/sources"), 403)
    problem(company.person("bob", role=Role.OWNER).put("/admin/v1/people/x@acme.example", {"name": "X"}), 403)
    assert company.person("bob", role=Role.AUDITOR).get("/admin/v1/sources").status_code == 200
    assert company.person("bob", role=Role.OWNER).put(f"{DOCUMENTS}/x", TEXT).status_code == 202
    assert company.document_id("secret") not in company.admin.found("strongbox")
    assert not company.admin.opens(company.document_id("secret"))


def test_a_token_of_another_tenant_writes_into_that_tenant(make_company: Callable[[], Company]) -> None:
    ours, theirs = make_company(), make_company()
    document = ours.pushed("almanac", TEXT["content"] if isinstance(TEXT["content"], str) else "")
    assert theirs.push("almanac", "# Almanac\n\nSomething else.") != document
    theirs.indexed()
    assert "High water" in ours.person("ann").search("almanac")["results"][0]["snippet"]
    problem(theirs.admin.delete(f"/v1/sources/{PUSHED}/documents/other"), 404)


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
def test_a_name_that_is_not_ours_is_refused(company: Company, headers: dict[str, str]) -> None:
    problem(company.admin.request("PUT", f"{DOCUMENTS}/x", json=TEXT, headers=headers), 421)
    problem(company.admin.request("GET", "/healthz", headers=headers), 421)


def test_a_source_that_is_read_is_not_pushed_to(company: Company, tmp_path: Any) -> None:
    company.add_files("docs", {"path": str(tmp_path)})
    assert "files" in problem(company.admin.put("/v1/sources/docs/documents/x", TEXT), 422)


@pytest.mark.parametrize("version", ["-1", "x", str(2**63)])
def test_a_version_in_the_address_is_checked(company: Company, version: str) -> None:
    company.push("almanac", "text")
    assert "version" in problem(company.admin.delete(f"{DOCUMENTS}/almanac", version=version), 422)
