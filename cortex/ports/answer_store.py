"""Answers with their ordered event log, so that a cut stream can be resumed and a record re-checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from cortex.domain.identity import AnswerId, ConversationId, PersonId, TenantId


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """One server-sent event: `sequence` is its id within the answer, from 1; `data` is one JSON object as text."""

    sequence: int
    type: str
    data: str


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """`state` is running, done, stopped or failed. `record` is the final JSON object as text, once there.

    `rating` is what the person thought of it, "up" or "down".
    """

    answer_id: AnswerId
    conversation_id: ConversationId
    person_id: PersonId
    question: str
    state: str
    created_at: datetime
    record: str | None
    rating: str | None = None


class AnswerStore(Protocol):
    """Only the person who asked reads an answer; anyone else gets NotFound. Raises Transient."""

    async def create(
        self, tenant: TenantId, person: PersonId, answer: AnswerId, *, conversation_id: ConversationId, question: str
    ) -> None:
        """Begins a conversation where there is none of that id; NotFound where it is somebody else's."""
        ...

    async def append(self, tenant: TenantId, answer: AnswerId, events: Sequence[AnswerEvent]) -> None:
        """Durable when it returns; the same sequence twice is kept once. NotFound once the answer was deleted."""
        ...

    async def finish(self, tenant: TenantId, answer: AnswerId, *, state: str, record: Mapping[str, object]) -> None:
        """Without effect once the answer was deleted."""
        ...

    async def get(self, tenant: TenantId, person: PersonId, answer: AnswerId) -> AnswerRecord: ...

    async def events(self, tenant: TenantId, answer: AnswerId, *, after: int) -> list[AnswerEvent]:
        """Events with a higher sequence, in order; at most 1,000."""
        ...
