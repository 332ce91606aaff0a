"""Following the chain: what is altered, missing, or cut off its end is found."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from cortex.domain.audit import GENESIS, Anchor, AuditLine, Chain, Verdict, entry_hash


def chained(count: int) -> list[AuditLine]:
    lines: list[AuditLine] = []
    previous = GENESIS
    for number in range(1, count + 1):
        at = datetime(2026, 11, 29, 12, number, tzinfo=UTC)
        link = entry_hash(previous, sequence=number, at=at, actor="ann", action="read", object_=str(number), details={})
        lines.append(AuditLine(number, at, "ann", "read", str(number), {}, previous, link))
        previous = link
    return lines


def verdict(lines: list[AuditLine], *anchors: Anchor) -> Verdict:
    chain = Chain(anchors)
    for line in lines:
        if not chain.follow(line):
            break
    return chain.verdict()


def test_an_untouched_chain_holds() -> None:
    lines = chained(5)
    assert verdict(lines, Anchor(4, lines[3].hash)) == Verdict(5, None, 4)
    assert verdict([]) == Verdict(0, None, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"actor": "eve"},
        {"object": "4"},
        {"details": {"n": 1}},
        {"hash": bytes(32)},
        {"previous_hash": bytes([1]) * 32},
        {"sequence": 9},
    ],
)
def test_an_altered_row_is_named(change: dict[str, object]) -> None:
    lines = chained(5)
    lines[2] = replace(lines[2], **change)  # type: ignore[arg-type]
    assert verdict(lines) == Verdict(2, 3, 0)


def test_a_missing_row_is_named() -> None:
    lines = chained(5)
    del lines[1]
    assert verdict(lines).broken_at == 2


def test_what_is_cut_off_the_end_is_missed_where_a_head_was_kept() -> None:
    lines = chained(5)
    assert verdict(lines[:3]).broken_at is None, "the chain alone cannot tell"
    assert verdict(lines[:3], Anchor(5, lines[4].hash)) == Verdict(3, 4, 5)


def test_a_history_that_was_written_anew_does_not_run_through_the_kept_head() -> None:
    lines, forged = chained(5), chained(2)
    link = entry_hash(forged[1].hash, sequence=3, at=lines[2].at, actor="eve", action="read", object_="3", details={})
    forged.append(replace(lines[2], actor="eve", previous_hash=forged[1].hash, hash=link))
    assert verdict(forged).broken_at is None
    assert verdict(forged, Anchor(3, lines[2].hash)) == Verdict(2, 3, 3)
