"""Loops that finish what a crash left half done, and bring changes to where they are due."""

from collections.abc import Awaitable, Callable

from cortex.adapters.postgres.events import EventNotices, EventRelay
from cortex.adapters.postgres.repairs import IndexRepairs
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.postgres.vectors import PostgresVectors
from cortex.domain.errors import Transient
from cortex.runtime.backbone import Backbone
from cortex.runtime.lifecycle import Loop, every

RELAY_RETRY_S = 1.0
NOTICE_WAIT_S = 10.0
APPLY_EVERY_S = 2.0
REPAIR_EVERY_S = 0.5
SWEEP_EVERY_S = 600.0
SWEEP_GRACE_S = 3600.0


def upkeep(shared: Backbone) -> list[Loop]:
    """Event relay, leftover permission writes, index repairs, orphaned vectors."""
    relay = EventRelay(shared.database, shared.bus)
    repairs = IndexRepairs(shared.database, shared.clock)
    tenants, vectors = PostgresTenants(shared.database), PostgresVectors(shared.database)

    notices = EventNotices(shared.settings.database_url)

    async def relay_events() -> bool:
        if await relay.relay_batch() == 0:
            await notices.wait(NOTICE_WAIT_S)
        return True

    async def apply_permissions() -> bool:
        for tenant in await shared.permissions.tenants_behind():
            await shared.permissions.apply_all(tenant)
        return False

    async def repair_index() -> bool:
        more = [await repairs.repair_batch(tenant) for tenant in await repairs.tenants_behind()]
        return any(more)

    async def sweep_vectors() -> bool:
        for tenant in await tenants.all():
            await vectors.sweep(tenant.id, grace_s=SWEEP_GRACE_S)
        return False

    return [
        patient_loop(RELAY_RETRY_S, relay_events),
        patient_loop(APPLY_EVERY_S, apply_permissions),
        patient_loop(REPAIR_EVERY_S, repair_index),
        patient_loop(SWEEP_EVERY_S, sweep_vectors),
    ]


def patient_loop(wait_s: float, step: Callable[[], Awaitable[bool]]) -> Loop:
    """Loops over a step that a server may be away for."""

    async def patient() -> bool:
        try:
            return await step()
        except Transient:
            return False  # a server is away: what is due stays where it is, and the next turn finds it

    async def loop() -> None:
        await every(wait_s, patient)

    return loop
