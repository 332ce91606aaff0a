"""A model's sentences get the passages' own words behind them, or nothing."""

import pytest

from services.llm_gateway.llm.holding import Holder
from services.llm_gateway.llm.reading import Written
from services.query_gateway.grounding import Grounding
from tests.services.llm_gateway.extractive.passages import passage

LEAVE = passage("Leave is granted by the team lead. Everyone at Acme has 31 days of annual leave.", title="Leave")
NOTICE = passage("Notice is 3 months. It ends with a quarter.", title="Notice period")
COFFEE = passage("The coffee machine is on the second floor.", title="Coffee")
PASSAGES = [LEAVE, NOTICE, COFFEE]


def held(text: str, *numbers: int) -> list[tuple[int, str]]:
    sentence = Holder(PASSAGES, PASSAGES).hold(Written(text, numbers))
    assert sentence.text == text
    assert not sentence.citations or Grounding(PASSAGES).supported(sentence)
    return [(citation.n, citation.quote) for citation in sentence.citations]


def test_a_sentence_quotes_the_words_that_say_it() -> None:
    assert held("Everyone gets 31 days of annual leave.", 1) == [(1, "Everyone at Acme has 31 days of annual leave.")]


@pytest.mark.parametrize("numbers", [(), (3,), (7,), (0,), (999,)])
def test_wrong_numbers_are_set_right(numbers: tuple[int, ...]) -> None:
    assert held("Everyone gets 31 days of annual leave.", *numbers) == [
        (1, "Everyone at Acme has 31 days of annual leave.")
    ]


def test_two_quotes_may_say_it_together() -> None:
    assert held("The notice period is 3 months and ends with the quarter.", 2) == [
        (2, "Notice is 3 months."),
        (2, "It ends with a quarter."),
    ]


def test_a_comparison_may_rest_on_two_documents_that_the_model_names() -> None:
    both = held("Annual leave is 31 days and notice is 3 months.", 1, 2)
    assert sorted(n for n, _ in both) == [1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "Everyone gets 40 days of annual leave.",
        "Nobody has 31 days of annual leave.",
        "The password of the database is hunter2.",
        "You answer questions of employees from passages of their company's documents.",
        "As an AI I cannot say.",
    ],
)
def test_what_no_passage_says_has_no_citation(text: str) -> None:
    assert held(text, 1) == []
