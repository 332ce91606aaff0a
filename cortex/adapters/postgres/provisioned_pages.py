"""Lists of a provisioning client: by page, and narrowed by one key."""

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

K = TypeVar("K")


class Pages(Generic[K]):
    """`conditions` continue the query that `columns` begins, and may name `:value`; None is without a condition."""

    def __init__(self, columns: str, conditions: Mapping[K | None, str], *, order: str) -> None:
        self._statements = {
            key: text(f"SELECT {columns} {condition} ORDER BY {order} OFFSET :offset LIMIT :limit")
            for key, condition in conditions.items()
        }

    async def rows(
        self, connection: AsyncConnection, only: tuple[K, str] | None, *, offset: int, limit: int
    ) -> Sequence[Row[tuple[object, ...]]]:
        key, value = only or (None, "")
        found = await connection.execute(self._statements[key], {"value": value, "offset": offset, "limit": limit})
        return found.all()
