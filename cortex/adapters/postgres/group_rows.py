"""Groups and their members, in rows and tuples. A group's members are those of one generation (architecture section 4).

A small group is changed in place. A large one arrives in pages as an open generation that is not the group's yet; then
one tuple makes it so, and what it replaced is taken away later. Every function works in the caller's transaction.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import queue_updates
from cortex.domain.acl import Group, Person
from cortex.domain.errors import Bug, Conflict, Invalid, NotFound
from cortex.domain.identity import GroupId, PersonId, SourceId, TenantId, external_id, group_id
from cortex.domain.relation import Operation, RelationUpdate, current_relation, member_relation
from cortex.domain.revision import check_version

Member = Person | Group
SMALL_MAX = 1_000
"""Members of a group that is written in one transaction; more go page by page."""
PAGE_MAX = 10_000
MEMBERS_MAX = 2_000_000
NESTED_MAX = 8
"""Groups within one another. Each takes two of the engine's steps (`container_rows.DEPTH_MAX`)."""

# Whoever changes groups waits here, so that two writes cannot close a cycle together.
_GROUPS_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('groups:' || :tenant, 0))")
_STORED = text(
    "SELECT version, members_sha256, generation, label, open_generation, open_label, open_members FROM groups"
    " WHERE id = :group FOR UPDATE"
)
_MAKE = text(
    "INSERT INTO groups (tenant_id, id, source_id, external_id, name, generation)"
    " VALUES (:tenant, :group, :source, :external_id, :name, nextval('group_generations')) RETURNING generation"
)
_DESCRIBE = text(
    "UPDATE groups SET name = :name, version = :version, members_sha256 = :members_sha256 WHERE id = :group"
)
_OPEN = text(
    "UPDATE groups SET open_generation = nextval('group_generations'), open_label = :label, open_members = 0"
    " WHERE id = :group RETURNING open_generation"
)
_CLOSE = text("UPDATE groups SET open_generation = NULL, open_label = NULL, open_members = 0 WHERE id = :group")
# `members` and `open_members` are kept by a trigger on the rows of members.
_OPEN_MEMBERS = text("SELECT open_members FROM groups WHERE id = :group")
_SWITCH = text(
    "UPDATE groups SET generation = open_generation, label = open_label, members = open_members,"
    " open_generation = NULL, open_label = NULL, open_members = 0 WHERE id = :group"
)
_LEAVE = text(
    "INSERT INTO group_leftovers (tenant_id, group_id, generation) VALUES (:tenant, :group, :generation)"
    " ON CONFLICT DO NOTHING"
)
_MEMBERS = text(
    "SELECT member_kind, member_id FROM group_members WHERE group_id = :group AND generation = :generation LIMIT :most"
)
_LISTS = "unnest(CAST(:kinds AS text[]), CAST(:members AS uuid[])) AS u (kind, id)"
_COUNT_OF = text(
    f"SELECT count(*) FROM group_members m JOIN {_LISTS} ON (m.member_kind, m.member_id) = (u.kind, u.id)"
    " WHERE m.group_id = :group AND m.generation = :generation"
)
_FORGET_HASH = text("UPDATE groups SET members_sha256 = '' WHERE id = :group")
_ADD = text(
    "INSERT INTO group_members (tenant_id, group_id, generation, member_kind, member_id)"
    f" SELECT :tenant, :group, :generation, u.kind, u.id FROM {_LISTS} ON CONFLICT DO NOTHING"
    " RETURNING member_kind, member_id"
)
_REMOVE = text(
    f"DELETE FROM group_members m USING {_LISTS} WHERE m.group_id = :group AND m.generation = :generation"
    " AND (m.member_kind, m.member_id) = (u.kind, u.id) RETURNING m.member_kind, m.member_id"
)
# Open generations count as well: they may become the group's at any time.
_LONGEST = text(
    """
    WITH RECURSIVE edges (above, below) AS (
        SELECT m.group_id, m.member_id FROM group_members m
        JOIN groups g ON g.id = m.group_id AND m.generation IN (g.generation, g.open_generation)
        WHERE m.member_kind = 'group'
    ), down (id, depth) AS (
        SELECT unnest(CAST(:nested AS uuid[])), 1
        UNION
        SELECT e.below, d.depth + 1 FROM down d JOIN edges e ON e.above = d.id WHERE d.depth <= :most
    ), up (id, depth) AS (
        SELECT CAST(:group AS uuid), 1
        UNION
        SELECT e.above, u.depth + 1 FROM up u JOIN edges e ON e.below = u.id WHERE u.depth <= :most
    )
    SELECT EXISTS (SELECT FROM down WHERE id = :group) AS cycle,
        (SELECT max(depth) FROM down) + (SELECT max(depth) FROM up) AS nested
    """
)
_TAKE_LEFTOVER = text(
    "SELECT group_id, generation FROM group_leftovers ORDER BY generation LIMIT 1 FOR UPDATE SKIP LOCKED"
)
_SWEEP = text(
    "DELETE FROM group_members WHERE (tenant_id, group_id, generation, member_kind, member_id) IN ("
    " SELECT tenant_id, group_id, generation, member_kind, member_id FROM group_members"
    " WHERE group_id = :group AND generation = :generation LIMIT :most) RETURNING member_kind, member_id"
)
_SWEPT = text("DELETE FROM group_leftovers WHERE group_id = :group AND generation = :generation")
_OF_SOURCE = text("SELECT id, generation, open_generation FROM groups WHERE source_id = :source ORDER BY id FOR UPDATE")
_FORGET = text("DELETE FROM groups WHERE source_id = :source")


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """A group's row, locked."""

    tenant: TenantId
    id: GroupId
    external: str
    version: int | None
    members_sha256: str
    generation: int
    label: int | None = None
    open_generation: int | None = None
    open_label: int | None = None
    open_members: int = 0


async def lock_groups(connection: AsyncConnection, tenant: TenantId) -> None:
    await connection.execute(_GROUPS_LOCK, {"tenant": str(tenant)})


async def lock_group(
    connection: AsyncConnection, tenant: TenantId, source: SourceId | None, external: str, *, name: str | None
) -> StoredGroup:
    """The row, made under `name` where there is none; NotFound when `name` is None."""
    identifier = group_id(tenant, source, external_id(external))
    await lock_groups(connection, tenant)
    row = (await connection.execute(_STORED, {"group": identifier})).one_or_none()
    if row is not None:
        return StoredGroup(tenant, identifier, external, *row)
    if name is None:
        raise NotFound(f"group {external!r} is not known")
    values = {"tenant": tenant, "group": identifier, "source": source, "external_id": external, "name": name}
    made = StoredGroup(tenant, identifier, external, None, "", (await connection.execute(_MAKE, values)).scalar_one())
    await queue_updates(connection, tenant, identifier, [_touch_current(made, made.generation)])
    return made


def check_group_version(group: StoredGroup, version: int | None, members_sha256: str) -> None:
    """Raises Conflict. Members that came in pages or by changes have no hash, so no body equals them."""
    same = members_sha256 != "" and group.members_sha256 == members_sha256
    check_version(group.version, version, same=same, tombstoned=False, reset=False)


async def describe(
    connection: AsyncConnection, group: StoredGroup, *, name: str, version: int | None, members_sha256: str
) -> None:
    values = {"group": group.id, "name": name, "version": version, "members_sha256": members_sha256}
    await connection.execute(_DESCRIBE, values)


async def replace_small(connection: AsyncConnection, group: StoredGroup, wanted: frozenset[Member]) -> int | None:
    """Makes `wanted`, at most SMALL_MAX, the members: in place, or as a new generation where there were many.

    An open generation is older than this, and discarded. Returns the permission write to wait for.
    """
    await _refuse_nesting(connection, group, wanted)
    await discard_open(connection, group)
    before = await _members(connection, group, group.generation, most=SMALL_MAX + 1)
    if len(before) > SMALL_MAX:
        opened = await open_generation(connection, group, label=None)
        await add_page(connection, opened, wanted)
        return await switch(connection, opened)
    updates = await _remove(connection, group, group.generation, before - wanted)
    updates += await _add(connection, group, group.generation, wanted - before)
    return await queue_updates(connection, group.tenant, group.id, updates) if updates else None


async def open_generation(connection: AsyncConnection, group: StoredGroup, *, label: int | None) -> StoredGroup:
    """Discards one that is open already."""
    await discard_open(connection, group)
    opened = (await connection.execute(_OPEN, {"group": group.id, "label": label})).scalar_one()
    return replace(group, open_generation=opened, open_label=label, open_members=0)


def refuse_newer(group: StoredGroup, opened: int) -> None:
    if group.open_generation != opened:
        raise Conflict(f"group {group.external!r}: a newer write took the place of this one")


async def forget_hash(connection: AsyncConnection, group: StoredGroup) -> None:
    """The members are not those of any body that was put."""
    await connection.execute(_FORGET_HASH, {"group": group.id})


async def refuse_others(connection: AsyncConnection, group: StoredGroup, members: frozenset[Member]) -> None:
    """Conflict unless all of `members` are in the group already."""
    values = {"group": group.id, "generation": group.generation} | _member_lists(members)
    if (await connection.execute(_COUNT_OF, values)).scalar_one() < len(members):
        raise Conflict(f"group {group.external!r}: generation {group.label} is complete; send a higher one")


async def add_page(connection: AsyncConnection, group: StoredGroup, members: frozenset[Member]) -> int | None:
    """Adds to the open generation. Members that it has already change nothing."""
    if group.open_generation is None:
        raise Bug("a page without an open generation")
    await _refuse_nesting(connection, group, members)
    updates = await _add(connection, group, group.open_generation, members)
    if (await connection.execute(_OPEN_MEMBERS, {"group": group.id})).scalar_one() > MEMBERS_MAX:
        raise Invalid(f"group {group.external!r}: more than {MEMBERS_MAX:,} members; use public: tenant, or groups")
    return await queue_updates(connection, group.tenant, group.id, updates) if updates else None


async def switch(connection: AsyncConnection, group: StoredGroup) -> int:
    """The open generation becomes the group's: one tuple. The one before is left to be swept."""
    if group.open_generation is None:
        raise Bug("a switch without an open generation")
    await connection.execute(_SWITCH, {"group": group.id})
    await _leave(connection, group, group.generation)
    before = current_relation(group.tenant, group.id, generation=group.generation)
    updates = [_touch_current(group, group.open_generation), RelationUpdate(Operation.DELETE, before)]
    return await queue_updates(connection, group.tenant, group.id, updates)


async def discard_open(connection: AsyncConnection, group: StoredGroup) -> None:
    if group.open_generation is not None:
        await connection.execute(_CLOSE, {"group": group.id})
        await _leave(connection, group, group.open_generation)


async def patch(
    connection: AsyncConnection, group: StoredGroup, *, add: frozenset[Member], remove: frozenset[Member]
) -> int | None:
    """Changes the current and an open generation."""
    await _refuse_nesting(connection, group, add)
    updates: list[RelationUpdate] = []
    for generation in (group.generation, group.open_generation):
        if generation is not None:
            updates += await _remove(connection, group, generation, remove)
            updates += await _add(connection, group, generation, add)
    return await queue_updates(connection, group.tenant, group.id, updates) if updates else None


async def sweep_leftovers(connection: AsyncConnection, tenant: TenantId, *, batch: int) -> bool:
    """Takes away members and tuples of one generation that is nobody's; True when there may be more."""
    row = (await connection.execute(_TAKE_LEFTOVER)).one_or_none()
    if row is None:
        return False
    place = {"group": row.group_id, "generation": row.generation}
    swept = [_member(*found) for found in await connection.execute(_SWEEP, place | {"most": batch})]
    if swept:
        relations = [member_relation(tenant, row.group_id, member, generation=row.generation) for member in swept]
        updates = [RelationUpdate(Operation.DELETE, relation) for relation in relations]
        await queue_updates(connection, tenant, row.group_id, updates)
    if len(swept) < batch:
        await connection.execute(_SWEPT, place)
    return True


async def forget_groups(connection: AsyncConnection, tenant: TenantId, source: SourceId) -> int | None:
    """All groups of a source: nobody is in them from now on, and their members are swept later."""
    last = None
    for row in (await connection.execute(_OF_SOURCE, {"source": source})).all():
        group = StoredGroup(tenant, row.id, "", None, "", row.generation, open_generation=row.open_generation)
        await discard_open(connection, group)
        await _leave(connection, group, group.generation)
        gone = RelationUpdate(Operation.DELETE, current_relation(tenant, row.id, generation=row.generation))
        last = await queue_updates(connection, tenant, row.id, [gone])
    await connection.execute(_FORGET, {"source": source})
    return last


async def _members(connection: AsyncConnection, group: StoredGroup, generation: int, *, most: int) -> frozenset[Member]:
    values = {"group": group.id, "generation": generation, "most": most}
    return frozenset(_member(*row) for row in await connection.execute(_MEMBERS, values))


async def _add(
    connection: AsyncConnection, group: StoredGroup, generation: int, members: Iterable[Member]
) -> list[RelationUpdate]:
    return await _change(connection, group, generation, members, operation=Operation.TOUCH)


async def _remove(
    connection: AsyncConnection, group: StoredGroup, generation: int, members: Iterable[Member]
) -> list[RelationUpdate]:
    return await _change(connection, group, generation, members, operation=Operation.DELETE)


async def _change(
    connection: AsyncConnection,
    group: StoredGroup,
    generation: int,
    members: Iterable[Member],
    *,
    operation: Operation,
) -> list[RelationUpdate]:
    """What changed of the rows, as updates of tuples."""
    lists = _member_lists(members)
    if not lists["members"]:
        return []
    values = {"tenant": group.tenant, "group": group.id, "generation": generation} | lists
    rows = await connection.execute(_ADD if operation is Operation.TOUCH else _REMOVE, values)
    changed = [_member(*row) for row in rows]
    return [
        RelationUpdate(operation, member_relation(group.tenant, group.id, member, generation=generation))
        for member in changed
    ]


def _member_lists(members: Iterable[Member]) -> dict[str, object]:
    ordered = sorted(members, key=lambda member: (type(member).__name__, member.id))
    kinds = [type(member).__name__.lower() for member in ordered]
    return {"kinds": kinds, "members": [member.id for member in ordered]}


async def _leave(connection: AsyncConnection, group: StoredGroup, generation: int) -> None:
    await connection.execute(_LEAVE, {"tenant": group.tenant, "group": group.id, "generation": generation})


async def _refuse_nesting(connection: AsyncConnection, group: StoredGroup, members: Iterable[Member]) -> None:
    nested = [member.id for member in members if isinstance(member, Group)]
    if not nested:
        return
    row = (await connection.execute(_LONGEST, {"nested": nested, "group": group.id, "most": NESTED_MAX})).one()
    if row.cycle:
        raise Invalid(f"group {group.external!r}: a member group contains it already; groups may not form a cycle")
    if row.nested > NESTED_MAX:
        raise Invalid(f"group {group.external!r}: lies among {row.nested} groups in one another; at most {NESTED_MAX}")


def _touch_current(group: StoredGroup, generation: int) -> RelationUpdate:
    return RelationUpdate(Operation.TOUCH, current_relation(group.tenant, group.id, generation=generation))


def _member(kind: str, identifier: uuid.UUID) -> Member:
    return Person(PersonId(identifier)) if kind == "person" else Group(GroupId(identifier))


def pages(members: Sequence[Member], size: int) -> list[frozenset[Member]]:
    return [frozenset(members[start : start + size]) for start in range(0, len(members), size)]
