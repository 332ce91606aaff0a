"""The filter that every read carries. There is no way to read for a person without it."""

from collections.abc import Collection, Iterable
from datetime import datetime

from qdrant_client import models

from cortex.adapters.qdrant import payload
from cortex.domain.identity import ChunkId, DocumentId, TenantId
from cortex.domain.vector import EVERYONE, IndexFilters, SearchScope


def _is(field: str, value: str | int | bool) -> models.FieldCondition:
    return models.FieldCondition(key=field, match=models.MatchValue(value=value))


def _any(field: str, values: Iterable[object]) -> models.FieldCondition:
    return models.FieldCondition(key=field, match=models.MatchAny(any=sorted(str(value) for value in values)))


def tenant(tenant_id: TenantId) -> models.FieldCondition:
    return _is(payload.TENANT, str(tenant_id))


def tenant_filter(tenant_id: TenantId) -> models.Filter:
    return models.Filter(must=[tenant(tenant_id)])


def document_filter(tenant_id: TenantId, document_id: DocumentId, *more: models.FieldCondition) -> models.Filter:
    return models.Filter(must=[tenant(tenant_id), _is(payload.DOCUMENT, str(document_id)), *more])


def revision_is(revision: int) -> models.FieldCondition:
    return _is(payload.REVISION, revision)


def below(field: str, counter: int) -> models.FieldCondition:
    return models.FieldCondition(key=field, range=models.Range(lt=counter))


def _updated(after: datetime | None, before: datetime | None) -> list[models.FieldCondition]:
    if after is None and before is None:
        return []
    return [models.FieldCondition(key=payload.UPDATED, range=models.DatetimeRange(gte=after, lte=before))]


def _narrowing(filters: IndexFilters) -> list[models.FieldCondition]:
    chosen = (
        (payload.SOURCE_TYPE, filters.source_types),
        (payload.SOURCE, filters.source_ids),
        (payload.CONTAINERS, filters.container_ids),
        (payload.AUTHORS, filters.author_ids),
        (payload.LANGUAGE, filters.languages),
        (payload.DOCUMENT, filters.document_ids),
    )
    narrowed = [_any(field, values) for field, values in chosen if values]
    return narrowed + _updated(filters.updated_after, filters.updated_before)


def scope_filter(
    scope: SearchScope, filters: IndexFilters, *, chunk_ids: Collection[ChunkId] | None = None
) -> models.Filter:
    """The tenant, someone of every clause, nobody denied, nothing tombstoned; then what the asker wants less of."""
    carried = scope.principals | {EVERYONE}
    clauses = [_any(field, carried) for field in payload.ACL]
    only = [] if chunk_ids is None else [models.HasIdCondition(has_id=[str(chunk) for chunk in chunk_ids])]
    return models.Filter(
        must=[tenant(scope.tenant_id), _is(payload.IS_DELETED, False), *clauses, *_narrowing(filters), *only],
        must_not=[_any(payload.ACL_DENY, carried)],
    )
