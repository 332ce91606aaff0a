"""Groups of the directory as a provisioning client keeps them (ports/provisioning.py)."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import queue_updates
from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.group_rows import StoredGroup, describe, lock_group, patch, replace_small
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.postgres.provisioned_pages import Pages
from cortex.adapters.wrap.cached_directory import drop
from cortex.domain.acl import Group, Person
from cortex.domain.errors import Conflict, Invalid, NotFound
from cortex.domain.identity import GroupId, PersonId, SourceId, TenantId, group_id
from cortex.domain.relation import Operation, RelationUpdate, current_relation
from cortex.ports.clock import Clock
from cortex.ports.group_cache import GroupCache
from cortex.ports.provisioning import GroupKey, GroupRecord, GroupState, Stale

_COLUMNS = (
    "g.id, g.external_id, g.name, g.provisioned_id, g.revision, g.created_at, g.updated_at FROM groups g"
    " WHERE g.source_id IS NULL"
)
_NARROWED = {
    None: "",
    GroupKey.ID: "AND g.id::text = lower(:value)",
    GroupKey.NAME: "AND lower(g.name) = lower(:value)",
    GroupKey.EXTERNAL_ID: "AND g.provisioned_id = :value",
    GroupKey.MEMBER: "AND g.id IN (SELECT group_id FROM group_members WHERE member_id::text = lower(:value)"
    " AND generation = g.generation)",
}
_PAGES = Pages(_COLUMNS, _NARROWED, order="g.id")
_ONE = text(f"SELECT {_COLUMNS} AND g.id = :id")
_STORED = text("SELECT external_id, revision FROM groups WHERE id = :id AND source_id IS NULL")
_THERE = text("SELECT EXISTS (SELECT FROM groups WHERE id = :id)")
_COUNT = text("SELECT count(*) FROM groups WHERE source_id IS NULL")
_MEMBERS = text(
    "SELECT m.group_id, m.member_kind, m.member_id FROM group_members m"
    " JOIN groups g ON g.id = m.group_id AND g.generation = m.generation WHERE m.group_id = ANY(:groups)"
)
_KNOWN_PEOPLE = text("SELECT id FROM persons WHERE id = ANY(:members) AND deleted_at IS NULL")
_KNOWN_GROUPS = text("SELECT id FROM groups WHERE id = ANY(:members)")
_NOTE = text(
    "UPDATE groups SET provisioned_id = :provisioned_id, revision = revision + 1, updated_at = now() WHERE id = :id"
)
_CONTAINING = text(
    "SELECT DISTINCT g.external_id, g.source_id FROM group_members m JOIN groups g ON g.id = m.group_id"
    " WHERE m.member_kind = 'group' AND m.member_id = :id ORDER BY g.external_id, g.source_id"
)
_REMOVE = text("DELETE FROM groups WHERE id = :id")


class PostgresProvisionedGroups(LeavesLines):
    """Implements ProvisionedGroups."""

    def __init__(self, database: Database, permissions: PermissionApplier, groups: GroupCache, clock: Clock) -> None:
        self._database = database
        self._permissions = permissions
        self._groups = groups
        self._clock = clock

    async def group(self, tenant: TenantId, identifier: GroupId, *, members: bool) -> GroupRecord:
        async with self._database.tenant(tenant) as connection:
            return await _read(connection, identifier, members=members)

    async def groups(
        self,
        tenant: TenantId,
        *,
        only: tuple[GroupKey, str] | None = None,
        members: bool,
        offset: int = 0,
        limit: int,
    ) -> Sequence[GroupRecord]:
        async with self._database.tenant(tenant) as connection:
            rows = await _PAGES.rows(connection, only, offset=offset, limit=limit)
            return await _records(connection, rows, members=members)

    async def count(self, tenant: TenantId) -> int:
        async with self._database.tenant(tenant) as connection:
            return int((await connection.execute(_COUNT)).scalar_one())

    async def members(self, tenant: TenantId, identifiers: Sequence[uuid.UUID]) -> frozenset[Person | Group]:
        async with self._database.tenant(tenant) as connection:
            return await _known(connection, identifiers)

    async def make(self, tenant: TenantId, state: GroupState) -> GroupRecord:
        external = state.external_id or state.name
        identifier = group_id(tenant, None, external)
        async with self._database.tenant(tenant) as connection:
            if (await connection.execute(_THERE, {"id": identifier})).scalar_one():
                raise Conflict(f"a group that ACLs call {external!r} is there already")
            group = await lock_group(connection, tenant, None, external, name=state.name)
            sequence = await _write(connection, group, state)
            record = await _read(connection, identifier, members=True)
            await self._leave_line(connection, tenant, made=identifier)
        await self._settled(tenant, sequence)
        return record

    async def replace(
        self, tenant: TenantId, identifier: GroupId, state: GroupState, *, version: int | None
    ) -> GroupRecord:
        async with self._database.tenant(tenant) as connection:
            group = await _locked(connection, tenant, identifier, version=version)
            sequence = await _write(connection, group, state)
            record = await _read(connection, identifier, members=True)
            await self._leave_line(connection, tenant)
        await self._settled(tenant, sequence)
        return record

    async def remove(self, tenant: TenantId, identifier: GroupId, *, version: int | None) -> None:
        sequences: list[int | None] = []
        async with self._database.tenant(tenant) as connection:
            group = await _locked(connection, tenant, identifier, version=version)
            for row in (await connection.execute(_CONTAINING, {"id": identifier})).all():
                source = None if row.source_id is None else SourceId(row.source_id)
                above = await lock_group(connection, tenant, source, row.external_id, name=None)
                gone = frozenset([Group(identifier)])
                sequences.append(await patch(connection, above, add=frozenset(), remove=gone))
            sequences.append(await _remove(connection, group))
            await self._leave_line(connection, tenant)
        await self._settled(tenant, max(filter(None, sequences), default=None))

    async def _settled(self, tenant: TenantId, sequence: int | None) -> None:
        await self._permissions.apply_until(tenant, sequence)
        await drop(self._groups, tenant)


async def _locked(
    connection: AsyncConnection, tenant: TenantId, identifier: GroupId, *, version: int | None
) -> StoredGroup:
    """The version is compared once nobody else can change it."""
    stored = (await connection.execute(_STORED, {"id": identifier})).one_or_none()
    if stored is None:
        raise NotFound("there is no such group")
    group = await lock_group(connection, tenant, None, stored.external_id, name=None)
    revision = (await connection.execute(_STORED, {"id": identifier})).one().revision
    if version is not None and revision != version:
        raise Stale("the group was changed meanwhile; read again")
    return group


async def _write(connection: AsyncConnection, group: StoredGroup, state: GroupState) -> int | None:
    """Only what differs is written, in one transaction; a generation that is open for pages gets it too."""
    await _known(connection, [member.id for member in state.members])
    before = (await _members(connection, [group.id])).get(group.id, frozenset())
    sequence = await patch(connection, group, add=state.members - before, remove=before - state.members)
    await describe(connection, group, name=state.name, version=group.version, members_sha256="")
    await connection.execute(_NOTE, {"id": group.id, "provisioned_id": state.external_id})
    return sequence


async def _remove(connection: AsyncConnection, group: StoredGroup) -> int:
    await replace_small(connection, group, frozenset())
    emptied = await lock_group(connection, group.tenant, None, group.external, name=None)
    await connection.execute(_REMOVE, {"id": group.id})
    gone = RelationUpdate(Operation.DELETE, current_relation(group.tenant, group.id, generation=emptied.generation))
    return await queue_updates(connection, group.tenant, group.id, [gone])


async def _known(connection: AsyncConnection, identifiers: Sequence[uuid.UUID]) -> frozenset[Person | Group]:
    values = {"members": list(identifiers)}
    people = (await connection.execute(_KNOWN_PEOPLE, values)).scalars().all()
    groups = (await connection.execute(_KNOWN_GROUPS, values)).scalars().all()
    if unknown := sorted(map(str, set(identifiers) - {*people, *groups})):
        raise Invalid(f"members: {unknown[0]} is neither a person nor a group here")
    return frozenset([*(Person(PersonId(one)) for one in people), *(Group(GroupId(one)) for one in groups)])


async def _read(connection: AsyncConnection, identifier: GroupId, *, members: bool) -> GroupRecord:
    rows = (await connection.execute(_ONE, {"id": identifier})).all()
    if not rows:
        raise NotFound("there is no such group")
    return (await _records(connection, rows, members=members))[0]


async def _records(
    connection: AsyncConnection, rows: Sequence[Row[tuple[object, ...]]], *, members: bool
) -> list[GroupRecord]:
    found = await _members(connection, [row.id for row in rows]) if members else {}
    return [
        GroupRecord(
            id=GroupId(row.id),
            external=row.external_id,
            state=GroupState(row.name, row.provisioned_id, found.get(row.id, frozenset())),
            version=row.revision,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
        for row in rows
    ]


async def _members(connection: AsyncConnection, groups: Sequence[GroupId]) -> dict[GroupId, frozenset[Person | Group]]:
    found: dict[GroupId, set[Person | Group]] = {}
    for row in await connection.execute(_MEMBERS, {"groups": list(groups)}):
        is_person = row.member_kind == "person"
        member = Person(PersonId(row.member_id)) if is_person else Group(GroupId(row.member_id))
        found.setdefault(GroupId(row.group_id), set()).add(member)
    return {group: frozenset(members) for group, members in found.items()}
