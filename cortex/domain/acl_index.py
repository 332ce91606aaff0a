"""The ACL as an index filter: a conjunction of clauses and a deny list, never tighter than the algebra.

A clause is a set of tokens of which the asker must carry one. Dropping a clause or a denial only loosens the filter, so
whatever cannot be expressed is left out and the re-check decides (architecture section 4).
"""

from collections.abc import Mapping

from cortex.domain.acl import Asker, Group, Inherit, Node, Person, Principal, Public, Viewers
from cortex.domain.identity import ContainerId
from cortex.domain.vector import ACL_CLAUSES_MAX, IndexAcl

TOKENS_MAX = 20_000
DEPTH_MAX = 50
TENANT = "t"
APPROVED = "m"
"""Members too, whatever the tenant's policy: of what is shared with everyone and approved, or within a container."""

Clause = frozenset[str]
Conjunction = frozenset[Clause]
TRUE: Conjunction = frozenset()
FALSE: Conjunction = frozenset([frozenset()])


def asker_tokens(asker: Asker) -> Clause:
    groups = {f"g:{group}" for group in asker.groups}
    everyone = set() if asker.guest else {APPROVED, TENANT} if asker.shared else {APPROVED}
    return frozenset({f"p:{asker.person}", *groups} | everyone)


def matches(acl: IndexAcl, tokens: Clause) -> bool:
    """What the index computes; used by tests."""
    allowed = all(not clause.isdisjoint(tokens) for clause in acl.clauses)
    return allowed and acl.deny.isdisjoint(tokens)


def index_acl(node: Node, containers: Mapping[ContainerId, Node]) -> IndexAcl:
    """The filter of a document that lies under `containers`. A clause without tokens admits nobody."""
    if not _sound(node, containers):
        return IndexAcl((frozenset(),), frozenset())
    conjunction = _allowed(node, containers, 0)
    # Small clauses first: they filter most. Ties by content, so that equal ACLs give equal payloads.
    kept = sorted(conjunction, key=lambda clause: (len(clause), sorted(clause)))[:ACL_CLAUSES_MAX]
    return IndexAcl(tuple(kept), _denied(node, containers))


def _tokens(principals: frozenset[Principal]) -> Clause:
    people = {f"p:{principal.id}" for principal in principals if isinstance(principal, Person)}
    return frozenset(people | {f"g:{principal.id}" for principal in principals if isinstance(principal, Group)})


def _either(left: Conjunction, right: Conjunction) -> Conjunction:
    """Distributes or over and; clauses that grow too large are dropped, which only loosens."""
    if not left or not right:
        return TRUE
    pairs = [one | other for one in _smallest(left) for other in _smallest(right)]
    return frozenset(clause for clause in pairs if len(clause) <= TOKENS_MAX)


def _smallest(conjunction: Conjunction) -> list[Clause]:
    return sorted(conjunction, key=lambda clause: (len(clause), sorted(clause)))[: ACL_CLAUSES_MAX * 2]


def _own(node: Node, containers: Mapping[ContainerId, Node], depth: int) -> Conjunction:
    """Groups of nearly everybody count here whatever the policy; the re-check decides on those."""
    acl, members = node.acl, TENANT if node.guarded else APPROVED
    named = _tokens(acl.allow) | (frozenset([members]) if acl.public is Public.TENANT else frozenset())
    own: Conjunction = frozenset([named])
    for principal in acl.allow:
        if isinstance(principal, Viewers):
            own = _either(own, _container(principal.id, containers, depth))
    return own


def _container(identifier: ContainerId, containers: Mapping[ContainerId, Node], depth: int) -> Conjunction:
    container = containers.get(identifier)
    if container is None or depth >= DEPTH_MAX or not _sound(container, containers):
        return FALSE
    return _allowed(container, containers, depth + 1)


def _allowed(node: Node, containers: Mapping[ContainerId, Node], depth: int) -> Conjunction:
    acl = node.acl
    gates: Conjunction = frozenset(_tokens(group) for group in acl.all_of)
    own = _own(node, containers, depth)
    if acl.inherit is Inherit.NONE or node.parent is None:
        return own | gates
    parent = _container(node.parent, containers, depth)
    if acl.inherit is Inherit.EXTEND:
        return _either(own, parent) | gates
    unrestricted = not acl.allow and acl.public is not Public.TENANT
    return parent | gates | (TRUE if unrestricted else own)


def _denied(node: Node, containers: Mapping[ContainerId, Node]) -> Clause:
    """Denials of the node, and of containers above that every path leads through."""
    denied = _tokens(node.acl.deny)
    seen: set[ContainerId] = set()
    while node.acl.inherit is Inherit.RESTRICT and node.parent is not None and node.parent not in seen:
        seen.add(node.parent)
        parent = containers.get(node.parent)
        if parent is None:
            break
        node = parent
        denied |= _tokens(node.acl.deny)
    return denied


def _sound(node: Node, containers: Mapping[ContainerId, Node]) -> bool:
    seen: set[ContainerId] = set()
    while node.acl.complete:
        if node.acl.inherit is Inherit.NONE or node.parent is None:
            return True
        parent = containers.get(node.parent)
        if parent is None or node.parent in seen or len(seen) >= DEPTH_MAX:
            return False
        seen.add(node.parent)
        node = parent
    return False
