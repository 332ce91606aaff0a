"""What administration stands on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.change import Failure
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.audit_log import AuditLog, LeavesLine
from cortex.ports.authenticator import Authenticator
from cortex.ports.directory import Directory
from cortex.ports.source_secrets import SourceSecrets
from cortex.ports.source_store import Run, Source, SourceStore
from cortex.ports.source_types import SourceTypes
from cortex.ports.source_writer import SourceWriter
from cortex.ports.sync_control import SyncControl


class SourceAdministration(SourceStore, LeavesLine, Protocol):
    """A SourceStore that can also make sources and tell how they are."""

    async def sources(self, tenant: TenantId) -> list[Source]: ...

    async def add(self, tenant: TenantId, source: SourceId, *, name: str, type_: str, config: object) -> bool:
        """False when a source of that name is there already."""
        ...

    async def runs(self, tenant: TenantId, source: SourceId, *, limit: int) -> list[Run]: ...

    async def failures(self, tenant: TenantId, source: SourceId, *, limit: int) -> Sequence[Failure]: ...

    async def counts(self, tenant: TenantId, source: SourceId) -> dict[str, int]:
        """Live documents: indexed, waiting; and failed items."""
        ...


class AuditedWriter(SourceWriter, LeavesLine, Protocol):
    """A SourceWriter for administration."""


@dataclass(frozen=True, slots=True)
class ControlPorts:
    authenticator: Authenticator
    directory: Directory
    sources: SourceAdministration
    writer: AuditedWriter
    sync: SyncControl
    types: SourceTypes
    audit: AuditLog
    secrets: SourceSecrets
