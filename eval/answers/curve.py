"""Answering weighed against silence: for every threshold on a score, what is answered and what should not have been."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

COVERAGE = 0.95
RESAMPLES = 2_000
SEED = 20261130


@dataclass(frozen=True, slots=True)
class Point:
    """At one threshold. `coverage`: answerable questions that are answered; `abstained`: others that are not;

    `risk`: answers that should not have been given, among all that are.
    """

    threshold: float
    coverage: float
    abstained: float
    risk: float


@dataclass(frozen=True, slots=True)
class Interval:
    value: float
    low: float
    high: float


Scores = Sequence[float]
Flags = Sequence[bool]
Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]


def points(scores: Scores, answerable: Flags) -> list[Point]:
    """From answering nothing to answering everything, one a distinct score."""
    values, wanted = np.asarray(scores, dtype=float), np.asarray(answerable, dtype=bool)
    found = []
    for threshold in [np.inf, *sorted(set(values.tolist()), reverse=True)]:
        answered = values >= threshold
        given = int(answered.sum())
        found.append(
            Point(
                float(threshold),
                float(answered[wanted].mean()) if wanted.any() else 0.0,
                float((~answered[~wanted]).mean()) if (~wanted).any() else 1.0,
                float((answered & ~wanted).sum()) / given if given else 0.0,
            )
        )
    return found


def abstained_at(scores: Scores, answerable: Flags, *, coverage: float = COVERAGE) -> float:
    """The share of unanswerable questions refused at the highest threshold that still answers `coverage`."""
    return _refused(np.asarray(scores, dtype=float), np.asarray(answerable, dtype=bool), coverage)


def threshold_at(scores: Scores, answerable: Flags, *, coverage: float = COVERAGE) -> float:
    ordered = sorted((s for s, good in zip(scores, answerable, strict=True) if good), reverse=True)
    return ordered[max(0, int(np.ceil(coverage * len(ordered))) - 1)] if ordered else 0.0


def area(scores: Scores, answerable: Flags) -> float:
    """The probability that an answerable question scores above an unanswerable one."""
    return _area(np.asarray(scores, dtype=float), np.asarray(answerable, dtype=bool))


def advantage(scores: Scores, baseline: Scores, answerable: Flags) -> Interval:
    """By how much one score's area exceeds another's over the same questions, resampled in pairs."""
    one, other = np.asarray(scores, dtype=float), np.asarray(baseline, dtype=float)
    wanted = np.asarray(answerable, dtype=bool)
    generator = np.random.default_rng(SEED)
    differences = []
    for _ in range(RESAMPLES):
        chosen = generator.integers(0, len(wanted), len(wanted))
        if wanted[chosen].all() or not wanted[chosen].any():
            continue
        differences.append(_area(one[chosen], wanted[chosen]) - _area(other[chosen], wanted[chosen]))
    low, high = np.percentile(differences, [2.5, 97.5]) if differences else (0.0, 0.0)
    return Interval(_area(one, wanted) - _area(other, wanted), float(low), float(high))


def mean(values: Sequence[float]) -> Interval | None:
    """With a 95 % interval by bootstrap over the questions; None of nothing."""
    if not values:
        return None
    sample = np.asarray(values, dtype=float)
    generator = np.random.default_rng(SEED)
    means = sample[generator.integers(0, len(sample), (RESAMPLES, len(sample)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(sample.mean()), float(low), float(high))


def refused_interval(scores: Scores, answerable: Flags, *, coverage: float = COVERAGE) -> Interval:
    values, wanted = np.asarray(scores, dtype=float), np.asarray(answerable, dtype=bool)
    generator = np.random.default_rng(SEED)
    drawn = [generator.integers(0, len(wanted), len(wanted)) for _ in range(RESAMPLES)] if len(wanted) else []
    refused = [_refused(values[one], wanted[one], coverage) for one in drawn]
    low, high = np.percentile(refused, [2.5, 97.5]) if refused else (1.0, 1.0)
    return Interval(_refused(values, wanted, coverage), float(low), float(high))


def _area(values: Numbers, wanted: Truths) -> float:
    good, bad = values[wanted], values[~wanted]
    if not len(good) or not len(bad):
        return 1.0
    above = (good[:, None] > bad[None, :]).mean() + 0.5 * (good[:, None] == bad[None, :]).mean()
    return float(above)


def _refused(values: Numbers, wanted: Truths, coverage: float) -> float:
    good, bad = np.sort(values[wanted])[::-1], values[~wanted]
    if not len(bad):
        return 1.0
    threshold = good[max(0, int(np.ceil(coverage * len(good))) - 1)] if len(good) else -np.inf
    return float((bad < threshold).mean())
