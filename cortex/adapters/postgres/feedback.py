"""What people think of their answers (ports/feedback_store.py)."""

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.domain.errors import NotFound
from cortex.domain.identity import AnswerId, PersonId, TenantId
from cortex.ports.feedback_store import Rating

_PUT = text(
    "INSERT INTO answer_feedback (tenant_id, answer_id, person_id, rating, comment)"
    " SELECT tenant_id, id, person_id, :rating, :comment FROM answers WHERE id = :answer AND person_id = :person"
    " ON CONFLICT (tenant_id, answer_id, person_id)"
    " DO UPDATE SET rating = excluded.rating, comment = excluded.comment, given_at = now() RETURNING answer_id"
)
_OWN = text("SELECT 1 FROM answers WHERE id = :answer AND person_id = :person")
_TAKE_BACK = text("DELETE FROM answer_feedback WHERE answer_id = :answer AND person_id = :person")


class PostgresFeedback:
    """Implements FeedbackStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(
        self, tenant: TenantId, person: PersonId, answer: AnswerId, *, rating: Rating, comment: str | None
    ) -> None:
        values = {"answer": answer, "person": person, "rating": rating.value, "comment": comment}
        async with self._database.tenant(tenant) as connection:
            if (await connection.execute(_PUT, values)).one_or_none() is None:
                raise NotFound("the answer is not known")

    async def take_back(self, tenant: TenantId, person: PersonId, answer: AnswerId) -> None:
        values = {"answer": answer, "person": person}
        async with self._database.tenant(tenant) as connection:
            if (await connection.execute(_OWN, values)).one_or_none() is None:
                raise NotFound("the answer is not known")
            await connection.execute(_TAKE_BACK, values)
