"""Figures added up, and a page that shows them."""

import json

from eval.answers.marking import mark
from eval.answers.page import page
from eval.answers.summary import Asked, summary
from tests.eval.answers.examples import given, question, said


def asked() -> list[Asked]:
    good, bad = question(), question(facts=(), sources=(), kind="near_miss", id="sabbatical")
    first = given(said(), confidence=0.9, scores={"dense": 0.5, "bm25": 9.0})
    second = given(confidence=0.2, scores={"dense": 0.6, "bm25": 4.0})
    return [Asked(good, first, mark(good, first)), Asked(bad, second, mark(bad, second))]


def test_the_summary_keeps_retrieval_answers_and_abstention_apart() -> None:
    found = json.loads(json.dumps(summary(asked())))
    assert (found["questions"], found["answerable"], found["leaks"]) == (2, 1, 0)
    assert found["measures"]["recall@5"]["value"] == 1.0
    assert found["abstention"]["abstained_at_95"]["value"] == 1.0
    assert found["abstention"]["against"]["dense"]["abstained_at_95"] == 0.0
    assert found["kinds"]["near_miss"]["abstained"] == 1.0


def test_the_page_is_whole_and_takes_texts_as_text() -> None:
    found = asked()
    evil = question(id="<script>alert(1)</script>")
    shown = page("Answers", [*found, Asked(evil, given(said("<b>30 days</b>")), mark(evil, given(said())))])
    assert shown.count("<svg") == 2
    assert "<script" not in shown
    assert "http" not in shown.replace("http://www.w3.org/2000/svg", "")
    assert "sabbatical" in shown
