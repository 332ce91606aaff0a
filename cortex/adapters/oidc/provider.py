"""One identity provider (ports/identity_provider.py)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from cortex.adapters.egress import EgressPolicy, Resolve, guarded, resolve
from cortex.adapters.oidc import tokens
from cortex.adapters.oidc.fetch import Fetch
from cortex.adapters.oidc.keys import Key, Keys
from cortex.adapters.oidc.settings import OidcSettings, checked_address
from cortex.domain.errors import Denied, Invalid, Transient
from cortex.domain.sign_in import Subject
from cortex.ports.clock import Clock

WELL_KNOWN = "/.well-known/openid-configuration"


@dataclass(frozen=True, slots=True)
class Metadata:
    """What discovery says. `posts_secret`: the token endpoint takes the client's secret in the body alone."""

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    posts_secret: bool


class OidcProvider:
    """Implements IdentityProvider. Fetches from the issuer's own host, and otherwise from where `egress` permits."""

    def __init__(
        self, settings: OidcSettings, clock: Clock, *, egress: EgressPolicy, resolver: Resolve = resolve
    ) -> None:
        self._settings = settings
        self._clock = clock
        policy = egress.naming(urlsplit(settings.issuer).hostname or "")
        self._fetch = Fetch(timeout_s=settings.timeout_s, transport=guarded(policy, resolver=resolver))
        self._keys = Keys(self._fetch_keys, clock, settings)
        self._lock = asyncio.Lock()
        self._metadata: tuple[Metadata, datetime] | None = None

    async def authorization_url(self, *, state: str, nonce: str, challenge: str) -> str:
        metadata = await self.metadata()
        query = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": self._settings.redirect_url,
            "scope": " ".join(self._settings.scopes),
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        joint = "&" if "?" in metadata.authorization_endpoint else "?"
        return f"{metadata.authorization_endpoint}{joint}{urlencode(query)}"

    async def exchange(self, code: str, *, verifier: str, nonce: str) -> Subject:
        answer = await self._redeem(code, verifier)
        id_token, access_token = answer.get("id_token"), answer.get("access_token")
        if not isinstance(id_token, str):
            raise Denied("the identity provider sent no ID token")
        claims, _ = await self._claims(id_token, audience=self._settings.client_id)
        tokens.check_id_token(claims, client_id=self._settings.client_id, nonce=nonce)
        if "email" not in claims and isinstance(access_token, str):
            claims = {**await self._user_info(access_token, claims["sub"]), **claims}
        return tokens.subject_of(claims, role_claim=self._settings.role_claim)

    async def verify(self, access_token: str) -> Subject:
        if self._settings.audience is None:
            raise Denied("access tokens of the identity provider are not accepted here")
        claims, head = await self._claims(access_token, audience=self._settings.audience)
        tokens.check_access_token(claims, head)
        return tokens.subject_of(claims, role_claim=self._settings.role_claim)

    async def metadata(self) -> Metadata:
        """Kept for `metadata_fresh_s`, and longer while the provider is away."""
        async with self._lock:
            kept = self._metadata
            now = self._clock.now()
            if kept is not None and (now - kept[1]).total_seconds() <= self._settings.metadata_fresh_s:
                return kept[0]
            try:
                found = self._read(await self._fetch.get(self._settings.issuer.rstrip("/") + WELL_KNOWN))
            except (Transient, Denied) as error:
                if kept is None:
                    raise Transient(f"discovery of the identity provider: {error}", retry_after_s=2.0) from error
                return kept[0]
            self._metadata = (found, now)
            return found

    async def close(self) -> None:
        await self._fetch.close()

    def _read(self, document: Mapping[str, Any]) -> Metadata:
        """Another issuer's document, or an endpoint that anyone could listen to, is as good as none."""
        if document.get("issuer") != self._settings.issuer:
            raise Transient("discovery answers for another issuer than CORTEX_OIDC_ISSUER")
        methods = document.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        try:
            userinfo = document.get("userinfo_endpoint")
            return Metadata(
                authorization_endpoint=checked_address(
                    document.get("authorization_endpoint"), place="authorization_endpoint"
                ),
                token_endpoint=checked_address(document.get("token_endpoint"), place="token_endpoint"),
                jwks_uri=checked_address(document.get("jwks_uri"), place="jwks_uri"),
                userinfo_endpoint=None if userinfo is None else checked_address(userinfo, place="userinfo_endpoint"),
                posts_secret="client_secret_basic" not in methods and "client_secret_post" in methods,
            )
        except Invalid as error:
            raise Transient(f"discovery: {error}") from error

    async def _redeem(self, code: str, verifier: str) -> Mapping[str, Any]:
        metadata, settings = await self.metadata(), self._settings
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": settings.redirect_url,
            "code_verifier": verifier,
        }
        if settings.client_secret is None:
            return await self._fetch.post(metadata.token_endpoint, form | {"client_id": settings.client_id})
        if metadata.posts_secret:
            secret = {"client_id": settings.client_id, "client_secret": settings.client_secret}
            return await self._fetch.post(metadata.token_endpoint, form | secret)
        # RFC 6749, section 2.3.1: both are form-encoded first.
        basic = (quote(settings.client_id, safe=""), quote(settings.client_secret, safe=""))
        return await self._fetch.post(metadata.token_endpoint, form, basic=basic)

    async def _claims(self, token: str, *, audience: str) -> tuple[tokens.Claims, tokens.Head]:
        head = tokens.read_head(token)
        claims = tokens.verified(token, head, await self._keys.key(head))
        tokens.check_claims(
            claims,
            issuer=self._settings.issuer,
            audience=audience,
            now_s=self._clock.now().timestamp(),
            leeway_s=self._settings.leeway_s,
        )
        return claims, head

    async def _user_info(self, access_token: str, subject: str) -> Mapping[str, Any]:
        """Where the ID token leaves the address out. An answer about somebody else counts for nothing."""
        endpoint = (await self.metadata()).userinfo_endpoint
        if endpoint is None:
            return {}
        found = await self._fetch.get(endpoint, bearer=access_token)
        return found if found.get("sub") == subject else {}

    async def _fetch_keys(self) -> Sequence[Key]:
        found = (await self._fetch.get((await self.metadata()).jwks_uri)).get("keys")
        if not isinstance(found, list):
            raise Transient("the identity provider's keys are not a JWK set")
        return [key for key in found if isinstance(key, dict)]
