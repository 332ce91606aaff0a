"""Measures against values worked out by hand, and intervals against what must hold of them."""

import math

import pytest

from eval.retrieval.intervals import mean_interval, paired
from eval.retrieval.measures import MEASURES, by_question, means


def test_every_measure_is_what_its_name_says() -> None:
    found = by_question({"q": ["x", "a", "y", "z", "v", "b"]}, {"q": {"a": 1, "b": 1}})
    gain = 1 / math.log2(3) + 1 / math.log2(7)
    ideal = 1 + 1 / math.log2(3)
    assert found["q"] == pytest.approx(
        {"ndcg@10": gain / ideal, "recall@5": 0.5, "recall@10": 1.0, "recall@100": 1.0, "mrr@10": 0.5}
    )


def test_grades_weigh() -> None:
    found = by_question({"q": ["b", "a"]}, {"q": {"a": 2, "b": 1}})
    assert found["q"]["ndcg@10"] == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))


def test_only_the_order_counts_and_depth_is_cut() -> None:
    deep = [f"x{n:03}" for n in range(10)] + ["a"]
    found = by_question({"q": deep}, {"q": {"a": 1}})["q"]
    assert (found["ndcg@10"], found["mrr@10"], found["recall@10"], found["recall@100"]) == (0, 0, 0, 1)
    assert by_question({"q": ["z", "a"]}, {"q": {"a": 1}})["q"]["mrr@10"] == 0.5


def test_a_question_without_results_counts_as_nothing() -> None:
    found = by_question({"q": ["a"], "unjudged": ["a"]}, {"q": {"a": 1}, "r": {"a": 1}})
    assert found.keys() == {"q", "r"}
    assert means(found) == dict.fromkeys(MEASURES, 0.5)


def test_an_interval_holds_its_mean_and_repeats() -> None:
    values = [0.0, 0.1, 0.4, 1.0] * 20
    interval = mean_interval(values)
    assert interval == mean_interval(values)
    assert interval.mean == pytest.approx(0.375)
    assert interval.low < interval.mean < interval.high
    certain = mean_interval([0.5] * 9)
    assert certain.low == certain.high == 0.5


def test_a_paired_difference_sees_what_two_intervals_hide() -> None:
    """Questions differ much, rankings by little and always in one direction."""
    worse = {str(n): n / 100 for n in range(90)}
    better = {question: value + 0.01 for question, value in worse.items()}
    difference = paired(better, worse)
    assert difference.above
    assert difference.mean == pytest.approx(0.01)
    assert mean_interval(list(better.values())).low < mean_interval(list(worse.values())).high
    assert paired(worse, better).below


def test_only_questions_of_both_are_compared() -> None:
    assert paired({"a": 1.0, "b": 0.0}, {"a": 0.5}).mean == 0.5
