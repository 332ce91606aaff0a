"""Exact scores of both arms and of the token vectors, fused into one order."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cortex.domain import fusion
from cortex.domain.identity import ChunkId
from cortex.domain.query import Found
from cortex.domain.vector import ExactScores, HybridResult, ScoredPoint
from cortex.ports.reranker import Late
from services.query_gateway.pool import Candidate, Plan


def rank(
    points: Sequence[ScoredPoint],
    exact: Mapping[ChunkId, ExactScores],
    late: Late | None,
    chosen: Plan,
) -> list[Candidate]:
    """Best first. A point without exact scores has left the asker's scope since it was found: it is dropped."""
    refined: Sequence[float | None] = late.scores if late is not None else [None] * len(points)
    by_id = {
        point.chunk_id: (point, exact[point.chunk_id], score)
        for point, score in zip(points, refined, strict=True)
        if point.chunk_id in exact
    }
    fused = fusion.fuse(
        [
            fusion.Candidate(chunk, bm25=scores.sparse, dense=scores.dense, maxsim=score)
            for chunk, (_, scores, score) in by_id.items()
        ],
        weights=_weights(chosen, refined=late is not None),
        neighbours=_neighbours(points, late) if late is not None else None,
    )
    return [_candidate(one.score, *by_id[one.id]) for one in fused]


def _neighbours(points: Sequence[ScoredPoint], late: Late) -> fusion.Neighbours[ChunkId]:
    """From places to chunks."""
    chunks = [point.chunk_id for point in points]
    return {
        chunk: [(chunks[place], weight) for place, weight in near if place < len(chunks)]
        for chunk, near in zip(chunks, late.neighbours, strict=False)
    }


def rank_lists(points: Sequence[ScoredPoint], result: HybridResult, chosen: Plan) -> list[Candidate]:
    """By the arms' own lists, each arm alike: reciprocal ranks and distribution-based fusion, for comparison."""
    cosines = {point.chunk_id: point.score for point in result.dense}
    terms = {point.chunk_id: point.score for point in result.sparse}
    by_id = {point.chunk_id: point for point in points}
    fused = fusion.fuse(
        [fusion.Candidate(chunk, bm25=terms.get(chunk), dense=cosines.get(chunk)) for chunk in by_id],
        weights=fusion.ALIKE,
        mode=chosen.fusion,
    )
    return [
        Candidate(by_id[one.id], one.score, _known(fused=one.score, dense=cosines.get(one.id), bm25=terms.get(one.id)))
        for one in fused
    ]


def reordered(found: Sequence[Found], scores: Sequence[float | None]) -> tuple[Found, ...]:
    """Documents that a cross-encoder scored, best first, then the others as they were. `scores` are of the first."""
    read = [(score, one) for score, one in zip(scores, found, strict=False) if score is not None]
    unread = [one for score, one in zip(scores, found, strict=False) if score is None]
    best = sorted(read, key=lambda pair: -pair[0])
    return (*(_told(one, score) for score, one in best), *unread, *found[len(scores) :])


def _told(found: Found, score: float) -> Found:
    best = replace(found.best, scores={**found.best.scores, "cross": score})
    return replace(found, passages=(best, *found.passages[1:]))


def _known(**scores: float | None) -> dict[str, float]:
    return {name: score for name, score in scores.items() if score is not None}


def _weights(chosen: Plan, *, refined: bool) -> fusion.Weights:
    """An arm that was not asked weighs nothing."""
    usual = fusion.weights_for(chosen.dense)
    return fusion.Weights(
        bm25=usual.bm25 if chosen.lexical else 0.0,
        dense=usual.dense if chosen.dense else 0.0,
        maxsim=usual.maxsim if refined else 0.0,
    )


def _candidate(score: float, point: ScoredPoint, exact: ExactScores, late: float | None) -> Candidate:
    scores = {"fused": score, "dense": exact.dense, "bm25": exact.sparse}
    if late is not None:
        scores["maxsim"] = late
    return Candidate(point, score, scores)
