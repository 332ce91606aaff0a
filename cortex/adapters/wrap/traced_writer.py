"""A writer of points with a span around what a revision's way into the index costs."""

from collections.abc import Sequence

from cortex.adapters.telemetry import span
from cortex.domain.identity import DocumentId, TenantId
from cortex.domain.vector import IndexPoint
from cortex.ports.vector_index import VectorWriter


class TracedWriter:
    """Implements VectorWriter."""

    def __init__(self, writer: VectorWriter) -> None:
        self._writer = writer

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        with span("index", points=len(points)):
            await self._writer.upsert(points)

    async def delete_points(self, tenant: TenantId, document: DocumentId, *, revision: int) -> None:
        await self._writer.delete_points(tenant, document, revision=revision)

    async def delete_older(self, tenant: TenantId, document: DocumentId, *, below_revision: int) -> None:
        await self._writer.delete_older(tenant, document, below_revision=below_revision)

    async def delete_document(self, tenant: TenantId, document: DocumentId) -> None:
        await self._writer.delete_document(tenant, document)
