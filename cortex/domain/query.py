"""A question as the hot path carries it: what was asked, how it is encoded, what was found for it."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from cortex.domain.answer import Passage
from cortex.domain.encoding import Language, QueryEncoding
from cortex.domain.identity import ContainerId, DocumentId
from cortex.domain.query_text import Wanted
from cortex.domain.vector import IndexFilters, SparseVector


class Mode(enum.StrEnum):
    """Which arms search, and how their lists become one: `HYBRID` by scores, `RRF` and `DBSF` for comparison."""

    HYBRID = "hybrid"
    DENSE = "dense"
    LEXICAL = "lexical"
    RRF = "rrf"
    DBSF = "dbsf"


@dataclass(frozen=True, slots=True)
class EncodedQuery:
    """`tokens` is None where only terms could be made; `supported` tells whether the model declares the language."""

    sparse: SparseVector
    language: Language
    tokens: QueryEncoding | None = None
    model_key: str = ""
    supported: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """`as_of` hides what is younger. `passages_per_document` is 1 for a list of results and more for an answer.

    `wanted`: what a passage must and must not hold. `now`: from when on age counts a little; None: it does not.
    """

    text: str
    mode: Mode = Mode.HYBRID
    filters: IndexFilters = field(default_factory=IndexFilters)
    as_of: datetime | None = None
    passages_per_document: int = 1
    wanted: Wanted = field(default_factory=Wanted)
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A document that the reader may open now, with its best passages, best first."""

    document_id: DocumentId
    passages: tuple[Passage, ...]
    container_ids: tuple[ContainerId, ...]

    @property
    def best(self) -> Passage:
        return self.passages[0]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Documents in order of relevance; `degraded` names what was missing, such as "dense" or "rerank"."""

    found: tuple[Found, ...]
    degraded: tuple[str, ...]
    language: Language


def source_numbers(passages: Sequence[Passage]) -> dict[DocumentId, int]:
    """The numbers by which an answer cites: documents from 1, in the order in which they first appear."""
    return {document: n for n, document in enumerate(dict.fromkeys(p.document_id for p in passages), start=1)}
