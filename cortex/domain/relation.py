"""Relation tuples: the ACL as the permission engine stores it (architecture section 4)."""

import enum
from dataclasses import dataclass

from cortex.domain.acl import Group, Inherit, Node, Person, Principal, Public, Viewers
from cortex.domain.identity import ContainerId, DocumentId, GroupId, PersonId, TenantId

ANYONE = "*"


class Operation(enum.StrEnum):
    TOUCH = "touch"
    DELETE = "delete"


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """`resource#relation@subject`; ids carry the tenant as prefix. `subject_relation` is "" when there is none."""

    resource_type: str
    resource_id: str
    relation: str
    subject_type: str
    subject_id: str
    subject_relation: str = ""


@dataclass(frozen=True, slots=True, order=True)
class RelationUpdate:
    operation: Operation
    relation: Relation


def object_id(tenant: TenantId, identifier: object) -> str:
    """The tenant is part of every object id, so that no relation can cross the wall."""
    return f"{tenant}/{identifier}"


def _subject(tenant: TenantId, principal: Principal) -> tuple[str, str, str]:
    match principal:
        case Person(id=identifier):
            return "person", object_id(tenant, identifier), ""
        case Group(id=identifier):
            return "group", object_id(tenant, identifier), "member"
        case Viewers(id=identifier):
            return "container", object_id(tenant, identifier), "view"


def acl_relations(tenant: TenantId, kind: str, identifier: DocumentId | ContainerId, node: Node) -> frozenset[Relation]:
    """Every relation of one document or container (`kind`), since the schema cannot test for emptiness."""
    here = object_id(tenant, identifier)
    acl, found = node.acl, set[Relation]()

    def add(relation: str, subject: tuple[str, str, str]) -> None:
        found.add(Relation(kind, here, relation, *subject))

    def granted(principal: Principal) -> tuple[str, str, str]:
        """A grant to a group of nearly everybody is shared with everyone."""
        kind_, object_, relation = _subject(tenant, principal)
        return kind_, object_, "granted" if node.guarded and isinstance(principal, Group) else relation

    anyone = ("person", ANYONE, "")
    members = ("tenant", object_id(tenant, tenant), "everyone" if node.guarded else "member")
    if acl.complete:
        add("whole", anyone)
    nested = node.parent is not None and acl.inherit is not Inherit.NONE
    restrict = nested and acl.inherit is Inherit.RESTRICT
    if nested:
        add(f"parent_{acl.inherit.value}", ("container", object_id(tenant, node.parent), ""))
    else:
        add("top", anyone)
    allow = "allow_restrict" if restrict else "allow"
    for principal in acl.allow:
        add(allow, granted(principal))
    if acl.public is Public.TENANT:
        add(allow, members)
    if restrict and not acl.allow and acl.public is not Public.TENANT:
        add("unrestricted", anyone)
    for principal in acl.deny:
        add("deny", _subject(tenant, principal))
    gates = sorted(sorted(_subject(tenant, principal) for principal in group) for group in acl.all_of)
    for number, gate in enumerate(gates):
        gate_id = f"{here}/{kind}/{number}"
        add("gate", ("gate", gate_id, ""))
        found.update(Relation("gate", gate_id, "member", *subject) for subject in gate)
    if not acl.all_of:
        add("ungated", anyone)
    if kind == "document" and acl.public is Public.LINK:
        add("link", ("tenant", object_id(tenant, tenant), "member" if node.approved else "everyone"))
    return frozenset(found)


def group_relations(
    tenant: TenantId, group: GroupId, members: frozenset[Person | Group], *, generation: int = 0
) -> frozenset[Relation]:
    """The members, and the one relation that makes them the group's."""
    found = {member_relation(tenant, group, member, generation=generation) for member in members}
    return frozenset(found | {current_relation(tenant, group, generation=generation)})


def generation_id(tenant: TenantId, group: GroupId, generation: int) -> str:
    return f"{object_id(tenant, group)}/{generation}"


def member_relation(tenant: TenantId, group: GroupId, member: Person | Group, *, generation: int) -> Relation:
    return Relation("generation", generation_id(tenant, group, generation), "member", *_subject(tenant, member))


def current_relation(tenant: TenantId, group: GroupId, *, generation: int) -> Relation:
    here = object_id(tenant, group)
    return Relation("group", here, "current", "generation", generation_id(tenant, group, generation))


def muted_relation(tenant: TenantId, group: GroupId) -> Relation:
    """Grants of the group count as sharing with everyone, which the tenant's policy does not show."""
    return Relation("group", object_id(tenant, group), "muted", "person", ANYONE)


def sharing_relation(tenant: TenantId) -> Relation:
    """The policy shows what is shared with everyone: one relation opens or closes all of it."""
    here = object_id(tenant, tenant)
    return Relation("tenant", here, "sharing", "tenant", here)


def membership_relation(tenant: TenantId, person: PersonId) -> Relation:
    """A person who is a member of the tenant, that is, no guest."""
    return Relation("tenant", object_id(tenant, tenant), "member", "person", object_id(tenant, person))


def difference(before: frozenset[Relation], after: frozenset[Relation]) -> list[RelationUpdate]:
    """Updates from `before` to `after`, in a stable order."""
    removed = [RelationUpdate(Operation.DELETE, relation) for relation in sorted(before - after)]
    return removed + [RelationUpdate(Operation.TOUCH, relation) for relation in sorted(after - before)]
