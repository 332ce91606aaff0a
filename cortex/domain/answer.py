"""Passages that an answer may rest on, and what an answer is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from cortex.domain.document import Anchor
from cortex.domain.identity import ChunkId, DocumentId, SourceId


@dataclass(frozen=True, slots=True)
class SourceLabel:
    id: SourceId
    type: str
    name: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that the reader may open now, with its scores. `relevance` is the calibrated final score.

    `place` is a file's path in its source, else empty.
    """

    chunk_id: ChunkId
    document_id: DocumentId
    revision: int
    title: str
    url: str
    source: SourceLabel
    author: str | None
    updated_at: datetime | None
    language: str
    heading_path: tuple[str, ...]
    text: str
    anchors: tuple[Anchor, ...]
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    place: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """`quote` is an exact substring of the anchored block."""

    n: int
    quote: str
    document_id: DocumentId
    chunk_id: ChunkId
    anchor: Anchor


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer with the citations that support it."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Composed:
    """An answer, or an abstention with its reason; how sure it is, from 0 to 1, and what that rests on."""

    sentences: tuple[Sentence, ...]
    abstained: bool
    reason: str | None = None
    confidence: float = 0.0
    evidence: Mapping[str, float] = field(default_factory=dict)
