"""MaxSim of a question in float against passages in one bit a dimension."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cortex.domain.encoding import QueryEncoding, StoredTokens
from cortex.domain.errors import Invalid

FLOAT_BYTES = 4

Vectors = NDArray[np.float32]


def query_vectors(query: QueryEncoding) -> Vectors:
    """(tokens, dimensions)."""
    dimensions = len(query.dense) // FLOAT_BYTES
    expected = len(query.token_ids) * dimensions * FLOAT_BYTES
    if not dimensions or dimensions % 8 or len(query.token_vectors) != expected:
        raise Invalid(f"query encoding: {len(query.token_vectors)} bytes of token vectors, expected {expected}")
    return np.frombuffer(query.token_vectors, "<f4").reshape(-1, dimensions)


def maxsim(query: Vectors, weights: Sequence[float], passages: Sequence[StoredTokens]) -> list[float]:
    """For each passage the weighted mean over the question's tokens of the best cosine among the passage's tokens.

    All passages go through one product. A passage without tokens, and a question without, score 0.
    """
    dimensions = query.shape[1]
    scores = np.zeros(len(passages), np.float32)
    filled = [n for n, passage in enumerate(passages) if passage.tokens]
    total = float(sum(weights))
    if not filled or not query.size or total <= 0:
        return [float(score) for score in scores]
    for n in filled:
        if len(passages[n].token_bits) * 8 != passages[n].tokens * dimensions:
            raise Invalid(f"stored tokens: {passages[n].tokens} of other than {dimensions} dimensions")
    packed = np.frombuffer(b"".join(passages[n].token_bits for n in filled), np.uint8)
    similarities = query @ _signs(packed.reshape(-1, dimensions // 8)).T
    starts = np.cumsum([0, *(passages[n].tokens for n in filled[:-1])])
    best = np.maximum.reduceat(similarities, starts, axis=1)
    share = np.asarray(weights, np.float32) / total
    scores[filled] = share @ best / np.float32(np.sqrt(dimensions))
    return [float(score) for score in scores]


def _signs(packed: NDArray[np.uint8]) -> Vectors:
    """(tokens, dimensions) of +1 and -1. A set bit is a positive component."""
    signs = np.unpackbits(packed, axis=1).astype(np.float32)
    signs *= 2
    signs -= 1
    return signs


def document_frequencies(passages: Sequence[Sequence[int]]) -> Mapping[int, int]:
    """In how many of the passages each token occurs."""
    if not passages:
        return {}
    distinct = np.concatenate([np.unique(np.asarray(passage, np.int64)) for passage in passages])
    tokens, counts = np.unique(distinct, return_counts=True)
    return dict(zip(tokens.tolist(), counts.tolist(), strict=True))
