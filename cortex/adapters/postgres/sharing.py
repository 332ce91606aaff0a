"""Sharing with everyone (ports/sharing_store.py).

Every grant to everyone goes through the tenant's `sharing` relation, and every grant to a group of nearly everybody
through the group's `muted`: a policy is those few tuples, whatever they concern. In the index, the asker carries the
token of what is shared with everyone, or not.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import queue_updates, stored_node, write_relations
from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.container_rows import REPAIR
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.postgres.repairs import queue_change
from cortex.adapters.wrap.cached_directory import drop
from cortex.domain.errors import NotFound
from cortex.domain.identity import GroupId, TenantId
from cortex.domain.relation import Operation, RelationUpdate, acl_relations, muted_relation, sharing_relation
from cortex.domain.revision import EventKind
from cortex.domain.sharing import (
    EVERYONE_PEOPLE_MIN,
    EVERYONE_SHARE,
    SharedInSource,
    SharedKind,
    SharedThing,
    SharingPolicy,
)
from cortex.ports.clock import Clock
from cortex.ports.group_cache import GroupCache

# Policies, approvals and flags of groups change one after the other.
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('sharing:' || :tenant, 0))")
_POLICY = text("SELECT coalesce((SELECT sharing FROM tenant_settings), 'show')")
_SET_POLICY = text(
    "INSERT INTO tenant_settings (tenant_id, sharing) VALUES (:tenant, :policy)"
    " ON CONFLICT (tenant_id) DO UPDATE SET sharing = excluded.sharing"
)
_EVERYONE = text("SELECT id FROM groups WHERE everyone ORDER BY id")
# Whom a group holds, through groups within it; people who are known, active and no guests.
_FLAG = text(
    """
    WITH RECURSIVE closure (root, id) AS (
        SELECT id, id FROM groups
        UNION
        SELECT c.root, m.member_id FROM closure c JOIN groups g ON g.id = c.id
        JOIN group_members m ON m.group_id = g.id AND m.generation = g.generation AND m.member_kind = 'group'
    ), held AS (
        SELECT c.root AS id, count(DISTINCT p.id) AS people FROM closure c JOIN groups g ON g.id = c.id
        JOIN group_members m ON m.group_id = g.id AND m.generation = g.generation AND m.member_kind = 'person'
        JOIN persons p ON p.id = m.member_id AND p.known AND p.active AND NOT p.guest
        GROUP BY c.root
    ), flagged AS (
        SELECT held.id FROM held, (SELECT count(*) AS people FROM persons WHERE known AND active AND NOT guest) AS all_
        WHERE all_.people >= :least AND held.people >= CAST(:share AS numeric) * all_.people
    )
    UPDATE groups SET everyone = NOT everyone WHERE everyone <> (id IN (SELECT id FROM flagged)) RETURNING id, everyone
    """
)
_OWN = "({0}.acl_resolved ->> 'public' = 'tenant' OR jsonb_exists_any({0}.acl_resolved -> 'allow', groups.tokens))"
_GUARDED = "({0} IS NULL OR {1}.acl_resolved ->> 'inherit' <> 'restrict')"
# What does not narrow its container: everyone who sees the one sees the other.
_PASSES = (
    "({0}.acl_resolved ->> 'inherit' = 'extend' OR ({0}.acl_resolved ->> 'inherit' = 'restrict'"
    " AND ({0}.acl_resolved -> 'allow' = '[]' OR " + _OWN + ")))"
)
_GROUPS = "(SELECT coalesce(array_agg('g:' || id), '{}') AS tokens FROM groups WHERE everyone) AS groups"
_THINGS = f"""
    SELECT 'container' AS kind, c.id, c.source_id, c.external_id, c.acl_resolved ->> 'public' AS public,
        coalesce(c.sharing_approved = c.acl_resolved ->> 'public', false) AS approved
    FROM containers c, {_GROUPS}
    WHERE c.tombstoned_at IS NULL AND {_OWN.format("c")} AND {_GUARDED.format("c.parent_id", "c")}
    UNION ALL
    SELECT 'document', d.id, d.source_id, d.external_id, d.acl_resolved ->> 'public',
        coalesce(d.sharing_approved = d.acl_resolved ->> 'public', false)
    FROM documents d, {_GROUPS}
    WHERE d.tombstoned_at IS NULL AND (d.acl_resolved ->> 'public' = 'link'
        OR ({_OWN.format("d")} AND {_GUARDED.format("d.container_id", "d")}))
"""
_LIST = text(
    f"SELECT t.kind, t.id, s.name, t.external_id, t.public, t.approved FROM ({_THINGS}) AS t"
    " JOIN sources s ON s.id = t.source_id WHERE t.approved = :approved"
    " AND (CAST(:after AS uuid) IS NULL OR t.id > :after) ORDER BY t.id LIMIT :most"
)
_COUNTS = text(
    f"""
    WITH RECURSIVE shared (id) AS (
        SELECT c.id FROM containers c, {_GROUPS}
        WHERE c.tombstoned_at IS NULL AND {_OWN.format("c")} AND {_GUARDED.format("c.parent_id", "c")}
        UNION
        SELECT c.id FROM shared JOIN containers c ON c.parent_id = shared.id, {_GROUPS}
        WHERE c.tombstoned_at IS NULL AND {_PASSES.format("c")}
    ), things AS ({_THINGS})
    SELECT coalesce(s.name, '') AS source,
        (SELECT count(*) FROM documents d, {_GROUPS} WHERE d.source_id = s.id AND d.tombstoned_at IS NULL
            AND (({_OWN.format("d")} AND {_GUARDED.format("d.container_id", "d")})
                OR (d.container_id IN (SELECT id FROM shared) AND {_PASSES.format("d")}))) AS documents_everyone,
        (SELECT count(*) FROM documents d WHERE d.source_id = s.id AND d.tombstoned_at IS NULL
            AND d.acl_resolved ->> 'public' = 'link') AS documents_link,
        (SELECT count(*) FROM things t WHERE t.source_id = s.id AND t.approved) AS approved,
        (SELECT count(*) FROM things t WHERE t.source_id = s.id AND NOT t.approved) AS waiting,
        (SELECT count(*) FROM groups g WHERE g.everyone AND g.source_id IS NOT DISTINCT FROM s.id) AS groups_everyone
    FROM (SELECT id, name FROM sources UNION ALL SELECT NULL, NULL
          WHERE EXISTS (SELECT FROM groups WHERE everyone AND source_id IS NULL)) AS s ORDER BY 1
    """
)
_DOCUMENT = text(
    "UPDATE documents SET sharing_approved = CASE WHEN :approved THEN acl_resolved ->> 'public' END,"
    " acl_revision = acl_revision + 1 WHERE id = :id AND tombstoned_at IS NULL"
    " RETURNING id, source_id, container_id AS parent_id, acl_resolved, sharing_approved, revision, metadata_revision,"
    " acl_revision, raw_key, content_sha256, metadata_sha256, mime, pipeline_version"
)
_CONTAINER = text(
    "UPDATE containers SET sharing_approved = CASE WHEN :approved THEN acl_resolved ->> 'public' END,"
    " acl_revision = acl_revision + 1 WHERE id = :id AND tombstoned_at IS NULL"
    " RETURNING parent_id, acl_resolved, sharing_approved"
)


class PostgresSharing(LeavesLines):
    """Implements SharingStore."""

    def __init__(self, database: Database, permissions: PermissionApplier, cache: GroupCache, clock: Clock) -> None:
        self._database = database
        self._permissions = permissions
        self._cache = cache
        self._clock = clock

    async def policy(self, tenant: TenantId) -> SharingPolicy:
        async with self._database.tenant(tenant) as connection:
            return SharingPolicy((await connection.execute(_POLICY)).scalar_one())

    async def set_policy(self, tenant: TenantId, policy: SharingPolicy) -> None:
        await self.flag_groups(tenant)
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_LOCK, {"tenant": str(tenant)})
            await connection.execute(_SET_POLICY, {"tenant": tenant, "policy": policy.value})
            shows = policy is SharingPolicy.SHOW
            opening = RelationUpdate(Operation.TOUCH if shows else Operation.DELETE, sharing_relation(tenant))
            groups = (await connection.execute(_EVERYONE)).scalars().all()
            last = await queue_updates(connection, tenant, tenant, [opening])
            last = await _mute(connection, tenant, groups, muted=not shows) or last
            await self._leave_line(connection, tenant)
        await self._permissions.apply_until(tenant, last)
        await drop(self._cache, tenant)

    async def flag_groups(self, tenant: TenantId) -> int:
        """Finds anew which groups hold nearly everybody; returns how many became it or ceased to be it."""
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_LOCK, {"tenant": str(tenant)})
            values = {"least": EVERYONE_PEOPLE_MIN, "share": EVERYONE_SHARE}
            changed = (await connection.execute(_FLAG, values)).all()
            shows = (await connection.execute(_POLICY)).scalar_one() == SharingPolicy.SHOW
            flagged = [row.id for row in changed if row.everyone and not shows]
            last = await _mute(connection, tenant, flagged, muted=True)
            last = await _mute(connection, tenant, [row.id for row in changed if not row.everyone], muted=False) or last
        await self._permissions.apply_until(tenant, last)
        if changed:
            await drop(self._cache, tenant)
        return len(changed)

    async def counts(self, tenant: TenantId) -> Sequence[SharedInSource]:
        async with self._database.tenant(tenant) as connection:
            return [SharedInSource(*row) for row in await connection.execute(_COUNTS)]

    async def things(
        self, tenant: TenantId, *, approved: bool, after: UUID | None, limit: int
    ) -> Sequence[SharedThing]:
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_LIST, {"approved": approved, "after": after, "most": limit})
            return [SharedThing(SharedKind(row[0]), *row[1:]) for row in rows]

    async def approve(self, tenant: TenantId, kind: SharedKind, identifier: UUID, *, approved: bool) -> None:
        async with self._database.tenant(tenant) as connection:
            statement = _DOCUMENT if kind is SharedKind.DOCUMENT else _CONTAINER
            row = (await connection.execute(statement, {"id": identifier, "approved": approved})).one_or_none()
            if row is None:
                raise NotFound(f"the {kind} is not known")
            node = stored_node(row.acl_resolved, row.parent_id, row.sharing_approved)
            if kind is SharedKind.DOCUMENT:
                await queue_change(connection, tenant, row._asdict(), EventKind.ACL, now=self._clock.now())
            else:
                await connection.execute(REPAIR, {"tenant": tenant, "id": identifier})
            relations = acl_relations(tenant, kind.value, identifier, node)  # type: ignore[arg-type]
            sequence = await write_relations(connection, tenant, identifier, relations)
            await self._leave_line(connection, tenant)
        await self._permissions.apply_until(tenant, sequence)


async def _mute(connection: AsyncConnection, tenant: TenantId, groups: Sequence[GroupId], *, muted: bool) -> int | None:
    last = None
    operation = Operation.TOUCH if muted else Operation.DELETE
    for group in groups:
        update = RelationUpdate(operation, muted_relation(tenant, group))
        last = await queue_updates(connection, tenant, group, [update])
    return last
