"""Local bearer tokens of evaluation mode: signed with a key file of the data folder, refused everywhere else."""

import os
import secrets
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from pathlib import Path

import jwt

from cortex.domain.credential import Credential, Refused, Role
from cortex.domain.errors import Denied, Invalid, NotFound
from cortex.domain.identity import PersonId, TenantId, normalise_email, slug, tenant_id
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Presented
from cortex.ports.clock import Clock
from cortex.ports.directory import Directory
from cortex.ports.tenants import Tenants

ISSUER = "cortex-local"
ALGORITHM = "HS256"
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class LocalClaims:
    tenant: str
    email: str
    role: Role


class LocalTokens:
    """Whoever may read the key file may be anyone: it is readable by its owner alone."""

    def __init__(self, key_file: Path, clock: Clock) -> None:
        self._key = _key(key_file)
        self._clock = clock

    def mint(self, claims: LocalClaims, *, ttl: timedelta) -> str:
        now = self._clock.now()
        payload = {
            "iss": ISSUER,
            "tenant": slug(claims.tenant),
            "sub": normalise_email(claims.email),
            "role": claims.role.value,
            "iat": int(now.timestamp()),
            "exp": ceil((now + ttl).timestamp()),
        }
        return jwt.encode(payload, self._key, algorithm=ALGORITHM)

    def verify(self, token: str) -> LocalClaims:
        """Raises Denied with what to do."""
        try:
            payload = jwt.decode(
                token,
                self._key,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                # The time is this platform's clock's, below.
                options={"require": ["exp", "iat", "sub", "iss"], "verify_exp": False, "verify_iat": False},
            )
            claims = LocalClaims(slug(payload["tenant"]), normalise_email(payload["sub"]), Role(payload["role"]))
            expires = float(payload["exp"])
        except (jwt.InvalidTokenError, KeyError, ValueError, TypeError, Invalid):
            raise Denied("the token was not made by this platform; `cortex token EMAIL` makes one") from None
        if self._clock.now().timestamp() >= expires:
            raise Denied("the token has expired; `cortex token EMAIL` makes a new one")
        return claims


def _key(path: Path) -> str:
    """The file's key, made on first use; only its owner may read it."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(KEY_BYTES) + "\n")
    if path.stat().st_mode & 0o077:
        raise Invalid(f"{path}: others may read it; chmod 600 {path}")
    key = path.read_text(encoding="ascii").strip()
    if len(key) < KEY_BYTES:
        raise Invalid(f"{path}: too short to be a key; remove it, and a new one is made")
    return key


class LocalAuthenticator:
    """Implements Authenticator for local tokens. Unknown people become known: the key vouches for them."""

    def __init__(self, tokens: LocalTokens, directory: Directory, tenants: Tenants) -> None:
        self._tokens = tokens
        self._directory = directory
        self._tenants = tenants

    async def authenticate(self, presented: Presented) -> Credential:
        token = presented.bearer()
        if token is None:
            raise Denied("send Authorization: Bearer TOKEN; `cortex token EMAIL` makes one")
        claims = self._tokens.verify(token)
        tenant = tenant_id(claims.tenant)
        return Credential(tenant, await self._person(tenant, claims), claims.email, claims.role)

    async def _person(self, tenant: TenantId, claims: LocalClaims) -> PersonId:
        try:
            person = await self._directory.person(tenant, claims.email)
        except NotFound:
            await self._tenants.make(claims.tenant, title=claims.tenant)
            name = claims.email.partition("@")[0]
            line = AuditEntry(claims.email, "person.put", "", {"by": ISSUER})
            person = await self._directory.audited(line).put_person(tenant, claims.email, name=name, guest=False)
        if not person.active:
            message = "this account is not active; an administrator can change that"
            raise Refused(message, tenant=tenant, about=str(person.id))
        return person.id
