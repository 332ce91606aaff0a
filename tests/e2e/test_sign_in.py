"""People of an identity provider, from their first sign-in to their last day, on a whole platform."""

import uuid
from collections.abc import Iterator

import httpx
import pytest

from cortex.domain.credential import Role
from tests.e2e.company import Company, whole
from tests.e2e.provider import TENANT, browser, sign_in
from tests.e2e.running import Platform

pytestmark = pytest.mark.servers
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


@pytest.fixture
def company(platform: Platform) -> Iterator[Company]:
    """The tenant whose people sign in at the provider."""
    if "CORTEX_OIDC_ISSUER" not in platform.urls:
        pytest.skip("the platform that runs already has no identity provider")
    company = Company(platform, TENANT)
    yield company
    company.close()


@pytest.fixture
def scim(company: Company) -> Iterator[httpx.Client]:
    body = {"name": f"idp-{uuid.uuid4().hex[:8]}", "scopes": ["scim"]}
    key = whole(company.admin.post("/admin/v1/keys", body))["key"]
    with httpx.Client(
        base_url=f"{company.platform.url}/scim/v2",
        headers={"Authorization": f"Bearer {key}"},
        timeout=60,
        trust_env=False,
    ) as client:
        yield client


def test_someone_is_provisioned_signs_in_finds_what_they_may_and_is_out_when_they_leave(
    company: Company, scim: httpx.Client
) -> None:
    name = uuid.uuid4().hex[:8]
    email, word = f"ann-{name}@acme.example", f"quokka{name}"
    user = scim.post("/Users", json={"schemas": [USER], "userName": email}).raise_for_status().json()
    members = [{"value": user["id"]}]
    body = {"schemas": [GROUP], "displayName": f"staff-{name}", "members": members}
    group = scim.post("/Groups", json=body).raise_for_status().json()
    text = f"The {word} lives behind the second server room."
    document = company.pushed(f"{name}.md", text, source="staff", acl={"allow": [f"group:staff-{name}"]})

    with browser(company.platform.url) as ann:
        answer = sign_in(ann, company.platform.urls["CORTEX_OIDC_ISSUER"], email)
        assert answer.status_code == 303, answer.text
        assert answer.headers["location"] == "/"
        session = ann.get("/auth/session").json()
        assert (session["person_id"], session["role"]) == (user["id"], "member")
        headers = {"X-CSRF-Token": session["csrf_token"]}

        def found() -> list[str]:
            results = ann.post("/v1/search", json={"query": word}, headers=headers)
            return [result["document_id"] for result in whole(results)["results"]]

        assert ann.post("/v1/search", json={"query": word}).status_code == 403, "a cookie alone searches nothing"
        assert found() == [document]
        assert ann.get("/admin/v1/people").status_code == 403

        remove = {"op": "remove", "path": f'members[value eq "{user["id"]}"]'}
        scim.patch(f"/Groups/{group['id']}", json={"schemas": [PATCH], "Operations": [remove]}).raise_for_status()
        assert found() == []
        assert ann.get(f"/v1/documents/{document}").status_code == 404

        leave = {"op": "replace", "path": "active", "value": False}
        scim.patch(f"/Users/{user['id']}", json={"schemas": [PATCH], "Operations": [leave]}).raise_for_status()
        assert ann.get("/auth/session").status_code == 401
        assert ann.post("/v1/search", json={"query": word}, headers=headers).status_code == 401
        assert sign_in(ann, company.platform.urls["CORTEX_OIDC_ISSUER"], email).status_code == 403


def test_roles_open_no_content(company: Company) -> None:
    document = company.pushed(
        f"{uuid.uuid4().hex}.md", "Nobody in particular may read this.", acl={"allow": ["user:zoe@acme.example"]}
    )
    for role in Role:
        someone = company.person(f"with-{role.value}", role=role)
        assert someone.get(f"/v1/documents/{document}").status_code == 404
        assert document not in someone.found("Nobody in particular may read this")
    assert company.person("zoe").opens(document)


def test_a_key_reads_what_names_its_program_and_no_more(company: Company) -> None:
    name = f"reports-{uuid.uuid4().hex[:8]}"
    named = company.pushed(f"{name}-a.md", "For the reports.", acl={"allow": [f"user:{name}@service.invalid"]})
    public = company.pushed(f"{name}-b.md", "For everyone at Acme.")
    key = whole(company.admin.post("/admin/v1/keys", {"name": name, "scopes": ["read"]}))["key"]
    with httpx.Client(
        base_url=company.platform.url, headers={"Authorization": f"Bearer {key}"}, timeout=60, trust_env=False
    ) as program:
        assert program.get(f"/v1/documents/{named}").status_code == 200
        assert program.get(f"/v1/documents/{public}").status_code == 404
