"""Finding and mending drift of permissions: step by step, so that a step may be repeated and none is long."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from cortex.domain.identity import ChunkId, DocumentId, SourceId, TenantId
from cortex.domain.reconcile import Part, Reconciled, Truth

RECONCILE_WORKFLOW = "ReconcileWorkflow"


@dataclass(frozen=True, slots=True)
class ReconcileWork:
    """The argument of the workflow. `run_id` "" takes the execution's own; the rest is where it goes on."""

    tenant_id: str
    run_id: str = ""
    part: str = ""
    after: str | None = None


@dataclass(frozen=True, slots=True)
class ReconcileRun:
    """`state` is running, done or failed."""

    id: str
    state: str
    started_at: datetime
    finished_at: datetime | None
    checked: int
    drift: Mapping[str, int]
    error: str | None


@dataclass(frozen=True, slots=True)
class StaleSource:
    """Permissions older than the tenant's limit: `documents` are hidden until the source can be read again."""

    source: str
    acl_as_of: datetime
    documents: int


@dataclass(frozen=True, slots=True)
class LiveChunk:
    chunk_id: ChunkId
    document_id: DocumentId
    revision: int
    source_id: SourceId


class PermissionReconciler(Protocol):
    async def step(self, tenant: TenantId, part: Part, after: str | None) -> Reconciled:
        """Every part but the index. Idempotent. Raises Transient."""
        ...


class IndexTruth(Protocol):
    """What Postgres says the index should hold. Raises Transient."""

    async def truths(self, tenant: TenantId, documents: Collection[DocumentId]) -> Mapping[DocumentId, Truth]: ...

    async def live_chunks(
        self, tenant: TenantId, *, start: ChunkId | None, before: ChunkId | None, limit: int
    ) -> Sequence[LiveChunk]:
        """Chunks of live revisions in the order of their ids, from `start` on and below `before` where given."""
        ...


class ReconcileRuns(Protocol):
    """Raises Transient."""

    async def start(self, tenant: TenantId, run_id: str) -> None:
        """Idempotent."""
        ...

    async def add(self, tenant: TenantId, run_id: str, step: Reconciled) -> None: ...

    async def finish(self, tenant: TenantId, run_id: str, *, error: str | None) -> None: ...

    async def last(self, tenant: TenantId) -> ReconcileRun | None: ...

    async def stale(self, tenant: TenantId) -> Sequence[StaleSource]: ...


class ReconcileControl(Protocol):
    """At most one run a tenant at a time. Raises Transient."""

    async def start(self, tenant: TenantId) -> str:
        """The id of the run that is on its way, or of one that begins now."""
        ...

    async def every(self, tenant: TenantId, every_s: int) -> None:
        """Idempotent; another period replaces the one before."""
        ...
