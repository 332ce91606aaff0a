"""A source's privacy rules, what was found under them, and what waits in quarantine."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from cortex.domain.identity import DocumentId, SourceId, TenantId
from cortex.domain.privacy import Kind, PrivacyRules
from cortex.ports.audit_log import LeavesLine


@dataclass(frozen=True, slots=True)
class PrivacyFigures:
    """Over the live documents of a source. `behind`: some are still as the rules before made them."""

    counts: Mapping[Kind, int]
    altered: int
    quarantined: int
    behind: bool


@dataclass(frozen=True, slots=True)
class Quarantined:
    document_id: DocumentId
    external_id: str
    counts: Mapping[Kind, int]
    ingested_at: datetime


class PrivacyStore(LeavesLine, Protocol):
    """NotFound for a source that is not there. Raises Transient."""

    async def rules(self, tenant: TenantId, source: SourceId) -> PrivacyRules: ...

    async def set_rules(self, tenant: TenantId, source: SourceId, rules: PrivacyRules) -> bool:
        """What comes in from now on follows them, and what is stored is made anew from its bytes. False: no change."""
        ...

    async def figures(self, tenant: TenantId, source: SourceId) -> PrivacyFigures: ...

    async def quarantined(
        self, tenant: TenantId, source: SourceId, *, after: DocumentId | None, limit: int
    ) -> list[Quarantined]:
        """Ordered by id, above `after`."""
        ...

    async def release(self, tenant: TenantId, source: SourceId, document: DocumentId) -> None:
        """These bytes of the document are let in; what held them back is redacted. NotFound unless in quarantine."""
        ...
