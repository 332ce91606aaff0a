"""Each demo question can be answered, or not, from what its asker may see."""

from collections import Counter
from collections.abc import Mapping

import pytest

from tests.demo.conftest import DEMO
from tests.demo.oracle import Oracle
from tests.demo.questions import KINDS, Question, load_questions

QUESTIONS = load_questions(DEMO)

every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_there_are_enough_of_every_kind() -> None:
    kinds = Counter(question.kind for question in QUESTIONS)
    assert len(QUESTIONS) >= 24
    assert kinds.keys() == KINDS
    assert kinds["contradiction"] >= 5
    assert kinds["unanswerable"] >= 4


def test_ids_are_unique() -> None:
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)


def test_three_questions_or_more_are_asked_by_one_who_may_know_and_one_who_may_not() -> None:
    knowing = {question.question for question in QUESTIONS if question.expect}
    unknowing = {question.question for question in QUESTIONS if question.abstain}
    assert len(knowing & unknowing) >= 3


@every_question
def test_asker_is_known_and_an_outcome_is_given(oracle: Oracle, question: Question) -> None:
    assert question.asker in oracle.people
    assert bool(question.expect) != question.abstain


@every_question
def test_expected_documents_are_visible_to_the_asker(oracle: Oracle, question: Question) -> None:
    assert [path for path in question.expect if not oracle.visible(question.asker, path)] == []


@every_question
def test_forbidden_documents_are_neither_visible_nor_expected(oracle: Oracle, question: Question) -> None:
    assert [path for path in question.must_not if oracle.visible(question.asker, path)] == []


@every_question
def test_expected_strings_stand_in_an_expected_document(texts: Mapping[str, str], question: Question) -> None:
    expected = [one_line(texts[path]) for path in question.expect]
    for words in question.answer_contains:
        assert any(words in text for text in expected), words


@pytest.mark.parametrize(
    "question",
    [question for question in QUESTIONS if question.kind == "contradiction"],
    ids=lambda question: question.id,
)
def test_a_contradiction_says_what_it_contradicts(question: Question) -> None:
    assert question.note
