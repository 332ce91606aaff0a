"""A finer order for candidates that were already found."""

from collections.abc import Sequence
from typing import Protocol

from cortex.domain.encoding import QueryEncoding
from cortex.domain.identity import TenantId


class Reranker(Protocol):
    """Scores are comparable within one call alone. Errors: Exhausted above the named limit of candidates, Transient."""

    async def score(
        self, tenant: TenantId, *, query: QueryEncoding, model_key: str, embedded_sha256s: Sequence[str]
    ) -> list[float | None]:
        """One score a candidate, in order; None where this tenant stores nothing under that hash for the model."""


class CrossEncoder(Protocol):
    """Reads question and passage together, so it sees texts: give it those alone that the asker may open.

    Scores are comparable within one call alone; higher is better. Calls may run concurrently. Errors: Transient when
    the engine is out of reach, late or answers in another shape, Exhausted when it refuses the size.
    """

    async def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """One finite score a passage, in order."""
