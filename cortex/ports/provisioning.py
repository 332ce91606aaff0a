"""People and groups as a provisioning client (SCIM) keeps them. Each write is one transaction, permissions included."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from cortex.domain.acl import Group, Person
from cortex.domain.errors import Conflict
from cortex.domain.identity import GroupId, PersonId, TenantId
from cortex.ports.audit_log import LeavesLine


@dataclass(frozen=True, slots=True)
class UserState:
    """`email` is the one address that stands for the person, normalised.

    `attributes` are JSON, and only kept; None: no client has written this person yet.
    """

    user_name: str
    name: str
    email: str | None
    external_id: str | None = None
    active: bool = True
    attributes: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class InGroup:
    """`direct` False: through another group."""

    id: GroupId
    name: str
    direct: bool = True


@dataclass(frozen=True, slots=True)
class UserRecord:
    id: PersonId
    state: UserState
    version: int
    created_at: datetime
    updated_at: datetime
    groups: tuple[InGroup, ...] = ()


class Stale(Conflict):
    """`version` is not the stored one."""


class UserKey(StrEnum):
    """What a look-up can be narrowed to without reading everybody."""

    ID = "id"
    USER_NAME = "user_name"
    EXTERNAL_ID = "external_id"
    EMAIL = "email"


class GroupKey(StrEnum):
    ID = "id"
    NAME = "name"
    EXTERNAL_ID = "external_id"
    MEMBER = "member"


class ProvisionedUsers(LeavesLine, Protocol):
    """Everyone who is known, programs aside, however they became known.

    Writes raise Conflict where a user name or address is another's, Stale, and Transient. They return once the
    permission engine knows. Inactive people are signed out, their keys revoked.
    """

    async def user(self, tenant: TenantId, identifier: PersonId) -> UserRecord:
        """With groups. NotFound."""
        ...

    async def users(
        self, tenant: TenantId, *, only: tuple[UserKey, str] | None = None, offset: int = 0, limit: int
    ) -> Sequence[UserRecord]:
        """In the order of their ids, with groups. `only` compares names and addresses without their case."""
        ...

    async def count(self, tenant: TenantId) -> int: ...

    async def make(self, tenant: TenantId, state: UserState) -> UserRecord: ...

    async def replace(
        self, tenant: TenantId, identifier: PersonId, state: UserState, *, version: int | None
    ) -> UserRecord: ...

    async def remove(self, tenant: TenantId, identifier: PersonId, *, version: int | None) -> None:
        """Out of every group of the directory too. The id is nobody's from then on."""
        ...


@dataclass(frozen=True, slots=True)
class GroupState:
    name: str
    external_id: str | None = None
    members: frozenset[Person | Group] = frozenset()


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """`external` is what ACLs call it: `group:EXTERNAL`."""

    id: GroupId
    external: str
    state: GroupState
    version: int
    created_at: datetime
    updated_at: datetime


class ProvisionedGroups(LeavesLine, Protocol):
    """Groups of the directory, however they came to be. Writes raise as those of people, and Invalid for a cycle."""

    async def group(self, tenant: TenantId, identifier: GroupId, *, members: bool) -> GroupRecord:
        """NotFound."""
        ...

    async def groups(
        self,
        tenant: TenantId,
        *,
        only: tuple[GroupKey, str] | None = None,
        members: bool,
        offset: int = 0,
        limit: int,
    ) -> Sequence[GroupRecord]: ...

    async def count(self, tenant: TenantId) -> int: ...

    async def members(self, tenant: TenantId, identifiers: Sequence[uuid.UUID]) -> frozenset[Person | Group]:
        """Which of them are people and which are groups; Invalid names one that is neither."""
        ...

    async def make(self, tenant: TenantId, state: GroupState) -> GroupRecord:
        """ACLs call it by its external id, else by its first name. Conflict when that is taken."""
        ...

    async def replace(
        self, tenant: TenantId, identifier: GroupId, state: GroupState, *, version: int | None
    ) -> GroupRecord: ...

    async def remove(self, tenant: TenantId, identifier: GroupId, *, version: int | None) -> None:
        """Out of every group that it was a member of, too."""
        ...
