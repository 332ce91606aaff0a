"""What a question asks for."""

import pytest

from services.llm_gateway.extractive.question import Kind, read


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Who approved the budget?", Kind.WHO),
        ("When do we deploy?", Kind.WHEN),
        ("On which weekday do we deploy?", Kind.WHEN),
        ("How many days of leave do we have?", Kind.HOW_MANY),
        ("Where is the key?", Kind.WHERE),
        ("Why did it fail?", Kind.WHY),
        ("Which regions are served?", Kind.LIST),
        ("How do A and B compare?", Kind.LIST),
        ("Wie viele Tage Urlaub haben wir?", Kind.HOW_MANY),
        ("Wann läuft der Vertrag ab?", Kind.WHEN),
        ("老化测试时间是多少小时？", Kind.HOW_MANY),
        ("谁批准了预算？", Kind.WHO),
        ("What does the page say?", Kind.OTHER),
    ],
)
def test_the_kind_of_answer_is_read_from_the_question(text: str, kind: Kind) -> None:
    assert kind in read(text).kinds


def test_what_is_and_its_like_ask_for_no_list() -> None:
    assert Kind.LIST not in read("What is the maximum?").kinds
    assert Kind.LIST not in read("How much is the rent each month?").kinds


def test_terms_are_the_words_that_matter_and_codes_stay_whole() -> None:
    assert [term.key for term in read("What does E_CONN_42 mean for on-call people?").terms] == [
        "e_conn_42",
        "mean",
        "call",
    ]


def test_a_word_that_names_the_kind_of_answer_is_sought() -> None:
    question = read("In which city and on what weekday?")
    assert {question.text[start : start + 7].strip() for start in question.sought} == {"city an", "weekday"}


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Which is lighter, the Wren or the Petrel?", ["wren", "petrel"]),
        ("Which holds readings longer: the Harbor or a logger?", ["harbor", "logger"]),
        ("Was hält länger, der Akku oder die Zelle?", ["akku", "zell"]),
        ("Which holds readings longer?", []),
    ],
)
def test_what_is_compared_are_names_or_the_words_around_or(question: str, sides: list[str]) -> None:
    asked = read(question)
    assert [asked.terms[n].key for n in asked.sides()] == sides


def test_a_quarter_is_no_code() -> None:
    assert read("number of accounts removed in Q3 2026 for OPS-12").codes == {"ops-12"}


def test_names_are_read_in_english_and_not_in_german() -> None:
    assert read("Who is our distributor in Brazil since October?").names() == {"brazil"}
    assert read("I fly to France in May. What may a hotel in Lyon cost?").names() == {"lyon"}
    assert read("Wie viel kostet das Dienstrad in Hamburg?").names() == frozenset()
