"""Passages as the gateway hands them over."""

import uuid
from datetime import UTC, datetime

from cortex.domain.answer import Passage, SourceLabel
from cortex.domain.document import Anchor
from cortex.domain.identity import ChunkId, DocumentId, SourceId


def passage(
    *blocks: str,
    title: str = "Page",
    score: float = 1.0,
    dense: float = 0.6,
    day: int = 1,
    language: str = "en",
    heading_path: tuple[str, ...] = (),
) -> Passage:
    """One chunk of a document that is named by its title; `day` is when it changed."""
    document = DocumentId(uuid.uuid5(uuid.NAMESPACE_URL, title))
    return Passage(
        chunk_id=ChunkId(uuid.uuid5(document, "\n".join(blocks))),
        document_id=document,
        revision=1,
        title=title,
        url="",
        source=SourceLabel(SourceId(uuid.NAMESPACE_URL), "files", "wiki"),
        author=None,
        updated_at=datetime(2026, 1, day, tzinfo=UTC),
        language=language,
        heading_path=heading_path,
        text="\n".join(blocks),
        anchors=tuple(Anchor(1, n, 0, len(block)) for n, block in enumerate(blocks)),
        score=score,
        scores={"dense": dense, "maxsim": dense, "bm25": 20 * dense},
    )
