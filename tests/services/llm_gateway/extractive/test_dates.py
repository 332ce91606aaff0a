"""Days, however they are written."""

import pytest

from services.llm_gateway.extractive.dates import days


@pytest.mark.parametrize(
    "text",
    [
        "7 December",
        "the 7th of December 2026",
        "December 7th",
        "Dec 7",
        "2026-12-07",
        "7. Dezember",
        "12月7日",
        "12月7号",
    ],
)
def test_a_day_has_one_key(text: str) -> None:
    assert [key for _, _, key in days(text)] == ["12-07"]


@pytest.mark.parametrize("text", ["December", "7 days", "in 2026", "99 March", "marching 4 people"])
def test_what_is_no_day_has_none(text: str) -> None:
    assert days(text) == []


def test_places_are_those_of_the_text() -> None:
    ((start, end, _),) = days("closed on 24 December, noon")
    assert "closed on 24 December, noon"[start:end] == "24 December"
