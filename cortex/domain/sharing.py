"""What a source shares with everyone, and what a tenant's policy makes of it.

`public: tenant`, `public: link` and grants to a group of nearly everybody are often accidents: a folder opened for a
day, a link that went around. The policy decides whether they count. It never takes away what names a person, or a group
of fewer.
"""

import enum
from dataclasses import dataclass
from uuid import UUID

EVERYONE_SHARE = 0.9
EVERYONE_PEOPLE_MIN = 20
"""In a smaller tenant a group of nearly everybody is the team, and nothing is meant by it."""


class SharingPolicy(enum.StrEnum):
    """Approvals hold under `hide` and `ask` alike; `ask` shows an administrator what waits for one."""

    SHOW = "show"
    HIDE = "hide"
    ASK = "ask"


class SharedKind(enum.StrEnum):
    DOCUMENT = "document"
    CONTAINER = "container"


@dataclass(frozen=True, slots=True)
class SharedThing:
    """A document or container whose own ACL shares it with everyone. `public` none: through `groups` alone."""

    kind: SharedKind
    id: UUID
    source: str
    external_id: str
    public: str
    approved: bool


@dataclass(frozen=True, slots=True)
class SharedInSource:
    """Live documents that everyone sees or may open by link, and things that have an approval or none."""

    source: str
    documents_everyone: int
    documents_link: int
    approved: int
    waiting: int
    groups_everyone: int
