"""One order out of several scores of the same candidates.

`SCORES` weighs standardised scores over the whole union, each candidate with its exact score of every arm; throwing the
scores away (`RRF`) or cutting them off at three deviations (`DBSF`) was worse on every set that we tried.
"""

import enum
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, TypeVar

from cortex.domain.errors import Invalid

RANK_CONSTANT = 60
"""k of Cormack, Clarke and Buettcher 2009, which counts ranks from 1."""

DBSF_DEVIATIONS = 3.0
ROUNDING = 1e-12

Id = TypeVar("Id")


NEIGHBOURS_SHARE = 0.5
"""How much of a candidate's BM25 comes from the candidates most like it. A plateau: .5 to .7, of 5 to 12 neighbours."""


class Fusion(enum.StrEnum):
    SCORES = "scores"
    RRF = "rrf"
    DBSF = "dbsf"


class Arm(enum.StrEnum):
    BM25 = "bm25"
    DENSE = "dense"
    MAXSIM = "maxsim"


@dataclass(frozen=True, slots=True)
class Weights:
    """What an arm counts for. The defaults are a plateau (.5 to 1 for BM25), not a peak tuned on one set."""

    bm25: float = 0.5
    dense: float = 1.0
    maxsim: float = 0.5

    def of(self, arm: Arm) -> float:
        return {Arm.BM25: self.bm25, Arm.DENSE: self.dense, Arm.MAXSIM: self.maxsim}[arm]


SUPPORTED = Weights()
ALIKE = Weights(bm25=1.0, dense=1.0, maxsim=0.0)
UNSUPPORTED = Weights(bm25=1.0, dense=0.0, maxsim=0.0)
"""For a language that the embedder does not declare: its vectors mean nothing there."""


def weights_for(supported: bool) -> Weights:
    return SUPPORTED if supported else UNSUPPORTED


@dataclass(frozen=True, slots=True)
class Candidate(Generic[Id]):
    """One of the union. None: this arm has no score for it (no stored vectors, an arm that is down)."""

    id: Id
    bm25: float | None
    dense: float | None
    maxsim: float | None = None

    def score_of(self, arm: Arm) -> float | None:
        return {Arm.BM25: self.bm25, Arm.DENSE: self.dense, Arm.MAXSIM: self.maxsim}[arm]


Neighbours = Mapping[Id, Sequence[tuple[Id, float]]]
"""For each candidate those most like it, and how much: weights above 0. One without any keeps its own score."""


@dataclass(frozen=True, slots=True)
class Fused(Generic[Id]):
    id: Id
    score: float


def fuse(
    candidates: Sequence[Candidate[Id]],
    *,
    weights: Weights = SUPPORTED,
    mode: Fusion = Fusion.SCORES,
    neighbours: Neighbours[Id] | None = None,
) -> list[Fused[Id]]:
    """Best first; equal scores by id. The order of `candidates` does not matter, and an id may occur once.

    By `SCORES`, what the question's terms say of a passage they say in part of those that are like it: half of its BM25
    comes from its neighbours. A passage on the subject in other words comes up; a chance match alone in the pool sinks.

    A candidate without a score counts as the arm's lowest; by `RRF` and `DBSF`, which take an arm as the list that it
    gave, it gets nothing from that arm. An arm of weight 0 is not looked at.
    """
    if len({candidate.id for candidate in candidates}) != len(candidates):
        raise Invalid("fusion: a candidate occurs twice")
    terms: dict[Id, list[float]] = {candidate.id: [] for candidate in candidates}
    for arm in Arm:
        weight = weights.of(arm)
        if not (math.isfinite(weight) and weight >= 0):
            raise Invalid(f"fusion: weight {weight} of {arm}; expected 0 or more")
        if weight:
            scores = _normalised(_scores(candidates, arm, filled=mode is Fusion.SCORES), mode)
            if neighbours and any(neighbours.values()) and arm is Arm.BM25 and mode is Fusion.SCORES:
                scores = standardised(_shared(scores, neighbours))
            for key, value in scores.items():
                terms[key].append(weight * value)
    fused = [Fused(key, math.fsum(values)) for key, values in terms.items()]
    return sorted(fused, key=lambda one: (-one.score, str(one.id)))


def _scores(candidates: Sequence[Candidate[Id]], arm: Arm, *, filled: bool) -> dict[Id, float]:
    """Every candidate's score where `filled`, else those that are known; nothing where the arm knows none of them."""
    known = {c.id: score for c in candidates if (score := c.score_of(arm)) is not None}
    if not all(map(math.isfinite, known.values())):
        raise Invalid(f"fusion: a score of {arm} is not a finite number")
    if not known or not filled:
        return known
    lowest = min(known.values())
    return {candidate.id: known.get(candidate.id, lowest) for candidate in candidates}


def _shared(scores: Mapping[Id, float], neighbours: Neighbours[Id]) -> dict[Id, float]:
    """Each score with a share of the mean of its neighbours' scores; those that are no candidates are left out."""
    return {key: _with_neighbours(key, scores, neighbours.get(key, ())) for key in scores}


def _with_neighbours(key: Id, scores: Mapping[Id, float], near: Sequence[tuple[Id, float]]) -> float:
    known = [(scores[one], weight) for one, weight in near if one in scores and one != key and weight > 0]
    total = math.fsum(weight for _, weight in known)
    if not total:
        return scores[key]
    mean = math.fsum(score * weight for score, weight in known) / total
    return (1 - NEIGHBOURS_SHARE) * scores[key] + NEIGHBOURS_SHARE * mean


def _normalised(scores: Mapping[Id, float], mode: Fusion) -> dict[Id, float]:
    match mode:
        case Fusion.SCORES:
            return standardised(scores)
        case Fusion.DBSF:
            return _clipped(scores)
        case Fusion.RRF:
            return _reciprocal_ranks(scores)


def standardised(scores: Mapping[Id, float]) -> dict[Id, float]:
    """z-scores. A constant list says nothing: 0 for everyone."""
    mean, deviation = _moments(scores.values())
    return {key: (score - mean) / deviation if deviation else 0.0 for key, score in scores.items()}


def _clipped(scores: Mapping[Id, float]) -> dict[Id, float]:
    """Distribution-based: the mean plus and minus three deviations become 0 and 1."""
    mean, deviation = _moments(scores.values())
    width = 2 * DBSF_DEVIATIONS * deviation
    return {
        key: min(1.0, max(0.0, (score - mean) / width + 0.5)) if deviation else 0.5 for key, score in scores.items()
    }


def _reciprocal_ranks(scores: Mapping[Id, float]) -> dict[Id, float]:
    """1 / (k + rank). Equal scores share the best of their ranks, so that no order of input shows through."""
    ranked: dict[Id, float] = {}
    by_score = sorted(scores.items(), key=lambda item: -item[1])
    for _, tied in groupby(by_score, key=lambda item: item[1]):
        rank = len(ranked) + 1
        ranked.update({key: 1.0 / (RANK_CONSTANT + rank) for key, _ in tied})
    return ranked


def _moments(values: Collection[float]) -> tuple[float, float]:
    """Mean and population deviation; the latter 0 where all that differs is rounding.

    Exact sums: the result does not depend on the order of the values.
    """
    if not values:
        return 0.0, 0.0
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    largest = max(map(abs, values))
    return mean, deviation if deviation > largest * ROUNDING else 0.0
