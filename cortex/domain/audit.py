"""The audit chain: each entry's hash covers the one before it."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime

GENESIS = bytes(32)


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
