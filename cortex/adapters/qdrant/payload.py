"""A point's payload: names of the fields, and the way there and back.

Empty fields are left out, since each costs the server 10 microseconds and more. That opens nothing: a point without
`acl_0` matches nobody, and an unused clause holds `*`.
"""

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from qdrant_client import models

from cortex.domain.errors import Invalid
from cortex.domain.identity import ChunkId, ContainerId, DocumentId, SourceId
from cortex.domain.vector import (
    ACL_CLAUSES_MAX,
    EVERYONE,
    IndexAcl,
    IndexedRevision,
    IndexMetadata,
    IndexPoint,
    ScoredPoint,
    SparseVector,
)

DENSE, SPARSE = "dense", "sparse"
TENANT, DOCUMENT, REVISION, ORDINAL = "tenant_id", "document_id", "revision", "ordinal"
ACL = tuple(f"acl_{clause}" for clause in range(ACL_CLAUSES_MAX))
ACL_DENY, ACL_REVISION = "acl_deny", "acl_revision"
METADATA_REVISION = "metadata_revision"
SOURCE_TYPE, SOURCE, CONTAINERS, AUTHORS = "source_type", "source_id", "container_ids", "author_ids"
CREATED, UPDATED, VALID_TO = "created_at", "updated_at", "valid_to"
IS_DELETED, LANGUAGE, EMBEDDED = "is_deleted", "lang", "embedded_sha256"

SCORED_FIELDS = (
    DOCUMENT,
    REVISION,
    ACL_REVISION,
    SOURCE,
    SOURCE_TYPE,
    CONTAINERS,
    EMBEDDED,
    LANGUAGE,
    UPDATED,
)
REVISION_FIELDS = (DOCUMENT, REVISION, ACL_REVISION, METADATA_REVISION, IS_DELETED)

BATCH_POINTS_MAX = 500
BATCH_BYTES_MAX = 16 * 1024 * 1024
# Above what field names, ids, hashes and dates take on the wire.
_POINT_BYTES = 1500

Field: TypeAlias = str | int | bool | list[str] | None
Payload: TypeAlias = dict[str, Field]


def _date(value: datetime | None) -> str | None:
    if value is None:
        return None
    if value.tzinfo is None:
        raise Invalid("a time for the index has no time zone")
    return value.astimezone(UTC).isoformat()


def _texts(values: Iterable[uuid.UUID | str]) -> list[str]:
    return sorted(str(value) for value in values)


def acl_payload(acl: IndexAcl) -> Payload:
    """All fields of access, so that a write replaces what was there; an unused clause is open to everyone."""
    unused = (frozenset({EVERYONE}),) * (ACL_CLAUSES_MAX - len(acl.clauses))
    clauses = zip(ACL, (*acl.clauses, *unused), strict=True)
    return {**{field: _texts(clause) for field, clause in clauses}, ACL_DENY: _texts(acl.deny)}


def metadata_payload(metadata: IndexMetadata) -> Payload:
    return {
        CONTAINERS: _texts(metadata.container_ids),
        AUTHORS: _texts(metadata.author_ids),
        CREATED: _date(metadata.created_at),
        UPDATED: _date(metadata.updated_at),
        VALID_TO: _date(metadata.valid_to),
    }


def _payload(point: IndexPoint) -> Payload:
    metadata = IndexMetadata(
        container_ids=point.container_ids,
        author_ids=point.author_ids,
        created_at=point.created_at,
        updated_at=point.updated_at,
        valid_to=point.valid_to,
    )
    whole: Payload = {
        **acl_payload(point.acl),
        **metadata_payload(metadata),
        TENANT: str(point.tenant_id),
        DOCUMENT: str(point.document_id),
        REVISION: point.revision,
        ORDINAL: point.ordinal,
        ACL_REVISION: point.acl_revision,
        METADATA_REVISION: point.metadata_revision,
        SOURCE_TYPE: point.source_type,
        SOURCE: str(point.source_id),
        IS_DELETED: False,
        LANGUAGE: point.language,
        EMBEDDED: point.embedded_sha256,
    }
    return {field: value for field, value in whole.items() if value is not None and value != []}


def sparse_vector(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(
        indices=[int(index) for index in vector.indices], values=[float(value) for value in vector.values]
    )


def point_struct(point: IndexPoint) -> models.PointStruct:
    vectors: dict[str, models.Vector] = {DENSE: [float(value) for value in point.dense]}
    if point.sparse.indices:
        vectors[SPARSE] = sparse_vector(point.sparse)
    return models.PointStruct(id=str(point.chunk_id), vector=vectors, payload=_payload(point))


def _bytes(point: IndexPoint) -> int:
    tokens = sum(len(clause) for clause in point.acl.clauses) + len(point.acl.deny)
    identifiers = tokens + len(point.container_ids) + len(point.author_ids)
    return _POINT_BYTES + 4 * len(point.dense) + 9 * len(point.sparse.indices) + 44 * identifiers


def batches(points: Sequence[IndexPoint]) -> Iterator[Sequence[IndexPoint]]:
    """Runs of points that one message carries."""
    start, size = 0, 0
    for place, point in enumerate(points):
        size += _bytes(point)
        if place > start and (place - start >= BATCH_POINTS_MAX or size > BATCH_BYTES_MAX):
            yield points[start:place]
            start, size = place, _bytes(point)
    if start < len(points):
        yield points[start:]


def scored_point(point: models.ScoredPoint) -> ScoredPoint:
    payload: Mapping[str, Field] = point.payload or {}
    updated = payload.get(UPDATED)
    return ScoredPoint(
        chunk_id=chunk_id(point.id),
        document_id=DocumentId(uuid.UUID(str(payload[DOCUMENT]))),
        revision=number(payload[REVISION]),
        acl_revision=number(payload[ACL_REVISION]),
        source_id=SourceId(uuid.UUID(str(payload[SOURCE]))),
        source_type=str(payload[SOURCE_TYPE]),
        container_ids=tuple(ContainerId(uuid.UUID(value)) for value in _list(payload.get(CONTAINERS))),
        embedded_sha256=str(payload[EMBEDDED]),
        language=str(payload[LANGUAGE]),
        updated_at=datetime.fromisoformat(str(updated)) if updated else None,
        score=point.score,
    )


def indexed_revision(record: models.Record) -> IndexedRevision:
    payload: Mapping[str, Field] = record.payload or {}
    return IndexedRevision(
        chunk_id=chunk_id(record.id),
        document_id=DocumentId(uuid.UUID(str(payload[DOCUMENT]))),
        revision=number(payload[REVISION]),
        acl_revision=number(payload[ACL_REVISION]),
        metadata_revision=number(payload[METADATA_REVISION]),
        is_deleted=bool(payload[IS_DELETED]),
    )


def chunk_id(value: models.ExtendedPointId) -> ChunkId:
    return ChunkId(uuid.UUID(str(value)))


def number(value: Field) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a whole number in the payload, not {type(value).__name__}")
    return value


def _list(value: Field) -> Collection[str]:
    return value if isinstance(value, list) else ()
