"""What a source's configuration holds of secrets: written, used by its connector, and never shown again."""

from collections.abc import Mapping
from typing import Protocol

from cortex.domain.identity import SourceId, TenantId
from cortex.ports.audit_log import LeavesLine


class SourceSecrets(LeavesLine, Protocol):
    """Raises Transient; NotFound for a source that is not there."""

    async def put(self, tenant: TenantId, source: SourceId, secrets: Mapping[str, str]) -> None:
        """Those named replace what was there under their names."""
        ...

    async def get(self, tenant: TenantId, source: SourceId) -> dict[str, str]:
        """For the connector alone."""
        ...

    async def names(self, tenant: TenantId, source: SourceId) -> list[str]: ...

    async def rewrap(self, tenant: TenantId) -> int:
        """Brings every data key of the tenant under the current platform key; returns how many were not. Idempotent."""
        ...
