"""People and groups as administration lists and changes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.credential import Role
from cortex.domain.identity import GroupId, PersonId, SourceId, TenantId
from cortex.ports.audit_log import LeavesLine


@dataclass(frozen=True, slots=True)
class PersonDetail:
    """`service`: a program with an API key. `sign_ins`: identity providers that know the person."""

    id: PersonId
    email: str | None
    name: str
    role: Role
    guest: bool
    active: bool
    service: bool
    sign_ins: int


@dataclass(frozen=True, slots=True)
class GroupDetail:
    """`source` None: a group of the directory."""

    id: GroupId
    external_id: str
    name: str
    source: SourceId | None
    members: int


class People(LeavesLine, Protocol):
    """Those who are known, in the order of their ids, from `after` on ("" from the start). Raises Transient."""

    async def people(
        self, tenant: TenantId, *, after: str, limit: int, role: Role | None = None
    ) -> Sequence[PersonDetail]: ...

    async def person(self, tenant: TenantId, email: str) -> PersonDetail:
        """NotFound."""
        ...

    async def groups(self, tenant: TenantId, *, after: str, limit: int) -> Sequence[GroupDetail]: ...

    async def set_role(self, tenant: TenantId, person: PersonId, role: Role) -> None: ...

    async def set_active(self, tenant: TenantId, person: PersonId, *, active: bool) -> None:
        """Returns once the permission engine knows. The inactive are signed out, their keys revoked for good."""
        ...
