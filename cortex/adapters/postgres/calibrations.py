"""A tenant's calibration of answers (ports/calibration_store.py), beside its other settings."""

import copy
from dataclasses import asdict
from typing import Self

from sqlalchemy import text

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.audit import append_entries
from cortex.adapters.postgres.database import Database
from cortex.domain.calibration import Calibration
from cortex.domain.identity import TenantId
from cortex.ports.audit_log import AuditEntry
from cortex.ports.clock import Clock

_GET = text("SELECT calibration FROM tenant_settings")
_SET = text(
    "INSERT INTO tenant_settings (tenant_id, calibration) VALUES (:tenant, CAST(:value AS jsonb))"
    " ON CONFLICT (tenant_id) DO UPDATE SET calibration = excluded.calibration"
)


class PostgresCalibrations:
    """Implements CalibrationStore."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._entry: AuditEntry | None = None

    def audited(self, entry: AuditEntry) -> Self:
        made = copy.copy(self)
        made._entry = entry
        return made

    async def calibration(self, tenant: TenantId) -> Calibration | None:
        async with self._database.tenant(tenant) as connection:
            kept = (await connection.execute(_GET)).scalar_one_or_none()
        return None if kept is None else Calibration(**kept)

    async def set_calibration(self, tenant: TenantId, calibration: Calibration | None) -> None:
        value = None if calibration is None else as_json(asdict(calibration))
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_SET, {"tenant": tenant, "value": value})
            if self._entry is not None:
                await append_entries(connection, tenant, [self._entry], self._clock)
