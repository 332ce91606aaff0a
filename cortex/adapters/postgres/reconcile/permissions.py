"""Every part of reconciliation but the index (ports/reconciliation.py)."""

from cortex.adapters.postgres.reconcile.engine import EngineReconciler
from cortex.adapters.postgres.reconcile.mirror import MirrorReconciler
from cortex.domain.errors import Bug
from cortex.domain.identity import TenantId
from cortex.domain.reconcile import Part, Reconciled


class PostgresReconciler:
    """Implements PermissionReconciler."""

    def __init__(self, mirror: MirrorReconciler, engine: EngineReconciler) -> None:
        self._mirror = mirror
        self._engine = engine

    async def step(self, tenant: TenantId, part: Part, after: str | None) -> Reconciled:
        match part:
            case Part.ENGINE:
                return await self._engine.step(tenant, after)
            case Part.INDEX:
                raise Bug("the index is compared where it can be read")
            case _:
                return await self._mirror.step(tenant, part, after)
