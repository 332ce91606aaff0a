"""How people sign in, from the environment. docs/operating/sign-in.md names every variable."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from cortex.domain.credential import Role
from cortex.domain.errors import Invalid
from cortex.domain.identity import normalise_email, slug
from cortex.domain.sign_in import EmailTrust, SignInPolicy

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """One OpenID Connect provider, whose people are of one tenant."""

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    tenant: str = "default"
    audience: str | None = None
    role_claim: str | None = None
    leeway_s: int = 60
    policy: SignInPolicy = field(default_factory=SignInPolicy)


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentitySettings:
    """`public_url` is what browsers open; None: loopback, on whatever port is served. `bind` is what is listened on."""

    local: bool = True
    bind: str = LOOPBACK
    public_url: str | None = None
    provider: ProviderSettings | None = None
    session_idle_s: int = 8 * 3600
    session_s_max: int = 7 * 24 * 3600

    def check(self) -> None:
        """Raises Invalid for what would let anybody in, or nobody."""
        if not self.local and self.provider is None:
            raise Invalid("no way to sign in: set CORTEX_OIDC_ISSUER, or on loopback CORTEX_AUTH_LOCAL=true")
        if self.local and self.bind != LOOPBACK:
            raise Invalid(f"local sign-in binds {LOOPBACK} only, not {self.bind}; set CORTEX_AUTH_LOCAL=false")
        if self.public_url is not None:
            parts = urlsplit(self.public_url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query:
                raise Invalid("CORTEX_PUBLIC_URL: expected https://HOST[:PORT] without a path")
        if self.bind != LOOPBACK and not (self.public_url or "").startswith("https://"):
            raise Invalid("CORTEX_PUBLIC_URL: a gateway that others reach needs https://HOST, which its ingress serves")


def identity_settings(environment: Mapping[str, str]) -> IdentitySettings:
    """Raises Invalid that names the variable."""
    settings = IdentitySettings(
        local=_flag(environment, "CORTEX_AUTH_LOCAL", default=True),
        bind=environment.get("CORTEX_BIND") or LOOPBACK,
        public_url=(environment.get("CORTEX_PUBLIC_URL") or "").rstrip("/").lower() or None,
        provider=_provider(environment) if environment.get("CORTEX_OIDC_ISSUER") else None,
        session_idle_s=_seconds(environment, "CORTEX_SESSION_IDLE_S", default=8 * 3600),
        session_s_max=_seconds(environment, "CORTEX_SESSION_S_MAX", default=7 * 24 * 3600),
    )
    settings.check()
    return settings


def _provider(environment: Mapping[str, str]) -> ProviderSettings:
    client_id = environment.get("CORTEX_OIDC_CLIENT_ID")
    if not client_id:
        raise Invalid("CORTEX_OIDC_CLIENT_ID: set it, as the identity provider knows this platform")
    roles = environment.get("CORTEX_OIDC_ROLES", "")
    role_claim = environment.get("CORTEX_OIDC_ROLE_CLAIM") or None
    if bool(roles) != (role_claim is not None):
        raise Invalid("CORTEX_OIDC_ROLE_CLAIM and CORTEX_OIDC_ROLES: set both or none")
    policy = SignInPolicy(
        email_trust=_email_trust(environment.get("CORTEX_OIDC_EMAIL_POLICY", EmailTrust.REQUIRE.value)),
        provision=_flag(environment, "CORTEX_OIDC_PROVISION", default=True),
        roles=dict(_role(item) for item in _items(roles)),
        administrators=frozenset(
            normalise_email(item) for item in _items(environment.get("CORTEX_OIDC_ADMINISTRATORS", ""))
        ),
    )
    return ProviderSettings(
        issuer=environment["CORTEX_OIDC_ISSUER"],
        client_id=client_id,
        client_secret=_secret(environment.get("CORTEX_OIDC_CLIENT_SECRET_FILE")),
        tenant=slug(environment.get("CORTEX_OIDC_TENANT") or "default"),
        audience=environment.get("CORTEX_OIDC_AUDIENCE") or None,
        role_claim=role_claim,
        leeway_s=_seconds(environment, "CORTEX_OIDC_LEEWAY_S", default=60, least=0),
        policy=policy,
    )


def _secret(path: str | None) -> str | None:
    """From a file: a secret in the environment shows in too many places."""
    if not path:
        return None
    try:
        secret = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise Invalid(f"CORTEX_OIDC_CLIENT_SECRET_FILE: {path} cannot be read") from error
    if not secret:
        raise Invalid(f"CORTEX_OIDC_CLIENT_SECRET_FILE: {path} is empty")
    return secret


def _email_trust(text: str) -> EmailTrust:
    try:
        return EmailTrust(text)
    except ValueError:
        raise Invalid(f"CORTEX_OIDC_EMAIL_POLICY: {text!r} is not one of {', '.join(EmailTrust)}") from None


def _role(item: str) -> tuple[str, Role]:
    value, separator, role = item.rpartition("=")
    try:
        if separator and value:
            return value.strip(), Role(role.strip())
    except ValueError:
        pass
    raise Invalid(f"CORTEX_OIDC_ROLES: {item!r}: expected VALUE=ROLE with a role of {', '.join(Role)}")


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _flag(environment: Mapping[str, str], name: str, *, default: bool) -> bool:
    match environment.get(name, "").lower():
        case "":
            return default
        case "true":
            return True
        case "false":
            return False
        case other:
            raise Invalid(f"{name}: {other!r}: expected true or false")


def _seconds(environment: Mapping[str, str], name: str, *, default: int, least: int = 1) -> int:
    text = environment.get(name, "")
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise Invalid(f"{name}: {text!r}: expected a number of seconds from {least} on")
    return int(text)
