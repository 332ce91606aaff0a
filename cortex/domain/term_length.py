"""The average length of passages that BM25 divides by: a tenant's own, followed as it grows."""

from dataclasses import dataclass

AVERAGE_TERMS = 70.0
"""What a tenant begins with, in terms a passage."""

PASSAGES_MIN = 200
"""Of fewer, the average says little of those to come."""

DRIFT_MAX = 1.25
"""How many times one may be the other before passages are weighed anew: below that, rankings hardly move."""


@dataclass(frozen=True, slots=True)
class TermLengths:
    """`used` is the average that passages are weighed by, `mean` that of the `passages` that were counted."""

    used: float
    mean: float
    passages: int

    @property
    def due(self) -> float | None:
        """The average to take up; None where the present one will do."""
        mean = max(1.0, self.mean)
        apart = max(self.used / mean, mean / self.used)
        return float(round(mean)) if self.passages >= PASSAGES_MIN and apart > DRIFT_MAX else None
