"""An identity provider that a test can make say anything: real keys, codes that are good once, PKCE enforced."""

import base64
import hashlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route

from cortex.runtime.http import serving

CLIENT_ID = "cortex"
CLIENT_SECRET = "s3cret & odd: %"
AUDIENCE = "https://cortex.example/api"


@cache
def first_key() -> rsa.RSAPrivateKey:
    """Made once: it takes a while."""
    return make_key()


def make_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


@dataclass
class Provider:
    """`person` is who is signed in there; `alter` changes an ID token's claims before they are signed.

    `jwks_uri`: where discovery says that the keys are, if not here.
    """

    issuer: str
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "ann-1"})
    alter: Callable[[dict[str, Any]], None] = lambda _claims: None
    keys: dict[str, rsa.RSAPrivateKey] = field(default_factory=lambda: {"first": first_key()})
    in_userinfo: bool = False
    jwks_uri: str = ""
    down: bool = False
    asked: list[str] = field(default_factory=list)
    codes: dict[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def kid(self) -> str:
        """The newest key signs."""
        return list(self.keys)[-1]

    def sign(self, claims: Mapping[str, Any], **header: Any) -> str:
        return jwt.encode(dict(claims), self.keys[self.kid], algorithm="RS256", headers={"kid": self.kid, **header})

    def claims(self, audience: str, **more: Any) -> dict[str, Any]:
        now = int(time.time())
        return {"iss": self.issuer, "aud": audience, "iat": now, "exp": now + 300, **self.person, **more}

    def access_token(self, **more: Any) -> str:
        return self.sign(self.claims(AUDIENCE, **more), typ="at+jwt")

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._discover),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/jwks", self._jwks),
                Route("/userinfo", self._userinfo),
            ]
        )

    async def _discover(self, request: Request) -> JSONResponse:
        self.asked.append("discovery")
        found = {"issuer": self.issuer}
        found |= {
            f"{name}_endpoint": f"{self.issuer}/{path}"
            for name, path in (("authorization", "authorize"), ("token", "token"), ("userinfo", "userinfo"))
        }
        keys = self.jwks_uri or f"{self.issuer}/jwks"
        return JSONResponse(found | {"jwks_uri": keys}, status_code=503 if self.down else 200)

    async def _authorize(self, request: Request) -> RedirectResponse:
        """Whoever comes is signed in as `person` at once."""
        code = secrets.token_urlsafe(8)
        self.codes[code] = dict(request.query_params)
        answer = {"code": code, "state": request.query_params["state"], "iss": self.issuer}
        return RedirectResponse(f"{request.query_params['redirect_uri']}?{urlencode(answer)}", status_code=302)

    async def _token(self, request: Request) -> JSONResponse:
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        begun = self.codes.pop(form.get("code", ""), None)
        if begun is None or not self._may_redeem(request, form, begun):
            return JSONResponse({"error": "invalid_grant"}, status_code=400)
        claims = self.claims(CLIENT_ID, nonce=begun["nonce"])
        if self.in_userinfo:
            claims.pop("email", None)
            claims.pop("email_verified", None)
        self.alter(claims)
        return JSONResponse({"id_token": self.sign(claims), "access_token": "opaque", "token_type": "Bearer"})

    def _may_redeem(self, request: Request, form: Mapping[str, str], begun: Mapping[str, str]) -> bool:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        wanted = "&".join(urlencode({"": part})[1:].replace("+", "%20") for part in (CLIENT_ID, CLIENT_SECRET))
        proof = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        return (
            scheme == "Basic"
            and base64.b64decode(given).decode() == wanted.replace("&", ":")
            and begun["code_challenge_method"] == "S256"
            and proof.decode().rstrip("=") == begun["code_challenge"]
            and form.get("redirect_uri") == begun["redirect_uri"]
        )

    async def _jwks(self, request: Request) -> JSONResponse:
        self.asked.append("jwks")
        algorithm = jwt.algorithms.RSAAlgorithm
        found = [
            {**algorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid, "use": "sig"}
            for kid, key in self.keys.items()
        ]
        return JSONResponse({"keys": found}, status_code=503 if self.down else 200)

    async def _userinfo(self, request: Request) -> JSONResponse:
        return JSONResponse(self.person)


@asynccontextmanager
async def provider_on(port: int) -> AsyncIterator[Provider]:
    provider = Provider(f"http://127.0.0.1:{port}")
    async with serving(provider.app(), port=port, grace_s=1):
        yield provider
