"""Which counters a write moves: exactly those of what changed, in any history."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.errors import Conflict
from cortex.domain.revision import Counters, EventKind, Fingerprints, Stored, check_version, decide, sha256_json

fingerprints = st.builds(Fingerprints, *[st.sampled_from("ab")] * 3)
PRINTS = Fingerprints("a", "a", "a")


def stored(prints: Fingerprints = PRINTS, *, version: int | None = None, tombstoned: bool = False) -> Stored:
    return Stored(Counters(3, 4, 5), prints, version, tombstoned)


def test_a_new_document_begins_everything() -> None:
    decision = decide(None, PRINTS)
    assert decision.counters == Counters(1, 1, 1)
    assert decision.kinds == {EventKind.UPSERT, EventKind.METADATA, EventKind.ACL}


@given(fingerprints, fingerprints)
def test_a_counter_moves_where_its_hash_does(before: Fingerprints, after: Fingerprints) -> None:
    decision = decide(stored(before), after)
    assert decision.counters == Counters(
        3 + (before.content != after.content),
        4 + (before.metadata != after.metadata),
        5 + (before.acl != after.acl),
    )
    assert decision.unchanged == (before == after)


@given(fingerprints)
def test_what_comes_back_has_everything_anew(after: Fingerprints) -> None:
    assert decide(stored(tombstoned=True), after).counters == Counters(4, 5, 6)


@pytest.mark.parametrize(
    ("held", "sent", "same", "tombstoned", "refused"),
    [
        (None, 1, False, False, False),
        (2, None, False, False, False),
        (2, 3, False, False, False),
        (2, 2, True, False, False),
        (2, 2, False, False, True),
        (2, 1, True, False, True),
        (2, 2, True, True, True),
        (2, 3, True, True, False),
        (0, 0, True, False, False),
    ],
)
def test_versions_decide_what_is_newer(
    held: int | None, sent: int | None, same: bool, tombstoned: bool, refused: bool
) -> None:
    check_version(held, sent, same=same, tombstoned=tombstoned, reset=True)
    if refused:
        with pytest.raises(Conflict):
            check_version(held, sent, same=same, tombstoned=tombstoned, reset=False)
    else:
        check_version(held, sent, same=same, tombstoned=tombstoned, reset=False)


def test_a_hash_is_of_the_meaning_and_not_of_the_order() -> None:
    assert sha256_json({"a": 1, "b": "ä"}) == sha256_json({"b": "ä", "a": 1})
    assert sha256_json({"a": None}) != sha256_json({})
    with pytest.raises(TypeError):
        sha256_json({"a": object()})
