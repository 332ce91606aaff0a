"""`/v1/conversations`: what one asked, each answer checked again at every reading."""

import uuid
from collections.abc import Callable, Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from cortex.domain.credential import Reader
from cortex.domain.errors import NotFound
from cortex.domain.identity import ConversationId
from cortex.ports.answer_store import AnswerRecord
from cortex.ports.conversation_store import Conversation, ConversationStore, Place
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway.answering import Answering
from services.query_gateway.answers import Records
from services.query_gateway.conversation_wire import (
    ConversationBody,
    ConversationDetail,
    ConversationList,
    RenameRequest,
    ShareBody,
)
from services.query_gateway.cursor import decode_place, encode_place
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.markdown import exported

PAGE_MAX = 100
TURNS_MAX = 50
EXPORTED_MAX = 500
SEARCH_CHARACTERS_MAX = 200

Cursor = Annotated[str | None, Query(max_length=256)]
ShareUrl = Callable[[str], str]
"""The address of a share, by its token."""


class Conversations:
    """Of the reader alone; anybody else's are not there."""

    def __init__(
        self, *, store: ConversationStore, records: Records, answering: Answering, share_url: ShareUrl
    ) -> None:
        self._store = store
        self._records = records
        self._answering = answering
        self._share_url = share_url

    async def page(self, reader: Reader, *, containing: str, cursor: str | None, limit: int) -> ConversationList:
        found = await self._store.page(
            reader.tenant_id,
            reader.credential.person_id,
            containing=containing,
            before=decode_place(cursor),
            limit=limit + 1,
        )
        shown = found[:limit]
        more = len(found) > limit
        return ConversationList(
            items=[self.body(one) for one in shown],
            next_cursor=encode_place(Place(shown[-1].updated_at, str(shown[-1].id))) if more else None,
        )

    async def read(self, reader: Reader, conversation: ConversationId, *, cursor: str | None) -> ConversationDetail:
        found = await self._store.get(reader.tenant_id, reader.credential.person_id, conversation)
        records = await self._store.turns(
            reader.tenant_id, conversation, before=decode_place(cursor), until=None, limit=TURNS_MAX + 1
        )
        shown, next_cursor = latest(records, TURNS_MAX)
        turns = await self._records.of(reader, shown)
        return ConversationDetail(**self.body(found).model_dump(), turns=turns, next_cursor=next_cursor)

    async def rename(self, reader: Reader, conversation: ConversationId, title: str) -> ConversationBody:
        tenant, person = reader.tenant_id, reader.credential.person_id
        return self.body(await self._store.rename(tenant, person, conversation, title))

    async def delete(self, reader: Reader, conversation: ConversationId) -> None:
        """An answer that is just being given ends with it."""
        for answer in await self._store.delete(reader.tenant_id, reader.credential.person_id, conversation):
            live = self._answering.live(answer)
            if live is not None:
                live.stop()

    async def export(self, reader: Reader, conversation: ConversationId) -> str:
        found = await self._store.get(reader.tenant_id, reader.credential.person_id, conversation)
        records = await self._store.turns(reader.tenant_id, conversation, before=None, until=None, limit=EXPORTED_MAX)
        return exported(found.title, await self._records.of(reader, records))

    def body(self, found: Conversation) -> ConversationBody:
        shared = found.share_token is not None and found.shared_at is not None
        return ConversationBody(
            conversation_id=found.id,
            title=found.title,
            created_at=found.created_at,
            updated_at=found.updated_at,
            share=self.share_body(found) if shared else None,
        )

    def share_body(self, found: Conversation) -> ShareBody:
        if found.share_token is None or found.shared_at is None:
            raise NotFound
        return ShareBody(url=self._share_url(found.share_token), shared_at=found.shared_at)


def latest(records: Sequence[AnswerRecord], most: int) -> tuple[list[AnswerRecord], str | None]:
    """Of one more than `most`, oldest first: the latest, and where what is older goes on."""
    shown = list(records[-most:])
    if len(records) <= most:
        return shown, None
    return shown, encode_place(Place(shown[0].created_at, str(shown[0].answer_id)))


def conversation_id(text: str) -> ConversationId:
    """What is no id is not there, like any other."""
    try:
        return ConversationId(uuid.UUID(text))
    except ValueError:
        raise NotFound from None


def router(*, identify: Identify, conversations: Conversations) -> APIRouter:
    routes = APIRouter(
        route_class=GuardedRoute, prefix="/v1/conversations", tags=["conversations"], responses=DOCUMENTED
    )
    writing = identify.writing()

    @routes.get("", operation_id="list_conversations")
    async def page(
        asking: Annotated[Asking, Depends(identify)],
        q: Annotated[str, Query(max_length=SEARCH_CHARACTERS_MAX)] = "",
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 30,
        cursor: Cursor = None,
    ) -> ConversationList:
        """Latest first. `q` looks into titles and one's own questions."""
        return await conversations.page(asking.reader, containing=q.strip(), cursor=cursor, limit=limit)

    @routes.get("/{conversation}", operation_id="get_conversation")
    async def get(
        conversation: str, asking: Annotated[Asking, Depends(identify)], cursor: Cursor = None
    ) -> ConversationDetail:
        return await conversations.read(asking.reader, conversation_id(conversation), cursor=cursor)

    @routes.patch("/{conversation}", operation_id="rename_conversation")
    async def rename(
        conversation: str, body: RenameRequest, asking: Annotated[Asking, Depends(writing)]
    ) -> ConversationBody:
        return await conversations.rename(asking.reader, conversation_id(conversation), body.title)

    @routes.delete("/{conversation}", operation_id="delete_conversation", status_code=204)
    async def delete(conversation: str, asking: Annotated[Asking, Depends(writing)]) -> None:
        """For good, with every answer in it and its share."""
        await conversations.delete(asking.reader, conversation_id(conversation))

    @routes.get("/{conversation}/export", operation_id="export_conversation", response_class=Response, responses=_TEXT)
    async def export(conversation: str, asking: Annotated[Asking, Depends(identify)]) -> Response:
        text = await conversations.export(asking.reader, conversation_id(conversation))
        headers = {"Content-Disposition": 'attachment; filename="conversation.md"'}
        return Response(text, media_type="text/markdown", headers=headers)

    return routes


_TEXT: dict[int | str, dict[str, object]] = {
    200: {"description": "Markdown.", "content": {"text/markdown": {"schema": {"type": "string"}}}}
}
