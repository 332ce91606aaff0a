"""What belongs together in an answer: lists, comparisons, keywords, dates and background."""

import pytest

from cortex.domain.answer import Composed, Passage
from cortex.domain.calibration import Calibration
from services.llm_gateway.extractive.compose import compose
from services.llm_gateway.extractive.question import Kind, read
from services.llm_gateway.extractive.settings import ComposerSettings
from tests.services.llm_gateway.extractive.passages import passage

EVERYTHING = Calibration(intercept=0.0, threshold=0.0)


def texts(question: str, *passages: Passage) -> list[str]:
    composed: Composed = compose(question, passages, ComposerSettings(), EVERYTHING)
    return [sentence.text for sentence in composed.sentences]


def test_all_rows_that_match_are_given_and_no_others() -> None:
    hosts = passage(
        "host: tor-1; place: Toronto; role: ingest-api",
        "host: fra-1; place: Frankfurt; role: ingest-api",
        "host: ham-1; place: Hamburg; role: signing",
        title="Hosts",
    )
    assert texts("Which hosts run ingest-api?", hosts) == [
        "tor-1: place Toronto; role ingest-api.",
        "fra-1: place Frankfurt; role ingest-api.",
    ]


def test_both_sides_of_a_comparison_are_given() -> None:
    wren = passage("The Wren has an accuracy of 0.4 degrees.", title="Wren")
    petrel = passage("The Petrel has an accuracy of 0.3 degrees.", title="Petrel", score=0.4)
    price = passage("The Wren costs 94 euros and the Petrel 329.", title="Prices", score=0.6)
    given = texts("Which is more accurate, the Wren or the Petrel?", wren, price, petrel)
    assert {wren.text, petrel.text} <= set(given)
    assert price.text not in given


def test_the_other_side_is_given_where_its_document_holds_little_else_of_the_question() -> None:
    harbor = passage("If the uplink fails the Harbor holds 14 days of readings.", title="Harbor", dense=0.6)
    logger = passage("A logger stores 30 days of readings.", title="What Frostbook does", score=0.2, dense=0.1)
    asked = "When the network is gone, which holds readings longer: the Harbor or a logger?"
    assert {harbor.text, logger.text} <= set(texts(asked, harbor, logger))


def test_a_code_alone_is_answered_with_what_stands_around_it() -> None:
    ticket = passage("Customer: a dairy near Guelph.", "Device: Harbor, serial HB-03318.", title="Power cut")
    assert len(texts("HB-03318", ticket)) == 2


def test_a_day_is_found_however_it_is_written() -> None:
    rota = passage(
        "week: 50; starts_on: 2026-12-07; first_line: Liam Tremblay",
        "week: 51; starts_on: 2026-12-14; first_line: Jonas Petersen",
        title="Rota",
    )
    assert texts("Who is first line in the week of 7 December?", rota) == [
        "week 50: starts on 2026-12-07; first line Liam Tremblay."
    ]


def test_names_and_numbers_in_common_do_not_make_a_newer_document_the_current_one() -> None:
    about = passage("The firm employs 71 people in Hamburg, 58 in Shenzhen and 35 in Toronto.", title="Offices", day=1)
    boxes = passage("Hamburg to Shenzhen 35 to 58 17 %", title="Boxes", score=0.6, day=9)
    assert texts("What do the people in Hamburg and Shenzhen do?", about, boxes)[:1] == [about.text]


def test_a_newer_document_of_another_matter_does_not_count_for_a_few_words_in_common() -> None:
    guide = passage("Limit all lines to a maximum of 79 characters.", title="Style guide for code", day=1)
    kept = passage("The maximum line width will remain 80 characters.", title="What will not change", score=0.9, day=9)
    given = texts("How many characters may a line of code have at most?", guide, kept)
    assert given[0] == guide.text


def test_a_newer_document_counts_only_where_it_gives_another_value() -> None:
    flag = passage("When built with --disable-gil, CPython defines Py_GIL_DISABLED.", title="Optional lock", day=1)
    later = passage("With the GIL, Py_GIL_DISABLED must not be defined.", title="Interface", score=0.9, day=9)
    assert texts("What does building with --disable-gil change?", flag, later)[0] == flag.text


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        ("how much does the basic plan cost?", "The basic plan costs 20 euros.", "The premium plan costs 45 euros."),
        ("How long are backups kept?", "Backups are kept for 30 days.", "Are backups kept for 90 days?"),
        ("How long are backups kept?", "Backups are kept for 30 days.", "Backups are not kept for 90 days."),
        ("How long are backups kept?", "Backups are kept for 30 days.", "Rejected: backups are kept for 90 days."),
        (
            "Who is the lead of the platform team?",
            "The lead of the platform team is Maria Koch.",
            "Tom Reed asked who the lead of the platform team is?",
        ),
        (
            "Who approves travel for Hamburg?",
            "Maria Koch approves travel for Hamburg.",
            "Tom Reed approves travel for Lisbon.",
        ),
    ],
    ids=["another matter", "a question", "a denial", "a proposal", "who asked", "another place"],
)
def test_what_a_newer_document_does_not_say_does_not_count(question: str, older: str, newer: str) -> None:
    page, note = passage(older, title="Page", day=1), passage(newer, title="Note", score=0.9, day=9)
    assert texts(question, page, note)[0] == older


@pytest.mark.parametrize(
    "newer",
    [
        "From May on backups are kept for 90 days, not 30.",
        "Backups are no longer kept for 30 days but for 90 days.",
        "Backups were kept for 30 days and are kept for 90 days now.",
    ],
)
def test_what_a_newer_document_does_say_counts_however_it_puts_it(newer: str) -> None:
    page = passage("Backups are kept for 30 days.", title="Page", day=1)
    note = passage(newer, title="Note", score=0.9, day=9)
    assert texts("How long are backups kept?", page, note)[0] == f"As of 9 January 2026: {newer}"


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        pytest.param(
            "How many percent is the bonus for duty on a Sunday?",
            "The council wants a bonus of 50 percent for duty on a Sunday.",
            "Settled: the bonus for duty on a Sunday is 40 percent.",
            id="answers-as-well",
        ),
        pytest.param(
            "Who is the lead of the platform team?",
            "The lead of the platform team is Maria Koch.",
            "From now on the lead of the platform team is Tom Reed.",
            id="names-another",
        ),
    ],
)
def test_a_newer_document_that_answers_as_well_counts(question: str, older: str, newer: str) -> None:
    page, note = passage(older, title="Page", day=1), passage(newer, title="Note", score=0.9, day=9)
    assert texts(question, page, note)[0] == f"As of 9 January 2026: {newer}"


def test_what_holds_the_words_of_the_question_in_another_story_does_not_count() -> None:
    moved = passage(
        "The end of life date (or sunset date) for Python 2.7 was moved five years into the future, to 2020.",
        title="Schedule",
        day=1,
    )
    story = passage(
        "As Python 2.7 is expected to be the effective end of life of an old line of code, with version 3.2 the "
        "moratorium would cover several releases.",
        title="Moratorium",
        score=0.9,
        day=9,
    )
    assert texts("When does Python 2.7 reach the end of its life?", moved, story)[0] == moved.text


def test_a_document_that_gives_a_day_comes_before_one_that_is_worth_as_much_and_gives_none() -> None:
    page = passage("Route replay draws where a shipment was.", title="Route replay: notes from the beta", day=1)
    issue = passage("The release of route replay on 24 November waits for nothing.", title="Issue", score=0.9)
    assert texts("On what day does route replay go live for everybody?", page, issue)[0] == issue.text
    assert texts("What does route replay draw?", page, issue)[0] == page.text


def test_who_types_a_name_alone_reads_what_several_documents_say_of_it() -> None:
    letter = passage("I quote the words of Mrs Droegemoeller.", title="Letter")
    chat = passage("Our contact at Nordkai is Mrs Droegemoeller.", title="Chat", score=0.9)
    other = passage("Nordkai buys Herons.", title="Sales", score=0.8)
    assert texts("Droegemoeller", letter, chat, other) == [letter.text, chat.text]


def test_what_is_told_beside_a_question_counts_less_than_the_question() -> None:
    asked = read("I need it for the freight quote. What does a Heron weigh?")
    weights = dict(zip((term.key for term in asked.terms), asked.weights, strict=True))
    assert weights["weigh"] == 1.0
    assert weights["freight"] < 1.0


def test_a_clause_before_the_question_does_not_say_what_is_asked_for() -> None:
    assert Kind.WHEN not in read("When the network is gone, which holds readings longer?").kinds
    assert Kind.WHEN in read("When is the network back?").kinds


def test_on_what_day_is_answered_by_a_day_and_not_by_a_month() -> None:
    month = passage("Route replay goes live for all in September 2026.", title="Changelog")
    day = passage("Route replay goes live for all on 24 November.", title="Issue", score=0.9)
    assert texts("On what day does route replay go live for all?", month, day)[0] == day.text


def test_marks_of_emphasis_are_not_said() -> None:
    page = passage("A **single** Wren costs `94` euros.", title="Prices")
    assert texts("What does a single Wren cost?", page) == ["A single Wren costs 94 euros."]
    code = passage("A class with `__init__` and __eq__ is __not the same__.", title="Classes")
    assert texts("What is a class with __init__?", code) == ["A class with __init__ and __eq__ is not the same."]


def test_a_newer_rule_is_found_beside_a_sentence_that_speaks_more_of_the_question() -> None:
    page = passage(
        "Customer readings are kept for 24 months and then deleted. A customer who leaves can take readings away.",
        title="Retention",
        day=1,
    )
    letter = passage(
        "Customers asked for it. From February on customer readings are kept for 36 months, not 24.",
        title="A longer time",
        score=0.9,
        day=20,
    )
    given = texts("How long are readings of a customer kept?", page, letter)
    assert "36 months" in " ".join(given)
    assert any(sentence.startswith("As of 20 January 2026: ") for sentence in given)
    assert "Customer readings are kept for 24 months and then deleted." not in given


def test_the_head_of_a_letter_is_no_sentence_of_an_answer() -> None:
    letter = passage(
        "To: everyone@kelvane.example", "We move on 7 June to the new database.", title="The database moves"
    )
    assert texts("When does the database move?", letter) == ["We move on 7 June to the new database."]


def test_a_reason_is_taken_from_another_document_where_the_best_gives_none() -> None:
    decision = passage("Yuki stopped the work on predictive alarms.", title="Predictive alarms")
    roadmap = passage("Predictive alarms stopped in July, as the trial gave false ones.", title="Roadmap", score=0.4)
    other = passage("Deliveries of wool stopped because of the snow.", title="Wool", score=0.5)
    assert texts("Why were predictive alarms stopped?", decision, other, roadmap) == [decision.text, roadmap.text]
    assert texts("When were predictive alarms stopped?", decision, other, roadmap) == [decision.text]
