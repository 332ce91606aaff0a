"""The mirror of relations against the rows that they come from. Differences go the way of every permission write."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import queue_updates, stored_node
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.domain.identity import TenantId
from cortex.domain.reconcile import Drift, Part, Reconciled
from cortex.domain.relation import Operation, Relation, RelationUpdate, acl_relations, difference

ROWS: Final = 200
DIFFERENCES_MAX: Final = 1_000

_COLUMNS = "resource_type, resource_id, relation, subject_type, subject_id, subject_relation"
_NODES = {
    Part.DOCUMENTS: text(
        "SELECT id, container_id AS parent_id, acl_resolved, sharing_approved, tombstoned_at IS NOT NULL AS tombstoned"
        " FROM documents WHERE CAST(:after AS uuid) IS NULL OR id > CAST(:after AS uuid)"
        " ORDER BY id LIMIT :most FOR UPDATE"
    ),
    Part.CONTAINERS: text(
        "SELECT id, parent_id, acl_resolved, sharing_approved, tombstoned_at IS NOT NULL AS tombstoned"
        " FROM containers WHERE CAST(:after AS uuid) IS NULL OR id > CAST(:after AS uuid)"
        " ORDER BY id LIMIT :most FOR UPDATE"
    ),
}
_OWNED = text(f"SELECT owner_id, {_COLUMNS} FROM relation_tuples WHERE owner_id = ANY(:owners)")
_PAGES = {
    Part.GROUPS: text(
        "SELECT id FROM groups WHERE CAST(:after AS uuid) IS NULL OR id > CAST(:after AS uuid)"
        " ORDER BY id LIMIT :most FOR UPDATE"
    ),
    # Whom an ACL has named and nobody has made yet is left as it is.
    Part.PEOPLE: text(
        "SELECT id FROM persons WHERE known AND (CAST(:after AS uuid) IS NULL OR id > CAST(:after AS uuid))"
        " ORDER BY id LIMIT :most FOR UPDATE"
    ),
}
_EXPECTED = {
    Part.GROUPS: """
        SELECT m.group_id AS owner_id, 'generation' AS resource_type,
            m.tenant_id || '/' || m.group_id || '/' || m.generation AS resource_id, 'member' AS relation,
            m.member_kind AS subject_type, m.tenant_id || '/' || m.member_id AS subject_id,
            CASE m.member_kind WHEN 'group' THEN 'member' ELSE '' END AS subject_relation
        FROM group_members m WHERE m.group_id = ANY(:owners)
        UNION ALL
        SELECT g.id, 'group', g.tenant_id || '/' || g.id, 'current', 'generation',
            g.tenant_id || '/' || g.id || '/' || g.generation, ''
        FROM groups g WHERE g.id = ANY(:owners)
        UNION ALL
        SELECT g.id, 'group', g.tenant_id || '/' || g.id, 'muted', 'person', '*', '' FROM groups g
        JOIN tenant_settings s ON s.sharing <> 'show' WHERE g.everyone AND g.id = ANY(:owners)
    """,
    Part.PEOPLE: """
        SELECT p.id AS owner_id, 'tenant' AS resource_type, p.tenant_id || '/' || p.tenant_id AS resource_id,
            'member' AS relation, 'person' AS subject_type, p.tenant_id || '/' || p.id AS subject_id,
            '' AS subject_relation
        FROM persons p WHERE p.active AND NOT p.guest AND p.id = ANY(:owners)
    """,
    Part.OWNERS: """
        SELECT t.id AS owner_id, 'tenant' AS resource_type, t.id || '/' || t.id AS resource_id,
            'sharing' AS relation, 'tenant' AS subject_type, t.id || '/' || t.id AS subject_id, '' AS subject_relation
        FROM tenants t WHERE coalesce((SELECT sharing FROM tenant_settings), 'show') = 'show'
    """,
}
_PRESENT = f"SELECT owner_id, {_COLUMNS} FROM relation_tuples WHERE owner_id = ANY(:owners)"
# Of the tenant itself, and what belongs to nothing that there is. Generations that are being swept still own theirs.
_UNOWNED = f"""
    SELECT t.owner_id, {", ".join(f"t.{name}" for name in _COLUMNS.split(", "))} FROM relation_tuples t
    WHERE NOT EXISTS (SELECT FROM documents d WHERE d.id = t.owner_id)
    AND NOT EXISTS (SELECT FROM containers c WHERE c.id = t.owner_id)
    AND NOT EXISTS (SELECT FROM groups g WHERE g.id = t.owner_id)
    AND NOT EXISTS (SELECT FROM group_leftovers l WHERE l.group_id = t.owner_id)
    AND NOT EXISTS (SELECT FROM persons p WHERE p.id = t.owner_id)
"""


def _differences(expected: str, present: str) -> tuple[object, object]:
    def without(one: str, other: str) -> object:
        return text(f"SELECT * FROM (({one}) EXCEPT ({other})) AS d LIMIT {DIFFERENCES_MAX}")

    return without(expected, present), without(present, expected)


_DIFFERENCES = {
    Part.GROUPS: _differences(_EXPECTED[Part.GROUPS], _PRESENT),
    Part.PEOPLE: _differences(_EXPECTED[Part.PEOPLE], _PRESENT),
    Part.OWNERS: _differences(_EXPECTED[Part.OWNERS], _UNOWNED),
}


class MirrorReconciler:
    """Each step locks the rows that it looks at, so that no write comes between."""

    def __init__(self, database: Database, permissions: PermissionApplier, *, rows: int = ROWS) -> None:
        self._database = database
        self._permissions = permissions
        self._rows = rows

    async def step(self, tenant: TenantId, part: Part, after: str | None) -> Reconciled:
        async with self._database.tenant(tenant) as connection:
            if part in _NODES:
                step, sequence = await self._nodes(connection, tenant, part, after)
            else:
                step, sequence = await self._sets(connection, tenant, part, after)
        await self._permissions.apply_until(tenant, sequence)
        return step

    async def _nodes(
        self, connection: AsyncConnection, tenant: TenantId, part: Part, after: str | None
    ) -> tuple[Reconciled, int | None]:
        rows = (await connection.execute(_NODES[part], {"after": after, "most": self._rows})).all()
        owned = await _owned(connection, [row.id for row in rows])
        kind = "document" if part is Part.DOCUMENTS else "container"
        changes: dict[uuid.UUID, list[RelationUpdate]] = {}
        for row in rows:
            node = stored_node(row.acl_resolved, row.parent_id, row.sharing_approved)
            expected = frozenset() if row.tombstoned else acl_relations(tenant, kind, row.id, node)
            if updates := difference(owned[row.id], expected):
                changes[row.id] = updates
        return await self._mended(connection, tenant, rows, changes)

    async def _sets(
        self, connection: AsyncConnection, tenant: TenantId, part: Part, after: str | None
    ) -> tuple[Reconciled, int | None]:
        rows: Sequence[Row[tuple[object, ...]]] = []
        if part in _PAGES:
            rows = (await connection.execute(_PAGES[part], {"after": after, "most": self._rows})).all()
        missing, extra = _DIFFERENCES[part]
        changes: defaultdict[uuid.UUID, list[RelationUpdate]] = defaultdict(list)
        full = False
        for statement, operation in ((missing, Operation.TOUCH), (extra, Operation.DELETE)):
            found = (await connection.execute(statement, {"owners": [row.id for row in rows]})).all()  # type: ignore[call-overload]
            full = full or len(found) == DIFFERENCES_MAX
            for row in found:
                changes[row[0]].append(RelationUpdate(operation, Relation(*row[1:])))
        step, sequence = await self._mended(connection, tenant, rows, changes)
        if full:  # more of the same rows: once again from where this step began
            again = Reconciled(0, step.drift, after if after is not None else str(uuid.UUID(int=0)))
            return again, sequence
        return step, sequence

    async def _mended(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        rows: Sequence[Row[tuple[object, ...]]],
        changes: Mapping[uuid.UUID, list[RelationUpdate]],
    ) -> tuple[Reconciled, int | None]:
        sequence = None
        drift: Counter[Drift] = Counter()
        for owner in sorted(changes):
            for update in changes[owner]:
                drift[Drift.MIRROR_MISSING if update.operation is Operation.TOUCH else Drift.MIRROR_EXTRA] += 1
            sequence = await queue_updates(connection, tenant, owner, changes[owner])
        after = str(rows[-1].id) if len(rows) == self._rows else None
        return Reconciled(len(rows), drift, after), sequence


async def _owned(connection: AsyncConnection, owners: Iterable[uuid.UUID]) -> dict[uuid.UUID, frozenset[Relation]]:
    found: defaultdict[uuid.UUID, set[Relation]] = defaultdict(set)
    for row in await connection.execute(_OWNED, {"owners": list(owners)}):
        found[row.owner_id].add(Relation(*row[1:]))
    return defaultdict(frozenset, {owner: frozenset(relations) for owner, relations in found.items()})
