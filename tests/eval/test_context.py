"""When a context pays, and what counts as a drafted question."""

import pytest

from eval.context.command import Verdict
from eval.context.source import question_of
from eval.retrieval.intervals import Interval


@pytest.mark.parametrize(
    ("written", "question"),
    [
        ("How many days of leave are there?", "How many days of leave are there?"),
        ('Sure! Here it is:\n"Question: Who approves invoices?"', "Who approves invoices?"),
        ("年假有多少天呢,请问您知道吗？", "年假有多少天呢,请问您知道吗？"),
        ("There are 31 days.", None),
        ("Why?", None),
        ("", None),
    ],
)
def test_a_question_is_a_line_that_asks(written: str, question: str | None) -> None:
    assert question_of(written) == question


def test_it_pays_where_all_of_the_interval_is_a_gain() -> None:
    def found(low: float, high: float) -> Verdict:
        return Verdict(0.5, 0.5 + (low + high) / 2, Interval((low + high) / 2, low, high), tokens=1_000, documents=10)

    assert found(0.01, 0.05).pays
    assert not found(-0.01, 0.05).pays
    assert not found(-0.05, -0.01).pays
    assert found(0.01, 0.05).figures()["tokens_per_document"] == 100
