"""What counts as found, cited, complete, faithful and leaked."""

import pytest

from eval.answers.marking import folded, mark, supported
from tests.eval.answers.examples import cited, given, question, said


def test_a_right_answer_has_full_marks() -> None:
    marks = mark(question(), given(said()))
    assert (marks.recall, marks.citation_precision, marks.citation_recall) == (1.0, 1.0, 1.0)
    assert (marks.faithful, marks.complete, marks.leaks, marks.right) == (1.0, 1.0, (), True)


def test_silence_is_right_where_nothing_can_be_said_and_only_there() -> None:
    assert mark(question(facts=(), sources=()), given()).right
    assert not mark(question(facts=(), sources=()), given(said())).right
    silent = mark(question(), given())
    assert (silent.complete, silent.citation_recall, silent.right) == (0.0, 0.0, False)
    assert silent.citation_precision is None
    assert silent.faithful is None


def test_recall_counts_the_sources_that_are_needed_among_the_first_five() -> None:
    two = question(sources=("a", "b", "c"), needed=2)
    assert mark(two, given(found=("x", "a", "b"))).recall == 1.0
    assert mark(two, given(found=("x", "a", "y"))).recall == 0.5
    assert mark(two, given(found=("1", "2", "3", "4", "5", "a"))).recall == 0.0


def test_a_document_that_states_a_key_fact_is_cited_rightly_though_it_is_not_named() -> None:
    copy = said("We all have 30 days.", cited("chat/leave.txt", "We all have 30 days.", text="We all have 30 days."))
    marks = mark(question(), given(copy))
    assert (marks.citation_precision, marks.citation_precision_named, marks.citation_recall) == (1.0, 0.0, 0.0)
    other = said("The cellar is cold.", cited("wiki/cellar.md", "The cellar is cold.", text="The cellar is cold."))
    assert mark(question(), given(said(), other)).citation_precision == 0.5


@pytest.mark.parametrize(
    ("answer", "stated"),
    [
        ("Everyone has **30 days**.", True),
        ("Everyone has 30\u00a0days.", True),
        ("Everyone has 130 days.", False),
        ("Everyone has 1,30 days.", False),
        ("Everyone has 30.5 days.", False),
    ],
)
def test_a_fact_is_stated_by_its_letters_but_not_inside_another_number(answer: str, stated: bool) -> None:
    facts = (("30 days", "30.5 minutes"),)
    assert (mark(question(facts=facts), given(said(answer))).complete == 1.0) is stated


def test_completeness_is_the_share_of_facts() -> None:
    marks = mark(question(facts=(("30 days",), ("five", "5 of them"))), given(said()))
    assert (marks.complete, marks.missing) == (0.5, ("five",))


def test_a_sentence_is_faithful_only_with_an_exact_quote_that_its_asker_can_open() -> None:
    assert supported(said())
    assert not supported(said("Everyone has 30 days of annual leave.", cited(exact=False)))
    assert not supported(said("Everyone has 30 days of annual leave.", cited(opened=False)))


def test_a_sentence_may_be_put_otherwise_but_not_say_more() -> None:
    assert supported(said("Annual leave: everyone has 30 days."))
    assert not supported(said("Annual leave: everyone has 31 days."))
    assert not supported(said("Everyone has 30 days of sabbatical in Portugal."))


def test_a_leak_is_what_the_asker_may_not_open_or_the_question_forbids() -> None:
    secret = question(forbidden=("hr/bands.csv",))
    assert mark(secret, given(shown=("hr/bands.csv", "wiki/leave.md"))).leaks == ("hr/bands.csv",)
    assert mark(secret, given(shown=("x",), closed=("x",))).leaks == ("x",)


def test_folding_keeps_words_and_drops_mark_up() -> None:
    assert folded("**Two**\u00a0 `words` – “here”") == 'two words - "here"'
