"""Content events: keys and counters, never bodies (contracts.md)."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from cortex.domain.identity import DocumentId, SourceId, TenantId
from cortex.domain.revision import Counters, EventKind


@dataclass(frozen=True, slots=True)
class ContentEvent:
    tenant_id: TenantId
    source_id: SourceId
    document_id: DocumentId
    counters: Counters
    kind: EventKind
    raw_key: str
    content_sha256: str
    metadata_sha256: str
    mime: str
    pipeline_version: str
    occurred_at: datetime
    traceparent: str = ""

    @property
    def event_id(self) -> str:
        """SHA-256 of (tenant, document, the three counters, kind): the same change always has the same id."""
        numbers = (self.counters.revision, self.counters.metadata_revision, self.counters.acl_revision)
        parts = [str(self.tenant_id), str(self.document_id), *map(str, numbers), self.kind.value]
        return hashlib.sha256("\x00".join(parts).encode()).hexdigest()

    @property
    def subject(self) -> str:
        return f"cortex.content.{self.tenant_id.hex}.{self.kind.value}"


@dataclass(frozen=True, slots=True)
class StageEvent:
    """A document's revision has passed a stage: `parsed`, `chunked` or `indexed`.

    `again` tells one that is asked for once more from the first, which the bus would take for the same.
    """

    stage: str
    tenant_id: TenantId
    source_id: SourceId
    document_id: DocumentId
    revision: int
    traceparent: str = ""
    again: str = ""

    @property
    def event_id(self) -> str:
        parts = (self.stage, self.tenant_id, self.document_id, self.revision, *filter(None, [self.again]))
        return hashlib.sha256("\x00".join(map(str, parts)).encode()).hexdigest()

    @property
    def subject(self) -> str:
        return f"cortex.{self.stage}.{self.tenant_id.hex}"
