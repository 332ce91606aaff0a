"""Answers by extraction: the right sentence, exactly quoted, or silence."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.domain.answer import Composed, Passage
from cortex.domain.calibration import Calibration
from cortex.domain.query import source_numbers
from services.llm_gateway.extractive.compose import compose
from services.llm_gateway.extractive.evidence import NO_QUESTION, NO_SUPPORT, NOTHING_FOUND
from services.llm_gateway.extractive.rendering import row
from services.llm_gateway.extractive.settings import ComposerSettings
from tests.services.llm_gateway.extractive.passages import passage

SETTINGS = ComposerSettings()
PLAIN = Calibration(intercept=-5.0, threshold=0.5, coefficients={"held": 4.0, "said": 2.0, "dense": 1.0, "names": 1.5})
"""What these tests take for enough: the words of the question, its names, and some nearness."""


def composed(question: str, *passages: Passage) -> Composed:
    return compose(question, passages, SETTINGS, PLAIN)


def texts(answer: Composed) -> list[str]:
    return [sentence.text for sentence in answer.sentences]


LEAVE = passage(
    "Holidays are asked for in the portal. Everyone has 30 days of annual leave. Carry over at most five.",
    title="Leave",
)
CODES = passage("E_CONN_41 means no route.", "E_CONN_42 means that the clock is wrong.", title="Error codes")
OFFICE = passage("The Hamburg office has three floors and a cold cellar.", title="Hamburg office", score=0.2, dense=0.3)


def test_the_sentence_that_answers_is_quoted_alone() -> None:
    answer = composed("How many days of annual leave do we have?", LEAVE, OFFICE)
    assert texts(answer) == ["Everyone has 30 days of annual leave."]
    (citation,) = answer.sentences[0].citations
    assert citation.quote == answer.sentences[0].text
    assert LEAVE.text[citation.anchor.start : citation.anchor.end] == citation.quote
    assert (citation.n, citation.document_id) == (1, LEAVE.document_id)


def test_a_code_must_stand_there_as_asked() -> None:
    assert texts(composed("What does E_CONN_42 mean?", OFFICE, CODES)) == ["E_CONN_42 means that the clock is wrong."]
    answer = composed("What does E_CONN_58 mean?", CODES, OFFICE)
    assert (answer.abstained, answer.reason, answer.sentences) == (True, NO_SUPPORT, ())


def test_a_name_must_be_spoken_of() -> None:
    resellers = passage("Our distributor in Portugal is Ponte Fria.", title="Resellers", dense=0.7)
    assert composed("Who is our distributor in Brazil?", resellers).abstained
    assert not composed("Who is our distributor in Portugal?", resellers).abstained


def test_something_like_it_is_no_answer() -> None:
    assert composed("How much does a parking space in Hamburg cost each month?", OFFICE, LEAVE).abstained


@pytest.mark.parametrize("question", ["", "   ", "what is it?", "???", "的是吗"])
def test_a_question_without_a_word_that_matters_is_not_answered(question: str) -> None:
    assert composed(question, LEAVE).abstained


def test_without_passages_there_is_no_answer() -> None:
    assert composed("How many days of annual leave do we have?").abstained


def test_words_scattered_over_documents_prove_nothing() -> None:
    one = passage("The root of the old tree was cut.", title="Garden", dense=0.35)
    two = passage("Each shareholder got seven shares.", title="Letter", dense=0.35)
    three = passage("The key of the cellar is at the desk.", title="Cellar", dense=0.35)
    assert composed("Into how many shares is the root key split?", one, two, three).abstained


OLD = passage("Frostbook is deployed to production on Thursdays.", title="Calendar", score=1.0, day=1)
NEW = passage("From May on Frostbook is deployed to production on Tuesdays.", title="Chat", score=0.9, day=20)


def test_where_two_documents_disagree_the_newer_one_counts() -> None:
    answer = composed("When is Frostbook deployed to production?", OLD, NEW)
    assert texts(answer) == ["As of 20 January 2026: From May on Frostbook is deployed to production on Tuesdays."]
    (citation,) = answer.sentences[0].citations
    assert (citation.n, citation.quote) == (2, NEW.text)


def test_a_newer_document_that_misses_what_was_asked_does_not_count() -> None:
    this = passage("In 2026 the band of a senior engineer runs from 78,000 euros.", title="Bands", day=1)
    later = passage("From then on the band of a senior engineer runs from 79,950 euros.", title="Review", day=20)
    assert texts(composed("What is the band of a senior engineer in 2026?", this, later))[0].startswith("In 2026")


def test_the_same_thing_is_not_said_twice() -> None:
    copy = passage("Everyone has 30 days of annual leave.", title="Copy", score=0.9)
    assert len(composed("How many days of annual leave do we have?", LEAVE, copy).sentences) == 1


def test_a_question_of_two_parts_takes_a_sentence_for_each() -> None:
    party = passage(
        "The party takes place on the barge Frieda. Doors open on Friday at 18:00.", title="Party for Ingrid"
    )
    answer = composed("Where does the party take place and when do doors open?", party)
    assert len(answer.sentences) == 2


def test_sentences_of_one_document_keep_its_order() -> None:
    rules = passage(
        "- Staging takes a day.", "- Canary takes an hour.", "- Production takes a week.", title="Release stages"
    )
    answer = composed("Which stages does a release take?", rules)
    assert [s.citations[0].anchor.block_id for s in answer.sentences] == sorted(
        s.citations[0].anchor.block_id for s in answer.sentences
    )


def test_german_forms_and_chinese_pairs_match() -> None:
    german = passage("Das Dienstrad darf höchstens 4.500 Euro kosten.", title="Fahrrad", language="de", dense=0.0)
    chinese = passage("老化测试的时间为72小时。", "温度是四十度。", title="老化测试", language="zh", dense=0.0)
    assert texts(composed("Wie viel dürfen Diensträder höchstens kosten?", german)) == [german.text]
    assert texts(composed("老化测试时间是多少小时？", chinese))[0] == "老化测试的时间为72小时。"


def test_a_message_is_quoted_with_its_author_and_time() -> None:
    chat = passage("[2026-05-06 09:13] Priya Raman: We deploy on Tuesdays from now on.", title="eng-platform")
    assert texts(composed("On which weekday do we deploy?", chat)) == [chat.text]


def test_a_reason_comes_with_what_it_explains() -> None:
    rfc = passage("We sent eleven false warnings for each true one. The predictive alarms were stopped. Tea is free.")
    assert len(composed("Why were predictive alarms stopped?", rfc).sentences) >= 2


def test_silence_has_a_reason() -> None:
    assert composed("How many days of annual leave do we have?").reason == NOTHING_FOUND
    assert composed("What is it?", LEAVE).reason == NO_QUESTION
    assert composed("Which tea is served on the moon?", LEAVE).reason == NO_SUPPORT


def test_the_confidence_is_that_of_the_calibration_and_says_what_it_rests_on() -> None:
    answer = composed("How many days of annual leave do we have?", LEAVE, OFFICE)
    assert answer.confidence == PLAIN.confidence(answer.evidence) >= PLAIN.threshold
    doubtful = composed("Which tea is served on the moon?", LEAVE)
    assert doubtful.confidence == PLAIN.confidence(doubtful.evidence) < PLAIN.threshold
    strict = Calibration(PLAIN.intercept, 0.999999, PLAIN.coefficients)
    assert compose("How many days of annual leave do we have?", [LEAVE], SETTINGS, strict).abstained


def test_what_a_cross_encoder_thinks_of_the_document_is_evidence() -> None:
    read = replace(LEAVE, scores={**LEAVE.scores, "cross": -3.5})
    unread = passage("Annual leave of 30 days is for everyone who has days of leave.", title=LEAVE.title)
    assert composed("How many days of annual leave do we have?", read, unread).evidence["cross"] == -3.5
    assert composed("How many days of annual leave do we have?", LEAVE).evidence["cross"] == 0.0


def test_another_document_that_shares_a_word_is_not_joined_to_the_answer() -> None:
    other = passage("The annual party takes place in the cold cellar.", title="Party", score=0.5, dense=0.5)
    answer = composed("How many days of annual leave do we have?", LEAVE, other)
    assert {sentence.citations[0].document_id for sentence in answer.sentences} == {LEAVE.document_id}


EVERYTHING = Calibration(intercept=0.0, threshold=0.0)
BLOCK = st.text(alphabet=st.sampled_from("abc days leave annual 30.!?\n-:;。年假"), max_size=80)


@settings(deadline=None)
@given(st.lists(st.lists(BLOCK, min_size=1, max_size=3), max_size=4), st.text(max_size=60))
def test_whatever_comes_every_sentence_is_an_exact_quote_with_the_right_number(
    documents: Sequence[list[str]], question: str
) -> None:
    passages = [passage(*blocks, title=f"Doc {n}") for n, blocks in enumerate(documents)]
    for asked in (question, "How many days of annual leave?"):
        answer = compose(asked, passages, SETTINGS, EVERYTHING)
        assert answer.abstained is not bool(answer.sentences)
        assert len(answer.sentences) <= SETTINGS.list_sentences_max + 2
        for sentence in answer.sentences:
            (citation,) = sentence.citations
            (source,) = [one for one in passages if one.chunk_id == citation.chunk_id]
            block = documents[passages.index(source)][citation.anchor.block_id]
            assert block[citation.anchor.start : citation.anchor.end] == citation.quote
            assert sentence.text == row(citation.quote) or sentence.text.endswith(citation.quote)
            assert citation.n == source_numbers(passages)[citation.document_id]


def test_equal_input_gives_equal_answers() -> None:
    asked = ("How many days of annual leave do we have?", LEAVE, OFFICE, CODES)
    assert composed(*asked) == composed(*asked)
