"""Builds administration over Postgres and Temporal, and every way to sign in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from fastapi import APIRouter
from prometheus_client import CollectorRegistry

from cortex.adapters.egress import EgressPolicy
from cortex.adapters.loopback import MemberTokens, SocketTable
from cortex.adapters.models_rpc import models_channel
from cortex.adapters.openai_http import FreshWriter
from cortex.adapters.postgres.audit import PostgresAuditLog
from cortex.adapters.postgres.calibrations import PostgresCalibrations
from cortex.adapters.postgres.contextual import PostgresContextSwitch
from cortex.adapters.postgres.engines import PostgresEngines
from cortex.adapters.postgres.erasing.ledger import PostgresErasures
from cortex.adapters.postgres.people import PostgresPeople
from cortex.adapters.postgres.privacy import PostgresPrivacy
from cortex.adapters.postgres.provisioned_groups import PostgresProvisionedGroups
from cortex.adapters.postgres.provisioned_users import PostgresProvisionedUsers
from cortex.adapters.postgres.reconcile.runs import PostgresReconcileRuns
from cortex.adapters.postgres.secrets import PostgresSecrets
from cortex.adapters.postgres.settings import PostgresSettings
from cortex.adapters.postgres.sharing import PostgresSharing
from cortex.adapters.postgres.sources import PostgresSources
from cortex.adapters.postgres.synonyms import PostgresSynonyms
from cortex.adapters.sealing import EnvelopeSealer, KeyFile
from cortex.adapters.signed_anchors import SignedAnchors
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.adapters.signing import PlatformSigner
from cortex.adapters.source_types_rpc import SourceTypesClient
from cortex.adapters.telemetry import OpenTelemetryTracer
from cortex.adapters.temporal import TemporalErasureControl, TemporalReconcileControl, TemporalSyncControl, connect
from cortex.adapters.wrap.cached_directory import CachedDirectory
from cortex.ports.authenticator import Authenticator
from cortex.ports.erasure import ErasureControl
from cortex.ports.limits import PrincipalLimits
from cortex.ports.reconciliation import ReconcileControl
from cortex.ports.source_types import SourceTypes
from cortex.ports.sync_control import SyncControl
from cortex.runtime.backbone import Backbone, backbone, source_writer
from cortex.runtime.edge.application import CountedRequests, application
from cortex.runtime.edge.refusals import Refusals, settling
from cortex.runtime.edge.settings import EdgeSettings
from cortex.runtime.http import serving
from cortex.runtime.identity_settings import IdentitySettings
from cortex.runtime.lifecycle import run_loops
from cortex.runtime.listening import Listening
from cortex.runtime.settings import PlatformSettings
from cortex.runtime.signing_in import SigningIn, signing_in
from services.control_plane.audit import AuditPorts, audit_router
from services.control_plane.calibration import CalibrationPorts, calibration_router
from services.control_plane.contextual import ContextPorts, contextual_router
from services.control_plane.engines import EnginePorts, engines_router, generation_router
from services.control_plane.erasure import ErasurePorts, erasure_router
from services.control_plane.http import admin_router
from services.control_plane.identity_ports import IdentityPorts
from services.control_plane.keys import keys_router
from services.control_plane.limits import limits_router
from services.control_plane.local import LocalEntry, local_router, ways_router
from services.control_plane.oidc import oidc_router
from services.control_plane.people import people_router
from services.control_plane.policies import PolicyPorts, policies_router
from services.control_plane.ports import ControlPorts
from services.control_plane.push import push_router
from services.control_plane.reconcile import ReconcilePorts, reconcile_router
from services.control_plane.scim.http import scim_router
from services.control_plane.secrets import SecretPorts, secrets_router
from services.control_plane.sessions import session_router
from services.control_plane.sharing import sharing_router
from services.control_plane.synonyms import synonyms_router

CONNECTIONS_MAX = 16
TYPES_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Signing:
    """Who signs people in, and where they are kept. `local` None: outside evaluation mode."""

    authenticator: Authenticator
    directory: CachedDirectory
    identity: IdentityPorts
    limits: PrincipalLimits
    refusals: Refusals
    local: LocalEntry | None = None


@asynccontextmanager
async def signing(shared: Backbone, identity: IdentitySettings, *, port: int) -> AsyncIterator[Signing]:
    """`port` is where browsers on loopback find us, where no other address is configured."""
    async with signing_in(shared, identity, port=port) as who:
        entry = None
        if who.local is not None:
            entry = LocalEntry(who.local.authenticator, SocketTable(), MemberTokens(who.local.tokens), port)
        yield Signing(who.authenticator, who.directory, identity_ports(shared, who), who.limits, who.refusals, entry)


def identity_ports(shared: Backbone, who: SigningIn) -> IdentityPorts:
    return IdentityPorts(
        authenticator=who.authenticator,
        audit=PostgresAuditLog(shared.database, shared.clock),
        clock=shared.clock,
        directory=who.directory,
        people=PostgresPeople(shared.database, shared.permissions, shared.groups, shared.clock),
        identities=who.identities,
        keys=who.keys,
        sessions=who.sessions,
        sign_ins=who.sessions,
        users=PostgresProvisionedUsers(shared.database, shared.permissions, shared.groups, shared.clock),
        groups=PostgresProvisionedGroups(shared.database, shared.permissions, shared.groups, shared.clock),
        site=who.site,
        refusals=who.refusals,
        foreign=who.foreign,
    )


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
        sources=PostgresSources(shared.database, shared.clock),
        writer=source_writer(shared),
        sync=work.sync,
        types=types,
        audit=PostgresAuditLog(shared.database, shared.clock),
        secrets=PostgresSecrets(shared.database, EnvelopeSealer(KeyFile(shared.settings.master_keys)), shared.clock),
    )
    return [
        admin_router(ports),
        push_router(ports),
        *permission_routers(shared, ports, work.reconcile),
        *privacy_routers(shared, ports, work.erasure),
        *engine_routers(shared, ports),
        *identity_routers(signing.identity, signing.local),
    ]


def permission_routers(shared: Backbone, ports: ControlPorts, control: ReconcileControl) -> list[APIRouter]:
    sharing = PostgresSharing(shared.database, shared.permissions, shared.groups, shared.clock)
    settings, runs = PostgresSettings(shared.database, shared.clock), PostgresReconcileRuns(shared.database)
    reconcile = ReconcilePorts(ports.authenticator, control, runs, settings, ports.audit)
    return [
        sharing_router(ports.authenticator, sharing),
        limits_router(ports.authenticator, settings),
        synonyms_router(ports.authenticator, PostgresSynonyms(shared.database, shared.clock)),
        reconcile_router(reconcile),
    ]


def privacy_routers(shared: Backbone, ports: ControlPorts, erasure: ErasureControl) -> list[APIRouter]:
    who, log = ports.authenticator, PostgresAuditLog(shared.database, shared.clock)
    anchors = SignedAnchors(shared.objects, PlatformSigner(shared.settings.keys))
    return [
        audit_router(AuditPorts(who, log, reader=log, anchors=anchors)),
        policies_router(PolicyPorts(who, PostgresPrivacy(shared.database, shared.clock))),
        secrets_router(
            SecretPorts(who, ports.sources, types=ports.types, secrets=ports.secrets, keys=_engines(shared))
        ),
        erasure_router(ErasurePorts(who, PostgresErasures(shared.database, shared.clock), control=erasure)),
    ]


def engine_routers(shared: Backbone, ports: ControlPorts) -> list[APIRouter]:
    writer = FreshWriter(EgressPolicy.parsed(shared.settings.egress_allowed))
    engines = EnginePorts(ports.authenticator, _engines(shared), writer, ports.audit, shared.clock)
    calibrations = CalibrationPorts(ports.authenticator, PostgresCalibrations(shared.database, shared.clock))
    context = ContextPorts(ports.authenticator, PostgresContextSwitch(shared.database, shared.clock))
    return [
        engines_router(engines),
        generation_router(engines),
        calibration_router(calibrations),
        contextual_router(context),
    ]


def _engines(shared: Backbone) -> PostgresEngines:
    return PostgresEngines(shared.database, EnvelopeSealer(KeyFile(shared.settings.master_keys)), shared.clock)


def identity_routers(ports: IdentityPorts, local: LocalEntry | None = None) -> list[APIRouter]:
    signing_in = [ways_router(ports, local)]
    if ports.foreign is not None:
        signing_in.append(oidc_router(ports, ports.foreign))
    if local is not None:
        signing_in.append(local_router(ports, local))
    return [people_router(ports), keys_router(ports), session_router(ports), *signing_in, scim_router(ports)]


async def run(platform: PlatformSettings, listening: Listening, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """Administration alone. What types of sources there are, it asks the connectors."""
    listening.identity.check()
    async with AsyncExitStack() as stack:
        shared = await stack.enter_async_context(backbone(platform, connections_max=CONNECTIONS_MAX))
        channel = models_channel(platform.address_of_connectors())
        stack.push_async_callback(channel.close)
        signed = SignedMetadata(platform.internal_key, shared.clock)
        types = SourceTypesClient(channel, sign=signed.sign_for_platform, timeout_s=TYPES_TIMEOUT_S)
        who = await stack.enter_async_context(signing(shared, listening.identity, port=listening.port))
        app = application(
            routers(shared, who, work=await work(platform), types=types),
            EdgeSettings(allowed_hosts=listening.names),
            tracer=OpenTelemetryTracer(),
            requests=CountedRequests(CollectorRegistry()),
        )
        await stack.enter_async_context(serving(app, port=listening.port, host=listening.identity.bind))
        ready.set()
        await run_loops([settling(who.refusals)], stop=stop)


async def work(platform: PlatformSettings, *, lazy: bool = False) -> Work:
    """`lazy`: nothing is opened before the first call."""
    temporal = await connect(platform.temporal_url, namespace="cortex", lazy=lazy)
    return Work(TemporalSyncControl(temporal), TemporalErasureControl(temporal), TemporalReconcileControl(temporal))
