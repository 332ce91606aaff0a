"""What rules make of findings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.document import Block, BlockKind, ParsedDocument
from cortex.domain.errors import Invalid
from cortex.domain.privacy import (
    Action,
    Finding,
    Kind,
    PrivacyRules,
    Screened,
    apart,
    rules_from_json,
    rules_json,
    screened,
)

MARK = "@"


def detect(text: str) -> list[Finding]:
    """Every mark is an address of one character."""
    return [Finding(place, place + 1, Kind.EMAIL, 0.9) for place, character in enumerate(text) if character == MARK]


def screen(action: Action, *texts: str, title: str = "Title") -> Screened:
    blocks = tuple(Block(number, BlockKind.PARAGRAPH, text) for number, text in enumerate(texts))
    rules = rules_from_json({"actions": {"email": action.value}})
    return screened(ParsedDocument(blocks), title=title, detect=detect, rules=rules)


def texts(found: Screened) -> list[str]:
    return [block.text for block in found.parsed.blocks]


def test_what_is_only_detected_stays_as_it_is() -> None:
    found = screen(Action.DETECT, "a@b", "c")
    assert (texts(found), found.report.altered, dict(found.report.counts)) == (["a@b", "c"], False, {Kind.EMAIL: 1})


def test_redaction_replaces_each_finding_where_it_stands() -> None:
    found = screen(Action.REDACT, "a@b@", "@", "c", title="@ at home")
    assert texts(found) == ["a[redacted: email]b[redacted: email]", "[redacted: email]", "c"]
    assert found.title == "[redacted: email] at home"
    assert (dict(found.report.counts), found.report.altered) == ({Kind.EMAIL: 4}, True)


def test_a_dropped_block_leaves_no_gap_in_the_numbers() -> None:
    found = screen(Action.DROP, "a", "b@", "c")
    assert [(block.block_id, block.text) for block in found.parsed.blocks] == [(0, "a"), (1, "c")]


def test_quarantine_leaves_nothing_but_a_redacted_title() -> None:
    found = screen(Action.QUARANTINE, "a", "b@", title="@")
    assert (texts(found), found.title, found.report.quarantined) == ([], "[redacted: email]", True)


def test_what_spans_blocks_is_taken_out_of_each() -> None:
    blocks = tuple(Block(number, BlockKind.CODE, text) for number, text in enumerate(["x BEGIN", "key", "END y"]))
    whole = [Finding(2, len("x BEGIN\nkey\nEND"), Kind.PRIVATE_KEY, 1.0)]
    found = screened(ParsedDocument(blocks), title="", detect=lambda text: whole * bool(text), rules=PrivacyRules())
    key = "[redacted: private key]"
    assert texts(found) == [f"x {key}", key, f"{key} y"]


def test_a_secret_outweighs_what_overlaps_it() -> None:
    address = Finding(0, 20, Kind.EMAIL, 0.99)
    secret = Finding(5, 12, Kind.API_KEY, 0.6)
    apart_from_both = Finding(30, 31, Kind.PHONE, 0.1)
    assert apart([apart_from_both, address, secret]) == [secret, apart_from_both]


@given(st.lists(st.text(alphabet="ab@\n", max_size=12), max_size=6))
def test_no_mark_survives_redaction_and_nothing_else_is_lost(paragraphs: list[str]) -> None:
    found = screen(Action.REDACT, *paragraphs)
    assert [text.replace("[redacted: email]", MARK) for text in texts(found)] == paragraphs
    assert not any(MARK in text for text in texts(found))
    assert found.report.counts.get(Kind.EMAIL, 0) == "".join(paragraphs).count(MARK)


def test_rules_survive_their_stored_form_and_default_to_redacting_secrets() -> None:
    rules = rules_from_json({"actions": {"phone": "drop"}, "originals": "show"})
    assert rules_from_json(rules_json(rules)) == rules
    assert rules_from_json({}) == PrivacyRules()
    assert {kind for kind, action in PrivacyRules().actions.items() if action is Action.REDACT} == {
        Kind.API_KEY,
        Kind.PRIVATE_KEY,
        Kind.JWT,
    }


@pytest.mark.parametrize(
    ("actions", "action"),
    [
        ({}, Action.DETECT),
        ({"email": "redact"}, Action.DETECT),
        ({"email": "drop"}, Action.DROP),
        ({"email": "drop", "phone": "quarantine"}, Action.QUARANTINE),
        ({"phone": "quarantine", "unscreened": "redact"}, Action.REDACT),
    ],
)
def test_what_cannot_be_screened_gets_the_strictest_action_unless_it_is_named(
    actions: dict[str, str], action: Action
) -> None:
    assert rules_from_json({"actions": actions}).actions[Kind.UNSCREENED] is action


@pytest.mark.parametrize(
    ("stored", "place"),
    [
        ({"actions": {"phone": "burn"}}, "actions.phone"),
        ({"actions": {"shoe_size": "drop"}}, "actions"),
        ({"originals": "sometimes"}, "originals"),
        ({"action": {}}, "'action'"),
        ([], "privacy"),
    ],
)
def test_wrong_rules_are_refused_with_their_place(stored: object, place: str) -> None:
    with pytest.raises(Invalid, match=place):
        rules_from_json(stored)


def test_only_what_changes_the_text_changes_the_key() -> None:
    plain, shown = PrivacyRules(), rules_from_json({"originals": "show"})
    other = rules_from_json({"actions": {"phone": "redact"}})
    assert plain.key("r1") == shown.key("r1")
    assert len({plain.key("r1"), plain.key("r2"), other.key("r1")}) == 3
