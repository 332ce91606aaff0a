"""How sure an answer must be in each tenant."""

from typing import Protocol, Self

from cortex.domain.calibration import Calibration
from cortex.domain.identity import TenantId
from cortex.ports.audit_log import AuditEntry


class CalibrationReader(Protocol):
    async def calibration(self, tenant: TenantId) -> Calibration | None:
        """None: the shipped one. Raises Transient."""
        ...


class CalibrationStore(CalibrationReader, Protocol):
    def audited(self, entry: AuditEntry) -> Self:
        """A change through it and the line are one: neither is there without the other."""
        ...

    async def set_calibration(self, tenant: TenantId, calibration: Calibration | None) -> None: ...
