"""Confidence and the threshold below which there is silence."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.calibration import Calibration, logistic, threshold_for

ONE = Calibration(intercept=-1.0, threshold=0.5, coefficients={"coverage": 2.0})


def test_the_confidence_is_logistic_in_the_features() -> None:
    assert ONE.confidence({"coverage": 0.5}) == 0.5
    assert ONE.confidence({"coverage": 1.0}) == pytest.approx(1 / (1 + math.exp(-1)))


def test_a_feature_that_is_not_there_or_not_known_counts_nothing() -> None:
    assert ONE.confidence({}) == ONE.confidence({"later": 9.0})


def test_the_threshold_answers_the_share_that_was_asked_for() -> None:
    confidences = [0.9, 0.8, 0.7, 0.6, 0.2]
    answerable = [True, True, False, True, True]
    assert threshold_for(confidences, answerable, coverage=0.75) == 0.6
    assert threshold_for(confidences, answerable, coverage=1.0) == 0.2
    assert threshold_for([], [], coverage=0.95) == 0.5


@given(st.floats(-1e6, 1e6))
def test_whatever_comes_it_is_a_share(value: float) -> None:
    assert 0.0 <= logistic(value) <= 1.0
