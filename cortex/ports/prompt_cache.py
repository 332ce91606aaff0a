"""Answers that a model wrote before, found again by everything that they were made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.answer import Sentence
from cortex.domain.identity import DocumentId, PersonId, TenantId


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """Without sentences the model had nothing to say, for `reason`."""

    sentences: tuple[Sentence, ...]
    reason: str | None = None


class PromptCache(Protocol):
    """`key` holds the tenant, the engine, the prompt and every (chunk, revision) that the asker may open, in order.

    So nobody gets what was made of something that they may not see. Losing it loses nothing. Raises Transient.
    """

    async def get(self, tenant: TenantId, key: bytes) -> CachedAnswer | None: ...

    async def put(
        self, tenant: TenantId, key: bytes, answer: CachedAnswer, *, person: PersonId, documents: Sequence[DocumentId]
    ) -> None:
        """`documents`: all that the model was given; `person`: who asked. Erasing either erases the answer."""
        ...
