"""The audit chain: each entry's hash covers the one before it, and signed heads of it are kept elsewhere."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

GENESIS = bytes(32)


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One row as it is stored."""

    sequence: int
    at: datetime
    actor: str
    action: str
    object: str
    details: Mapping[str, str | int | bool]
    previous_hash: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class Anchor:
    """What the head of the chain was once."""

    sequence: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class Verdict:
    """`broken_at` is the first row that is altered or missing; `anchored` how far signed heads vouch for the chain."""

    entries: int
    broken_at: int | None
    anchored: int


@dataclass(slots=True)
class Chain:
    """Follows the rows in order. `anchors` are heads that the chain must run through."""

    anchors: Sequence[Anchor] = ()
    entries: int = 0
    broken_at: int | None = None
    _head: bytes = GENESIS
    _expected: dict[int, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._expected = {anchor.sequence: anchor.hash for anchor in self.anchors}

    def follow(self, line: AuditLine) -> bool:
        """False, from the first row on that does not fit."""
        number = self.entries + 1
        link = entry_hash(
            self._head,
            sequence=number,
            at=line.at,
            actor=line.actor,
            action=line.action,
            object_=line.object,
            details=line.details,
        )
        fits = line.sequence == number and line.hash == link and line.previous_hash == self._head
        if self.broken_at is not None or not fits or self._expected.get(number, link) != link:
            self.broken_at = self.broken_at or number
            return False
        self.entries, self._head = number, link
        return True

    def verdict(self) -> Verdict:
        """After the last row: what an anchor has seen must be there."""
        anchored = max(self._expected, default=0)
        if self.broken_at is None and anchored > self.entries:
            self.broken_at = self.entries + 1
        return Verdict(self.entries, self.broken_at, anchored)


def entry_hash(
    previous: bytes,
    *,
    sequence: int,
    at: datetime,
    actor: str,
    action: str,
    object_: str,
    details: Mapping[str, str | int | bool],
) -> bytes:
    """SHA-256 over the previous hash and the canonical JSON of the entry; `at` in UTC to the microsecond."""
    moment = at.astimezone(UTC).isoformat(timespec="microseconds")
    entry = [sequence, moment, actor, action, object_, dict(sorted(details.items()))]
    return hashlib.sha256(previous + json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()).digest()
