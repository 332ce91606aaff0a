"""Administration and sign-in as they are served: real Postgres, SpiceDB and Valkey, a provider of the test's own."""

import socket
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NoReturn

import httpx
import pytest
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from cortex.adapters.local_tokens import LocalClaims, LocalTokens
from cortex.domain.credential import Role
from cortex.domain.errors import Transient
from cortex.domain.identity import TenantId, tenant_id
from cortex.domain.sign_in import SignInPolicy
from cortex.runtime.backbone import Backbone, backbone
from cortex.runtime.edge.application import CountedRequests, application
from cortex.runtime.edge.settings import EdgeSettings
from cortex.runtime.edge.untraced import Untraced
from cortex.runtime.http import serving
from cortex.runtime.identity_settings import IdentitySettings, ProviderSettings
from cortex.runtime.settings import PlatformSettings
from services.control_plane import compose
from tests.local_servers import KeyedUrl, PostgresUrls
from tests.oidc_provider import AUDIENCE, CLIENT_ID, CLIENT_SECRET, Provider, provider_on
from tests.services.query_gateway.world import World


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@dataclass
class Site:
    """One served platform, and a tenant of the test's own."""

    url: str
    tenant_name: str
    tokens: LocalTokens
    shared: Backbone
    signing: compose.Signing
    provider: Provider
    app: FastAPI
    clients: list[httpx.AsyncClient] = field(default_factory=list)

    @property
    def tenant(self) -> TenantId:
        return tenant_id(self.tenant_name)

    def client(self, token: str | None = None, **headers: str) -> httpx.AsyncClient:
        """A browser or a program: it keeps cookies and follows nothing by itself."""
        sent = headers | ({} if token is None else {"Authorization": f"Bearer {token}"})
        self.clients.append(httpx.AsyncClient(base_url=self.url, headers=sent, timeout=30, trust_env=False))
        return self.clients[-1]

    def token(self, name: str = "admin", role: Role = Role.ADMIN) -> str:
        claims = LocalClaims(self.tenant_name, f"{name}@acme.example", role)
        return self.tokens.mint(claims, ttl=timedelta(hours=1))

    def person(self, name: str = "admin", role: Role = Role.ADMIN) -> httpx.AsyncClient:
        return self.client(self.token(name, role))

    async def scim(self) -> httpx.AsyncClient:
        return self.client(await self.key("scim"))

    async def key(self, *scopes: str, **more: object) -> str:
        body = {"name": f"key-{uuid.uuid4().hex[:8]}", "scopes": list(scopes), **more}
        answer = await self.person().post("/admin/v1/keys", json=body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["key"])

    async def sign_in(self, browser: httpx.AsyncClient, *, return_to: str = "/") -> httpx.Response:
        """As a browser does it; the answer of our callback."""
        begun = await browser.get("/auth/sign-in", params={"return_to": return_to})
        assert begun.status_code == 303, begun.text
        async with httpx.AsyncClient(trust_env=False) as elsewhere:
            there = await elsewhere.get(begun.headers["location"])
        return await browser.get(there.headers["location"])

    async def audited(self) -> list[str]:
        async with self.shared.database.tenant(self.tenant) as connection:
            rows = await connection.exec_driver_sql("SELECT action FROM audit ORDER BY sequence")
            return list(rows.scalars())


@pytest.fixture(scope="session")
async def shared(
    postgres_url: PostgresUrls,
    spicedb: KeyedUrl,
    redis_url: str,
    nats_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Backbone]:
    tmp_path = tmp_path_factory.mktemp("data")
    settings = PlatformSettings(
        data=tmp_path,
        database_url=postgres_url.service,
        nats_url=nats_url,
        redis_url=redis_url,
        spicedb_url=spicedb.url,
        spicedb_key=spicedb.key,
        temporal_url="",
        qdrant_url="",
        qdrant_key="",
        objects_url=tmp_path.as_uri(),
        models_dir=tmp_path,
        models_url="",
        internal_key="",
    )
    async with backbone(settings, connections_max=8) as opened:
        yield opened


@pytest.fixture
def policy() -> SignInPolicy:
    """What a module overrides."""
    return SignInPolicy()


@pytest.fixture
async def site(shared: Backbone, policy: SignInPolicy) -> AsyncIterator[Site]:
    tenant, port = f"t-{uuid.uuid4().hex[:12]}", free_port()
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(provider_on(free_port()))
        identity = IdentitySettings(
            provider=ProviderSettings(
                issuer=provider.issuer,
                client_id=CLIENT_ID,
                client_secret=CLIENT_SECRET,
                tenant=tenant,
                audience=AUDIENCE,
                role_claim="realm_access.roles" if policy.roles else None,
                policy=policy,
            )
        )
        signing = await stack.enter_async_context(compose.signing(shared, identity, port=port))
        app = application(
            compose.identity_routers(signing.identity, signing.local),
            EdgeSettings(allowed_hosts=frozenset({"127.0.0.1"})),
            tracer=Untraced(),
            requests=CountedRequests(CollectorRegistry()),
        )
        await stack.enter_async_context(serving(app, port=port, grace_s=1))
        tokens = LocalTokens(shared.settings.data / "token.key", shared.clock)
        found = Site(f"http://127.0.0.1:{port}", tenant, tokens, shared, signing, provider, app)
        yield found
        for client in found.clients:
            await client.aclose()


@pytest.fixture
def whole_app(site: Site) -> FastAPI:
    """Every route of the gateway. Temporal and the connectors are away."""
    away: Any = Away()
    work = compose.Work(sync=away, erasure=away, reconcile=away)
    app = World().app()
    for router in compose.routers(site.shared, site.signing, work=work, types=away):
        app.include_router(router)
    return app


class Away:
    """Whatever is asked of it, it does not answer."""

    def __getattr__(self, name: str) -> Callable[..., Awaitable[NoReturn]]:
        async def asked(*_given: object, **_named: object) -> NoReturn:
            raise Transient(f"{name}: out of reach")

        return asked
