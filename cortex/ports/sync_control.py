"""Asking for work on a source: whoever administers sources starts and watches it through this."""

import enum
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.identity import SourceId, TenantId

SYNC_WORKFLOW = "SyncWorkflow"
BACKFILL_WORKFLOW = "BackfillWorkflow"
REMOVE_WORKFLOW = "RemoveWorkflow"
PERIODIC_WORKFLOW = "PeriodicSyncWorkflow"
REQUEST_SIGNAL = "request"
TASK_QUEUE = "connectors"


class RunKind(enum.StrEnum):
    """`incremental` skips what has not changed; `full` and `backfill` read everything again."""

    INCREMENTAL = "incremental"
    FULL = "full"
    BACKFILL = "backfill"


@dataclass(frozen=True, slots=True)
class PassRequest:
    """One pass over a source, under the id that its Run will have."""

    run_id: str
    kind: str


@dataclass(frozen=True, slots=True)
class SourceWork:
    """The argument of every workflow on a source: ids alone. `pending` are passes still to make, in order."""

    tenant_id: str
    source_id: str
    pending: tuple[PassRequest, ...] = ()


class WorkState(enum.StrEnum):
    NONE = "none"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class SyncControl(Protocol):
    """At most one sync or backfill works on a source at a time; one more asked for meanwhile follows it.

    Every call is idempotent but for the two that give out a run id. Raises Transient.
    """

    async def start_sync(self, tenant: TenantId, source: SourceId, *, full: bool = False) -> str:
        """The id of a run that will begin after this call; SourceStore.run tells of it once it has begun."""
        ...

    async def start_backfill(self, tenant: TenantId, source: SourceId) -> str: ...

    async def start_remove(self, tenant: TenantId, source: SourceId) -> None:
        """Stops syncing, then deletes every document, container and at last the source."""
        ...

    async def sync_every(self, tenant: TenantId, source: SourceId, *, every_s: int | None) -> None:
        """Syncs periodically from now on; None stops that. A pass still running when the next is due is not joined."""
        ...

    async def sync_state(self, tenant: TenantId, source: SourceId) -> WorkState: ...

    async def remove_state(self, tenant: TenantId, source: SourceId) -> WorkState: ...


def sync_id(tenant: TenantId | str, source: SourceId | str) -> str:
    return f"sync-{tenant}-{source}"


def remove_id(tenant: TenantId | str, source: SourceId | str) -> str:
    return f"remove-{tenant}-{source}"
