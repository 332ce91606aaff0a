"""MaxSim against the plain formula, and its edges."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.domain.encoding import QueryEncoding, StoredTokens
from cortex.domain.errors import Invalid
from services.rerank import maxsim as module
from services.rerank.maxsim import maxsim, query_vectors

DIMENSIONS = 16


def stored(generator: np.random.Generator, tokens: int) -> StoredTokens:
    bits = generator.integers(0, 256, (tokens, DIMENSIONS // 8), np.uint8)
    return StoredTokens(bits.tobytes(), tuple(range(tokens)))


def plainly(query: module.Vectors, weights: list[float], passage: StoredTokens) -> float:
    """Token by token, bit by bit."""
    if not passage.tokens:
        return 0.0
    total = 0.0
    for vector, weight in zip(query.tolist(), weights, strict=True):
        best = -math.inf
        for token in range(passage.tokens):
            row = passage.token_bits[token * DIMENSIONS // 8 : (token + 1) * DIMENSIONS // 8]
            signs = [1 if row[n // 8] >> (7 - n % 8) & 1 else -1 for n in range(DIMENSIONS)]
            best = max(best, sum(x * sign for x, sign in zip(vector, signs, strict=True)))
        total += weight * best / math.sqrt(DIMENSIONS)
    return total / sum(weights)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 6), max_size=8), st.integers(1, 5))
def test_it_is_the_formula(seed: int, lengths: list[int], tokens: int) -> None:
    generator = np.random.default_rng(seed)
    query = generator.normal(size=(tokens, DIMENSIONS)).astype(np.float32)
    weights = generator.uniform(0.1, 5, tokens).tolist()
    passages = [stored(generator, length) for length in lengths]
    expected = [plainly(query, weights, passage) for passage in passages]
    assert maxsim(query, weights, passages) == pytest.approx(expected, abs=1e-4)


def test_a_passage_scores_the_same_whatever_is_scored_beside_it() -> None:
    seed = 7
    generator = np.random.default_rng(seed)
    query = generator.normal(size=(4, DIMENSIONS)).astype(np.float32)
    passages = [stored(generator, 3_000) for _ in range(7)]
    together = maxsim(query, [1.0] * 4, passages)
    assert together == pytest.approx([maxsim(query, [1.0] * 4, [passage])[0] for passage in passages], abs=1e-6)


def test_no_passages_and_no_tokens_are_no_failure() -> None:
    query = np.ones((2, DIMENSIONS), np.float32)
    assert maxsim(query, [1.0, 1.0], []) == []
    assert maxsim(query, [1.0, 1.0], [StoredTokens(b"", ())]) == [0.0]
    assert maxsim(np.zeros((0, DIMENSIONS), np.float32), [], [stored(np.random.default_rng(1), 2)]) == [0.0]


def test_vectors_of_another_size_are_refused() -> None:
    query = np.ones((1, DIMENSIONS * 2), np.float32)
    with pytest.raises(Invalid, match="dimensions"):
        maxsim(query, [1.0], [stored(np.random.default_rng(1), 3)])


@pytest.mark.parametrize(
    "query",
    [
        QueryEncoding(b"", b"", ()),
        QueryEncoding(bytes(64), bytes(64), (1, 2)),
        QueryEncoding(bytes(60), bytes(60), (1,)),
        QueryEncoding(bytes(64), bytes(63), (1,)),
    ],
)
def test_an_encoding_that_does_not_add_up_is_refused(query: QueryEncoding) -> None:
    with pytest.raises(Invalid, match="query encoding"):
        query_vectors(query)
