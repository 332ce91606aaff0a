"""Follow-ups made whole, and questions that stand for themselves left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.query_gateway.rewriting import Turn, rewrite

WREN = "What does a Wren cost?"
POLICY = "What is the deductible of our cyber insurance policy?"
LEAVE = "How many days of leave do we have in Hamburg?"


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        (WREN, "What about the Petrel?", "What does a Petrel cost?"),
        (LEAVE, "And in Toronto?", "How many days of leave do we have in Toronto?"),
        ("What was the revenue in 2025?", "and in 2026?", "What was the revenue in 2026?"),
        ("What does E_CONN_42 mean?", "And E_CONN_41?", "What does E_CONN_41 mean?"),
        ("Wie viele Urlaubstage gibt es in Hamburg?", "Und in Toronto?", "Wie viele Urlaubstage gibt es in Toronto?"),
        ("MX-1040的价格是多少？", "那MX-1099呢？", "MX-1099的价格是多少？"),
    ],
)
def test_a_fragment_takes_the_place_of_its_kind(before: str, asked: str, meant: str) -> None:
    assert rewrite(asked, [Turn(before)]) == meant


def test_white_space_without_end_is_read_in_one_pass() -> None:
    """Tried place by place, this would take hours."""
    assert rewrite("was ist" + " " * 50_000 + "x\ny", [Turn("hello there")])


@pytest.mark.parametrize(
    ("before", "asked", "topic"),
    [
        (POLICY, "When does it expire?", "the deductible of our cyber insurance policy"),
        (WREN, "Since when?", "a Wren cost"),
        ("When is Frostbook deployed?", "Who decided that?", "Frostbook deployed"),
        ("May I work from Portugal for a month?", "And how far ahead do I have to ask?", "Portugal"),
        ("How fast should a review be done?", "mine has 550 lines, is that a problem?", "review"),
        ("老化测试时间是多少小时？", "它的温度是多少？", "老化测试"),
    ],
)
def test_what_a_pronoun_or_an_ellipsis_is_about_stands_behind_it(before: str, asked: str, topic: str) -> None:
    meant = rewrite(asked, [Turn(before)])
    assert meant.startswith(asked)
    assert topic in meant


def test_a_person_is_named_from_the_answer_that_named_them() -> None:
    history = [Turn("Who leads support?", "Grace Oyelaran leads support. [1]")]
    assert rewrite("Where does she sit?", history) == "Where does Grace Oyelaran sit?"
    assert rewrite("What is her title?", history) == "What is Grace Oyelaran's title?"


def test_without_an_answer_that_may_still_be_read_nobody_is_named() -> None:
    assert "Oyelaran" not in rewrite("Where does she sit?", [Turn("Who leads support?", "")])


@pytest.mark.parametrize(
    "asked",
    [
        "How many people does Kelvane employ now?",
        "Is there a dog policy?",
        "Who founded the company?",
        "Which stages does a release take?",
        "Who is on call this week in Toronto?",
        "Wie viele Tage Urlaub gibt es?",
        "E_CONN_42",
    ],
)
def test_what_stands_for_itself_stays(asked: str) -> None:
    assert rewrite(asked, [Turn(WREN)]) == asked


def test_a_chain_keeps_to_what_it_is_about() -> None:
    history = [Turn(WREN), Turn("What about the Petrel?")]
    assert rewrite("And the Heron?", history) == "What does a Heron cost?"
    assert "cyber insurance" in rewrite("And who approves it?", [Turn(POLICY), Turn("When does it expire?")])


def test_without_history_nothing_changes() -> None:
    assert rewrite("And in Toronto?", []) == "And in Toronto?"


@given(st.text(max_size=80), st.lists(st.tuples(st.text(max_size=80), st.text(max_size=80)), max_size=4))
def test_whatever_was_said_there_is_a_question(asked: str, before: list[tuple[str, str]]) -> None:
    history = [Turn(question, answer) for question, answer in before]
    assert rewrite(asked, history) == rewrite(asked, history)
    assert rewrite(asked, history) or not asked.strip()
