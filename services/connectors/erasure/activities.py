"""What the workflow of an erasure has done outside of itself. Arguments and results are ids and names of stores."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass

from temporalio import activity

from cortex.domain.identity import TenantId
from services.connectors.erasure.erasing import Erasing


@dataclass(frozen=True, slots=True)
class ErasureRef:
    tenant_id: str
    erasure_id: str
    step: str = ""

    @property
    def ids(self) -> tuple[TenantId, uuid.UUID]:
        return TenantId(uuid.UUID(self.tenant_id)), uuid.UUID(self.erasure_id)


class ErasureActivities:
    """Each may run again from its start at any time."""

    def __init__(self, erasing: Erasing) -> None:
        self._erasing = erasing

    @activity.defn
    async def erasure_steps(self, ref: ErasureRef) -> list[str]:
        return await self._erasing.steps(*ref.ids)

    @activity.defn
    async def erase_store(self, ref: ErasureRef) -> None:
        await self._erasing.erase(*ref.ids, ref.step)

    @activity.defn
    async def certify_erasure(self, ref: ErasureRef) -> None:
        await self._erasing.certify(*ref.ids)

    @activity.defn
    async def give_up_erasure(self, ref: ErasureRef) -> None:
        """`step` is what the administrator is shown."""
        await self._erasing.give_up(*ref.ids, error=ref.step)

    def all(self) -> list[Callable[..., object]]:
        return [self.erasure_steps, self.erase_store, self.certify_erasure, self.give_up_erasure]
