"""A calibration fitted to questions of which it is known whether they can be answered."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from cortex.domain.calibration import Calibration, threshold_for
from cortex.domain.errors import Invalid

COVERAGE = 0.95
PENALTY = 3.0
FEATURES = ("coverage", "cross", "known", "length", "maxsim", "names", "numbers", "years")
"""Few: sets of questions are small, and what tells little in one misleads in the next.

`cross` tells something only where a cross-encoder is configured.
"""

SPREAD_MIN = 1e-9
STEPS = 50

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """`features` as the composer measured them; none where nothing was found."""

    features: Mapping[str, float]
    answerable: bool
    weight: float = 1.0


def fit(
    examples: Sequence[Example],
    *,
    coverage: float = COVERAGE,
    penalty: float = PENALTY,
    features: Sequence[str] = FEATURES,
) -> Calibration:
    """Ridge-penalised logistic regression by Newton's method; the threshold answers `coverage` of the answerable.

    Features are compared on the scale of their spread, and given back on their own. The two kinds weigh the same in
    all, so that the share of unanswerable questions in a set says nothing.
    """
    measured = [one for one in examples if one.features]
    if len({one.answerable for one in measured}) < 2:
        raise Invalid("a calibration needs answerable and unanswerable questions for which something was found")
    names = sorted({name for one in measured for name in one.features} & set(features))
    values = np.array([[one.features.get(name, 0.0) for name in names] for one in measured], dtype=float)
    truth = np.array([one.answerable for one in measured], dtype=float)
    weights = _balanced(truth, np.array([one.weight for one in measured], dtype=float))
    varied = values.std(axis=0) > SPREAD_MIN
    names, values = list(compress(names, varied)), values[:, varied]
    centre, spread = values.mean(axis=0), values.std(axis=0)
    design = np.hstack([np.ones((len(values), 1)), (values - centre) / spread])
    solved = _newton(design, truth, weights, penalty)
    slopes = solved[1:] / spread
    calibration = Calibration(
        intercept=round(float(solved[0] - slopes @ centre), 4),
        threshold=0.5,
        coefficients={name: round(float(slope), 4) for name, slope in zip(names, slopes, strict=True)},
    )
    confidences = [calibration.confidence(one.features) if one.features else 0.0 for one in examples]
    threshold = threshold_for(confidences, [one.answerable for one in examples], coverage=coverage)
    # Cut, not rounded: the last one of those answered must stay above it.
    return Calibration(calibration.intercept, math.floor(threshold * 10_000) / 10_000, calibration.coefficients)


def _balanced(truth: Numbers, weights: Numbers) -> Numbers:
    balanced = weights.copy()
    for kind in (0.0, 1.0):
        total = balanced[truth == kind].sum()
        if total:
            balanced[truth == kind] *= len(truth) / 2 / total
    return balanced


def _newton(design: Numbers, truth: Numbers, weights: Numbers, penalty: float) -> Numbers:
    ridge = np.diag([0.0, *[penalty] * (design.shape[1] - 1)])
    solved = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ solved, -30, 30)))
        gradient = design.T @ (weights * (truth - chance)) - ridge @ solved
        curvature = (design * (weights * chance * (1 - chance))[:, None]).T @ design + ridge
        step = np.linalg.solve(curvature + 1e-9 * np.eye(len(solved)), gradient)
        solved = solved + step
        if np.abs(step).max() < 1e-8:
            break
    return solved
