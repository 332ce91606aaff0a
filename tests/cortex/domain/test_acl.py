"""The permission algebra, read against contracts.md."""

import random
import uuid

import pytest

from cortex.domain.acl import (
    AclOf,
    Asker,
    Group,
    GroupRef,
    Inherit,
    Node,
    Person,
    Public,
    UserRef,
    Viewers,
    ViewersRef,
    acl_json,
    openable,
    parse_acl,
    parse_principal,
    visible,
)
from cortex.domain.acl_index import asker_tokens, index_acl, matches
from cortex.domain.errors import Invalid
from cortex.domain.identity import ContainerId, GroupId, PersonId
from tests.worlds import make_world

ANN, BEN = PersonId(uuid.uuid4()), PersonId(uuid.uuid4())
STAFF = GroupId(uuid.uuid4())
FOLDER, INNER = ContainerId(uuid.uuid4()), ContainerId(uuid.uuid4())


def asker(person: PersonId = ANN, *groups: GroupId, guest: bool = False) -> Asker:
    return Asker(person, frozenset(groups), guest=guest)


def test_public_tenant_leaves_guests_out() -> None:
    node = Node(AclOf(public=Public.TENANT))
    assert visible(node, {}, asker())
    assert not visible(node, {}, asker(guest=True))


def test_link_sharing_opens_by_id_and_is_never_found() -> None:
    node = Node(AclOf(public=Public.LINK))
    assert openable(node, {}, asker())
    assert not visible(node, {}, asker())
    assert not openable(node, {}, asker(guest=True))


def test_a_denial_outweighs_every_grant() -> None:
    node = Node(AclOf(allow=frozenset([Person(ANN)]), deny=frozenset([Group(STAFF)]), public=Public.TENANT))
    assert visible(node, {}, asker(ANN))
    assert not visible(node, {}, asker(ANN, STAFF))


def test_every_set_of_all_of_must_name_the_asker() -> None:
    node = Node(AclOf(public=Public.TENANT, all_of=frozenset([frozenset([Group(STAFF)]), frozenset([Person(ANN)])])))
    assert visible(node, {}, asker(ANN, STAFF))
    assert not visible(node, {}, asker(ANN))
    assert not visible(node, {}, asker(BEN, STAFF))


def test_restrict_asks_the_page_and_every_container_above() -> None:
    containers = {
        FOLDER: Node(AclOf(allow=frozenset([Person(ANN), Person(BEN)]))),
        INNER: Node(AclOf(allow=frozenset([Person(ANN)])), FOLDER),
    }
    assert visible(Node(AclOf(), INNER), containers, asker(ANN))
    assert not visible(Node(AclOf(), INNER), containers, asker(BEN))
    assert not visible(Node(AclOf(allow=frozenset([Person(BEN)])), INNER), containers, asker(BEN))


def test_extend_adds_to_who_may_see_the_folder() -> None:
    containers = {FOLDER: Node(AclOf(allow=frozenset([Person(ANN)])))}
    node = Node(AclOf(allow=frozenset([Person(BEN)]), inherit=Inherit.EXTEND), FOLDER)
    assert visible(node, containers, asker(ANN))
    assert visible(node, containers, asker(BEN))


def test_none_stands_alone() -> None:
    containers = {FOLDER: Node(AclOf(public=Public.TENANT))}
    node = Node(AclOf(allow=frozenset([Person(BEN)]), inherit=Inherit.NONE), FOLDER)
    assert not visible(node, containers, asker(ANN))
    assert visible(node, containers, asker(BEN))


@pytest.mark.parametrize("inherit", [Inherit.EXTEND, Inherit.RESTRICT])
def test_an_unknown_or_incomplete_container_hides_even_own_grants(inherit: Inherit) -> None:
    node = Node(AclOf(allow=frozenset([Person(ANN)]), inherit=inherit), FOLDER)
    assert not visible(node, {}, asker(ANN))
    assert not visible(node, {FOLDER: Node(AclOf(public=Public.TENANT, complete=False))}, asker(ANN))


def test_viewers_are_whoever_sees_that_container() -> None:
    containers = {FOLDER: Node(AclOf(allow=frozenset([Person(ANN)])))}
    node = Node(AclOf(allow=frozenset([Viewers(FOLDER)])))
    assert visible(node, containers, asker(ANN))
    assert not visible(node, containers, asker(BEN))


def test_cycles_hide() -> None:
    containers = {FOLDER: Node(AclOf(public=Public.TENANT), INNER), INNER: Node(AclOf(public=Public.TENANT), FOLDER)}
    assert not visible(Node(AclOf(public=Public.TENANT), FOLDER), containers, asker())


@pytest.mark.parametrize("seed", range(150))
def test_the_index_filter_is_never_tighter_than_the_algebra(seed: int) -> None:
    print(f"seed {seed}")
    world = make_world(random.Random(seed))
    for node in world.documents.values():
        acl = index_acl(node, world.containers)
        for person in world.askers:
            if visible(node, world.containers, person):
                assert matches(acl, asker_tokens(person)), (seed, node)


def test_the_index_filter_equals_the_algebra_where_it_can_express_it() -> None:
    equal = total = 0
    for seed in range(150):
        world = make_world(random.Random(seed))
        for node in world.documents.values():
            acl = index_acl(node, world.containers)
            for person in world.askers:
                total += 1
                equal += matches(acl, asker_tokens(person)) == visible(node, world.containers, person)
    assert equal / total > 0.97


def test_principals_by_name() -> None:
    assert parse_principal("user:Ann@Acme.example", place="x") == UserRef("ann@acme.example")
    assert parse_principal("group:eng", place="x") == GroupRef(None, "eng")
    assert parse_principal("group:wiki/eng/core", place="x") == GroupRef("wiki", "eng/core")
    assert parse_principal("viewers:chat/general", place="x") == ViewersRef("chat", "general")


@pytest.mark.parametrize("text", ["ann", "user:ann", "team:x", "viewers:chat", "group:", 7, None, "user:a b@c"])
def test_a_wrong_principal_names_its_place(text: object) -> None:
    with pytest.raises(Invalid, match=r"allow\[0\]"):
        parse_principal(text, place="allow[0]")


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([], "acl"),
        ({"alow": []}, "'alow'"),
        ({"allow": "user:a@b.c"}, "acl.allow"),
        ({"deny": ["viewers:a/b"]}, "acl.deny"),
        ({"all_of": [["viewers:a/b"]]}, "acl.all_of"),
        ({"public": "world"}, "acl.public"),
        ({"inherit": "maybe"}, "acl.inherit"),
        ({"complete": "yes"}, "acl.complete"),
    ],
)
def test_a_wrong_acl_names_its_place(value: object, place: str) -> None:
    with pytest.raises(Invalid, match=place.replace(".", r"\.")):
        parse_acl(value)


def test_an_acl_survives_its_json() -> None:
    value = {"allow": ["user:b@x.y", "user:a@x.y"], "all_of": [["group:a"]], "public": "link", "inherit": "none"}
    assert parse_acl(acl_json(parse_acl(value))) == parse_acl(value)
