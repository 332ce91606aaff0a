"""A question as its conversation makes it: what was asked before, and what of the answers the asker may still open."""

from cortex.domain.credential import Reader
from cortex.domain.identity import ConversationId
from cortex.ports.conversation_store import ConversationStore
from services.query_gateway.answers import Records
from services.query_gateway.rewriting import Meant, Turn, rewrite

TURNS = 6
"""How many earlier questions are read; what somebody means stands in the last few."""


class History:
    def __init__(self, *, conversations: ConversationStore, records: Records) -> None:
        self._conversations = conversations
        self._records = records

    async def meant(self, reader: Reader, conversation: ConversationId, question: str) -> Meant:
        """NotFound for a conversation that is not the reader's. Each answer is checked again before it is read."""
        await self._conversations.get(reader.tenant_id, reader.credential.person_id, conversation)
        turns = await self._conversations.turns(reader.tenant_id, conversation, before=None, until=None, limit=TURNS)
        asked = [Turn(turn.question) for turn in turns]
        answered = await self._records.of(reader, turns)
        told = [Turn(one.question, one.answer) for one in answered]
        shown = rewrite(question, asked)
        return Meant(rewrite(question, told), None if shown == question else shown)
