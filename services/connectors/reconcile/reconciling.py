"""One step of a reconciliation. The index is compared page by page with the rows, in the order of chunk ids."""

import uuid
from collections import Counter
from dataclasses import dataclass, replace

from cortex.domain.errors import NotFound
from cortex.domain.event import StageEvent
from cortex.domain.identity import ChunkId, DocumentId, TenantId
from cortex.domain.reconcile import Drift, Part, Reconciled, drift_of
from cortex.domain.vector import RevisionPage
from cortex.ports.reconciliation import IndexTruth, LiveChunk, PermissionReconciler
from cortex.ports.revision_store import IndexStore
from cortex.ports.stage_publisher import StagePublisher
from cortex.ports.vector_index import VectorPayloadWriter, VectorReader, VectorWriter

POINTS_PER_STEP = 1_000


@dataclass(frozen=True, slots=True)
class Index:
    reader: VectorReader
    points: VectorWriter
    payloads: VectorPayloadWriter


class Reconciling:
    """Each step may be repeated from its start at any time."""

    def __init__(
        self,
        permissions: PermissionReconciler,
        *,
        truth: IndexTruth,
        states: IndexStore,
        index: Index,
        publisher: StagePublisher,
        points_per_step: int = POINTS_PER_STEP,
    ) -> None:
        self._permissions = permissions
        self._truth = truth
        self._states = states
        self._index = index
        self._publisher = publisher
        self._points_per_step = points_per_step

    async def step(self, tenant: TenantId, part: Part, after: str | None) -> Reconciled:
        if part is not Part.INDEX:
            return await self._permissions.step(tenant, part, after)
        return await self._index_step(tenant, ChunkId(uuid.UUID(after)) if after else None)

    async def _index_step(self, tenant: TenantId, start: ChunkId | None) -> Reconciled:
        page = await self._index.reader.revisions(tenant, after=start, limit=self._points_per_step)
        truths = await self._truth.truths(tenant, {row.document_id for row in page.rows})
        drift: Counter[Drift] = Counter()
        stray: dict[tuple[DocumentId, Drift], None] = {}
        for row in page.rows:
            if kind := drift_of(row, truths.get(row.document_id)):
                drift[kind] += 1
                stray[row.document_id, kind] = None
        for document, kind in stray:
            await self._mend(tenant, document, kind)
        drift[Drift.INDEX_MISSING] = await self._index_missing(tenant, page, start)
        return Reconciled(len(page.rows), +drift, None if page.after is None else str(page.after))

    async def _mend(self, tenant: TenantId, document: DocumentId, kind: Drift) -> None:
        """By what is so now, which may have moved on since it was compared."""
        try:
            latest = await self._states.latest(tenant, document)
            state = await self._states.index_state(tenant, document)
        except NotFound:
            await self._index.points.delete_document(tenant, document)
            return
        match kind:
            case Drift.INDEX_TOMBSTONED if latest.tombstoned:
                await self._index.points.delete_older(tenant, document, below_revision=latest.revision + 1)
            case Drift.INDEX_REVISION:
                await self._index.points.delete_older(tenant, document, below_revision=latest.indexed_revision)
            case Drift.INDEX_ACL:
                await self._index.payloads.set_acl(tenant, document, acl=state.acl, acl_revision=state.acl_revision)
            case Drift.INDEX_METADATA:
                revision = state.metadata_revision
                await self._index.payloads.set_metadata(
                    tenant, document, metadata=state.metadata, metadata_revision=revision
                )

    async def _index_missing(self, tenant: TenantId, page: RevisionPage, start: ChunkId | None) -> int:
        """Has `embed` write revisions again of which points are missing; returns how many points."""
        present = {row.chunk_id for row in page.rows if not row.is_deleted}
        missing = 0
        while True:
            chunks = await self._truth.live_chunks(tenant, start=start, before=page.after, limit=self._points_per_step)
            lost = [chunk for chunk in chunks if chunk.chunk_id not in present]
            missing += len(lost)
            for event in {_event(tenant, chunk) for chunk in lost}:
                await self._publisher.publish(replace(event, again=str(uuid.uuid4())))
            if len(chunks) < self._points_per_step:
                return missing
            start = ChunkId(uuid.UUID(int=chunks[-1].chunk_id.int + 1))


def _event(tenant: TenantId, chunk: LiveChunk) -> StageEvent:
    return StageEvent("chunked", tenant, chunk.source_id, chunk.document_id, chunk.revision)
