"""Questions with another document's thing in them."""

import pytest

from eval.proposing.near_miss import near_misses, speaks_of, things
from tests.eval.proposing.examples import BADGES, KEYS, draft, page

OWN = page("wiki/keys.md", "Hardware keys", *KEYS)
OTHER = page("wiki/badges.md", "Badges", *BADGES)
ASKED = draft("How many days does a new key take to Hamburg?", "two days", "2 days")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("which of MX-1040 and E_CONN_42 failed", [("code", "MX-1040"), ("code", "E_CONN_42")]),
        ("who is Omar Siddiqui in Hamburg", [("name", "Omar Siddiqui"), ("name", "Hamburg")]),
        ("what happened in 2025 on 3 May", [("number", "2025"), ("number", "3")]),
        ("when was 2.5 or 1,000 read on Monday", []),
    ],
)
def test_what_can_be_replaced(text: str, found: list[tuple[str, str]]) -> None:
    assert [(one.kind, one.text) for one in things(text)] == found


def test_a_name_gives_way_to_another_documents_and_the_draft_says_so() -> None:
    made, thing = next(near_misses(ASKED, [OWN, OTHER]))
    assert made.question == "How many days does a new key take to Rotterdam?"
    assert (made.kind, made.facts, thing) == ("near_miss", (), "Rotterdam")
    assert made.made == f"name 'Hamburg' of {ASKED.question!r} replaced by 'Rotterdam' of wiki/badges.md"


def test_nothing_is_made_where_a_document_speaks_of_it() -> None:
    third = page("wiki/rotterdam.md", "Post", "A new key takes nine days to Rotterdam.")
    assert list(near_misses(ASKED, [OWN, OTHER, third])) == []
    assert speaks_of(third, "How many days does a new key take to Rotterdam?", "Rotterdam")
    assert not speaks_of(OTHER, "How many days does a new key take to Rotterdam?", "Rotterdam")


def test_nothing_is_taken_that_the_own_document_holds() -> None:
    same = page("wiki/offices.md", "Offices", "Visitors of Shenzhen ring twice.")
    assert list(near_misses(ASKED, [OWN, same])) == []
