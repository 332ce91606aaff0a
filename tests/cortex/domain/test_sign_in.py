"""Whose address counts, which role a sign-in brings, and where it leads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.credential import Role
from cortex.domain.sign_in import EmailTrust, SignInPolicy, Subject, granted_role, local_path, trusted_email

ISSUER = "https://id.acme.example"


@pytest.mark.parametrize(
    ("verified", "trust", "email"),
    [
        (True, EmailTrust.REQUIRE, "ann@acme.example"),
        (None, EmailTrust.REQUIRE, None),
        (False, EmailTrust.REQUIRE, None),
        (True, EmailTrust.ISSUER, "ann@acme.example"),
        (None, EmailTrust.ISSUER, "ann@acme.example"),
        (False, EmailTrust.ISSUER, None),
    ],
)
def test_an_address_counts_by_the_policy(verified: bool | None, trust: EmailTrust, email: str | None) -> None:
    subject = Subject(ISSUER, "1", email="Ann@Acme.Example", email_verified=verified)
    assert trusted_email(subject, SignInPolicy(email_trust=trust)) == email


def test_what_is_no_address_does_not_count() -> None:
    assert trusted_email(Subject(ISSUER, "1", email="ann", email_verified=True), SignInPolicy()) is None


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ({"staff"}, Role.MEMBER),
        (set(), Role.MEMBER),
        ({"auditors"}, Role.AUDITOR),
        ({"auditors", "admins", "staff"}, Role.ADMIN),
        ({"owners", "auditors"}, Role.OWNER),
    ],
)
def test_the_highest_role_of_the_claim_holds(values: set[str], role: Role) -> None:
    mapping = {"admins": Role.ADMIN, "owners": Role.OWNER, "auditors": Role.AUDITOR}
    assert granted_role(Subject(ISSUER, "1", roles=frozenset(values)), SignInPolicy(roles=mapping)) is role


def test_without_a_mapping_the_stored_role_stays() -> None:
    assert granted_role(Subject(ISSUER, "1", roles=frozenset({"admins"})), SignInPolicy()) is None


def test_a_named_administrator_needs_a_verified_address() -> None:
    policy = SignInPolicy(administrators=frozenset({"ann@acme.example"}))
    assert granted_role(Subject(ISSUER, "1", "ann@acme.example", True), policy) is Role.ADMIN
    assert granted_role(Subject(ISSUER, "1", "ann@acme.example"), policy) is None
    assert granted_role(Subject(ISSUER, "1"), SignInPolicy()) is None


@pytest.mark.parametrize(
    "address",
    ["//evil.example", "https://evil.example", "/\\evil.example", "evil", "", None, "/a\nb", "/\t/evil.example", " /a"],
)
def test_a_sign_in_leads_to_no_other_place(address: str | None) -> None:
    assert local_path(address) == "/"


def test_a_sign_in_leads_back() -> None:
    assert local_path("/search?q=a%20b#top") == "/search?q=a%20b#top"


@given(st.text(alphabet="/\\.:@a?#%\t\n ", max_size=12))
def test_wherever_it_leads_is_a_path_of_ours(address: str) -> None:
    found = local_path(address)
    assert found.startswith("/")
    assert found[1:2] not in ("/", "\\")
