"""People and groups of a tenant."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.acl import Asker, Group, Person
from cortex.domain.identity import GroupId, PersonId, SourceId, TenantId
from cortex.ports.audit_log import LeavesLine


@dataclass(frozen=True, slots=True)
class PersonRecord:
    id: PersonId
    email: str
    name: str
    guest: bool
    active: bool


class Directory(LeavesLine, Protocol):
    async def person(self, tenant: TenantId, email: str) -> PersonRecord:
        """By normalised e-mail; NotFound when unknown."""
        ...

    async def put_person(self, tenant: TenantId, email: str, *, name: str, guest: bool) -> PersonRecord:
        """Creates or updates; returns once the permission engine knows. Idempotent."""
        ...

    async def put_group(
        self, tenant: TenantId, source: SourceId | None, external: str, members: Sequence[Person | Group], *, name: str
    ) -> GroupId:
        """Replaces the members; returns once the permission engine knows. Raises Invalid on a cycle. Idempotent."""
        ...

    async def expand(self, tenant: TenantId, person: PersonId) -> Asker:
        """The person with all groups, nested ones included; NotFound when unknown or inactive."""
        ...
