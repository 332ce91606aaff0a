"""Agreement of two who judge the same things, on numbers that can be checked by hand."""

import json

import pytest

from eval.answers.judgement import Judged, Judgement, agreement


@pytest.mark.parametrize(
    ("one", "other", "share", "kappa"),
    [
        ("yynn", "yynn", 1.0, 1.0),
        ("yynn", "nnyy", 0.0, -1.0),
        ("yynn", "ynyn", 0.5, 0.0),
        ("y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15, 0.7, 0.4),
        ("yyyy", "yyyy", 1.0, None),
        ("", "", None, None),
    ],
)
def test_kappa_is_what_lies_beyond_chance(one: str, other: str, share: float | None, kappa: float | None) -> None:
    found = agreement([each == "y" for each in one], [each == "y" for each in other])
    assert found.items == len(one)
    assert found.share == pytest.approx(share)
    assert found.kappa == pytest.approx(kappa)


def judgement() -> Judgement:
    first = Judged("q1", ("A.", "B."), (True, None), (False, True), ("30 days",), (True,), (True,), tokens=10)
    second = Judged("q2", ("C.",), (None,), (True,), (), (), (), failed="engine small: no answer in time")
    return Judgement("small", "tiny", (first, second))


def test_only_what_is_decided_counts() -> None:
    figures = json.loads(json.dumps(judgement().figures()))
    assert (figures["answers"], figures["failed"], figures["items"], figures["undecided"]) == (2, 1, 4, 2)
    assert figures["faithfulness"]["value"] == 1.0
    assert figures["completeness"]["value"] == 1.0
    assert figures["agreement"]["faithfulness"] == {"items": 1, "share": 0.0, "kappa": 0.0}
    assert figures["tokens"] == 10
    assert judgement().by_id()["q1"]["judged"]


def test_disagreements_are_named() -> None:
    (found,) = judgement().disagreements
    assert (found.id, found.about, found.text, found.code, found.judge) == ("q1", "faithfulness", "A.", False, True)
