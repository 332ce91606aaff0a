"""Sources, their runs, cursors and failures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from cortex.domain.acl import Acl
from cortex.domain.change import Failure
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.source_writer import Known


@dataclass(frozen=True, slots=True)
class Source:
    """`config` holds no secret. `state` is active, paused or removing."""

    id: SourceId
    tenant_id: TenantId
    name: str
    type: str
    config: Mapping[str, object]
    state: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Of documents; `containers` are those that are new, moved, or open to others than before."""

    seen: int = 0
    changed: int = 0
    deleted: int = 0
    failed: int = 0
    containers: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """One pass over a source. `cursor` is where its next page starts. `state` is running, done or failed."""

    id: str
    source_id: SourceId
    kind: str
    state: str
    started_at: datetime
    finished_at: datetime | None
    cursor: str | None
    counts: RunCounts
    error: str | None


class SourceStore(Protocol):
    """NotFound for what is not there. Raises Transient."""

    async def source(self, tenant: TenantId, source: SourceId) -> Source: ...

    async def start_run(self, tenant: TenantId, source: SourceId, run_id: str, *, kind: str) -> Run:
        """The run of that id, made if it is new: a retried activity gets the same one."""
        ...

    async def run(self, tenant: TenantId, run_id: str) -> Run: ...

    async def commit_page(
        self,
        tenant: TenantId,
        run_id: str,
        *,
        before: str | None,
        cursor: str,
        counts: RunCounts,
        failures: Sequence[Failure],
    ) -> bool:
        """Adds the counts and moves the cursor from `before`, in one transaction; False when it had moved already.

        Call it after the page's items are durable.
        """
        ...

    async def finish_run(self, tenant: TenantId, run_id: str, *, error: str | None) -> None: ...

    async def known(
        self, tenant: TenantId, source: SourceId, *, after: str, until: str | None, limit: int
    ) -> list[Known]:
        """Live documents of the source with external ids above `after`, and up to `until` when given.

        Ordered by the UTF-8 bytes of the external id.
        """
        ...

    async def known_containers(self, tenant: TenantId, source: SourceId, *, after: str, limit: int) -> list[str]:
        """External ids of the source's containers above `after`, ordered by their UTF-8 bytes."""
        ...

    async def container_acls(
        self, tenant: TenantId, source: SourceId, externals: Sequence[str]
    ) -> dict[str, Acl | None]:
        """The ACLs, as they were last put, of the live containers among `externals`; others are not in the answer."""
        ...

    async def set_state(self, tenant: TenantId, source: SourceId, state: str) -> None:
        """Idempotent. A source that is `removing` takes no other state: Conflict."""
        ...

    async def remove(self, tenant: TenantId, source: SourceId) -> None:
        """Deletes the source with its runs, cursors, groups and secrets; fine when it is gone already.

        Conflict while it still has live documents or containers, or is not `removing`.
        """
        ...
