"""Builds administration over Postgres and Temporal."""

from dataclasses import dataclass

from fastapi import APIRouter

from cortex.adapters.postgres.audit import PostgresAuditLog
from cortex.adapters.postgres.sharing import PostgresSharing
from cortex.adapters.postgres.sources import PostgresSources
from cortex.ports.authenticator import Authenticator
from cortex.ports.directory import Directory
from cortex.ports.sync_control import SyncControl
from cortex.runtime.backbone import Backbone, source_writer
from services.control_plane.http import admin_router
from services.control_plane.ports import ControlPorts, SourceTypes
from services.control_plane.push import push_router
from services.control_plane.sharing import sharing_router


@dataclass(frozen=True, slots=True)
class Signing:
    """Who signs people in, and where they are kept."""

    authenticator: Authenticator
    directory: Directory


def routers(shared: Backbone, signing: Signing, *, sync: SyncControl, types: SourceTypes) -> list[APIRouter]:
    ports = ControlPorts(
        authenticator=signing.authenticator,
        directory=signing.directory,
        sources=PostgresSources(shared.database),
        writer=source_writer(shared),
        sync=sync,
        types=types,
        audit=PostgresAuditLog(shared.database, shared.clock),
    )
    sharing = PostgresSharing(shared.database, shared.permissions, shared.groups, shared.clock)
    return [admin_router(ports), push_router(ports), sharing_router(signing.authenticator, sharing, ports.audit)]
