"""Every way to show who one is, tried by what the credential looks like, and no other."""

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass
from urllib.parse import urlsplit

from cortex.domain.credential import Credential, Refused
from cortex.domain.errors import CrossSite, Denied
from cortex.domain.identity import TenantId
from cortex.domain.sign_in import SignInPolicy, Subject, granted_role, trusted_email
from cortex.ports.api_keys import PREFIX, ApiKeys
from cortex.ports.authenticator import Authenticator, Presented
from cortex.ports.identities import Identities, Signed
from cortex.ports.identity_provider import IdentityProvider
from cortex.ports.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Site:
    """Where browsers find us. `origin` None: wherever the request's Host says, which somebody else checks."""

    origin: str | None = None
    secure: bool = False

    @property
    def session_cookie(self) -> str:
        """Browsers take a `__Host-` cookie from the host itself alone, over https."""
        return "__Host-cortex-session" if self.secure else "cortex-session"

    @property
    def sign_in_cookie(self) -> str:
        return "__Host-cortex-sign-in" if self.secure else "cortex-sign-in"


@dataclass(frozen=True, slots=True)
class Foreign:
    """People of one identity provider, in the tenant that it is configured for."""

    issuer: str
    provider: IdentityProvider
    identities: Identities
    tenant: TenantId
    policy: SignInPolicy

    async def signed(self, subject: Subject) -> Signed:
        """From an ID token, which says all that there is to say: a role that is not among it is lost."""
        email, role = trusted_email(subject, self.policy), granted_role(subject, self.policy)
        return await self.identities.sign_in(self.tenant, subject, email=email, role=role, make=self.policy.provision)

    async def credential(self, access_token: str) -> Credential:
        """From an access token, which often says nothing of roles and then changes none."""
        subject = await self.provider.verify(access_token)
        role = granted_role(subject, self.policy) if subject.roles else None
        signed = await self.identities.sign_in(
            self.tenant,
            subject,
            email=trusted_email(subject, self.policy),
            role=role,
            make=self.policy.provision,
        )
        return Credential(self.tenant, signed.person_id, signed.email, signed.role)


class Authenticators:
    """Implements Authenticator. What a request sends in `Authorization` counts alone; a cookie is looked at without."""

    def __init__(
        self,
        *,
        keys: ApiKeys,
        sessions: Sessions,
        site: Site,
        local: Authenticator | None = None,
        local_issuer: str = "",
        foreign: Foreign | None = None,
    ) -> None:
        self._keys = keys
        self._sessions = sessions
        self._site = site
        self._local = local
        self._local_issuer = local_issuer
        self._foreign = foreign

    async def authenticate(self, presented: Presented) -> Credential:
        token = presented.bearer()
        if token is None:
            return await self._by_cookie(presented)
        if token.startswith(PREFIX):
            return await self._keys.credential(token)
        # What is no JWT at all, no provider made: here it gets the hint how a token is made.
        if self._local is not None and (self._foreign is None or claimed_issuer(token) in (None, self._local_issuer)):
            return await self._local.authenticate(presented)
        if self._foreign is not None:
            try:
                return await self._foreign.credential(token)
            except Denied as error:
                raise Refused(str(error), tenant=self._foreign.tenant) from error
        raise Denied("tokens of this kind are not accepted here")

    async def _by_cookie(self, presented: Presented) -> Credential:
        secret = presented.cookies.get(self._site.session_cookie)
        if not secret:
            raise Denied("send Authorization: Bearer TOKEN, or sign in")
        credential = await self._sessions.credential(secret)
        if presented.unsafe:
            refuse_cross_site(presented, self._site, secret)
        return credential


def refuse_cross_site(presented: Presented, site: Site, secret: str) -> None:
    """A browser sends cookies along whoever's page asks it to; it says whose page that is, or the page proves itself.

    Raises CrossSite unless the Origin is ours, or there is none and the session's token is sent.
    """
    if presented.origin is not None:
        if not is_ours(presented.origin, presented.host, site):
            raise CrossSite("this request comes from another site's page")
    elif not hmac.compare_digest((presented.csrf_token or "").encode(), csrf_token(secret).encode()):
        raise CrossSite("send X-CSRF-Token with the token of GET /auth/session")


def csrf_token(secret: str) -> str:
    """Of a session; who knows it has read a page of ours, and cannot get back to the session's secret."""
    return base64.urlsafe_b64encode(hmac.digest(secret.encode(), b"csrf", hashlib.sha256)).decode().rstrip("=")


def claimed_issuer(token: str) -> str | None:
    """What an unverified JWT says of its issuer, to know who should verify it."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, binascii.Error):
        return None
    issuer = claims.get("iss") if isinstance(claims, dict) else None
    return issuer if isinstance(issuer, str) else None


def is_ours(origin: str, host: str | None, site: Site) -> bool:
    if site.origin is not None:
        return origin == site.origin
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme == "http" and bool(host) and parts.netloc.lower() == (host or "").lower()
