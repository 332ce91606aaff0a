"""A fit finds what tells the answerable from the rest, and leaves alone what does not."""

from dataclasses import replace

import numpy as np
import pytest

from cortex.domain.errors import Invalid
from eval.calibrating import Example, fit


def examples(count: int = 400) -> list[Example]:
    drawn = np.random.default_rng(7)
    made = []
    for n in range(count):
        good = n % 2 == 0
        values = {"coverage": float(drawn.normal(0.7 if good else 0.3, 0.15)), "noise": float(drawn.normal())}
        made.append(Example(values, good))
    return made


def test_what_tells_them_apart_weighs_and_what_does_not_hardly_does() -> None:
    found = fit(examples(), features=("coverage", "noise"))
    assert found.coefficients["coverage"] > 5
    assert abs(found.coefficients["noise"]) < 0.6


def test_the_threshold_answers_the_wanted_share_and_refuses_most_of_the_rest() -> None:
    made = examples()
    found = fit(made, coverage=0.9)
    sure = [found.answers(found.confidence(one.features)) for one in made]
    answered = [one for one, yes in zip(made, sure, strict=True) if one.answerable and yes]
    refused = [one for one, yes in zip(made, sure, strict=True) if not one.answerable and not yes]
    assert len(answered) >= 0.9 * 200
    assert len(refused) > 0.85 * 200


def test_nothing_found_is_no_confidence() -> None:
    made = [*examples(), Example({}, False)]
    assert fit(made).coefficients == fit(examples()).coefficients


def test_only_the_chosen_features_are_fitted() -> None:
    assert fit(examples()).coefficients.keys() == {"coverage"}


def test_one_kind_of_question_alone_fits_nothing() -> None:
    with pytest.raises(Invalid, match="unanswerable"):
        fit([one for one in examples() if one.answerable])


def test_a_cross_encoder_counts_where_there_is_one() -> None:
    read = [replace(one, features={**one.features, "cross": 6.0 if one.answerable else -2.0}) for one in examples()]
    unread = [replace(one, features={**one.features, "cross": 0.0}) for one in examples()]
    assert fit(read).coefficients["cross"] > 0
    assert fit(unread) == fit(examples())
