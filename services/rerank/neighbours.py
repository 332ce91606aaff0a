"""Which candidates are most like one another, by their stored tokens alone: no further read, no further model.

A passage's direction is the sum of its token signs, each weighed by what its token is worth. Measured, its neighbours
serve as well as those by dense vectors.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cortex.domain.encoding import StoredTokens

Near = tuple[tuple[int, float], ...]
Vectors = NDArray[np.float32]


def neighbours(
    passages: Sequence[StoredTokens | None], worth: Mapping[int, float], *, groups: Sequence[int], count: int
) -> tuple[Near, ...]:
    """For each passage at most `count` others as (place, weight), the likest first; the weight is the cosine's square.

    A passage without tokens has no neighbours and is nobody's. Neither are passages of one group each other's.
    """
    known = [place for place, passage in enumerate(passages) if passage is not None and passage.tokens]
    near: list[Near] = [()] * len(passages)
    if count < 1 or len(known) < 2:
        return tuple(near)
    directions = np.stack(
        [_direction(passage, worth) for passage in passages if passage is not None and passage.tokens]
    )
    likeness = directions @ directions.T
    group = np.asarray([groups[place] for place in known])
    likeness[group[:, None] == group[None, :]] = 0.0
    nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :count]
    for row, place in enumerate(known):
        found = [(known[n], float(likeness[row, n]) ** 2) for n in nearest[row] if likeness[row, n] > 0]
        near[place] = tuple(found)
    return tuple(near)


def _direction(passage: StoredTokens, worth: Mapping[int, float]) -> Vectors:
    """A unit vector."""
    packed = np.frombuffer(passage.token_bits, np.uint8).reshape(passage.tokens, -1)
    weights = np.asarray([worth[token] for token in passage.token_ids], np.float32)
    # With signs 2b - 1 for bits b, the sum of w (2b - 1) is 2 w . b - sum(w).
    summed = 2 * (weights @ np.unpackbits(packed, axis=1).astype(np.float32)) - weights.sum()
    length = float(np.linalg.norm(summed))
    direction: Vectors = summed / np.float32(length) if length else summed
    return direction
