"""Tokens of an identity provider, checked. Pure: keys and the time are given."""

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from cortex.domain.errors import Denied
from cortex.domain.sign_in import Subject

# Asymmetric ones alone, each with the type of key that it takes: neither `none` nor a secret that we and others know.
ALGORITHMS: Mapping[str, str] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}
RSA_BITS_MIN = 2048
TOKEN_CHARACTERS_MAX = 16_384
_TYPES = frozenset({"", "jwt", "at+jwt", "application/at+jwt"})

Claims = Mapping[str, Any]
"""As they came: checked for whom, by whom and when, and nothing else."""


@dataclass(frozen=True, slots=True)
class Head:
    """A token's header, before anything is believed. `algorithm` is one of ALGORITHMS."""

    algorithm: str
    key_id: str | None
    type: str


def read_head(token: str) -> Head:
    """Raises Denied for what is no signed JWT, or is signed in a way that is not accepted."""
    if len(token) > TOKEN_CHARACTERS_MAX:
        raise Denied("the token is too long")
    try:
        header = jwt.get_unverified_header(token)
    except jwt.InvalidTokenError:
        raise Denied("the token is not a JWT") from None
    algorithm, key_id, kind = header.get("alg"), header.get("kid"), header.get("typ", "")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise Denied("the token's algorithm is not accepted")
    if "crit" in header or not isinstance(kind, str) or kind.lower() not in _TYPES:
        raise Denied("the token is of a kind that is not accepted")
    return Head(algorithm, key_id if isinstance(key_id, str) else None, kind.lower())


def fitting_key(head: Head, keys: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The one key by the token's `kid`; without a `kid` the only one of its type. None when there is no such key."""
    usable = [
        key
        for key in keys
        if key.get("kty") == ALGORITHMS[head.algorithm]
        and key.get("use", "sig") == "sig"
        and key.get("alg", head.algorithm) == head.algorithm
    ]
    found = [key for key in usable if head.key_id is None or key.get("kid") == head.key_id]
    return found[0] if len(found) == 1 else None


def verified(token: str, head: Head, key: Mapping[str, Any]) -> Claims:
    """The claims of a token that `key` signed."""
    try:
        made = jwt.PyJWK(dict(key), algorithm=head.algorithm)
        if isinstance(made.key, RSAPublicKey) and made.key.key_size < RSA_BITS_MIN:
            raise Denied("the identity provider's key is too short")
        claims: Claims = jwt.decode(
            token,
            made,
            algorithms=[head.algorithm],
            # By `check_claims`, with the time that we are given.
            options={"verify_exp": False, "verify_nbf": False, "verify_iat": False, "verify_aud": False},
        )
    except (jwt.InvalidTokenError, jwt.PyJWKError, jwt.InvalidKeyError):
        raise Denied("the token's signature does not hold") from None
    return claims


def check_claims(claims: Claims, *, issuer: str, audience: str, now_s: float, leeway_s: int) -> None:
    """Made by `issuer` for `audience`, and valid now. Raises Denied."""
    if claims.get("iss") != issuer:
        raise Denied("the token is of another issuer")
    if audience not in audiences(claims):
        raise Denied("the token was made for somebody else")
    if not isinstance(claims.get("sub"), str) or not 0 < len(claims["sub"]) <= 255:
        raise Denied("the token names nobody")
    expires, issued, begins = (_moment(claims, name) for name in ("exp", "iat", "nbf"))
    if expires is None or expires + leeway_s <= now_s:
        raise Denied("the token has expired")
    if (issued is not None and issued - leeway_s > now_s) or (begins is not None and begins - leeway_s > now_s):
        raise Denied("the token is not valid yet")


def check_id_token(claims: Claims, *, client_id: str, nonce: str) -> None:
    """What only an ID token has: our nonce, and that we are who asked for it. Raises Denied."""
    given = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
        raise Denied("the token belongs to another sign-in")
    presenter = claims.get("azp")
    if (presenter is not None and presenter != client_id) or (presenter is None and len(audiences(claims)) > 1):
        raise Denied("the token was made for somebody else")
    if "iat" not in claims:
        raise Denied("the token does not say when it was made")


def check_access_token(claims: Claims, head: Head) -> None:
    """An ID token is no access token, even where both name the same audience. Raises Denied."""
    if not head.type.endswith("at+jwt") and not claims.keys().isdisjoint({"nonce", "at_hash", "c_hash"}):
        raise Denied("this is an ID token; send an access token")


def audiences(claims: Claims) -> list[str]:
    given = claims.get("aud")
    listed = given if isinstance(given, list) else [given]
    return [audience for audience in listed if isinstance(audience, str)]


def subject_of(claims: Claims, *, role_claim: str | None) -> Subject:
    email, name = claims.get("email"), claims.get("name")
    return Subject(
        issuer=str(claims["iss"]),
        subject=str(claims["sub"]),
        email=email if isinstance(email, str) else None,
        email_verified=_truth(claims.get("email_verified")),
        name=name if isinstance(name, str) else None,
        roles=_roles(claims, role_claim),
    )


def _moment(claims: Claims, name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Denied(f"the token's {name} is not a time")
    return float(value)


def _truth(value: object) -> bool | None:
    """Some providers write it as text. Anything else that is there is not a yes."""
    if value is None:
        return None
    return value is True or value == "true"


def _roles(claims: Claims, path: str | None) -> frozenset[str]:
    if path is None:
        return frozenset()
    value: object = claims.get(path)
    if value is None:
        value = claims
        for part in path.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    listed = value if isinstance(value, list) else [value]
    return frozenset(item for item in listed if isinstance(item, str))
