"""Whether two samples of times look as if they were of one kind (Mann and Whitney, 1947; normal approximation)."""

import math
import statistics
from collections.abc import Sequence
from itertools import groupby


def p_value(some: Sequence[float], others: Sequence[float]) -> float:
    """How often samples of one kind would differ as much in their order, with ties counted by half."""
    if not some or not others:
        raise ValueError("two samples with something in them")
    ordered = sorted([(value, True) for value in some] + [(value, False) for value in others])
    rank_sum, ties, before = 0.0, 0, 0
    for _, group in groupby(ordered, key=lambda one: one[0]):
        members = [of_some for _, of_some in group]
        rank_sum += sum(members) * (before + (len(members) + 1) / 2)
        ties += len(members) ** 3 - len(members)
        before += len(members)
    n, m = len(some), len(others)
    expected = n * (n + m + 1) / 2
    variance = n * m / 12 * ((n + m + 1) - ties / ((n + m) * (n + m - 1)))
    if variance <= 0:
        return 1.0
    return 2 * (1 - statistics.NormalDist().cdf(abs(rank_sum - expected) / math.sqrt(variance)))
