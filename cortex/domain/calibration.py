"""How sure an answer is: a logistic model over what speaks for it, with coefficients of each tenant.

A number and a threshold: below it, silence. The features are named by whoever measures them; one that a calibration
does not know counts nothing, so a newer release may measure more than an older fit uses.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

STEPS_MAX = 50
TOLERANCE = 1e-8


@dataclass(frozen=True, slots=True)
class Calibration:
    """`confidence` is a probability only as far as the questions of the fit were like those that are asked."""

    intercept: float
    threshold: float
    coefficients: Mapping[str, float] = field(default_factory=dict)

    def confidence(self, features: Mapping[str, float]) -> float:
        total = self.intercept + sum(
            coefficient * features.get(name, 0.0) for name, coefficient in self.coefficients.items()
        )
        return logistic(total)

    def answers(self, confidence: float) -> bool:
        return confidence >= self.threshold


def logistic(value: float) -> float:
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    power = math.exp(value)
    return power / (1.0 + power)


def threshold_for(confidences: Sequence[float], answerable: Sequence[bool], *, coverage: float) -> float:
    """The highest one at which `coverage` of the answerable questions are answered; 0.5 where there are none."""
    ordered = sorted((c for c, good in zip(confidences, answerable, strict=True) if good), reverse=True)
    return ordered[max(0, math.ceil(coverage * len(ordered)) - 1)] if ordered else 0.5
