"""Conversations: what one person asked, in order, under a title."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from cortex.domain.identity import AnswerId, ConversationId, PersonId, TenantId
from cortex.ports.answer_store import AnswerRecord


@dataclass(frozen=True, slots=True)
class Conversation:
    """`updated_at` is when something was asked last. `share_token` None: nobody else was shown it."""

    id: ConversationId
    person_id: PersonId
    title: str
    created_at: datetime
    updated_at: datetime
    share_token: str | None = None
    shared_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page ended: the next one goes on with what is older."""

    at: datetime
    id: str


class ConversationStore(Protocol):
    """Anybody else's conversation is NotFound, like one that never was. Raises Transient."""

    async def page(
        self, tenant: TenantId, person: PersonId, *, containing: str, before: Place | None, limit: int
    ) -> Sequence[Conversation]:
        """Latest first; with `containing`, those with it in their title or a question, whatever its case."""
        ...

    async def get(self, tenant: TenantId, person: PersonId, conversation: ConversationId) -> Conversation: ...

    async def rename(
        self, tenant: TenantId, person: PersonId, conversation: ConversationId, title: str
    ) -> Conversation: ...

    async def delete(self, tenant: TenantId, person: PersonId, conversation: ConversationId) -> Sequence[AnswerId]:
        """For good, with every answer, log, feedback and share; returns the answers that it held."""
        ...

    async def turns(
        self,
        tenant: TenantId,
        conversation: ConversationId,
        *,
        before: Place | None,
        until: datetime | None,
        limit: int,
    ) -> Sequence[AnswerRecord]:
        """The latest `limit` that began before `before` and not after `until`, oldest of them first.

        The caller knows that the reader may have the conversation, by `get` or `shared`.
        """
        ...


class ShareStore(Protocol):
    """One share a conversation. A token opens it within its tenant alone. Raises Transient."""

    async def share(
        self, tenant: TenantId, person: PersonId, conversation: ConversationId, *, token: str, now: datetime
    ) -> Conversation:
        """Shows what was asked until `now`; one that is shared already keeps its token. NotFound for anybody else's."""
        ...

    async def withdraw(self, tenant: TenantId, person: PersonId, conversation: ConversationId) -> None:
        """Idempotent; NotFound for anybody else's."""
        ...

    async def shared(self, tenant: TenantId, token: str) -> Conversation:
        """NotFound where it was withdrawn, or never was."""
        ...
