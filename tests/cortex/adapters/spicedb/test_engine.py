"""The schema in the real engine, against the plain reading of the algebra."""

import itertools
import random
import uuid
from collections.abc import AsyncIterator

import pytest

from cortex.adapters.postgres.container_rows import DEPTH_MAX
from cortex.adapters.postgres.group_rows import NESTED_MAX
from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.domain.acl import AclOf, Asker, Group, Inherit, Node, Person, Principal, openable, visible
from cortex.domain.errors import Bug, Transient
from cortex.domain.identity import ContainerId, DocumentId, GroupId, PersonId, TenantId
from cortex.domain.relation import (
    Operation,
    RelationUpdate,
    acl_relations,
    group_relations,
)
from cortex.ports.permission_engine import UPDATES_MAX, Check
from tests.local_servers import KeyedUrl
from tests.worlds import World, make_world, relations_of

pytestmark = pytest.mark.servers


@pytest.fixture
async def engine(spicedb: KeyedUrl) -> AsyncIterator[SpiceDbEngine]:
    engine = SpiceDbEngine(spicedb.url, key=spicedb.key)
    yield engine
    await engine.close()


def updates_of(world: World) -> list[RelationUpdate]:
    return [RelationUpdate(Operation.TOUCH, relation) for relation in relations_of(world)]


@pytest.mark.parametrize("seed", range(25))
async def test_it_answers_as_the_algebra_says(engine: SpiceDbEngine, seed: int) -> None:
    print(f"seed {seed}")
    world = make_world(random.Random(seed))
    updates = updates_of(world)
    token = None
    for start in range(0, len(updates), UPDATES_MAX):
        token = await engine.write(updates[start : start + UPDATES_MAX])
    for asker in world.askers:
        await _compare(engine, world, asker, token)


async def _compare(engine: SpiceDbEngine, world: World, asker: Asker, token: str | None) -> None:
    for permission, expected in (("view", visible), ("openable", openable)):
        checks = [Check(document, permission) for document in world.documents]
        got = await engine.check(world.tenant, asker.person, checks, at_least_as_fresh=token)
        for (document, node), allowed in zip(world.documents.items(), got, strict=True):
            assert allowed == expected(node, world.containers, asker), (permission, document, node, asker)


async def test_an_unknown_document_is_hidden(engine: SpiceDbEngine) -> None:
    tenant, person = TenantId(uuid.uuid4()), PersonId(uuid.uuid4())
    assert await engine.check(tenant, person, [Check(DocumentId(uuid.uuid4()))], at_least_as_fresh=None) == [False]


async def test_a_relation_named_twice_in_a_write_keeps_its_last_word(engine: SpiceDbEngine) -> None:
    world = make_world(random.Random(1))
    [touch, *_] = updates_of(world)
    await engine.write([touch, RelationUpdate(Operation.DELETE, touch.relation), touch])


async def test_too_many_updates_are_our_own_mistake(engine: SpiceDbEngine) -> None:
    with pytest.raises(Bug):
        await engine.write([])


async def test_an_engine_out_of_reach_is_transient() -> None:
    engine = SpiceDbEngine("127.0.0.1:1", key="none", timeout_s=0.5)
    with pytest.raises(Transient):
        await engine.check(
            TenantId(uuid.uuid4()), PersonId(uuid.uuid4()), [Check(DocumentId(uuid.uuid4()))], at_least_as_fresh=None
        )
    await engine.close()


async def test_a_wrong_key_opens_nothing(spicedb: KeyedUrl) -> None:
    engine = SpiceDbEngine(spicedb.url, key="wrong")
    with pytest.raises(Bug, match="key"):
        await engine.check(
            TenantId(uuid.uuid4()), PersonId(uuid.uuid4()), [Check(DocumentId(uuid.uuid4()))], at_least_as_fresh=None
        )
    await engine.close()


@pytest.mark.parametrize("inherit", [Inherit.RESTRICT, Inherit.EXTEND])
@pytest.mark.parametrize("named", ["allow", "all_of", "deny"])
async def test_the_deepest_that_writes_may_make_of_containers_and_groups_is_still_checked(
    engine: SpiceDbEngine, inherit: Inherit, named: str
) -> None:
    tenant, ann, ben = TenantId(uuid.uuid4()), PersonId(uuid.uuid4()), PersonId(uuid.uuid4())
    groups = [GroupId(uuid.uuid4()) for _ in range(NESTED_MAX)]
    found = set(group_relations(tenant, groups[-1], frozenset([Person(ann)])))
    for outer, inner in itertools.pairwise(groups):
        found |= group_relations(tenant, outer, frozenset([Group(inner)]))
    crew, both = frozenset[Principal]([Group(groups[0])]), frozenset[Principal]([Person(ann), Person(ben)])
    acls = {
        "allow": AclOf(allow=crew),
        "all_of": AclOf(allow=both, all_of=frozenset([crew])),
        "deny": AclOf(allow=both, deny=crew),
    }
    chain = [ContainerId(uuid.uuid4()) for _ in range(DEPTH_MAX)]
    found |= acl_relations(tenant, "container", chain[0], Node(acls[named]))
    for above, container in itertools.pairwise(chain):
        found |= acl_relations(tenant, "container", container, Node(AclOf(inherit=inherit), above))
    document = DocumentId(uuid.uuid4())
    found |= acl_relations(tenant, "document", document, Node(AclOf(inherit=inherit), chain[-1]))
    token = await engine.write([RelationUpdate(Operation.TOUCH, relation) for relation in sorted(found)])
    seen = [await engine.check(tenant, who, [Check(document)], at_least_as_fresh=token) for who in (ann, ben)]
    assert seen == ([[False], [True]] if named == "deny" else [[True], [False]])
