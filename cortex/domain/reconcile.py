"""Drift between what the sources said last and what mirror, engine and index hold of it: its kinds, and how to tell."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from cortex.domain.vector import IndexedRevision


class Drift(enum.StrEnum):
    """What was found, and mended. The mirror is compared with the rows, the engine with the mirror."""

    MIRROR_MISSING = "mirror_missing"
    MIRROR_EXTRA = "mirror_extra"
    ENGINE_MISSING = "engine_missing"
    ENGINE_EXTRA = "engine_extra"
    INDEX_MISSING = "index_missing"
    INDEX_ORPHAN = "index_orphan"
    INDEX_TOMBSTONED = "index_tombstoned"
    INDEX_REVISION = "index_revision"
    INDEX_ACL = "index_acl"
    INDEX_METADATA = "index_metadata"


class Part(enum.StrEnum):
    """In this order: what is mended in one is what the next compares with."""

    DOCUMENTS = "documents"
    CONTAINERS = "containers"
    GROUPS = "groups"
    PEOPLE = "people"
    OWNERS = "owners"
    ENGINE = "engine"
    INDEX = "index"


@dataclass(frozen=True, slots=True)
class Reconciled:
    """One step of a part: how much was looked at, what had drifted, and where to go on; None at the part's end."""

    checked: int
    drift: Mapping[Drift, int] = field(default_factory=dict)
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Truth:
    """What the index should believe of a document. `indexed_revision` is the live one."""

    indexed_revision: int
    acl_revision: int
    metadata_revision: int
    tombstoned: bool


def drift_of(point: IndexedRevision, truth: Truth | None) -> Drift | None:
    """A revision above the live one is on its way in, and no drift. What is missing has no point to tell it by."""
    if truth is None:
        return Drift.INDEX_ORPHAN
    if truth.tombstoned:
        return Drift.INDEX_TOMBSTONED
    if point.revision < truth.indexed_revision:
        return Drift.INDEX_REVISION
    if point.acl_revision < truth.acl_revision:
        return Drift.INDEX_ACL
    if point.metadata_revision < truth.metadata_revision:
        return Drift.INDEX_METADATA
    return None
