"""Takes a source out, a page at a time: documents, then containers, then the source itself."""

from dataclasses import dataclass

from cortex.domain.errors import Conflict, NotFound
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.source_store import SourceStore
from cortex.ports.source_writer import SourceWriter

REASON = "the source was removed"


@dataclass(frozen=True, slots=True)
class Removing:
    store: SourceStore
    writer: SourceWriter
    documents_per_page: int

    async def begin(self, tenant: TenantId, source: SourceId) -> bool:
        """From here on no page of the source starts. False when it is gone already."""
        try:
            return (await self.store.source(tenant, source)).state == "removing"
        except NotFound:
            return False

    async def page(self, tenant: TenantId, source: SourceId) -> bool:
        """Deletes some of what is left; True when the source is gone."""
        limit = self.documents_per_page
        documents = await self.store.known(tenant, source, after="", until=None, limit=limit)
        for document in documents:
            await self.writer.delete_document(tenant, source, document.external_id, reason=REASON)
        if documents:
            return False
        containers = await self.store.known_containers(tenant, source, after="", limit=limit)
        for container in containers:
            try:
                await self.writer.delete_container(tenant, source, container)
            except NotFound:
                continue  # an earlier attempt at this page did it
        if containers:
            return False
        try:
            await self.store.remove(tenant, source)
        except Conflict:
            return False  # a page that had begun before wrote something yet; the next round takes it
        return True
