"""Conversations and their shares (ports/conversation_store.py)."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Row, TextClause, text

from cortex.adapters.postgres.answers import RECORD, record_of
from cortex.adapters.postgres.database import Database
from cortex.domain.errors import NotFound
from cortex.domain.identity import AnswerId, ConversationId, PersonId, TenantId
from cortex.ports.answer_store import AnswerRecord
from cortex.ports.conversation_store import Conversation, Place

_FIELDS = "id, person_id, title, created_at, updated_at, share_token, shared_at"
_OWN = "id = :conversation AND person_id = :person"
_PAGE = text(
    f"SELECT {_FIELDS} FROM conversations c WHERE person_id = :person"
    " AND (CAST(:at AS timestamptz) IS NULL OR (updated_at, id) < (:at, CAST(:id AS uuid)))"
    " AND (:containing = '' OR position(cortex_folded(:containing) IN cortex_folded(title)) > 0"
    " OR EXISTS (SELECT FROM answers a WHERE a.person_id = :person AND a.conversation_id = c.id"
    " AND position(cortex_folded(:containing) IN cortex_folded(a.question)) > 0))"
    " ORDER BY updated_at DESC, id DESC LIMIT :limit"
)
_GET = text(f"SELECT {_FIELDS} FROM conversations WHERE {_OWN}")
_RENAME = text(f"UPDATE conversations SET title = :title WHERE {_OWN} RETURNING {_FIELDS}")
_ANSWERS = text("SELECT id FROM answers WHERE conversation_id = :conversation AND person_id = :person")
_DELETE = text(f"DELETE FROM conversations WHERE {_OWN} RETURNING {_FIELDS}")
_TURNS = text(
    f"SELECT * FROM ({RECORD} WHERE a.conversation_id = :conversation"
    " AND (CAST(:until AS timestamptz) IS NULL OR a.created_at <= :until)"
    " AND (CAST(:at AS timestamptz) IS NULL OR (a.created_at, a.id) < (:at, CAST(:id AS uuid)))"
    " ORDER BY a.created_at DESC, a.id DESC LIMIT :limit) AS latest ORDER BY created_at, answer_id"
)
_SHARE = text(
    "UPDATE conversations SET share_token = coalesce(share_token, :token), shared_at = :now"
    f" WHERE {_OWN} RETURNING {_FIELDS}"
)
_WITHDRAW = text(f"UPDATE conversations SET share_token = NULL, shared_at = NULL WHERE {_OWN} RETURNING {_FIELDS}")
_SHARED = text(f"SELECT {_FIELDS} FROM conversations WHERE share_token = :token")


class PostgresConversations:
    """Implements ConversationStore and ShareStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(
        self, tenant: TenantId, person: PersonId, *, containing: str, before: Place | None, limit: int
    ) -> Sequence[Conversation]:
        values = {"person": person, "containing": containing, "limit": limit, **_place(before)}
        async with self._database.tenant(tenant) as connection:
            return [_conversation(row) for row in await connection.execute(_PAGE, values)]

    async def get(self, tenant: TenantId, person: PersonId, conversation: ConversationId) -> Conversation:
        return await self._one(tenant, _GET, {"conversation": conversation, "person": person})

    async def rename(
        self, tenant: TenantId, person: PersonId, conversation: ConversationId, title: str
    ) -> Conversation:
        return await self._one(tenant, _RENAME, {"conversation": conversation, "person": person, "title": title})

    async def delete(self, tenant: TenantId, person: PersonId, conversation: ConversationId) -> Sequence[AnswerId]:
        values = {"conversation": conversation, "person": person}
        async with self._database.tenant(tenant) as connection:
            held = [AnswerId(found) for found in (await connection.execute(_ANSWERS, values)).scalars()]
            if (await connection.execute(_DELETE, values)).one_or_none() is None:
                raise NotFound("the conversation is not known")
        return held

    async def turns(
        self,
        tenant: TenantId,
        conversation: ConversationId,
        *,
        before: Place | None,
        until: datetime | None,
        limit: int,
    ) -> Sequence[AnswerRecord]:
        values = {"conversation": conversation, "until": until, "limit": limit, **_place(before)}
        async with self._database.tenant(tenant) as connection:
            return [record_of(row) for row in await connection.execute(_TURNS, values)]

    async def share(
        self, tenant: TenantId, person: PersonId, conversation: ConversationId, *, token: str, now: datetime
    ) -> Conversation:
        values = {"conversation": conversation, "person": person, "token": token, "now": now}
        return await self._one(tenant, _SHARE, values)

    async def withdraw(self, tenant: TenantId, person: PersonId, conversation: ConversationId) -> None:
        await self._one(tenant, _WITHDRAW, {"conversation": conversation, "person": person})

    async def shared(self, tenant: TenantId, token: str) -> Conversation:
        return await self._one(tenant, _SHARED, {"token": token})

    async def _one(self, tenant: TenantId, statement: TextClause, values: Mapping[str, object]) -> Conversation:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(statement, values)).one_or_none()
        if row is None:
            raise NotFound("the conversation is not known")
        return _conversation(row)


def _place(place: Place | None) -> dict[str, object]:
    return {"at": None, "id": None} if place is None else {"at": place.at, "id": place.id}


def _conversation(row: Row[tuple[object, ...]]) -> Conversation:
    return Conversation(**row._mapping)
