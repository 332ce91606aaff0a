"""Fusion as a function of scores: what it must not depend on, and what it makes of gaps."""

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.errors import Invalid
from cortex.domain.fusion import ALIKE, SUPPORTED, UNSUPPORTED, Candidate, Fusion, Weights, fuse, weights_for

Candidates = list[Candidate[int]]

scores = st.none() | st.floats(-1e6, 1e6)
candidates = st.lists(st.tuples(scores, scores, scores), max_size=30).map(
    lambda rows: [Candidate(n, bm25, dense, maxsim) for n, (bm25, dense, maxsim) in enumerate(rows)]
)
modes = st.sampled_from(Fusion)


def ids(some: Sequence[Candidate[int]], *, weights: Weights = SUPPORTED, mode: Fusion = Fusion.SCORES) -> list[int]:
    return [one.id for one in fuse(some, weights=weights, mode=mode)]


@given(candidates, modes, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(some: Candidates, mode: Fusion, order: random.Random) -> None:
    shuffled = some.copy()
    order.shuffle(shuffled)
    assert fuse(some, mode=mode) == fuse(shuffled, mode=mode)


@given(candidates, modes)
def test_every_candidate_comes_out_once_with_a_finite_score_best_first(some: Candidates, mode: Fusion) -> None:
    fused = fuse(some, mode=mode)
    assert sorted(one.id for one in fused) == [candidate.id for candidate in some]
    assert all(math.isfinite(one.score) for one in fused)
    assert [one.score for one in fused] == sorted((one.score for one in fused), reverse=True)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=20), st.integers(-50, 50), st.integers(1, 9))
def test_an_arms_unit_and_zero_do_not_matter(values: list[int], offset: int, factor: int) -> None:
    plain = [Candidate(n, float(value), float(n)) for n, value in enumerate(values)]
    moved = [Candidate(n, float(value * factor + offset), float(n)) for n, value in enumerate(values)]
    for left, right in zip(
        sorted(fuse(plain), key=lambda one: one.id), sorted(fuse(moved), key=lambda one: one.id), strict=True
    ):
        assert left.score == pytest.approx(right.score, abs=1e-9)


@pytest.mark.parametrize("mode", Fusion)
@pytest.mark.parametrize("constant", [0.0, 0.1, -7.3, 1e300])
def test_an_arm_that_says_the_same_of_all_changes_nothing(mode: Fusion, constant: float) -> None:
    dense = [0.3, 0.9, 0.1]
    flat = [Candidate(n, constant, score) for n, score in enumerate(dense)]
    assert ids(flat, mode=mode) == [1, 0, 2]


@pytest.mark.parametrize("mode", Fusion)
def test_an_arm_without_any_score_changes_nothing(mode: Fusion) -> None:
    some = [Candidate(n, None, score) for n, score in enumerate([0.3, 0.9, 0.1])]
    assert ids(some, mode=mode) == [1, 0, 2]


def test_no_candidates_no_order() -> None:
    assert fuse([]) == []


def test_a_missing_score_counts_as_the_arms_lowest() -> None:
    absent = [Candidate("a", 5.0, 0.5), Candidate("b", 1.0, 0.5), Candidate("c", None, 0.5)]
    lowest = [Candidate("a", 5.0, 0.5), Candidate("b", 1.0, 0.5), Candidate("c", 1.0, 0.5)]
    assert fuse(absent) == fuse(lowest)


@pytest.mark.parametrize("mode", Fusion)
def test_ties_are_broken_by_id(mode: Fusion) -> None:
    some = [Candidate(name, 1.0, 1.0) for name in ("c", "a", "b")]
    assert [one.id for one in fuse(some, mode=mode)] == ["a", "b", "c"]


def test_in_a_language_that_the_embedder_does_not_declare_only_terms_count() -> None:
    some = [Candidate(0, 1.0, 0.9, 0.9), Candidate(1, 2.0, 0.1, 0.1)]
    assert weights_for(supported=False) is UNSUPPORTED
    assert ids(some, weights=UNSUPPORTED) == [1, 0]
    assert ids(some, weights=weights_for(supported=True)) == [0, 1]


def test_an_arm_of_weight_zero_is_not_looked_at() -> None:
    some = [Candidate(0, 1.0, math.nan), Candidate(1, 2.0, math.nan)]
    assert ids(some, weights=Weights(bm25=1.0, dense=0.0, maxsim=0.0)) == [1, 0]


@pytest.mark.parametrize("mode", Fusion)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_is_refused(mode: Fusion, bad: float) -> None:
    with pytest.raises(Invalid, match="dense"):
        fuse([Candidate(0, 1.0, bad), Candidate(1, 1.0, 0.0)], mode=mode)


@pytest.mark.parametrize("bad", [math.nan, -1.0, math.inf])
def test_a_weight_that_is_no_weight_is_refused(bad: float) -> None:
    with pytest.raises(Invalid, match="weight"):
        fuse([Candidate(0, 1.0, 1.0)], weights=Weights(dense=bad))


def test_a_candidate_may_occur_once() -> None:
    with pytest.raises(Invalid, match="twice"):
        fuse([Candidate(0, 1.0, 1.0), Candidate(0, 2.0, 2.0)])


def test_standardised_scores_are_weighed_as_documented() -> None:
    fused = fuse([Candidate("a", 1.0, 3.0, 1.0), Candidate("b", 3.0, 1.0, 3.0)])
    assert [(one.id, one.score) for one in fused] == [("a", 0.0), ("b", 0.0)]
    fused = fuse([Candidate("a", 1.0, 3.0), Candidate("b", 3.0, 1.0)])
    assert [(one.id, one.score) for one in fused] == [("a", 0.5), ("b", -0.5)]


def test_reciprocal_ranks_count_from_one_with_the_papers_constant() -> None:
    some = [Candidate("a", 9.0, None), Candidate("b", 5.0, None), Candidate("c", 5.0, None), Candidate("d", 1.0, None)]
    fused = fuse(some, weights=Weights(1.0, 0.0, 0.0), mode=Fusion.RRF)
    assert [one.score for one in fused] == [1 / 61, 1 / 62, 1 / 62, 1 / 64]


def test_distribution_based_scores_lie_between_zero_and_one() -> None:
    some = [Candidate(n, 0.0 if n else 1000.0, None) for n in range(50)]
    fused = fuse(some, weights=Weights(1.0, 0.0, 0.0), mode=Fusion.DBSF)
    assert fused[0].score == 1.0
    assert 0.4 < fused[1].score < 0.5


def test_reciprocal_ranks_give_nothing_for_an_arm_that_did_not_list_a_candidate() -> None:
    some = [Candidate("a", 9.0, None), Candidate("b", 5.0, 0.5), Candidate("c", None, 0.9)]
    fused = fuse(some, weights=ALIKE, mode=Fusion.RRF)
    assert [(one.id, one.score) for one in fused] == [("b", 1 / 62 + 1 / 62), ("a", 1 / 61), ("c", 1 / 61)]


LIKE_IT = {"a": [("b", 1.0)], "b": [("a", 1.0)], "c": [], "d": [("gone", 1.0), ("d", 1.0), ("a", 0.0)]}


def test_half_of_what_terms_say_comes_from_the_neighbours() -> None:
    """`b` shares no term with the question but is like `a`, which does; `c`, a chance match, has nobody like it."""
    some = [Candidate("a", 6.0, 0.5), Candidate("b", 0.0, 0.5), Candidate("c", 3.0, 0.5), Candidate("d", 0.0, 0.5)]
    alone = {one.id: one.score for one in fuse(some)}
    beside = {one.id: one.score for one in fuse(some, neighbours=LIKE_IT)}
    assert alone["b"] == alone["d"]
    assert beside["a"] == pytest.approx(beside["b"])
    assert beside["b"] > beside["d"]


@pytest.mark.parametrize("mode", [Fusion.RRF, Fusion.DBSF])
def test_neighbours_say_nothing_to_fusions_of_lists(mode: Fusion) -> None:
    some = [Candidate("a", 6.0, 0.5), Candidate("b", 0.0, 0.4), Candidate("c", 3.0, 0.3)]
    assert fuse(some, mode=mode, neighbours=LIKE_IT) == fuse(some, mode=mode)


@given(candidates)
def test_without_anybody_alike_scores_stay(some: Candidates) -> None:
    assert fuse(some, neighbours={one.id: () for one in some}) == fuse(some)
