"""Loops of permissions: what no group holds any more, which groups hold nearly everybody, when to reconcile."""

from cortex.adapters.postgres.groups import PostgresGroups
from cortex.adapters.postgres.settings import PostgresSettings
from cortex.adapters.postgres.sharing import PostgresSharing
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.temporal import TemporalReconcileControl, connect
from cortex.domain.identity import TenantId
from cortex.ports.reconciliation import ReconcileControl
from cortex.runtime.backbone import Backbone
from cortex.runtime.lifecycle import Loop
from services.host.upkeep import patient_loop

SWEEP_EVERY_S = 5.0
FLAG_EVERY_S = 600.0
SCHEDULE_EVERY_S = 60.0


def permission_upkeep(shared: Backbone) -> list[Loop]:
    return [
        patient_loop(SWEEP_EVERY_S, SweepStep(shared)),
        patient_loop(FLAG_EVERY_S, FlagStep(shared)),
        patient_loop(SCHEDULE_EVERY_S, ScheduleStep(shared)),
    ]


class SweepStep:
    """A batch of each tenant's leftover members."""

    def __init__(self, shared: Backbone) -> None:
        self._tenants = PostgresTenants(shared.database)
        self._groups = PostgresGroups(shared.database, shared.permissions, shared.clock)

    async def __call__(self) -> bool:
        return any([await self._groups.sweep(tenant.id) for tenant in await self._tenants.all()])


class FlagStep:
    """Membership changes all the time; which groups hold nearly everybody does not."""

    def __init__(self, shared: Backbone) -> None:
        self._tenants = PostgresTenants(shared.database)
        self._sharing = PostgresSharing(shared.database, shared.permissions, shared.groups, shared.clock)

    async def __call__(self) -> bool:
        for tenant in await self._tenants.all():
            await self._sharing.flag_groups(tenant.id)
        return False


class ScheduleStep:
    """Has every tenant reconciled as often as it asks for."""

    def __init__(self, shared: Backbone) -> None:
        self._tenants = PostgresTenants(shared.database)
        self._settings = PostgresSettings(shared.database, shared.clock)
        self._temporal_url = shared.settings.temporal_url
        self._control: ReconcileControl | None = None
        self._scheduled: dict[TenantId, int] = {}

    async def __call__(self) -> bool:
        for tenant in await self._tenants.all():
            every_s = (await self._settings.ages(tenant.id)).reconcile_every_s
            if self._scheduled.get(tenant.id) != every_s:
                await (await self._reached()).every(tenant.id, every_s)
                self._scheduled[tenant.id] = every_s
        return False

    async def _reached(self) -> ReconcileControl:
        if self._control is None:
            self._control = TemporalReconcileControl(await connect(self._temporal_url, namespace="cortex"))
        return self._control
