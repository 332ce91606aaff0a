"""What the workflows have done outside of themselves. Arguments and results are ids, counts and flags."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from temporalio import activity

from cortex.domain.errors import CortexError, NotFound
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.source_store import SourceStore
from services.connectors.page import Syncing
from services.connectors.removal import Removing


@dataclass(frozen=True, slots=True)
class RunRef:
    tenant_id: str
    source_id: str
    run_id: str
    kind: str
    error: str | None = None

    @property
    def ids(self) -> tuple[TenantId, SourceId]:
        return TenantId(uuid.UUID(self.tenant_id)), SourceId(uuid.UUID(self.source_id))


@dataclass(frozen=True, slots=True)
class SourceRef:
    tenant_id: str
    source_id: str

    @property
    def ids(self) -> tuple[TenantId, SourceId]:
        return TenantId(uuid.UUID(self.tenant_id)), SourceId(uuid.UUID(self.source_id))


class SourceActivities:
    """Each may run again from its start at any time, also while an earlier attempt still ends."""

    def __init__(self, store: SourceStore, *, syncing: Syncing, removing: Removing, heartbeat_every_s: float) -> None:
        self._store = store
        self._syncing = syncing
        self._removing = removing
        self._heartbeat_every_s = heartbeat_every_s

    @activity.defn
    async def begin_run(self, run: RunRef) -> bool:
        """False when the source is not to be synced now: gone, paused or being removed."""
        tenant, source = run.ids
        try:
            found = await self._store.source(tenant, source)
        except NotFound:
            return False
        if found.state != "active":
            return False
        await self._store.start_run(tenant, source, run.run_id, kind=run.kind)
        return True

    @activity.defn
    async def sync_page(self, run: RunRef) -> bool:
        """True when the run has come to its end."""
        tenant, source = run.ids
        return await self._beating(self._syncing.page(tenant, source, run.run_id))

    @activity.defn
    async def end_run(self, run: RunRef) -> None:
        tenant, _ = run.ids
        try:
            await self._store.finish_run(tenant, run.run_id, error=run.error)
        except NotFound:
            return  # the source was removed meanwhile, and its runs with it

    @activity.defn
    async def begin_removal(self, source: SourceRef) -> bool:
        return await self._removing.begin(*source.ids)

    @activity.defn
    async def remove_page(self, source: SourceRef) -> bool:
        return await self._beating(self._removing.page(*source.ids))

    async def _beating(self, work: Awaitable[bool]) -> bool:
        """Says meanwhile that this worker is alive, so that a killed one is noticed before the page would time out."""
        done, failed = False, None
        async with asyncio.TaskGroup() as tasks:
            beat = tasks.create_task(self._beat())
            try:
                done = await work
            except CortexError as error:
                failed = error  # a task group would wrap it
            finally:
                beat.cancel()
        if failed is not None:
            raise failed
        return done

    async def _beat(self) -> None:
        while True:
            activity.heartbeat()
            await asyncio.sleep(self._heartbeat_every_s)

    def all(self) -> list[Callable[..., object]]:
        return [self.begin_run, self.sync_page, self.end_run, self.begin_removal, self.remove_page]
