"""A finer order for candidates that were already found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.encoding import QueryEncoding
from cortex.domain.identity import TenantId


@dataclass(frozen=True, slots=True)
class Late:
    """By candidate, in order: its score, and as (index, weight) the other candidates that are most like it.

    None where nothing is stored under that hash. Candidates of one group are not each other's neighbours.
    """

    scores: tuple[float | None, ...]
    neighbours: tuple[tuple[tuple[int, float], ...], ...] = ()


class Reranker(Protocol):
    """Scores are comparable within one call alone. Errors: Exhausted above the named limit of candidates, Transient."""

    async def score(
        self,
        tenant: TenantId,
        *,
        query: QueryEncoding,
        model_key: str,
        embedded_sha256s: Sequence[str],
        groups: Sequence[int] = (),
    ) -> Late:
        """Scores and neighbours of the candidates. `groups`: a number each, or none where each stands for itself."""


class CrossEncoder(Protocol):
    """Reads question and passage together, so it sees texts: give it those alone that the asker may open.

    Scores are comparable within one call alone; higher is better. Calls may run concurrently. Errors: Transient when
    the engine is out of reach, late or answers in another shape, Exhausted when it refuses the size.
    """

    async def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """One finite score a passage, in order."""
