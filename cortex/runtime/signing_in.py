"""Opens what signing in stands on, for every process that is asked by people."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from cortex.adapters.local_tokens import ISSUER, LocalAuthenticator, LocalTokens
from cortex.adapters.oidc.provider import OidcProvider
from cortex.adapters.oidc.settings import OidcSettings
from cortex.adapters.postgres.api_keys import PostgresApiKeys
from cortex.adapters.postgres.audit import PostgresAuditLog
from cortex.adapters.postgres.directory import PostgresDirectory
from cortex.adapters.postgres.identities import PostgresIdentities
from cortex.adapters.postgres.sessions import PostgresSessions, SessionLimits
from cortex.adapters.postgres.settings import PostgresSettings
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.redis import RedisBuckets
from cortex.adapters.wrap.cached_directory import CachedDirectory
from cortex.adapters.wrap.principal_limits import CountedLimits, LimitedAuthenticator
from cortex.ports.authenticator import Authenticator
from cortex.ports.directory import Directory
from cortex.ports.limits import PrincipalLimits
from cortex.runtime.backbone import Backbone
from cortex.runtime.edge.authenticate import Authenticators, Foreign, Site
from cortex.runtime.edge.refusals import NotedAuthenticator, Refusals
from cortex.runtime.identity_settings import IdentitySettings, ProviderSettings

DEFAULT_TENANT = "default"
"""Whose audit gets what belongs to no tenant, where no identity provider is configured for one."""


@dataclass(frozen=True, slots=True)
class Local:
    """The key of evaluation mode: what it makes, and who takes that."""

    tokens: LocalTokens
    authenticator: LocalAuthenticator


@dataclass(frozen=True, slots=True)
class SigningIn:
    """`foreign` None: no identity provider is configured. `local` None: outside evaluation mode."""

    authenticator: Authenticator
    directory: CachedDirectory
    limits: PrincipalLimits
    keys: PostgresApiKeys
    sessions: PostgresSessions
    identities: PostgresIdentities
    site: Site
    foreign: Foreign | None
    refusals: Refusals
    local: Local | None


@asynccontextmanager
async def signing_in(shared: Backbone, identity: IdentitySettings, *, port: int) -> AsyncIterator[SigningIn]:
    """`port` is where browsers on loopback find us, where no other address is configured."""
    async with AsyncExitStack() as stack:
        directory = CachedDirectory(PostgresDirectory(shared.database, shared.permissions, shared.clock), shared.groups)
        identities = PostgresIdentities(shared.database, shared.permissions, shared.clock)
        limits = SessionLimits(timedelta(seconds=identity.session_idle_s), timedelta(seconds=identity.session_s_max))
        sessions = PostgresSessions(shared.database, shared.clock, limits)
        keys = PostgresApiKeys(shared.database, shared.permissions, shared.clock)
        site = Site(identity.public_url, secure=(identity.public_url or "").startswith("https://"))
        foreign = None
        if identity.provider is not None:
            address = identity.public_url or f"http://127.0.0.1:{port}"
            foreign = await _foreign(stack, shared, identity.provider, identities=identities, address=address)
        buckets = RedisBuckets(shared.settings.redis_url)
        stack.push_async_callback(buckets.close)
        counted = CountedLimits(PostgresSettings(shared.database, shared.clock), buckets, shared.clock)
        local = _local(shared, directory) if identity.local else None
        shown = Authenticators(
            keys=keys,
            sessions=sessions,
            site=site,
            local=local.authenticator if local is not None else None,
            local_issuer=ISSUER,
            foreign=foreign,
        )
        home = identity.provider.tenant if identity.provider is not None else DEFAULT_TENANT
        audit, tenants = PostgresAuditLog(shared.database, shared.clock), PostgresTenants(shared.database)
        refusals = Refusals(audit, shared.clock, home=partial(tenants.make, home, title=home))
        stack.push_async_callback(refusals.settle, all_=True)
        yield SigningIn(
            authenticator=LimitedAuthenticator(NotedAuthenticator(shown, refusals), counted),
            directory=directory,
            limits=counted,
            keys=keys,
            sessions=sessions,
            identities=identities,
            site=site,
            foreign=foreign,
            refusals=refusals,
            local=local,
        )


def _local(shared: Backbone, directory: Directory) -> Local:
    tokens = LocalTokens(shared.settings.data / "token.key", shared.clock)
    return Local(tokens, LocalAuthenticator(tokens, directory, PostgresTenants(shared.database)))


async def _foreign(
    stack: AsyncExitStack,
    shared: Backbone,
    settings: ProviderSettings,
    *,
    identities: PostgresIdentities,
    address: str,
) -> Foreign:
    provider = OidcProvider(
        OidcSettings(
            issuer=settings.issuer,
            client_id=settings.client_id,
            client_secret=settings.client_secret,
            redirect_url=f"{address}/auth/callback",
            audience=settings.audience,
            role_claim=settings.role_claim,
            leeway_s=settings.leeway_s,
        ),
        shared.clock,
        egress=shared.egress,
    )
    stack.push_async_callback(provider.close)
    tenant = await PostgresTenants(shared.database).make(settings.tenant, title=settings.tenant)
    return Foreign(settings.issuer, provider, identities, tenant, settings.policy)
