"""Folders that the asker may see: no other is named in an answer, or narrows one.

Seeing a document does not mean seeing what it lies in: with `inherit: none` it stands alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from cortex.domain.credential import Reader
from cortex.domain.identity import ContainerId
from cortex.domain.query import Found
from cortex.domain.vector import IndexFilters
from services.query_gateway.visibility import Visibility

NOWHERE = ContainerId(UUID(int=0))


async def openable_folders(visibility: Visibility, reader: Reader, found: Sequence[Found]) -> tuple[Found, ...]:
    """The same documents, each with those of its folders that the reader may see."""
    allowed = await visibility.containers(reader, {folder for one in found for folder in one.container_ids})
    return tuple(
        replace(one, container_ids=tuple(folder for folder in one.container_ids if folder in allowed)) for one in found
    )


async def openable_filters(visibility: Visibility, reader: Reader, filters: IndexFilters) -> IndexFilters:
    """A folder that may not be seen holds nothing, like one that never was."""
    if not filters.container_ids:
        return filters
    allowed = await visibility.containers(reader, filters.container_ids)
    return replace(filters, container_ids=allowed or frozenset([NOWHERE]))
