"""Random small companies: nested groups, containers in containers, and every key of the algebra."""

import random
import uuid
from dataclasses import dataclass

from cortex.domain.acl import AclOf, Asker, Group, Inherit, Node, Person, Principal, Public, Viewers
from cortex.domain.identity import ContainerId, DocumentId, GroupId, PersonId, TenantId
from cortex.domain.relation import Relation, acl_relations, group_relations, membership_relation, sharing_relation


@dataclass(frozen=True, slots=True)
class World:
    tenant: TenantId
    members: dict[GroupId, frozenset[Person | Group]]
    containers: dict[ContainerId, Node]
    documents: dict[DocumentId, Node]
    askers: list[Asker]


def make_world(
    source: random.Random, *, people: int = 5, groups: int = 3, containers: int = 4, documents: int = 12
) -> World:
    def new() -> uuid.UUID:
        return uuid.UUID(int=source.getrandbits(128), version=4)

    person_ids = [PersonId(new()) for _ in range(people)]
    group_ids = [GroupId(new()) for _ in range(groups)]
    members: dict[GroupId, frozenset[Person | Group]] = {}
    for number, group in enumerate(group_ids):
        inside: set[Person | Group] = {Person(person) for person in person_ids if source.random() < 0.35}
        inside |= {
            Group(other) for other in group_ids[:number] if source.random() < 0.4
        }  # earlier ones alone: no cycle
        members[group] = frozenset(inside)
    named: list[Principal] = [*map(Person, person_ids), *map(Group, group_ids)]
    nodes: dict[ContainerId, Node] = {}
    for _ in range(containers):
        nodes[ContainerId(new())] = _node(source, named, list(nodes))
    unknown = ContainerId(new())
    below = {DocumentId(new()): _node(source, named, [*nodes, unknown]) for _ in range(documents)}
    guests = set(source.sample(person_ids, 1))
    askers = [Asker(person, _groups_of(person, members), guest=person in guests) for person in person_ids]
    return World(TenantId(new()), members, nodes, below, askers)


def _node(source: random.Random, named: list[Principal], containers: list[ContainerId]) -> Node:
    def some(most: int) -> frozenset[Principal]:
        return frozenset(source.sample(named, source.randint(0, most)))

    allow = some(3)
    if containers and source.random() < 0.2:
        allow |= {Viewers(source.choice(containers))}
    acl = AclOf(
        allow=allow,
        deny=some(1) if source.random() < 0.3 else frozenset(),
        all_of=frozenset(some(3) for _ in range(source.choice((0, 0, 0, 1, 2)))),
        public=source.choice(list(Public)),
        complete=source.random() > 0.1,
        inherit=source.choice(list(Inherit)),
    )
    return Node(acl, source.choice([None, *containers]))


def _groups_of(person: PersonId, members: dict[GroupId, frozenset[Person | Group]]) -> frozenset[GroupId]:
    found: set[GroupId] = set()
    while True:
        more = {
            group
            for group, inside in members.items()
            if Person(person) in inside or any(Group(other) in inside for other in found)
        }
        if more <= found:
            return frozenset(found)
        found |= more


def relations_of(world: World) -> list[Relation]:
    """Everything that the permission engine is told of it, in order."""
    found: set[Relation] = {sharing_relation(world.tenant)}
    for group, members in world.members.items():
        found |= group_relations(world.tenant, group, members)
    for container, node in world.containers.items():
        found |= acl_relations(world.tenant, "container", container, node)
    for document, node in world.documents.items():
        found |= acl_relations(world.tenant, "document", document, node)
    found |= {membership_relation(world.tenant, asker.person) for asker in world.askers if not asker.guest}
    return sorted(found)
