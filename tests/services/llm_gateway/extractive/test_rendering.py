"""How a unit is said."""

import pytest

from services.llm_gateway.extractive.rendering import row
from services.llm_gateway.extractive.units import row_cells


def test_a_row_is_said_with_its_heads() -> None:
    text = "code: E_1; meaning: clock is wrong; what to do: restart"
    assert row(text) == "E_1: meaning clock is wrong; what to do restart."
    assert row("week: 48; starts_on: 2026-11-23; remark: ") == "week 48: starts on 2026-11-23."


def test_a_semicolon_in_a_cell_begins_no_cell() -> None:
    assert row_cells("item: chamber; room: cellar; remark: loud; old") == [
        ("item", "chamber"),
        ("room", "cellar"),
        ("remark", "loud; old"),
    ]


@pytest.mark.parametrize("text", ["", "no row at all", "one: cell"])
def test_what_is_no_row_stays_as_it_is(text: str) -> None:
    assert row(text) == text
