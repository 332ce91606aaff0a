"""Which of a document's three counters a write moves: decided from hashes and versions alone."""

import enum
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from cortex.domain.errors import Conflict


class EventKind(enum.StrEnum):
    UPSERT = "UPSERT"
    METADATA = "METADATA"
    ACL = "ACL"
    DELETE = "DELETE"


@dataclass(frozen=True, slots=True)
class Counters:
    """Assigned by Cortex under the row's lock; each starts at 1 and only grows."""

    revision: int = 0
    metadata_revision: int = 0
    acl_revision: int = 0


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Hashes of what each counter stands for. `content` covers bytes, title, file name and pipeline version.

    `rules` is the key of the privacy rules: other rules make a new revision, and no other state of the source.
    """

    content: str
    metadata: str
    acl: str
    rules: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    counters: Counters
    fingerprints: Fingerprints
    version: int | None
    tombstoned: bool


@dataclass(frozen=True, slots=True)
class Decision:
    counters: Counters
    kinds: frozenset[EventKind]

    @property
    def unchanged(self) -> bool:
        return not self.kinds


def check_version(stored: int | None, incoming: int | None, *, same: bool, tombstoned: bool, reset: bool) -> None:
    """A source's own version decides what is newer (contracts.md, "Versions in push"); raises Conflict."""
    if reset or stored is None or incoming is None:
        return
    if incoming < stored:
        raise Conflict(f"version {incoming} is older than the stored version {stored}")
    if incoming == stored and (tombstoned or not same):
        what = "a deletion" if tombstoned else "another body"
        raise Conflict(f"version {incoming} is already stored with {what}; send a higher version or ?reset=true")


def decide(
    stored: Stored | None, incoming: Fingerprints, *, version: int | None = None, reset: bool = False
) -> Decision:
    """What an incoming state changes. A document that comes back after a tombstone gets a new revision."""
    if stored is None:
        every = frozenset([EventKind.UPSERT, EventKind.METADATA, EventKind.ACL])
        return Decision(Counters(1, 1, 1), every)
    same = replace(incoming, rules=stored.fingerprints.rules) == stored.fingerprints
    check_version(stored.version, version, same=same, tombstoned=stored.tombstoned, reset=reset)
    counters, kinds = stored.counters, set()
    rules_changed = incoming.rules != stored.fingerprints.rules
    if stored.tombstoned or rules_changed or incoming.content != stored.fingerprints.content:
        kinds.add(EventKind.UPSERT)
    if stored.tombstoned or incoming.metadata != stored.fingerprints.metadata:
        kinds.add(EventKind.METADATA)
    if stored.tombstoned or incoming.acl != stored.fingerprints.acl:
        kinds.add(EventKind.ACL)
    moved = Counters(
        counters.revision + (EventKind.UPSERT in kinds),
        counters.metadata_revision + (EventKind.METADATA in kinds),
        counters.acl_revision + (EventKind.ACL in kinds),
    )
    return Decision(moved, frozenset(kinds))


def sha256_json(value: Mapping[str, object]) -> str:
    """A hash of the canonical JSON form: sorted keys, no spaces, times as RFC 3339."""

    def plain(item: object) -> str:
        if isinstance(item, datetime):
            return item.isoformat()
        raise TypeError(f"not hashable as JSON: {type(item).__name__}")

    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=plain)
    return hashlib.sha256(text.encode()).hexdigest()
