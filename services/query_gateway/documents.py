"""`/v1/documents/{id}`: what a reader may open by its id, each reading of a body audited before it is given."""

import re
import uuid
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends
from fastapi.responses import Response

from cortex.domain.credential import Reader
from cortex.domain.errors import NotFound
from cortex.domain.identity import DocumentId
from cortex.ports.audit_log import AuditEntry, AuditLog
from cortex.ports.document_reader import DocumentReader, LiveDocument
from cortex.ports.object_store import ObjectStore
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway.deadline import within
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.present import document_body
from services.query_gateway.visibility import OPEN, Visibility
from services.query_gateway.wire import DocumentBody

_MIME = re.compile(r"[a-z]+/[a-z0-9][a-z0-9.+-]*")
_NAME_CHARACTERS_MAX = 150


class Documents:
    """Absent, foreign, forbidden and not yet indexed look the same."""

    def __init__(
        self,
        *,
        documents: DocumentReader,
        objects: ObjectStore,
        audit: AuditLog,
        visibility: Visibility,
        timeout_s: float,
    ) -> None:
        self._documents = documents
        self._objects = objects
        self._audit = audit
        self._visibility = visibility
        self._timeout_s = timeout_s

    async def read(self, reader: Reader, document: DocumentId) -> DocumentBody:
        live = await self._openable(reader, document)
        async with within(self._timeout_s, "the document store"):
            blocks = await self._documents.blocks(reader.tenant_id, document, live.indexed_revision)
        await self._record(reader, "document.read", live)
        return document_body(live, blocks)

    async def original(self, reader: Reader, document: DocumentId) -> Response:
        """The file as a download that no browser will run; like absent where it holds more than may be shown."""
        live = await self._openable(reader, document)
        if live.original_hidden:
            raise NotFound
        data = await self._objects.get(live.raw_key)
        await self._record(reader, "document.download", live)
        headers = {
            "Content-Disposition": disposition(live.external_id),
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "X-Content-Type-Options": "nosniff",
        }
        return Response(data, media_type=media_type(live.mime), headers=headers)

    async def _openable(self, reader: Reader, document: DocumentId) -> LiveDocument:
        visible = await self._visibility.visible(reader, [document], permission=OPEN)
        live = visible.get(document)
        if live is None or live.indexed_revision < 1:
            raise NotFound
        return live

    async def _record(self, reader: Reader, action: str, live: LiveDocument) -> None:
        entry = AuditEntry(
            actor=str(reader.credential.person_id),
            action=action,
            object=str(live.document_id),
            details={"revision": live.indexed_revision},
        )
        async with within(self._timeout_s, "the audit log"):
            await self._audit.append(reader.tenant_id, [entry])


def document_id(text: str) -> DocumentId:
    """What is no id is not there, like any other."""
    try:
        return DocumentId(uuid.UUID(text))
    except ValueError:
        raise NotFound from None


def disposition(external_id: str) -> str:
    """A download under the file's own name, whatever characters it holds (RFC 6266)."""
    name = re.split(r"[/\\]", external_id)[-1].strip(". ")[-_NAME_CHARACTERS_MAX:] or "document"
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def media_type(mime: str) -> str:
    """The stored type where it is one, and never one that a browser would run."""
    bare = mime.split(";")[0].strip().lower()
    runs = any(part in bare for part in ("html", "xml", "svg", "script"))
    return bare if _MIME.fullmatch(bare) and not runs else "application/octet-stream"


def router(*, identify: Identify, documents: Documents) -> APIRouter:
    routes = APIRouter(prefix="/v1/documents", tags=["documents"], responses=DOCUMENTED, route_class=GuardedRoute)

    @routes.get("/{document}", operation_id="get_document")
    async def get(document: str, asking: Annotated[Asking, Depends(identify)]) -> DocumentBody:
        return await documents.read(asking.reader, document_id(document))

    @routes.get("/{document}/original", operation_id="get_document_original", response_class=Response)
    async def original(document: str, asking: Annotated[Asking, Depends(identify)]) -> Response:
        return await documents.original(asking.reader, document_id(document))

    return routes
