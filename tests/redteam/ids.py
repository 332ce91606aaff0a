"""The simulated source in ids, as the product holds it: what its filter and its plain reading are asked about."""

from uuid import UUID

from cortex.domain.acl import (
    Asker,
    Group,
    GroupRef,
    Node,
    Person,
    Principal,
    PrincipalRef,
    UserRef,
    Viewers,
    parse_acl,
    resolve,
)
from cortex.domain.identity import ContainerId, GroupId, PersonId, container_id, group_id, source_id
from tests.demo.oracle import Acl
from tests.e2e.company import whole
from tests.redteam.arena import Arena, described, external
from tests.redteam.source import SimulatedSource


class Resolved:
    """Of one tenant, as its source is now."""

    def __init__(self, arena: Arena) -> None:
        self._tenant = arena.company.tenant
        self._source: SimulatedSource = arena.source
        items = whole(arena.company.admin.get("/admin/v1/people", limit=200))["items"]
        self._people = {item["email"]: PersonId(UUID(item["id"])) for item in items if item["email"]}

    def person(self, name: str) -> PersonId:
        return self._people[f"{name}@acme.example"]

    def asker(self, person: str) -> Asker:
        groups = {self._group(name) for name in self._source.groups if self._source.is_among(person, f"group:{name}")}
        return Asker(self.person(person), frozenset(groups), guest=self._source.people[person])

    def node(self, paper: str) -> Node:
        found = self._source.papers[paper]
        return self._node(found.folder, found.acl)

    def containers(self) -> dict[ContainerId, Node]:
        return {self._container(n): self._node(f.parent, f.acl) for n, f in self._source.folders.items()}

    def _node(self, parent: str | None, acl: Acl) -> Node:
        resolved = resolve(parse_acl(described(acl)), self._principal)
        return Node(resolved, None if parent is None else self._container(parent))

    def _principal(self, reference: PrincipalRef) -> Principal:
        if isinstance(reference, UserRef):
            return Person(self._people[reference.email])
        if isinstance(reference, GroupRef):
            name = reference.external if reference.source is None else f"{reference.source}/{reference.external}"
            return Group(self._group(name))
        return Viewers(self._container(f"{reference.source}/{reference.container}"))

    def _group(self, name: str) -> GroupId:
        source, slash, rest = name.partition("/")
        if not slash:
            return group_id(self._tenant, None, name)
        return group_id(self._tenant, source_id(self._tenant, source), rest)

    def _container(self, name: str) -> ContainerId:
        source = source_id(self._tenant, name.partition("/")[0])
        return container_id(self._tenant, source, external(name))
