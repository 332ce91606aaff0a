"""What is believed of a token, and everything that is not."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from hypothesis import given
from hypothesis import strategies as st

from cortex.adapters.oidc.tokens import (
    check_access_token,
    check_claims,
    check_id_token,
    fitting_key,
    read_head,
    subject_of,
    verified,
)
from cortex.domain.errors import Denied
from tests.oidc_provider import make_key

ISSUER, AUDIENCE, NOW = "https://id.acme.example", "cortex", 1_800_000_000
KEY, OTHER = make_key(), make_key()
CLAIMS = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann-1", "iat": NOW, "exp": NOW + 300}


def jwk(key: rsa.RSAPrivateKey, **more: Any) -> dict[str, Any]:
    return {**jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": "one", **more}


def signed(claims: Mapping[str, Any] = CLAIMS, *, key: rsa.RSAPrivateKey = KEY, **header: Any) -> str:
    return jwt.encode(dict(claims), key, algorithm="RS256", headers={"kid": "one", **header})


def unsigned(header: Mapping[str, Any], claims: Mapping[str, Any] = CLAIMS, signature: bytes = b"") -> str:
    parts = [json.dumps(header).encode(), json.dumps(claims).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def believed(token: str, keys: list[dict[str, Any]] | None = None) -> Mapping[str, Any]:
    head = read_head(token)
    key = fitting_key(head, keys if keys is not None else [jwk(KEY)])
    if key is None:
        raise Denied("no key")
    claims = verified(token, head, key)
    check_claims(claims, issuer=ISSUER, audience=AUDIENCE, now_s=NOW, leeway_s=60)
    return claims


def test_a_token_of_the_issuer_for_us_is_believed() -> None:
    assert believed(signed())["sub"] == "ann-1"


def test_elliptic_curves_are_accepted() -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    public = {**jwt.algorithms.ECAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": "one"}
    assert believed(jwt.encode(CLAIMS, key, algorithm="ES256", headers={"kid": "one"}), [public])["sub"] == "ann-1"


@pytest.mark.parametrize(
    "token",
    [
        "",
        "a",
        "a.b.c",
        "..",
        "\x00.\x00.\x00",
        "ä.ö.ü",
        unsigned({"alg": "none"}),
        unsigned({"alg": "None", "kid": "one"}),
        unsigned({"kid": "one"}),
        unsigned({"alg": 7, "kid": "one"}),
        unsigned({"alg": ["RS256"], "kid": "one"}),
        unsigned({"alg": "RS256", "kid": "one"}),
        unsigned({"alg": "RS256", "kid": "one"}, signature=b"x" * 256),
        unsigned({"alg": "RS256", "kid": {"a": 1}}),
        unsigned({"alg": "HS256", "kid": "one"}, signature=b"x" * 32),
        "x" * 20_000,
    ],
    ids=repr,
)
def test_what_is_not_signed_by_the_issuer_is_refused(token: str) -> None:
    with pytest.raises(Denied):
        believed(token)


def test_the_public_key_is_no_secret_of_ours() -> None:
    """HS256 with the RSA key's text as the secret: what a verifier falls for that goes by the header's algorithm."""
    text = KEY.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    head = unsigned({"alg": "HS256", "kid": "one", "typ": "JWT"}).rsplit(".", 1)[0]
    signature = hmac.digest(text, head.encode(), hashlib.sha256)
    with pytest.raises(Denied, match="algorithm"):
        believed(f"{head}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}")


@pytest.mark.parametrize(
    "change",
    [
        {"iss": "https://id.acme.example/"},
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"aud": []},
        {"aud": None},
        {"exp": NOW - 61},
        {"exp": None},
        {"exp": "later"},
        {"exp": True},
        {"nbf": NOW + 61},
        {"iat": NOW + 61},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 256},
    ],
    ids=str,
)
def test_a_claim_that_does_not_hold_refuses_the_token(change: dict[str, Any]) -> None:
    claims = {name: value for name, value in {**CLAIMS, **change}.items() if value is not None}
    with pytest.raises(Denied):
        believed(signed(claims) if not isinstance(claims.get("sub"), int) else unsigned_sub(claims))


def unsigned_sub(claims: Mapping[str, Any]) -> str:
    """PyJWT refuses to sign a subject that is no text."""
    body = unsigned({"alg": "RS256", "kid": "one"}, claims).rsplit(".", 1)[0]
    signature = jwt.algorithms.RSAAlgorithm(jwt.algorithms.RSAAlgorithm.SHA256).sign(body.encode(), KEY)
    return f"{body}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


@pytest.mark.parametrize("change", [{"exp": NOW - 59}, {"nbf": NOW + 59}, {"iat": NOW + 59}, {"aud": ["x", AUDIENCE]}])
def test_clocks_may_differ_a_little(change: dict[str, Any]) -> None:
    assert believed(signed({**CLAIMS, **change}))


def test_another_key_with_the_same_id_does_not_do() -> None:
    with pytest.raises(Denied, match="signature"):
        believed(signed(key=OTHER))


def test_a_key_is_found_by_its_id() -> None:
    keys = [jwk(OTHER, kid="two"), jwk(KEY)]
    assert believed(signed(), keys)
    with pytest.raises(Denied, match="no key"):
        believed(signed(kid="three"), keys)


def test_without_an_id_the_only_key_does_and_one_of_two_does_not() -> None:
    token = jwt.encode(CLAIMS, KEY, algorithm="RS256")
    assert believed(token)
    with pytest.raises(Denied, match="no key"):
        believed(token, [jwk(KEY), jwk(OTHER, kid="two")])


@pytest.mark.parametrize("more", [{"use": "enc"}, {"alg": "RS512"}, {"kty": "oct", "k": "c2VjcmV0"}, {"n": "AQAB"}])
def test_a_key_for_something_else_is_not_used(more: dict[str, Any]) -> None:
    with pytest.raises(Denied):
        believed(signed(), [jwk(KEY, **more)])


def test_a_short_key_is_not_used() -> None:
    short = make_key(1024)
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        token = signed(key=short)
    with pytest.raises(Denied, match="too short"):
        believed(token, [jwk(short)])


@pytest.mark.parametrize("header", [{"crit": ["exp"]}, {"typ": "logout+jwt"}, {"typ": "dpop+jwt"}])
def test_another_kind_of_token_is_refused(header: dict[str, Any]) -> None:
    with pytest.raises(Denied):
        believed(signed(**header))


@pytest.mark.parametrize(
    "change", [{"nonce": "other"}, {"nonce": None}, {"azp": "another"}, {"aud": [AUDIENCE, "another"]}, {"iat": None}]
)
def test_an_id_token_is_of_this_sign_in_and_for_us(change: dict[str, Any]) -> None:
    claims = {**CLAIMS, "nonce": "n", **change}
    with pytest.raises(Denied):
        check_id_token({k: v for k, v in claims.items() if v is not None}, client_id=AUDIENCE, nonce="n")


def test_an_id_token_is_no_access_token() -> None:
    with pytest.raises(Denied, match="ID token"):
        check_access_token({**CLAIMS, "nonce": "n"}, read_head(signed()))
    check_access_token({**CLAIMS, "nonce": "n"}, read_head(signed(typ="at+jwt")))
    check_access_token(CLAIMS, read_head(signed()))


@pytest.mark.parametrize(
    ("said", "verified_"), [(True, True), ("true", True), (False, False), ("false", False), (1, False), (None, None)]
)
def test_an_address_is_verified_where_the_provider_says_so(said: object, verified_: bool | None) -> None:
    claims = {**CLAIMS, "email": "ann@acme.example", "email_verified": said}
    assert subject_of(claims, role_claim=None).email_verified is verified_


@pytest.mark.parametrize(
    ("claims", "claim", "roles"),
    [
        ({"groups": ["a", "b"]}, "groups", {"a", "b"}),
        ({"role": "a"}, "role", {"a"}),
        ({"realm_access": {"roles": ["a"]}}, "realm_access.roles", {"a"}),
        ({"https://acme.example/roles": ["a"]}, "https://acme.example/roles", {"a"}),
        ({"groups": {"a": 1}}, "groups", set()),
        ({"groups": [1, None, "a"]}, "groups", {"a"}),
        ({}, "groups", set()),
        ({"groups": ["a"]}, None, set()),
    ],
)
def test_roles_are_read_from_where_the_provider_puts_them(
    claims: dict[str, Any], claim: str | None, roles: set[str]
) -> None:
    assert subject_of({**CLAIMS, **claims}, role_claim=claim).roles == roles


@given(st.text(max_size=200))
def test_any_text_is_refused_and_nothing_else_happens(token: str) -> None:
    with pytest.raises(Denied):
        believed(token)
