"""Coverage and risk, areas and intervals, on numbers that can be checked by hand."""

import pytest

from eval.answers import curve

SCORES = [0.9, 0.8, 0.7, 0.4, 0.3, 0.2]
ANSWERABLE = [True, True, False, True, False, False]


def test_a_curve_runs_from_answering_nothing_to_answering_all() -> None:
    points = curve.points(SCORES, ANSWERABLE)
    assert (points[0].coverage, points[0].abstained, points[0].risk) == (0.0, 1.0, 0.0)
    assert (points[-1].coverage, points[-1].abstained, points[-1].risk) == (1.0, 0.0, 0.5)
    at_three = next(point for point in points if point.threshold == 0.7)
    assert at_three.coverage == pytest.approx(2 / 3)
    assert at_three.abstained == pytest.approx(2 / 3)
    assert at_three.risk == pytest.approx(1 / 3)


def test_what_is_refused_at_a_coverage() -> None:
    assert curve.threshold_at(SCORES, ANSWERABLE, coverage=1.0) == 0.4
    assert curve.abstained_at(SCORES, ANSWERABLE, coverage=1.0) == pytest.approx(2 / 3)
    assert curve.abstained_at(SCORES, ANSWERABLE, coverage=0.5) == 1.0


def test_the_area_is_the_chance_of_the_right_order() -> None:
    assert curve.area(SCORES, ANSWERABLE) == pytest.approx(8 / 9)
    assert curve.area([1.0, 1.0], [True, False]) == 0.5
    assert curve.area([1.0], [True]) == 1.0


def test_a_better_score_is_better_by_its_interval_and_an_equal_one_is_not() -> None:
    flags = [n % 2 == 0 for n in range(80)]
    perfect = [float(flag) for flag in flags]
    useless = [float(n % 7) for n in range(80)]
    assert curve.advantage(perfect, useless, flags).low > 0
    same = curve.advantage(useless, useless, flags)
    assert (same.value, same.low, same.high) == (0.0, 0.0, 0.0)


def test_a_mean_has_an_interval_and_nothing_has_none() -> None:
    found = curve.mean([0.0, 1.0] * 50)
    assert found is not None
    assert found.value == 0.5
    assert found.low < 0.5 < found.high
    assert curve.mean([0.0, 1.0]) == curve.mean([0.0, 1.0])
    assert curve.mean([]) is None
