"""When passages are weighed by another average length."""

import pytest

from cortex.domain.term_length import AVERAGE_TERMS, PASSAGES_MIN, TermLengths


@pytest.mark.parametrize(
    ("mean", "due"),
    [(36.2, 36.0), (105.4, 105.0), (0.0, 1.0), (AVERAGE_TERMS, None), (60.6, None), (85.0, None)],
    ids=["shorter", "longer", "empty", "equal", "a little shorter", "a little longer"],
)
def test_a_new_average_is_due_once_it_is_far_from_the_old_one(mean: float, due: float | None) -> None:
    assert TermLengths(AVERAGE_TERMS, mean, PASSAGES_MIN).due == due


def test_a_few_passages_say_nothing_of_those_to_come() -> None:
    assert TermLengths(AVERAGE_TERMS, 5.0, PASSAGES_MIN - 1).due is None


def test_what_was_taken_up_is_not_due_again() -> None:
    due = TermLengths(AVERAGE_TERMS, 36.2, 1_000).due
    assert due is not None
    assert TermLengths(due, 36.2, 1_000).due is None
