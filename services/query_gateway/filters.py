"""The asker's own narrowing: from a body to what the index understands."""

from datetime import datetime

from cortex.domain.identity import ContainerId, PersonId, SourceId
from cortex.domain.vector import IndexFilters
from services.query_gateway.wire import FiltersBody


def index_filters(body: FiltersBody, *, as_of: datetime | None) -> IndexFilters:
    """`as_of` narrows `updated_before`, so that what is younger takes no place among the candidates."""
    bounds = [bound for bound in (body.updated_before, as_of) if bound is not None]
    return IndexFilters(
        source_types=frozenset(body.source_types),
        source_ids=frozenset(SourceId(value) for value in body.source_ids),
        container_ids=frozenset(ContainerId(value) for value in body.container_ids),
        author_ids=frozenset(PersonId(value) for value in body.author_ids),
        updated_after=body.updated_after,
        updated_before=min(bounds, default=None),
        languages=frozenset(body.languages),
    )
