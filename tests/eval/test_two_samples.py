"""Two samples of times, of one kind or of two."""

import random

import pytest

from eval.two_samples import p_value


def test_a_difference_of_a_tenth_is_seen_and_none_is_not() -> None:
    chance = random.Random(7)
    some = [chance.gauss(20, 2) for _ in range(300)]
    assert p_value(some, [chance.gauss(20, 2) for _ in range(300)]) > 0.05
    assert p_value(some, [chance.gauss(22, 2) for _ in range(300)]) < 0.001


def test_a_known_case() -> None:
    """By hand: ranks 1, 2, 3 of six; U = 0, z = -4.5 / sqrt(5.25)."""
    assert p_value([1, 2, 3], [4, 5, 6]) == pytest.approx(0.0495, abs=0.0002)
    assert p_value([4, 5, 6], [1, 2, 3]) == pytest.approx(0.0495, abs=0.0002)


def test_ties_alone_tell_nothing() -> None:
    assert p_value([1.0] * 9, [1.0] * 5) == 1.0
    assert p_value([1, 2], [1, 2]) == pytest.approx(1.0)


def test_nothing_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="two samples"):
        p_value([], [1.0])
