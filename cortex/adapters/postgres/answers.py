"""Answers and their event log (ports/answer_store.py)."""

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import Row, text
from sqlalchemy.exc import IntegrityError

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.database import Database
from cortex.domain.errors import NotFound
from cortex.domain.identity import AnswerId, ConversationId, PersonId, TenantId
from cortex.ports.answer_store import AnswerEvent, AnswerRecord

EVENTS_MAX = 1_000
TITLE_CHARACTERS = 120

_CONVERSATION = text(
    "INSERT INTO conversations (tenant_id, id, person_id, title) VALUES (:tenant, :conversation, :person, :title)"
    " ON CONFLICT (tenant_id, id) DO UPDATE SET updated_at = now() WHERE conversations.person_id = excluded.person_id"
    " RETURNING id"
)
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
RECORD = (
    "SELECT a.id AS answer_id, a.conversation_id, a.person_id, a.question, a.state, a.created_at, a.record, f.rating"
    " FROM answers a LEFT JOIN answer_feedback f ON f.answer_id = a.id AND f.person_id = a.person_id"
)
_GET = text(f"{RECORD} WHERE a.id = :answer AND a.person_id = :person")
_EVENTS = text(
    "SELECT sequence, type, data FROM answer_events WHERE answer_id = :answer AND sequence > :after"
    " ORDER BY sequence LIMIT :most"
)


class PostgresAnswers:
    """Implements AnswerStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, tenant: TenantId, person: PersonId, answer: AnswerId, *, conversation_id: ConversationId, question: str
    ) -> None:
        values = {
            "tenant": tenant,
            "answer": answer,
            "conversation": conversation_id,
            "person": person,
            "question": question,
            "title": " ".join(question.split())[:TITLE_CHARACTERS],
        }
        async with self._database.tenant(tenant) as connection:
            if (await connection.execute(_CONVERSATION, values)).one_or_none() is None:
                raise NotFound("the conversation is not known")
            await connection.execute(_CREATE, values)

    async def append(self, tenant: TenantId, answer: AnswerId, events: Sequence[AnswerEvent]) -> None:
        rows = [
            {"tenant": tenant, "answer": answer, "sequence": event.sequence, "type": event.type, "data": event.data}
            for event in events
        ]
        if rows:
            try:
                async with self._database.tenant(tenant) as connection:
                    await connection.execute(_APPEND, rows)
            except IntegrityError:
                raise NotFound("the answer was deleted") from None

    async def finish(self, tenant: TenantId, answer: AnswerId, *, state: str, record: Mapping[str, object]) -> None:
        values = {"tenant": tenant, "answer": answer, "state": state, "record": as_json(record)}
        async with self._database.tenant(tenant) as connection:
            if (await connection.execute(_FINISH, values)).rowcount:
                await connection.execute(_CITE, values)

    async def get(self, tenant: TenantId, person: PersonId, answer: AnswerId) -> AnswerRecord:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_GET, {"answer": answer, "person": person})).one_or_none()
        if row is None:
            raise NotFound("the answer is not known")
        return record_of(row)

    async def events(self, tenant: TenantId, answer: AnswerId, *, after: int) -> list[AnswerEvent]:
        async with self._database.tenant(tenant) as connection:
            values = {"answer": answer, "after": after, "most": EVENTS_MAX}
            rows = await connection.execute(_EVENTS, values)
            return [AnswerEvent(row.sequence, row.type, json.dumps(row.data, ensure_ascii=False)) for row in rows]


def record_of(row: Row[tuple[object, ...]]) -> AnswerRecord:
    record = None if row.record is None else json.dumps(row.record, ensure_ascii=False)
    return AnswerRecord(**{**row._mapping, "record": record})
