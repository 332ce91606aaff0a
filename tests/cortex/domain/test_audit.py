"""An entry's hash covers all of it, and what came before."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from cortex.domain.audit import GENESIS, entry_hash

AT = datetime(2026, 11, 29, 12, tzinfo=UTC)


def digest(previous: bytes = GENESIS, **changes: object) -> bytes:
    entry: dict[str, object] = {
        "sequence": 1,
        "at": AT,
        "actor": "ann",
        "action": "read",
        "object_": "doc",
        "details": {"a": 1, "b": True},
    }
    return entry_hash(previous, **(entry | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"sequence": 2},
        {"at": AT + timedelta(microseconds=1)},
        {"actor": "eve"},
        {"action": "write"},
        {"object_": "other"},
        {"details": {"a": 1}},
        {"details": {"a": 1, "b": "true"}},
        {"actor": "annread", "action": ""},
        {"previous": b"\x01" * 32},
    ],
)
def test_any_change_changes_the_hash(changes: dict[str, object]) -> None:
    assert digest(**changes) != digest()  # type: ignore[arg-type]


def test_spelling_does_not() -> None:
    elsewhere = AT.astimezone(timezone(timedelta(hours=2)))
    assert digest(at=elsewhere, details={"b": True, "a": 1}) == digest()
