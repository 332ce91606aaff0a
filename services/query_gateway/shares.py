"""Shares: a conversation as another person of the tenant may see it now.

A reader is told nothing of what they may not open: sources are numbered anew, and an answer of which nothing is left
looks like one that was never found.
"""

import secrets
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends

from cortex.domain.credential import Reader
from cortex.domain.identity import ConversationId
from cortex.ports.answer_store import AnswerRecord
from cortex.ports.clock import Clock
from cortex.ports.conversation_store import ConversationStore, ShareStore
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway.answers import Records
from services.query_gateway.conversation_wire import ShareBody, SharedConversation, SharedTurn
from services.query_gateway.conversations import TURNS_MAX, Conversations, Cursor, conversation_id, latest
from services.query_gateway.cursor import decode_place
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.transcript import answer_text
from services.query_gateway.wire import CitationBody, SentenceBody, StoredAnswer

TOKEN_BYTES = 24


class Shares:
    def __init__(self, *, store: ShareStore, conversations: ConversationStore, records: Records, clock: Clock) -> None:
        self._store = store
        self._conversations = conversations
        self._records = records
        self._clock = clock

    async def share(self, reader: Reader, conversation: ConversationId, present: Conversations) -> ShareBody:
        found = await self._store.share(
            reader.tenant_id,
            reader.credential.person_id,
            conversation,
            token=secrets.token_urlsafe(TOKEN_BYTES),
            now=self._clock.now(),
        )
        return present.share_body(found)

    async def withdraw(self, reader: Reader, conversation: ConversationId) -> None:
        await self._store.withdraw(reader.tenant_id, reader.credential.person_id, conversation)

    async def read(self, reader: Reader, token: str, *, cursor: str | None) -> SharedConversation:
        found = await self._store.shared(reader.tenant_id, token)
        records = await self._conversations.turns(
            reader.tenant_id, found.id, before=decode_place(cursor), until=found.shared_at, limit=TURNS_MAX + 1
        )
        shown, next_cursor = latest(records, TURNS_MAX)
        answers = await self._records.checked(reader, shown)
        return SharedConversation(
            title=found.title,
            shared_at=found.shared_at or found.updated_at,
            turns=[shared_turn(record, answer) for record, answer in zip(shown, answers, strict=True)],
            next_cursor=next_cursor,
        )


def shared_turn(record: AnswerRecord, answer: StoredAnswer | None) -> SharedTurn:
    """`answer` holds only what its reader may see."""
    sentences = [] if answer is None else answer.sentences
    cited = {citation.n for sentence in sentences for citation in sentence.citations}
    sources = [] if answer is None else [source for source in answer.sources if source.n in cited]
    numbers = {source.n: n for n, source in enumerate(sources, start=1)}
    renumbered = [_renumbered(sentence, numbers) for sentence in sentences]
    return SharedTurn(
        question=record.question,
        asked_at=record.created_at,
        answer=answer_text(renumbered),
        abstained=not sentences,
        sources=[source.model_copy(update={"n": numbers[source.n]}) for source in sources],
        citations=_citations(renumbered),
    )


def _renumbered(sentence: SentenceBody, numbers: dict[int, int]) -> SentenceBody:
    citations = [one.model_copy(update={"n": numbers[one.n]}) for one in sentence.citations]
    return sentence.model_copy(update={"citations": citations})


def _citations(sentences: Sequence[SentenceBody]) -> list[CitationBody]:
    return [citation for sentence in sentences for citation in sentence.citations]


def router(*, identify: Identify, shares: Shares, conversations: Conversations) -> APIRouter:
    routes = APIRouter(prefix="/v1", tags=["conversations"], responses=DOCUMENTED, route_class=GuardedRoute)
    writing = identify.writing()

    @routes.post("/conversations/{conversation}/share", operation_id="share_conversation")
    async def share(conversation: str, asking: Annotated[Asking, Depends(writing)]) -> ShareBody:
        """What was asked until now. Asked again, the address stays, and shows what was asked meanwhile as well."""
        return await shares.share(asking.reader, conversation_id(conversation), conversations)

    @routes.delete("/conversations/{conversation}/share", operation_id="withdraw_share", status_code=204)
    async def withdraw(conversation: str, asking: Annotated[Asking, Depends(writing)]) -> None:
        await shares.withdraw(asking.reader, conversation_id(conversation))

    @routes.get("/shares/{token}", operation_id="get_share")
    async def get(
        token: str, asking: Annotated[Asking, Depends(identify)], cursor: Cursor = None
    ) -> SharedConversation:
        return await shares.read(asking.reader, token, cursor=cursor)

    return routes
