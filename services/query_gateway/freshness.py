"""Recency as a gentle prior: among candidates that are about as good, the younger one comes first. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from statistics import pstdev

from services.query_gateway.pool import Candidate

BONUS_MAX = 0.1
"""In standard deviations of the candidates' scores: what is better by more than this stays above."""
HALF_LIFE = timedelta(days=365)


def fresher(ranked: Sequence[Candidate], now: datetime | None) -> Sequence[Candidate]:
    """In the new order. Candidates of unknown age get nothing; with `now` None nothing happens."""
    if now is None or len(ranked) < 2:
        return ranked
    spread = pstdev(candidate.score for candidate in ranked)
    aged = [_aged(candidate, now, spread) for candidate in ranked]
    return sorted(aged, key=lambda candidate: -candidate.score)


def _aged(candidate: Candidate, now: datetime, spread: float) -> Candidate:
    updated = candidate.point.updated_at
    if updated is None:
        return candidate
    age = max(now - updated, timedelta())
    bonus = BONUS_MAX * spread * 0.5 ** (age / HALF_LIFE)
    return replace(candidate, score=candidate.score + bonus)
