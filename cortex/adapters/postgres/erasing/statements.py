"""A store that is counted by one statement and emptied by others, in one transaction."""

from collections.abc import Sequence

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.domain.erasure import Subject
from cortex.domain.identity import TenantId


class Statements:
    """Implements ErasableStore. Every statement may name `:subject` and `:subject_text`."""

    def __init__(self, database: Database, name: str, *, count: str, erase: Sequence[str]) -> None:
        self.name = name
        self._database = database
        self._count = text(count)
        self._erase = [text(statement) for statement in erase]

    async def count(self, tenant: TenantId, subject: Subject) -> int:
        async with self._database.tenant(tenant) as connection:
            return int((await connection.execute(self._count, _values(subject))).scalar_one())

    async def erase(self, tenant: TenantId, subject: Subject) -> None:
        async with self._database.tenant(tenant) as connection:
            for statement in self._erase:
                await connection.execute(statement, _values(subject))


def _values(subject: Subject) -> dict[str, object]:
    return {"subject": subject.id, "subject_text": str(subject.id)}
