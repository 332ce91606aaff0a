"""The one document that the stages' tests are about."""

from cortex.domain.identity import DocumentId, SourceId
from cortex.ports.revision_store import LatestRevision


def latest_of(document: DocumentId, source: SourceId, revision: int, *, tombstoned: bool) -> LatestRevision:
    return LatestRevision(
        document_id=document,
        source_id=source,
        external_id="plan.md",
        revision=revision,
        indexed_revision=0,
        title="Plan",
        given_title=None,
        name="plan.md",
        mime="text/markdown",
        raw_key="raw/plan",
        content_sha256="0" * 64,
        tombstoned=tombstoned,
    )
