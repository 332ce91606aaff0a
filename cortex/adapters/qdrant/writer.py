"""Points and payload in and out. Every filter names the tenant as well as the document."""

from collections.abc import Sequence

from qdrant_client import AsyncQdrantClient, models

from cortex.adapters.qdrant import filters, payload
from cortex.adapters.qdrant.errors import translated
from cortex.domain.identity import DocumentId, TenantId
from cortex.domain.vector import IndexAcl, IndexMetadata, IndexPoint

# Replicas must agree on who may read: these writes go through the leader.
STRONG = models.WriteOrdering.STRONG


class QdrantWriter:
    """The ports VectorWriter and VectorPayloadWriter."""

    def __init__(self, client: AsyncQdrantClient, collection: str) -> None:
        self._client = client
        self._collection = collection

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        for batch in payload.batches(points):
            structs = [payload.point_struct(point) for point in batch]
            with translated():
                await self._client.upsert(self._collection, structs, wait=True)

    async def delete_points(self, tenant: TenantId, document: DocumentId, *, revision: int) -> None:
        await self._delete(filters.document_filter(tenant, document, filters.revision_is(revision)))

    async def delete_older(self, tenant: TenantId, document: DocumentId, *, below_revision: int) -> None:
        await self._delete(filters.document_filter(tenant, document, filters.below(payload.REVISION, below_revision)))

    async def delete_document(self, tenant: TenantId, document: DocumentId) -> None:
        await self._delete(filters.document_filter(tenant, document))

    async def set_acl(self, tenant: TenantId, document: DocumentId, *, acl: IndexAcl, acl_revision: int) -> None:
        older = filters.document_filter(tenant, document, filters.below(payload.ACL_REVISION, acl_revision))
        await self._set({**payload.acl_payload(acl), payload.ACL_REVISION: acl_revision}, older)

    async def set_metadata(
        self, tenant: TenantId, document: DocumentId, *, metadata: IndexMetadata, metadata_revision: int
    ) -> None:
        older = filters.document_filter(tenant, document, filters.below(payload.METADATA_REVISION, metadata_revision))
        await self._set({**payload.metadata_payload(metadata), payload.METADATA_REVISION: metadata_revision}, older)

    async def tombstone(self, tenant: TenantId, document: DocumentId) -> None:
        await self._set({payload.IS_DELETED: True}, filters.document_filter(tenant, document))

    async def _delete(self, matching: models.Filter) -> None:
        selector = models.FilterSelector(filter=matching)
        with translated():
            await self._client.delete(self._collection, selector, wait=True, ordering=STRONG)

    async def _set(self, fields: payload.Payload, matching: models.Filter) -> None:
        with translated():
            await self._client.set_payload(self._collection, fields, points=matching, wait=True, ordering=STRONG)
