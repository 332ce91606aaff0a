"""Keys of programs: `ck_<id>_<secret>`, shown once and kept as a hash."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NewType, Protocol

from cortex.domain.credential import Credential, Role, Scope
from cortex.domain.identity import PersonId, TenantId
from cortex.ports.audit_log import LeavesLine

KeyId = NewType("KeyId", uuid.UUID)
PREFIX = "ck_"


@dataclass(frozen=True, slots=True)
class NewKey:
    """`person` None makes a service person of its own, of which everybody's content is no part unless `guest` is off.

    `created_by` is for administration: who is asked about the key.
    """

    name: str
    scopes: frozenset[Scope]
    role: Role
    created_by: str
    expires_at: datetime | None = None
    person: PersonId | None = None
    guest: bool = True


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """`used_at` is right to the minute."""

    id: KeyId
    person_id: PersonId
    person: str
    name: str
    scopes: frozenset[Scope]
    role: Role
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class MadeKey:
    record: KeyRecord
    key: str = field(repr=False)


class ApiKeys(LeavesLine, Protocol):
    async def make(self, tenant: TenantId, key: NewKey) -> MadeKey:
        """Raises Conflict when a service key of that name holds already."""
        ...

    async def keys(self, tenant: TenantId, *, person: PersonId | None, after: str, limit: int) -> Sequence[KeyRecord]:
        """By id from `after` on; of one person, or of all."""
        ...

    async def revoke(self, tenant: TenantId, key: KeyId, *, person: PersonId | None) -> KeyRecord:
        """At once and for good; idempotent. NotFound when it is unknown or, with `person`, of another."""
        ...

    async def credential(self, key: str) -> Credential:
        """Raises Denied when it is malformed, unknown, revoked or expired, or its person is inactive."""
        ...
