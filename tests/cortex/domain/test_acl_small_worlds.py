"""Every combination of the algebra's keys in small worlds: the index filter against the plain reading, one by one.

A document lies in nothing, in a container, or in a container in a container; each node takes every inheritance,
openness, completeness, kind of grant, denial and gate. What the filter cannot say exactly is counted.
"""

import itertools
import uuid
from collections import Counter
from collections.abc import Iterator

from cortex.domain.acl import (
    AclOf,
    Asker,
    Group,
    Inherit,
    Node,
    Person,
    Principal,
    Public,
    ResolvedAcl,
    Viewers,
    visible,
)
from cortex.domain.acl_index import asker_tokens, index_acl, matches
from cortex.domain.identity import ContainerId, GroupId, PersonId

ANN, BEN, GUS = (PersonId(uuid.UUID(int=n)) for n in (1, 2, 3))
STAFF = GroupId(uuid.UUID(int=11))
INNER, OUTER, ASIDE = (ContainerId(uuid.UUID(int=n)) for n in (21, 22, 23))
ASIDE_NODE = Node(AclOf(allow=frozenset([Person(BEN)])))

ASKERS = [
    Asker(person, groups, guest=guest, shared=shared, muted=muted)
    for person, groups, guest in (
        (ANN, frozenset[GroupId](), False),
        (BEN, frozenset([STAFF]), False),
        (GUS, frozenset([STAFF]), True),
    )
    for shared, muted in ((True, frozenset[GroupId]()), (False, frozenset([STAFF])))
]
NOBODY: frozenset[Principal] = frozenset()
GRANTS: tuple[frozenset[Principal], ...] = (NOBODY, frozenset([Person(ANN)]), frozenset([Group(STAFF)]))
DENIALS: tuple[frozenset[Principal], ...] = (NOBODY, frozenset([Group(STAFF)]))
GATES: tuple[frozenset[frozenset[Principal]], ...] = (frozenset(), frozenset([frozenset([Person(ANN), Group(STAFF)])]))


def acls(
    *, publics: tuple[Public, ...] = tuple(Public), grants: tuple[frozenset[Principal], ...] = GRANTS
) -> Iterator[ResolvedAcl]:
    for allow, deny, gates, public, complete, inherit in itertools.product(
        grants, DENIALS, GATES, publics, (True, False), Inherit
    ):
        yield AclOf(allow, deny, gates, public, complete, inherit)


def compare(node: Node, containers: dict[ContainerId, Node], count: Counter[bool]) -> None:
    acl = index_acl(node, containers)
    for asker in ASKERS:
        seen, passed = visible(node, containers, asker), matches(acl, asker_tokens(asker))
        assert passed or not seen, (node, containers, asker)
        count[passed == seen] += 1


def test_a_document_that_lies_in_nothing() -> None:
    """Groups of nearly everybody are left to the re-check; all else is exact."""
    count: Counter[bool] = Counter()
    for acl, approved in itertools.product(acls(), (False, True)):
        node = Node(acl, approved=approved)
        compare(node, {}, count)
        for asker in ASKERS:
            if not asker.muted:
                assert matches(index_acl(node, {}), asker_tokens(asker)) == visible(node, {}, asker)
    assert count[True] / count.total() > 0.97


def test_a_document_in_a_container() -> None:
    count: Counter[bool] = Counter()
    for inner, above in itertools.product(acls(), acls(publics=(Public.NONE, Public.TENANT))):
        compare(Node(inner, INNER), {INNER: Node(above)}, count)
    print(count)
    assert count[True] / count.total() > 0.97


def test_a_document_in_an_approved_container() -> None:
    count: Counter[bool] = Counter()
    for inner, above in itertools.product(acls(grants=GRANTS[:2]), acls(publics=(Public.TENANT,), grants=GRANTS[:1])):
        compare(Node(inner, INNER), {INNER: Node(above, approved=True)}, count)
    assert count[True] / count.total() > 0.97


def test_a_document_two_containers_deep() -> None:
    """Both containers take everything that passes through them; the document has nothing of its own, or names Ann."""
    count: Counter[bool] = Counter()
    publics = (Public.NONE, Public.TENANT)
    bottom = [AclOf(allow=allow, inherit=inherit) for allow in GRANTS[:2] for inherit in Inherit]
    for own, inner, outer in itertools.product(bottom, acls(publics=publics), acls(publics=publics, grants=GRANTS[:2])):
        if (inner.complete and outer.complete) or (
            inner.complete != outer.complete and not inner.deny and not outer.deny
        ):
            compare(Node(own, INNER), {INNER: Node(inner, OUTER), OUTER: Node(outer)}, count)
    print(count)
    assert count[True] / count.total() > 0.95


def test_a_document_shared_into_another_container() -> None:
    count: Counter[bool] = Counter()
    grants: tuple[frozenset[Principal], ...] = (frozenset([Viewers(ASIDE)]), frozenset([Viewers(ASIDE), Person(ANN)]))
    for acl, aside, parent in itertools.product(acls(grants=grants), acls(publics=(Public.NONE,)), (None, INNER)):
        containers = {ASIDE: Node(aside), INNER: ASIDE_NODE}
        compare(Node(acl, parent), containers, count)
    assert count[True] / count.total() > 0.9
