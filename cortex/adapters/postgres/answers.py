"""Answers and their event log (ports/answer_store.py)."""

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import text

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.database import Database
from cortex.domain.errors import NotFound
from cortex.domain.identity import AnswerId, PersonId, TenantId
from cortex.ports.answer_store import AnswerEvent, AnswerRecord

EVENTS_MAX = 1_000

_CREATE = text(
    "INSERT INTO answers (tenant_id, id, conversation_id, person_id, question)"
    " VALUES (:tenant, :answer, :conversation, :person, :question)"
)
_APPEND = text(
    "INSERT INTO answer_events (tenant_id, answer_id, sequence, type, data)"
    " VALUES (:tenant, :answer, :sequence, :type, CAST(:data AS jsonb)) ON CONFLICT DO NOTHING"
)
_FINISH = text(
    "UPDATE answers SET state = :state, record = CAST(:record AS jsonb), finished_at = now() WHERE id = :answer"
)
# Wherever the record names a document: its sources carry titles, its citations quotes.
_CITE = text(
    "INSERT INTO answer_citations (tenant_id, answer_id, document_id)"
    " SELECT DISTINCT :tenant, CAST(:answer AS uuid), CAST(found #>> '{}' AS uuid)"
    " FROM jsonb_path_query(CAST(:record AS jsonb), '$.**.document_id') AS found ON CONFLICT DO NOTHING"
)
_GET = text(
    "SELECT id AS answer_id, conversation_id, person_id, question, state, created_at, record FROM answers"
    " WHERE id = :answer AND person_id = :person"
)
_EVENTS = text(
    "SELECT sequence, type, data FROM answer_events WHERE answer_id = :answer AND sequence > :after"
    " ORDER BY sequence LIMIT :most"
)


class PostgresAnswers:
    """Implements AnswerStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, tenant: TenantId, person: PersonId, answer: AnswerId, *, conversation_id: str, question: str
    ) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(
                _CREATE,
                {
                    "tenant": tenant,
                    "answer": answer,
                    "conversation": conversation_id,
                    "person": person,
                    "question": question,
                },
            )

    async def append(self, tenant: TenantId, answer: AnswerId, events: Sequence[AnswerEvent]) -> None:
        rows = [
            {"tenant": tenant, "answer": answer, "sequence": event.sequence, "type": event.type, "data": event.data}
            for event in events
        ]
        if rows:
            async with self._database.tenant(tenant) as connection:
                await connection.execute(_APPEND, rows)

    async def finish(self, tenant: TenantId, answer: AnswerId, *, state: str, record: Mapping[str, object]) -> None:
        values = {"tenant": tenant, "answer": answer, "state": state, "record": as_json(record)}
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_FINISH, values)
            await connection.execute(_CITE, values)

    async def get(self, tenant: TenantId, person: PersonId, answer: AnswerId) -> AnswerRecord:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_GET, {"answer": answer, "person": person})).one_or_none()
        if row is None:
            raise NotFound("the answer is not known")
        record = None if row.record is None else json.dumps(row.record, ensure_ascii=False)
        return AnswerRecord(**{**row._mapping, "record": record})

    async def events(self, tenant: TenantId, answer: AnswerId, *, after: int) -> list[AnswerEvent]:
        async with self._database.tenant(tenant) as connection:
            values = {"answer": answer, "after": after, "most": EVENTS_MAX}
            rows = await connection.execute(_EVENTS, values)
            return [AnswerEvent(row.sequence, row.type, json.dumps(row.data, ensure_ascii=False)) for row in rows]
