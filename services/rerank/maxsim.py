"""MaxSim of a question in float against passages in one bit a dimension."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cortex.domain.encoding import QueryEncoding, StoredTokens
from cortex.domain.errors import Invalid

FLOAT_BYTES = 4
BLOCK_TOKENS = 8_192

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

    A passage without tokens, and a question without, score 0.
    """
    total = float(sum(weights))
    scores = np.zeros(len(passages), np.float32)
    if not query.size or total <= 0:
        return [0.0] * len(passages)
    dimensions = query.shape[1]
    # The length of a vector of signs is the root of its dimensions.
    share = np.asarray(weights, np.float32) / np.float32(total * np.sqrt(dimensions))
    for block in _blocks(passages, dimensions):
        packed = np.frombuffer(b"".join(passages[n].token_bits for n in block), np.uint8)
        bits = np.unpackbits(packed.reshape(-1, dimensions // 8), axis=1).astype(np.float32)
        starts = np.cumsum([0, *(passages[n].tokens for n in block[:-1])])
        best = np.maximum.reduceat(query @ bits.T, starts, axis=1)
        # With signs 2b - 1 for bits b, q . (2b - 1) = 2 q . b - sum(q): the bits never need to become signs.
        scores[block] = share @ (2 * best - query.sum(axis=1, keepdims=True))
    return [float(score) for score in scores]


def _blocks(passages: Sequence[StoredTokens], dimensions: int) -> Iterator[list[int]]:
    """Which passages go through one product: some `BLOCK_TOKENS` tokens, however many candidates there are."""
    block: list[int] = []
    tokens = 0
    for n, passage in enumerate(passages):
        if len(passage.token_bits) * 8 != passage.tokens * dimensions:
            raise Invalid(f"stored tokens: {passage.tokens} of other than {dimensions} dimensions")
        if not passage.tokens:
            continue
        if block and tokens + passage.tokens > BLOCK_TOKENS:
            yield block
            block, tokens = [], 0
        block.append(n)
        tokens += passage.tokens
    if block:
        yield block
