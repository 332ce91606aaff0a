"""Which candidates, in which order: the union of both arms, scored as one list."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import zip_longest

from cortex.domain.fusion import Fusion
from cortex.domain.query import EncodedQuery, Mode
from cortex.domain.vector import HybridResult, ScoredPoint

_TEXTBOOK = {Mode.RRF: Fusion.RRF, Mode.DBSF: Fusion.DBSF}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A point with its final score; `scores` holds what it was made of."""

    point: ScoredPoint
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """Which arms are asked, how their lists become one, and whether token vectors refine the order."""

    dense: bool
    lexical: bool
    rerank: bool
    fusion: Fusion = Fusion.SCORES


def plan(mode: Mode, encoded: EncodedQuery) -> Plan:
    """In a language that the model does not declare, its vectors weigh nothing: they are not even asked for.

    Whoever asks for the dense arm alone gets it in any language, and terms where there is no vector at all.
    """
    if mode is Mode.LEXICAL or encoded.tokens is None:
        return Plan(dense=False, lexical=True, rerank=False)
    if mode is Mode.DENSE:
        return Plan(dense=True, lexical=False, rerank=False)
    if mode in _TEXTBOOK:
        return Plan(dense=encoded.supported, lexical=True, rerank=False, fusion=_TEXTBOOK[mode])
    # A model without token vectors leaves the order to the two others.
    return Plan(dense=encoded.supported, lexical=True, rerank=encoded.supported and bool(encoded.tokens.token_ids))


def union(result: HybridResult, *, limit: int) -> list[ScoredPoint]:
    """Both lists interleaved by rank, each chunk once, the first `limit`."""
    merged: dict[object, ScoredPoint] = {}
    for pair in zip_longest(result.dense, result.sparse):
        for point in pair:
            if point is not None:
                merged.setdefault(point.chunk_id, point)
    return list(merged.values())[:limit]


def full(result: HybridResult, *, limit: int) -> bool:
    """Whether an arm may hold more than it gave."""
    return max(len(result.dense), len(result.sparse)) >= limit
