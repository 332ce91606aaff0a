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

    anyone = ("person", ANYONE, "")
    members = ("tenant", object_id(tenant, tenant), "member")
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
        add(allow, _subject(tenant, principal))
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
        add("link", members)
    return frozenset(found)


def group_relations(tenant: TenantId, group: GroupId, members: frozenset[Person | Group]) -> frozenset[Relation]:
    here = object_id(tenant, group)
    return frozenset(Relation("group", here, "member", *_subject(tenant, principal)) for principal in members)


def membership_relation(tenant: TenantId, person: PersonId) -> Relation:
    """A person who is a member of the tenant, that is, no guest."""
    return Relation("tenant", object_id(tenant, tenant), "member", "person", object_id(tenant, person))


def difference(before: frozenset[Relation], after: frozenset[Relation]) -> list[RelationUpdate]:
    """Updates from `before` to `after`, in a stable order."""
    removed = [RelationUpdate(Operation.DELETE, relation) for relation in sorted(before - after)]
    return removed + [RelationUpdate(Operation.TOUCH, relation) for relation in sorted(after - before)]
