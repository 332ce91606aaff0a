"""One container's row, its tuples, and the repairs that bring a change to the points below it."""

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import (
    as_json,
    containers_above,
    leads_to,
    look_up,
    resolved_json,
    stored_node,
    write_references,
    write_relations,
)
from cortex.adapters.postgres.document_rows import Scene
from cortex.domain.acl import NOTHING_OF_ITS_OWN, AclOf, Node, acl_json, resolve
from cortex.domain.change import ContainerState
from cortex.domain.errors import Invalid, NotFound
from cortex.domain.identity import ContainerId, container_id, external_id
from cortex.domain.relation import acl_relations
from cortex.domain.revision import check_version, sha256_json

DEPTH_MAX = 30
"""Containers within one another, through parents and `viewers:`.

The engine gives up at 50 steps, and what it cannot check nobody sees. A container takes one of them and a nested group
two (`group_rows.NESTED_MAX`): the deepest of both together is walked, with some to spare.
"""

_STORED = text(
    "SELECT acl_sha256, version, sharing_approved, tombstoned_at IS NOT NULL AS tombstoned, parent_id, acl_resolved"
    " FROM containers WHERE id = :id FOR UPDATE"
)
# How many lie within one another below it.
_BELOW = text(
    """
    WITH RECURSIVE below (id, depth) AS (
        SELECT CAST(:id AS uuid), 0
        UNION
        SELECT next.id, below.depth + 1 FROM below CROSS JOIN LATERAL (
            SELECT c.id FROM containers c WHERE c.parent_id = below.id AND c.tombstoned_at IS NULL
            UNION ALL
            SELECT r.referrer_id FROM acl_references r
            WHERE r.container_id = below.id AND r.referrer_kind = 'container'
        ) AS next (id) WHERE below.depth < :most
    )
    SELECT max(depth) FROM below
    """
)
# Cycles are looked for under this lock, so that two writes cannot close one together.
_CONTAINERS_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('containers:' || :tenant, 0))")
_WRITE = text(
    "INSERT INTO containers (tenant_id, id, source_id, external_id, parent_id, acl, acl_resolved, acl_sha256, version)"
    " VALUES (:tenant, :id, :source, :external_id, :parent, CAST(:acl AS jsonb), CAST(:acl_resolved AS jsonb),"
    " :acl_sha256, :version) ON CONFLICT (tenant_id, id) DO UPDATE SET parent_id = excluded.parent_id,"
    " acl = excluded.acl, acl_resolved = excluded.acl_resolved, acl_sha256 = excluded.acl_sha256,"
    " version = excluded.version, acl_revision = containers.acl_revision + 1, tombstoned_at = NULL,"
    " sharing_approved = nullif(containers.sharing_approved,"
    " nullif(containers.sharing_approved, excluded.acl_resolved ->> 'public'))"
)
_TOUCH = text("UPDATE containers SET version = :version WHERE id = :id")
_TOMBSTONE = text(
    "UPDATE containers SET tombstoned_at = :now, version = coalesce(:version, version),"
    " sharing_approved = NULL, acl_revision = acl_revision + 1 WHERE id = :id"
)
# Nothing below yet, nothing to repair: a first pass over a source makes its containers before its documents. One repair
# a container: a change during it begins it anew.
REPAIR = text(
    "INSERT INTO acl_repairs (tenant_id, container_id) SELECT :tenant, :id"
    " WHERE EXISTS (SELECT FROM documents WHERE container_id = :id AND tombstoned_at IS NULL)"
    " OR EXISTS (SELECT FROM containers WHERE parent_id = :id)"
    " OR EXISTS (SELECT FROM acl_references WHERE container_id = :id)"
    " ON CONFLICT (tenant_id, container_id) DO UPDATE SET after_document_id = NULL"
)


async def put_container(connection: AsyncConnection, scene: Scene, state: ContainerState) -> int | None:
    """Returns the permission write to wait for, None where nothing changed."""
    identifier = container_id(scene.tenant, scene.source, external_id(state.external_id))
    if state.parent is None and state.acl is None:
        raise Invalid(f"container {state.external_id!r}: give it an acl, a parent, or both")
    parent = container_id(scene.tenant, scene.source, external_id(state.parent)) if state.parent is not None else None
    acl = state.acl or NOTHING_OF_ITS_OWN
    names = await look_up(connection, scene.tenant, acl.principals())
    node = Node(resolve(acl, names.__getitem__), parent)
    acl_sha256 = sha256_json({"acl": resolved_json(node.acl), "parent": str(parent)})
    row = (await connection.execute(_STORED, {"id": identifier})).one_or_none()
    if row is not None:
        same = row.acl_sha256 == acl_sha256 and not row.tombstoned
        check_version(row.version, state.version, same=same, tombstoned=row.tombstoned, reset=False)
        if same:
            if row.version != state.version:
                await connection.execute(_TOUCH, {"version": state.version, "id": identifier})
            return None
    before = None if row is None or row.tombstoned else stored_node(row.acl_resolved, row.parent_id, None)
    if before is None or leads_to(before) != leads_to(node):
        await _refuse_nesting(connection, scene, identifier, node, state.external_id)
    await connection.execute(
        _WRITE,
        {
            "tenant": scene.tenant,
            "id": identifier,
            "source": scene.source,
            "external_id": state.external_id,
            "parent": parent,
            "acl": None if state.acl is None else as_json(acl_json(state.acl)),
            "acl_resolved": as_json(resolved_json(node.acl)),
            "acl_sha256": acl_sha256,
            "version": state.version,
        },
    )
    await write_references(connection, scene.tenant, "container", identifier, node.acl)
    await connection.execute(REPAIR, {"tenant": scene.tenant, "id": identifier})
    approved = row is not None and not row.tombstoned and row.sharing_approved == acl.public.value
    relations = acl_relations(scene.tenant, "container", identifier, replace(node, approved=approved))
    return await write_relations(connection, scene.tenant, identifier, relations)


async def delete_container(
    connection: AsyncConnection, scene: Scene, external: str, *, version: int | None
) -> int | None:
    """Takes its tuples away, which hides everything reached through it. NotFound when it is not there."""
    identifier = container_id(scene.tenant, scene.source, external_id(external))
    row = (await connection.execute(_STORED, {"id": identifier})).one_or_none()
    if row is None:
        raise NotFound(f"container {external!r} is not known")
    check_version(row.version, version, same=row.tombstoned, tombstoned=False, reset=False)
    if row.tombstoned:
        return None
    await connection.execute(_TOMBSTONE, {"id": identifier, "now": scene.now, "version": version})
    await write_references(connection, scene.tenant, "container", identifier, AclOf())
    await connection.execute(REPAIR, {"tenant": scene.tenant, "id": identifier})
    return await write_relations(connection, scene.tenant, identifier, frozenset())


async def _refuse_nesting(
    connection: AsyncConnection, scene: Scene, identifier: ContainerId, node: Node, external: str
) -> None:
    await connection.execute(_CONTAINERS_LOCK, {"tenant": str(scene.tenant)})
    above = await containers_above(connection, leads_to(node))
    if identifier in above or identifier in leads_to(node):
        raise Invalid(f"container {external!r}: its parent or a viewers: principal leads back to itself")
    below = (await connection.execute(_BELOW, {"id": identifier, "most": DEPTH_MAX})).scalar_one()
    depth = _levels(node, above, {}) + int(below)
    if depth > DEPTH_MAX:
        raise Invalid(f"container {external!r}: lies among {depth} containers in one another; at most {DEPTH_MAX}")


def _levels(node: Node, above: Mapping[ContainerId, Node], known: dict[ContainerId, int]) -> int:
    """How many containers the longest way up leads through, with this one."""
    deepest = 0
    for container in leads_to(node) & above.keys():
        if container not in known:
            known[container] = _levels(above[container], above, known)
        deepest = max(deepest, known[container])
    return deepest + 1
