"""Points of a document, to be erased (ports/erasure.py)."""

from qdrant_client import AsyncQdrantClient

from cortex.adapters.qdrant import filters
from cortex.adapters.qdrant.errors import translated
from cortex.adapters.qdrant.writer import QdrantWriter
from cortex.domain.erasure import Subject
from cortex.domain.identity import DocumentId, TenantId


class DocumentPoints:
    """Implements ErasableStore in every collection: each revision, tombstoned ones included."""

    name = "vector index"

    def __init__(self, client: AsyncQdrantClient) -> None:
        self._client = client

    async def count(self, tenant: TenantId, subject: Subject) -> int:
        matching = filters.document_filter(tenant, DocumentId(subject.id))
        number = 0
        for collection in await self._collections():
            with translated():
                number += (await self._client.count(collection, count_filter=matching, exact=True)).count
        return number

    async def erase(self, tenant: TenantId, subject: Subject) -> None:
        for collection in await self._collections():
            await QdrantWriter(self._client, collection).delete_document(tenant, DocumentId(subject.id))

    async def _collections(self) -> list[str]:
        """While one is being replaced there are two."""
        with translated():
            found = await self._client.get_collections()
        return [collection.name for collection in found.collections]
