"""What an administrator says about the identity provider."""

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from cortex.domain.errors import Invalid


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcSettings:
    """`audience` is what access tokens for our API are made for; None: no access token of the provider is accepted.

    `role_claim` names the claim that roles are mapped from; `a.b` looks inside, as `realm_access.roles` needs.
    `leeway_s` forgives clocks that differ. Keys are fetched again for an unknown `kid` every `rotation_s` at most, and
    serve for `keys_stale_s` while the provider is away.
    """

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    redirect_url: str
    audience: str | None = None
    role_claim: str | None = None
    scopes: tuple[str, ...] = ("openid", "email", "profile")
    leeway_s: int = 60
    timeout_s: float = 5.0
    metadata_fresh_s: int = 3600
    keys_fresh_s: int = 600
    keys_stale_s: int = 24 * 3600
    rotation_s: int = 30

    def __post_init__(self) -> None:
        checked_address(self.issuer, place="CORTEX_OIDC_ISSUER")


def checked_address(address: object, *, place: str) -> str:
    """An https address; http on loopback alone. Raises Invalid."""
    parts = urlsplit(address if isinstance(address, str) else "")
    if parts.scheme == "https" and parts.hostname and not parts.username:
        return parts.geturl()
    if parts.scheme == "http" and parts.hostname and is_loopback(parts.hostname) and not parts.username:
        return parts.geturl()
    raise Invalid(f"{place}: expected an https:// address (http:// on loopback alone), not {address!r}")


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
