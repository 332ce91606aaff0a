"""The authority for the re-check (SpiceDB)."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from cortex.domain.identity import ContainerId, DocumentId, PersonId, TenantId
from cortex.domain.relation import Relation, RelationUpdate

UPDATES_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Check:
    """May this person `view` it? A document may be `openable`, too: by its id."""

    id: DocumentId | ContainerId
    permission: str = "view"
    kind: Literal["document", "container"] = "document"


class PermissionEngine(Protocol):
    async def write(self, updates: Sequence[RelationUpdate]) -> str:
        """Applies up to UPDATES_MAX updates at once and returns an opaque token. Idempotent. Raises Transient."""
        ...

    async def check(
        self, tenant: TenantId, person: PersonId, checks: Sequence[Check], *, at_least_as_fresh: str | None
    ) -> list[bool]:
        """One answer per check, in order, at least as fresh as the token. An error on one item is False for that item.

        Raises Transient when the engine is out of reach: the caller must then show nothing.
        """
        ...


class PermissionReader(Protocol):
    def relations(self, resource_type: str, *, prefix: str) -> AsyncIterator[Relation]:
        """Every relation of objects of that type whose ids begin with `prefix`, as of the call or later.

        Raises Transient.
        """
        ...
