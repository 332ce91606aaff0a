"""Loops of privacy: documents under changed rules, signed heads of the audit, answers that were kept for their day."""

from cortex.adapters.postgres.audit import PostgresAuditLog
from cortex.adapters.postgres.prompt_cache import SWEPT_MAX, PostgresPromptCache
from cortex.adapters.postgres.reprocessing import Reprocessing
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.signed_anchors import SignedAnchors
from cortex.adapters.signing import PlatformSigner
from cortex.domain.identity import TenantId
from cortex.runtime.backbone import Backbone
from cortex.runtime.lifecycle import Loop
from services.host.upkeep import patient_loop

REPROCESS_EVERY_S = 5.0
ANCHOR_EVERY_S = 60.0
CACHE_EVERY_S = 600.0


def privacy_upkeep(shared: Backbone) -> list[Loop]:
    return [
        patient_loop(REPROCESS_EVERY_S, ReprocessStep(shared)),
        patient_loop(ANCHOR_EVERY_S, AnchorStep(shared)),
        patient_loop(CACHE_EVERY_S, CacheStep(shared)),
    ]


class ReprocessStep:
    """One batch of each tenant; at the first look of a process every source is compared with its rules."""

    def __init__(self, shared: Backbone) -> None:
        self._tenants = PostgresTenants(shared.database)
        self._reprocessing = Reprocessing(shared.database, shared.clock, recogniser=shared.redactor.version)
        self._seen: set[TenantId] = set()

    async def __call__(self) -> bool:
        more = False
        for tenant in await self._tenants.all():
            if tenant.id not in self._seen:
                await self._reprocessing.look_again(tenant.id)
                self._seen.add(tenant.id)
            more |= await self._reprocessing.reprocess_batch(tenant.id)
        return more


class AnchorStep:
    """Whatever has been audited since the last turn is vouched for."""

    def __init__(self, shared: Backbone) -> None:
        self._tenants = PostgresTenants(shared.database)
        self._audit = PostgresAuditLog(shared.database, shared.clock)
        self._anchors = SignedAnchors(shared.objects, PlatformSigner(shared.settings.keys))
        self._kept: dict[TenantId, int] = {}

    async def __call__(self) -> bool:
        for tenant in await self._tenants.all():
            head = await self._audit.head(tenant.id)
            if head is not None and head.sequence != self._kept.get(tenant.id):
                await self._anchors.keep(tenant.id, head)
                self._kept[tenant.id] = head.sequence
        return False


class CacheStep:
    """Answers of a model go when they are too old to be given again, whether or not anybody asks anything."""

    def __init__(self, shared: Backbone) -> None:
        self._tenants = PostgresTenants(shared.database)
        self._cache = PostgresPromptCache(shared.database, shared.clock)

    async def __call__(self) -> bool:
        swept = [await self._cache.sweep(tenant.id) for tenant in await self._tenants.all()]
        return any(count == SWEPT_MAX for count in swept)
