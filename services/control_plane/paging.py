"""Lists by page: `?limit=&cursor=`, answered with `{items, next_cursor}`."""

import uuid
from collections.abc import Sequence
from typing import Annotated, Protocol, TypeVar

from fastapi import Query

from cortex.domain.errors import Invalid

PAGE_MAX = 500
Limit = Annotated[int, Query(ge=1, le=PAGE_MAX)]
Cursor = Annotated[str, Query(max_length=100)]


class Identified(Protocol):
    @property
    def id(self) -> uuid.UUID: ...


T = TypeVar("T", bound=Identified)


def after(cursor: str) -> str:
    """The id that the page before ended with."""
    try:
        return cursor and str(uuid.UUID(cursor))
    except ValueError:
        raise Invalid("send what next_cursor said", place="cursor") from None


def page(found: Sequence[T], limit: int) -> tuple[Sequence[T], str | None]:
    """Of one more than `limit`: what to show, and the next cursor."""
    shown = found[:limit]
    return shown, str(shown[-1].id) if len(found) > limit else None
