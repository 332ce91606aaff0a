"""Groups and their members, in rows and tuples."""

from collections.abc import Iterable, Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import look_up, write_relations
from cortex.domain.acl import Group, Person, PrincipalRef, ViewersRef
from cortex.domain.errors import Invalid
from cortex.domain.identity import GroupId, SourceId, TenantId, external_id, group_id
from cortex.domain.relation import group_relations
from cortex.domain.revision import check_version, sha256_json

MEMBERS_MAX = 100_000

_STORED = text("SELECT version, members_sha256 FROM groups WHERE id = :id FOR UPDATE")
_GROUPS_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('groups:' || :tenant, 0))")
_WRITE = text(
    "INSERT INTO groups (tenant_id, id, source_id, external_id, name, version, members_sha256)"
    " VALUES (:tenant, :id, :source, :external_id, :name, :version, :members_sha256)"
    " ON CONFLICT (tenant_id, id) DO UPDATE SET name = excluded.name, version = excluded.version,"
    " members_sha256 = excluded.members_sha256"
)
_FORGET_MEMBERS = text("DELETE FROM group_members WHERE group_id = :id")
_ADD_MEMBER = text(
    "INSERT INTO group_members (tenant_id, group_id, member_kind, member_id) VALUES (:tenant, :id, :kind, :member)"
)
_BELOW = text(
    """
    WITH RECURSIVE below (id) AS (
        SELECT unnest(CAST(:start AS uuid[]))
        UNION
        SELECT m.member_id FROM below JOIN group_members m ON m.group_id = below.id AND m.member_kind = 'group'
    )
    SELECT EXISTS (SELECT FROM below WHERE id = :id)
    """
)


async def put_group(
    connection: AsyncConnection,
    tenant: TenantId,
    source: SourceId | None,
    external: str,
    members: Iterable[Person | Group],
    *,
    name: str,
    version: int | None = None,
) -> tuple[GroupId, int | None]:
    """Replaces the members; returns the id and the permission write to wait for. Invalid when it closes a cycle."""
    identifier = group_id(tenant, source, external_id(external))
    wanted = frozenset(members)
    if len(wanted) > MEMBERS_MAX:
        raise Invalid(f"group {external!r}: {len(wanted)} members; at most {MEMBERS_MAX} in one call")
    await connection.execute(_GROUPS_LOCK, {"tenant": str(tenant)})
    row = (await connection.execute(_STORED, {"id": identifier})).one_or_none()
    members_sha256 = sha256_json({"members": sorted(f"{type(m).__name__}:{m.id}" for m in wanted)})
    if row is not None:
        same = row.members_sha256 == members_sha256
        check_version(row.version, version, same=same, tombstoned=False, reset=False)
    nested = [member.id for member in wanted if isinstance(member, Group)]
    if (await connection.execute(_BELOW, {"start": nested, "id": identifier})).scalar_one():
        raise Invalid(f"group {external!r}: a member group contains it already; groups may not form a cycle")
    values = {
        "tenant": tenant,
        "id": identifier,
        "source": source,
        "external_id": external,
        "name": name,
        "version": version,
        "members_sha256": members_sha256,
    }
    await connection.execute(_WRITE, values)
    await connection.execute(_FORGET_MEMBERS, {"id": identifier})
    rows = [
        {"tenant": tenant, "id": identifier, "kind": type(member).__name__.lower(), "member": member.id}
        for member in wanted
    ]
    if rows:
        await connection.execute(_ADD_MEMBER, rows)
    return identifier, await write_relations(
        connection, tenant, identifier, group_relations(tenant, identifier, wanted)
    )


async def put_source_group(
    connection: AsyncConnection,
    tenant: TenantId,
    source: SourceId,
    external: str,
    members: Sequence[PrincipalRef],
    *,
    version: int | None,
) -> int | None:
    """A group as its source names the members."""
    if any(isinstance(member, ViewersRef) for member in members):
        raise Invalid(f"group {external!r}: members are people and groups; viewers: may stand in an acl's allow only")
    names = await look_up(connection, tenant, members)
    resolved = [names[member] for member in members]
    people_and_groups = [member for member in resolved if isinstance(member, Person | Group)]
    _, sequence = await put_group(
        connection, tenant, source, external, people_and_groups, name=external, version=version
    )
    return sequence
