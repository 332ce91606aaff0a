"""What people think of the answers that they got."""

import enum
from typing import Protocol

from cortex.domain.identity import AnswerId, PersonId, TenantId


class Rating(enum.StrEnum):
    UP = "up"
    DOWN = "down"


class FeedbackStore(Protocol):
    """One word of a person on an answer of their own; anybody else's answer is NotFound. Raises Transient."""

    async def put(
        self, tenant: TenantId, person: PersonId, answer: AnswerId, *, rating: Rating, comment: str | None
    ) -> None:
        """Takes the place of what was said before."""
        ...

    async def take_back(self, tenant: TenantId, person: PersonId, answer: AnswerId) -> None:
        """Idempotent."""
        ...
