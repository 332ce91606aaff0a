"""What the vector index holds and answers: points, access clauses, scopes, scores (architecture sections 4 and 5)."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from cortex.domain.errors import Invalid
from cortex.domain.identity import ChunkId, ContainerId, DocumentId, PersonId, SourceId, TenantId

COLLECTION_ALIAS = "chunks"
"""By which readers reach the collection of the present model."""

EVERYONE = "*"
ACL_CLAUSES_MAX = 4
PRINCIPAL = re.compile(r"[tm]|[pg]:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
COLLECTION_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")


def _principals(tokens: frozenset[str]) -> None:
    for token in tokens:
        if token != EVERYONE and not PRINCIPAL.fullmatch(token):
            raise Invalid(f"principal {token!r}: expected 'p:<uuid>', 'g:<uuid>', 't', 'm' or '*'")


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term ids, each once, and their weights."""

    indices: Sequence[int]
    values: Sequence[float]

    def __post_init__(self) -> None:
        if len(self.indices) != len(self.values):
            raise Invalid(f"sparse vector: {len(self.indices)} indices but {len(self.values)} values")
        if len(set(self.indices)) != len(self.indices):
            raise Invalid("sparse vector: an index occurs twice")
        if not math.isfinite(sum(self.values)):
            raise Invalid("sparse vector: a value is not finite")


@dataclass(frozen=True, slots=True)
class PassageTerms:
    """`length`: how many terms the passage has, a repeated one as often as it stands there."""

    sparse: SparseVector
    length: int


@dataclass(frozen=True, slots=True)
class IndexAcl:
    """Who may find a passage: someone of every clause, and nobody of `deny`.

    A clause without anyone admits nobody; no clauses admit the whole tenant, guests included.
    """

    clauses: tuple[frozenset[str], ...]
    deny: frozenset[str]

    def __post_init__(self) -> None:
        if len(self.clauses) > ACL_CLAUSES_MAX:
            raise Invalid(f"acl: {len(self.clauses)} clauses; the index holds {ACL_CLAUSES_MAX}")
        for tokens in (*self.clauses, self.deny):
            _principals(tokens)


@dataclass(frozen=True, slots=True)
class IndexMetadata:
    """What may change about a document without touching its vectors. Always written whole."""

    container_ids: tuple[ContainerId, ...] = ()
    author_ids: tuple[PersonId, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class IndexPoint:
    """One chunk as the index holds it."""

    chunk_id: ChunkId
    tenant_id: TenantId
    document_id: DocumentId
    revision: int
    ordinal: int
    acl_revision: int
    metadata_revision: int
    dense: Sequence[float]
    sparse: SparseVector
    acl: IndexAcl
    source_type: str
    source_id: SourceId
    embedded_sha256: str
    language: str
    container_ids: tuple[ContainerId, ...] = ()
    author_ids: tuple[PersonId, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class CollectionSpec:
    """A collection holds the vectors of one model's revision; readers reach it by `alias`."""

    alias: str
    collection: str
    dense_dimensions: int

    def __post_init__(self) -> None:
        for name in (self.alias, self.collection):
            if not COLLECTION_NAME.fullmatch(name):
                raise Invalid(f"collection name {name!r}: use 1 to 128 of a-z, A-Z, 0-9, '_', '.' and '-'")
        if self.alias == self.collection:
            raise Invalid(f"collection {self.alias!r}: the alias must differ from the collection's own name")


@dataclass(frozen=True, slots=True)
class SearchScope:
    """On whose behalf the index is read. Without principals there are no rows; `*` is carried by everyone."""

    tenant_id: TenantId
    principals: frozenset[str]

    def __post_init__(self) -> None:
        _principals(self.principals)


@dataclass(frozen=True, slots=True)
class IndexFilters:
    """The asker's own narrowing; an empty field narrows nothing. `updated_*` bounds are inclusive."""

    source_types: frozenset[str] = frozenset()
    source_ids: frozenset[SourceId] = frozenset()
    container_ids: frozenset[ContainerId] = frozenset()
    author_ids: frozenset[PersonId] = frozenset()
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    languages: frozenset[str] = frozenset()
    document_ids: frozenset[DocumentId] = frozenset()


@dataclass(frozen=True, slots=True)
class HybridRequest:
    """`limit` holds for each arm. An arm without a vector, or with an empty sparse one, answers nothing."""

    dense: Sequence[float] | None
    sparse: SparseVector | None
    limit: int
    filters: IndexFilters = field(default_factory=IndexFilters)


@dataclass(frozen=True, slots=True)
class ScoredPoint:
    chunk_id: ChunkId
    document_id: DocumentId
    revision: int
    acl_revision: int
    source_id: SourceId
    source_type: str
    container_ids: tuple[ContainerId, ...]
    embedded_sha256: str
    language: str
    updated_at: datetime | None
    score: float


@dataclass(frozen=True, slots=True)
class HybridResult:
    """Both arms, best first; equal scores in the order of their ids."""

    dense: list[ScoredPoint]
    sparse: list[ScoredPoint]


@dataclass(frozen=True, slots=True)
class ExactScores:
    """Cosine and BM25 of one chunk; 0.0 where it shares no term with the question, or no vector was asked for."""

    dense: float
    sparse: float


@dataclass(frozen=True, slots=True)
class IndexedRevision:
    """What the index believes of one chunk."""

    chunk_id: ChunkId
    document_id: DocumentId
    revision: int
    acl_revision: int
    metadata_revision: int
    is_deleted: bool


@dataclass(frozen=True, slots=True)
class RevisionPage:
    """`after` starts the next page; None at the end."""

    rows: list[IndexedRevision]
    after: ChunkId | None
