"""Builds administration over Postgres and Temporal, and every way to sign in."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from fastapi import APIRouter

from cortex.adapters.local_tokens import ISSUER, LocalAuthenticator, LocalTokens
from cortex.adapters.oidc.provider import OidcProvider
from cortex.adapters.oidc.settings import OidcSettings
from cortex.adapters.postgres.api_keys import PostgresApiKeys
from cortex.adapters.postgres.audit import PostgresAuditLog
from cortex.adapters.postgres.directory import PostgresDirectory
from cortex.adapters.postgres.erasing.ledger import PostgresErasures
from cortex.adapters.postgres.identities import PostgresIdentities
from cortex.adapters.postgres.people import PostgresPeople
from cortex.adapters.postgres.privacy import PostgresPrivacy
from cortex.adapters.postgres.provisioned_groups import PostgresProvisionedGroups
from cortex.adapters.postgres.provisioned_users import PostgresProvisionedUsers
from cortex.adapters.postgres.reconcile.runs import PostgresReconcileRuns
from cortex.adapters.postgres.secrets import PostgresSecrets
from cortex.adapters.postgres.sessions import PostgresSessions, SessionLimits
from cortex.adapters.postgres.settings import PostgresSettings
from cortex.adapters.postgres.sharing import PostgresSharing
from cortex.adapters.postgres.sources import PostgresSources
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.redis import RedisBuckets
from cortex.adapters.sealing import EnvelopeSealer, KeyFile
from cortex.adapters.signed_anchors import SignedAnchors
from cortex.adapters.signing import PlatformSigner
from cortex.adapters.wrap.cached_directory import CachedDirectory
from cortex.adapters.wrap.principal_limits import CountedLimits, LimitedAuthenticator
from cortex.ports.authenticator import Authenticator
from cortex.ports.directory import Directory
from cortex.ports.erasure import ErasureControl
from cortex.ports.limits import PrincipalLimits
from cortex.ports.reconciliation import ReconcileControl
from cortex.ports.sync_control import SyncControl
from cortex.runtime.backbone import Backbone, source_writer
from cortex.runtime.identity_settings import IdentitySettings, ProviderSettings
from services.control_plane.audit import AuditPorts, audit_router
from services.control_plane.authenticate import Authenticators, Foreign, Site
from services.control_plane.erasure import ErasurePorts, erasure_router
from services.control_plane.http import admin_router
from services.control_plane.identity_ports import IdentityPorts
from services.control_plane.keys import keys_router
from services.control_plane.limits import limits_router
from services.control_plane.oidc import oidc_router
from services.control_plane.people import people_router
from services.control_plane.policies import PolicyPorts, policies_router
from services.control_plane.ports import ControlPorts, SourceTypes
from services.control_plane.push import push_router
from services.control_plane.reconcile import ReconcilePorts, reconcile_router
from services.control_plane.scim.http import scim_router
from services.control_plane.secrets import SecretPorts, secrets_router
from services.control_plane.sessions import session_router
from services.control_plane.sharing import sharing_router


@dataclass(frozen=True, slots=True)
class Signing:
    """Who signs people in, and where they are kept."""

    authenticator: Authenticator
    directory: CachedDirectory
    identity: IdentityPorts
    limits: PrincipalLimits


@asynccontextmanager
async def signing(shared: Backbone, identity: IdentitySettings, *, port: int) -> AsyncIterator[Signing]:
    """`port` is where browsers on loopback find us, where no other address is configured."""
    async with AsyncExitStack() as stack:
        directory = CachedDirectory(PostgresDirectory(shared.database, shared.permissions), shared.groups)
        identities = PostgresIdentities(shared.database, shared.permissions)
        limits = SessionLimits(timedelta(seconds=identity.session_idle_s), timedelta(seconds=identity.session_s_max))
        sessions = PostgresSessions(shared.database, shared.clock, limits)
        keys = PostgresApiKeys(shared.database, shared.permissions, shared.clock)
        site = Site(identity.public_url, secure=(identity.public_url or "").startswith("https://"))
        foreign = None
        if identity.provider is not None:
            address = identity.public_url or f"http://127.0.0.1:{port}"
            foreign = await _foreign(stack, shared, identity.provider, identities=identities, address=address)
        settings = PostgresSettings(shared.database)
        buckets = RedisBuckets(shared.settings.redis_url)
        stack.push_async_callback(buckets.close)
        counted = CountedLimits(settings, buckets, shared.clock)
        shown = Authenticators(
            keys=keys,
            sessions=sessions,
            site=site,
            local=_local(shared, directory) if identity.local else None,
            local_issuer=ISSUER,
            foreign=foreign,
        )
        authenticator = LimitedAuthenticator(shown, counted)
        ports = IdentityPorts(
            authenticator=authenticator,
            audit=PostgresAuditLog(shared.database, shared.clock),
            clock=shared.clock,
            directory=directory,
            people=PostgresPeople(shared.database, shared.permissions, shared.groups),
            identities=identities,
            keys=keys,
            sessions=sessions,
            sign_ins=sessions,
            users=PostgresProvisionedUsers(shared.database, shared.permissions, shared.groups),
            groups=PostgresProvisionedGroups(shared.database, shared.permissions, shared.groups),
            site=site,
            foreign=foreign,
        )
        yield Signing(authenticator, directory, ports, counted)


@dataclass(frozen=True, slots=True)
class Work:
    """Who does what takes longer than a request."""

    sync: SyncControl
    erasure: ErasureControl
    reconcile: ReconcileControl


def routers(shared: Backbone, signing: Signing, *, work: Work, types: SourceTypes) -> list[APIRouter]:
    ports = ControlPorts(
        authenticator=signing.authenticator,
        directory=signing.directory,
        sources=PostgresSources(shared.database),
        writer=source_writer(shared),
        sync=work.sync,
        types=types,
        audit=PostgresAuditLog(shared.database, shared.clock),
        secrets=PostgresSecrets(shared.database, EnvelopeSealer(KeyFile(shared.settings.master_keys))),
    )
    return [
        admin_router(ports),
        push_router(ports),
        *permission_routers(shared, ports, work.reconcile),
        *privacy_routers(shared, ports, work.erasure),
        *identity_routers(signing.identity),
    ]


def permission_routers(shared: Backbone, ports: ControlPorts, control: ReconcileControl) -> list[APIRouter]:
    sharing = PostgresSharing(shared.database, shared.permissions, shared.groups, shared.clock)
    settings, runs = PostgresSettings(shared.database), PostgresReconcileRuns(shared.database)
    reconcile = ReconcilePorts(ports.authenticator, control, runs, settings, ports.audit)
    return [
        sharing_router(ports.authenticator, sharing, ports.audit),
        limits_router(ports.authenticator, settings, ports.audit),
        reconcile_router(reconcile),
    ]


def privacy_routers(shared: Backbone, ports: ControlPorts, erasure: ErasureControl) -> list[APIRouter]:
    who, log = ports.authenticator, PostgresAuditLog(shared.database, shared.clock)
    anchors = SignedAnchors(shared.objects, PlatformSigner(shared.settings.keys))
    return [
        audit_router(AuditPorts(who, log, reader=log, anchors=anchors)),
        policies_router(PolicyPorts(who, PostgresPrivacy(shared.database, shared.clock), log)),
        secrets_router(SecretPorts(who, ports.sources, types=ports.types, secrets=ports.secrets, audit=log)),
        erasure_router(ErasurePorts(who, PostgresErasures(shared.database), control=erasure, audit=log)),
    ]


def identity_routers(ports: IdentityPorts) -> list[APIRouter]:
    signing_in = [] if ports.foreign is None else [oidc_router(ports, ports.foreign)]
    return [people_router(ports), keys_router(ports), session_router(ports), *signing_in, scim_router(ports)]


def _local(shared: Backbone, directory: Directory) -> LocalAuthenticator:
    tokens = LocalTokens(shared.settings.data / "token.key", shared.clock)
    return LocalAuthenticator(tokens, directory, PostgresTenants(shared.database))


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
    )
    stack.push_async_callback(provider.close)
    tenant = await PostgresTenants(shared.database).make(settings.tenant, title=settings.tenant)
    return Foreign(settings.issuer, provider, identities, tenant, settings.policy)
