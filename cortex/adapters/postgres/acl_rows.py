"""ACLs in rows: names resolved to ids, relation tuples mirrored, updates queued, all in the caller's transaction."""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import bindparam, text
from sqlalchemy.dialects.postgresql import ARRAY, UUID
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.domain.acl import (
    AclOf,
    Group,
    GroupRef,
    Inherit,
    Node,
    Person,
    Principal,
    PrincipalRef,
    Public,
    ResolvedAcl,
    UserRef,
    Viewers,
    ViewersRef,
)
from cortex.domain.identity import ContainerId, PersonId, TenantId, container_id, group_id, source_id
from cortex.domain.relation import Operation, Relation, RelationUpdate, difference

KINDS = {"p": Person, "g": Group, "v": Viewers}
LETTERS = {Person: "p", Group: "g", Viewers: "v"}
CONTAINERS_ABOVE_MAX = 1_000


def _token(principal: Principal) -> str:
    return f"{LETTERS[type(principal)]}:{principal.id}"


def _principal(token: str) -> Principal:
    letter, identifier = token.split(":", 1)
    made: Principal = KINDS[letter](uuid.UUID(identifier))
    return made


def resolved_json(acl: ResolvedAcl) -> dict[str, object]:
    return {
        "allow": sorted(map(_token, acl.allow)),
        "deny": sorted(map(_token, acl.deny)),
        "all_of": sorted(sorted(map(_token, group)) for group in acl.all_of),
        "public": acl.public.value,
        "complete": acl.complete,
        "inherit": acl.inherit.value,
    }


def resolved_acl(value: Mapping[str, object]) -> ResolvedAcl:
    def principals(tokens: object) -> frozenset[Principal]:
        assert isinstance(tokens, list)
        return frozenset(map(_principal, tokens))

    sets = value["all_of"]
    assert isinstance(sets, list)
    return AclOf(
        allow=principals(value["allow"]),
        deny=principals(value["deny"]),
        all_of=frozenset(map(principals, sets)),
        public=Public(str(value["public"])),
        complete=bool(value["complete"]),
        inherit=Inherit(str(value["inherit"])),
    )


def stored_node(value: Mapping[str, object], parent: ContainerId | None, sharing_approved: str | None) -> Node:
    """An approval holds for the kind of sharing that the administrator saw."""
    acl = resolved_acl(value)
    return Node(acl, parent, approved=sharing_approved == acl.public.value)


async def look_up(
    connection: AsyncConnection, tenant: TenantId, references: Iterable[PrincipalRef]
) -> dict[PrincipalRef, Principal]:
    """Ids of principals by name. People may be named before they are known: they get an id now and keep it."""
    found: dict[PrincipalRef, Principal] = {}
    emails: list[str] = []
    for reference in references:
        match reference:
            case UserRef(email=email):
                emails.append(email)
            case GroupRef(source=source, external=external):
                owner = source_id(tenant, source) if source else None
                found[reference] = Group(group_id(tenant, owner, external))
            case ViewersRef(source=source, container=external):
                found[reference] = Viewers(container_id(tenant, source_id(tenant, source), external))
    people = await person_ids(connection, tenant, emails)
    return found | {UserRef(email): Person(identifier) for email, identifier in people.items()}


# One walk of the index for each: of a thousand addresses in an array the planner makes a scan of everybody's.
# `OFFSET 0` keeps it from making the same of this.
NAMED = text(
    "SELECT u.email, e.person_id FROM unnest(CAST(:emails AS text[])) AS u (email)"
    " CROSS JOIN LATERAL (SELECT person_id FROM person_emails WHERE email = u.email OFFSET 0) AS e"
)
_PEOPLE = "unnest(CAST(:ids AS uuid[]), CAST(:emails AS text[])) AS u (id, email)"
_MAKE_PEOPLE = text(f"INSERT INTO persons (tenant_id, id, name) SELECT :tenant, u.id, u.email FROM {_PEOPLE}")
_MAKE_EMAILS = text(
    "INSERT INTO person_emails (tenant_id, email, person_id) SELECT :tenant, u.email, u.id"
    f" FROM {_PEOPLE} ON CONFLICT DO NOTHING"
)
# Whoever makes people waits here, so that two writers never make one person twice.
_PEOPLE_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('people:' || :tenant, 0))")


async def person_ids(connection: AsyncConnection, tenant: TenantId, emails: Sequence[str]) -> dict[str, PersonId]:
    """By normalised e-mail; missing people are made as not yet known."""
    if not emails:
        return {}
    found = {row.email: row.person_id for row in await connection.execute(NAMED, {"emails": list(emails)})}
    if missing := sorted(set(emails) - found.keys()):
        await connection.execute(_PEOPLE_LOCK, {"tenant": str(tenant)})
        found |= {row.email: row.person_id for row in await connection.execute(NAMED, {"emails": missing})}
        made = {email: PersonId(uuid.uuid4()) for email in missing if email not in found}
        if made:
            rows = {"tenant": tenant, "ids": list(made.values()), "emails": list(made)}
            await connection.execute(_MAKE_PEOPLE, rows)
            await connection.execute(_MAKE_EMAILS, rows)
            found |= made
    return found


# The chain of parents, and every container named by `viewers:` on the way, with their chains.
_ABOVE = text(
    """
    WITH RECURSIVE above (id) AS (
        SELECT unnest(CAST(:start AS uuid[]))
        UNION
        SELECT next.id FROM above
        JOIN containers c ON c.id = above.id AND c.tombstoned_at IS NULL
        CROSS JOIN LATERAL (
            SELECT c.parent_id WHERE c.parent_id IS NOT NULL
            UNION ALL
            SELECT r.container_id FROM acl_references r
            WHERE r.referrer_id = c.id AND r.referrer_kind = 'container'
        ) AS next (id)
    )
    SELECT c.id, c.parent_id, c.acl_resolved, c.sharing_approved FROM containers c JOIN above USING (id)
    WHERE c.tombstoned_at IS NULL LIMIT :most
    """
).bindparams(bindparam("start", type_=ARRAY(UUID)))


async def containers_above(connection: AsyncConnection, start: Iterable[ContainerId]) -> dict[ContainerId, Node]:
    """The given containers and all that their visibility rests on."""
    identifiers = sorted(set(start))
    if not identifiers:
        return {}
    rows = await connection.execute(_ABOVE, {"start": identifiers, "most": CONTAINERS_ABOVE_MAX})
    return {row.id: stored_node(row.acl_resolved, row.parent_id, row.sharing_approved) for row in rows}


def leads_to(node: Node) -> set[ContainerId]:
    """Containers that the node's visibility rests on directly."""
    viewers = {principal.id for principal in node.acl.allow if isinstance(principal, Viewers)}
    return viewers | ({node.parent} if node.parent is not None else set())


_OWNED = text(
    "SELECT resource_type, resource_id, relation, subject_type, subject_id, subject_relation"
    " FROM relation_tuples WHERE owner_id = :owner"
)
_COLUMNS = "resource_type, resource_id, relation, subject_type, subject_id, subject_relation"
# Whole lists at once: a page of a large group is a thousand of them.
_LISTS = (
    "unnest(CAST(:resource_type AS text[]), CAST(:resource_id AS text[]), CAST(:relation AS text[]),"
    " CAST(:subject_type AS text[]), CAST(:subject_id AS text[]), CAST(:subject_relation AS text[]))"
)
_ADD = text(
    f"INSERT INTO relation_tuples (tenant_id, owner_id, {_COLUMNS}) SELECT :tenant, :owner, * FROM {_LISTS}"
    " ON CONFLICT DO NOTHING"
)
_REMOVE = text(
    f"DELETE FROM relation_tuples t USING {_LISTS} AS u ({_COLUMNS}) WHERE t.owner_id = :owner AND"
    " (t.resource_type, t.resource_id, t.relation, t.subject_type, t.subject_id, t.subject_relation)"
    " = (u.resource_type, u.resource_id, u.relation, u.subject_type, u.subject_id, u.subject_relation)"
)
_NEXT = text("UPDATE permission_sequences SET last = last + :count WHERE tenant_id = :tenant RETURNING last")
_QUEUE = text(
    f"INSERT INTO permission_outbox (tenant_id, sequence, operation, {_COLUMNS})"
    " SELECT :tenant, :first + u.n - 1, (CAST(:operation AS text[]))[u.n], u.resource_type, u.resource_id, u.relation,"
    f" u.subject_type, u.subject_id, u.subject_relation FROM {_LISTS} WITH ORDINALITY AS u ({_COLUMNS}, n)"
)


async def owned_relations(connection: AsyncConnection, owner: uuid.UUID) -> frozenset[Relation]:
    rows = await connection.execute(_OWNED, {"owner": owner})
    return frozenset(Relation(*row) for row in rows)


async def write_relations(
    connection: AsyncConnection, tenant: TenantId, owner: uuid.UUID, after: frozenset[Relation]
) -> int | None:
    """Makes `after` the relations of `owner`: mirror and outbox. Returns the last sequence, None when nothing changed.

    The caller holds the owner's row locked.
    """
    updates = difference(await owned_relations(connection, owner), after)
    if not updates:
        return None
    return await queue_updates(connection, tenant, owner, updates)


async def queue_updates(
    connection: AsyncConnection, tenant: TenantId, owner: uuid.UUID, updates: Sequence[RelationUpdate]
) -> int:
    """Sequences are taken last, under the tenant's row lock, so that they commit in order."""
    place: dict[str, object] = {"tenant": tenant, "owner": owner}
    removed = [update.relation for update in updates if update.operation is Operation.DELETE]
    added = [update.relation for update in updates if update.operation is Operation.TOUCH]
    if removed:
        await connection.execute(_REMOVE, place | _lists(removed))
    if added:
        await connection.execute(_ADD, place | _lists(added))
    last = int((await connection.execute(_NEXT, {"tenant": tenant, "count": len(updates)})).scalar_one())
    queued = _lists([update.relation for update in updates])
    operations = [update.operation.value for update in updates]
    first = last - len(updates) + 1
    await connection.execute(_QUEUE, {"tenant": tenant, "first": first, "operation": operations} | queued)
    return last


def _lists(relations: Sequence[Relation]) -> dict[str, object]:
    return {name: [getattr(relation, name) for relation in relations] for name in _COLUMNS.split(", ")}


_FORGET_REFERENCES = text("DELETE FROM acl_references WHERE referrer_id = :referrer")
_ADD_REFERENCE = text(
    "INSERT INTO acl_references (tenant_id, referrer_kind, referrer_id, container_id)"
    " VALUES (:tenant, :kind, :referrer, :container)"
)


async def write_references(
    connection: AsyncConnection, tenant: TenantId, kind: str, referrer: uuid.UUID, acl: ResolvedAcl
) -> None:
    """Who refers to whom through `viewers:`."""
    await connection.execute(_FORGET_REFERENCES, {"referrer": referrer})
    rows = [
        {"tenant": tenant, "kind": kind, "referrer": referrer, "container": principal.id}
        for principal in acl.allow
        if isinstance(principal, Viewers)
    ]
    if rows:
        await connection.execute(_ADD_REFERENCE, rows)


def as_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
